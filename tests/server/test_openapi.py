"""The API is what its OpenAPI says: whatever is sent, the answer is one that is described there, and never a 5xx."""

from functools import cache
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from at_the_server import NO_CUTS, QUICK, cheap_hashes, seeded, unlimited
from leftbower.server.api import application
from leftbower.server.limits import Backoff
from leftbower.server.passwords import Passwords
from leftbower.store.memory import MemoryStore

FREE: dict[str, Any] = {name: unlimited() for name in ("strangers", "known", "signing_in")}
FREE["guessing"] = Backoff(free=10**9)
PASSWORDS = Passwords(cheap_hashes())
APP = application(
    MemoryStore(), entropy=seeded(41), origin="https://euchre.example", passwords=PASSWORDS, **FREE, **QUICK
)
SCHEMA = schemathesis.openapi.from_asgi("/api/openapi.json", APP)
ROUTES = SCHEMA.exclude(path_regex="/feed$")
ALWAYS = {"429", "503"}


def say(method: str, path: str, token: str = "", **case: Any) -> Any:
    """The answer to a request, through the same door that schemathesis uses."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = SCHEMA[path][method].Case(**case).call(headers=headers)
    assert answer.status_code < 300, answer.content
    return answer.json() if answer.content else None


def guest() -> str:
    """A new token."""
    token: str = say("POST", "/api/guests", body={"name": "Ann"})["token"]
    return token


@cache
def host_and_table() -> tuple[str, str]:
    """A host's token, and the table at which the host plays against bots."""
    token = guest()
    table = say("POST", "/api/tables", token, body=NO_CUTS)["table"]
    asks = [{"ask": "sit", "seat": "N"}, *({"ask": "seat-bot", "seat": seat, "level": "novice"} for seat in "ESW")]
    for ask in (*asks, {"ask": "agree"}):
        say("POST", "/api/tables/{table}/asks", token, path_parameters={"table": table}, body=ask)
    return token, table


def test_it_is_openapi_3_1_and_every_route_says_what_it_refuses() -> None:
    raw: Any = SCHEMA.raw_schema
    assert raw["openapi"].startswith("3.1")
    assert {"HTTPValidationError", "ValidationError"}.isdisjoint(raw["components"]["schemas"])
    for path, operations in raw["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            assert answers.keys() >= ALWAYS, path
            needs_token = {} not in operation.get("security", [{}])
            assert not needs_token or "401" in answers, (method, path)
            assert "requestBody" not in operation or answers.keys() >= {"413", "422"}, (method, path)
            assert not ("{table}" in path or "{code}" in path) or "404" in answers, (method, path)
            refusals = [answer for status, answer in answers.items() if status >= "400"]
            assert all(list(answer["content"]) == ["application/json"] for answer in refusals), (method, path)


@ROUTES.parametrize()
@settings(
    max_examples=6, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True
)
def test_no_request_gets_an_answer_that_is_not_described(case: Any) -> None:
    """As it was made up, and again at a table that is there; with a token that is good.

    A text that names no rules, and an object that is no action, are well-formed and refused all the same: that is 422.
    """
    token, table = host_and_table()
    mine = guest() if case.path.startswith(("/api/me", "/api/tokens")) else token
    headers = {"Authorization": f"Bearer {mine}"}
    case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
    if "table" in (case.path_parameters or {}):
        case.path_parameters["table"] = table
        case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
