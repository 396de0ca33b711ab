"""Fuzz targets: every parser of untrusted input, each with examples, a size limit, and a law.

A target takes bytes. It may raise a LeftbowerError, which is caught here; anything else is a finding. A parsed value
must obey a law: written and parsed again it is the same; and an error must be one short printable sentence.
"""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from http.cookies import CookieError, SimpleCookie
from random import Random
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.datastructures import Headers

from leftbower.dealing.verify import Unreadable, UnsealedRecord, verify
from leftbower.engine import view
from leftbower.engine.states import State
from leftbower.errors import LeftbowerError
from leftbower.notation import hand_line, handline as handlines, parse_hand_line, read_egn
from leftbower.notation.handline import replay_hand_line, view_line
from leftbower.notation.record import dumps, loads, read_record
from leftbower.printing import PRINTOUTS
from leftbower.rules.formats import (
    MAX_TOML_CHARACTERS,
    from_json,
    from_link,
    from_toml,
    to_json,
    to_link,
    to_toml,
)
from leftbower.rules.house import HouseRules
from leftbower.rules.link import CHECK_SEEDS, FIRST_PREFIX, LINK_PREFIX, check_of
from leftbower.server.api import accounts as account_routes
from leftbower.server.api.requests import ActionRequest, NameRequest, RulesRequest, TableCommand, TableRequest
from leftbower.server.http.errors import validation_error
from leftbower.server.http.form_data import is_multipart, parse_multipart, parse_urlencoded
from leftbower.server.http.middleware import (
    MAX_BODY_BYTES,
    check_host,
    content_length,
    is_trusted,
    max_body_bytes,
)
from leftbower.server.http.rate_limit import client_key
from leftbower.server.people import passkeys
from leftbower.server.people.sanitize import clean_chat, clean_name, clean_title, strip_invisible
from leftbower.store import Passkey
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.facts import EventFact, LedgerEntry
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.validate import record
from leftbower.tournament.text import parse
from leftbower.tournament.text.csv import parse_csv, parse_pasted
from leftbower.tournament.text.exports import EXPORTS, export_csv
from leftbower.tournament.text.parse import parse_cents, parse_tie_breaks
from leftbower.web.event.entry.plan_form import parse_plan
from leftbower.web.event.entry.routes import parse_ledger
from leftbower.web.event.forms import COMMANDS
from leftbower.web.event.phone import parse_fact
from leftbower.web.preferences import parse_preferences, preferences_cookie
from leftbower.web.rules.routes import rules_from_form
from leftbower.web.table.routes import parse_command
from proofs.fuzz import seeds
from proofs.fuzz.mutations import mutated_bytes, mutated_form, mutated_json_lines, mutated_multipart, urlencoded
from proofs.fuzz.runner import FuzzTarget, LawBroken

MAX_ERROR_CHARS: Final = 1000
"""Maximum characters of an error message; input is only quoted in part."""
_MAX_ROUND_TRIP_BYTES: Final = 256 << 10
"""Larger inputs are parsed but not written again."""


def _check(holds: bool, law: str) -> None:
    if not holds:
        raise LawBroken(law)


@contextmanager
def _deliberate() -> Iterator[None]:
    """Catch expected errors; their text must be short and printable."""
    try:
        yield
    except LeftbowerError as error:
        _check_error(error)


def _check_error(error: LeftbowerError) -> None:
    text = str(error)
    _check(text.isprintable(), "an error has a control character in its text")
    _check(0 < len(text) <= MAX_ERROR_CHARS, "an error has an empty or a very long text")


def _text(data: bytes) -> str:
    """The input as text, including lone surrogates, which JSON can contain."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


# Hands, records, other people's records


def _hand_line(data: bytes) -> None:
    text = _text(data)
    with _deliberate():
        replayed = replay_hand_line(text)
        if replayed.fault:
            _check_error(replayed.fault.error)
        _check_hand(replayed.state)
    with _deliberate():
        parse_hand_line(text)


def _check_hand(state: State) -> None:
    line = hand_line(state)
    if len(line) <= handlines.MAX_HAND_LINE_CHARACTERS:
        again = parse_hand_line(line)
        _check(hand_line(again) == line, "a hand line is another one when it is parsed and written")
    for seat in (None, *state.hand.rules.seats):
        with _deliberate():
            view_line(view(state, seat))


def _record(data: bytes) -> None:
    text = _text(data)
    with _deliberate():
        found, replayed = read_record(text)
        if replayed.fault:
            _check_error(replayed.fault.error)
        elif len(data) <= _MAX_ROUND_TRIP_BYTES:
            _check(loads(dumps(found)) == found, "a record is another one when it is written and read")
    with suppress(Unreadable, UnsealedRecord):
        verify(text)


def _egn(data: bytes) -> None:
    with _deliberate():
        game = read_egn(_text(data))
        if game.fault:
            _check_error(game.fault.error)
        for hand in game.hands[:20]:
            hand_line(hand)


# Rules


def _link(data: bytes) -> None:
    text = _text(data)
    body = data[:40]
    checked = (prefix + urlsafe_b64encode(body + check_of(body, prefix)).decode().rstrip("=") for prefix in CHECK_SEEDS)
    for link in (text, LINK_PREFIX + text, *checked):
        with _deliberate():
            rules = from_link(link)
            _check(
                to_link(rules) == link or link.startswith(FIRST_PREFIX),
                "a link is another one when it is read and written",
            )
            _check_rules(rules)
        with _deliberate(), suppress(ValidationError):
            RulesRequest(rules=link).house_rules()


def _toml(data: bytes) -> None:
    with _deliberate():
        _check_rules(from_toml(_text(data)))


def _check_rules(rules: HouseRules) -> None:
    _check(from_toml(to_toml(rules)) == rules, "rules are others when they are written as TOML and read")
    _check(from_json(to_json(rules)) == rules, "rules are others when they are written as JSON and read")
    _check(from_link(to_link(rules)) == rules, "rules are others when they are written as a link and read")


# Events


def _ledger(data: bytes) -> None:
    with _deliberate():
        entries = parse_ledger(data.decode("utf-8", "replace"))
        event: Event | None = None
        for entry in entries:
            _check_entry(entry)
            event = record(event, entry)
        if event is not None:
            _show(event)


def _check_entry(entry: LedgerEntry) -> None:
    plain = json.loads(json.dumps(entry_to_json(entry), allow_nan=False))
    _check(entry_from_json(plain) == entry, "a line of a ledger is another one when it is written and read")


def _show(event: Event) -> None:
    """Show and print the event of a ledger; expected errors report what is not there yet."""
    for what in EXPORTS:
        with _deliberate():
            export_csv(event, what)
    for printout in PRINTOUTS.values():
        with _deliberate():
            printout(event)


@cache
def _event() -> Event:
    return seeds.small_event()


# Forms and bodies


def _form(data: bytes) -> None:
    with _deliberate():
        _use_form(parse_urlencoded(data))


def _multipart(data: bytes) -> None:
    kind, _, body = data.partition(b"\n")
    content_type = kind.decode("latin-1")
    if is_multipart(content_type):
        with _deliberate():
            form = parse_multipart(content_type, body)
            _use_form(form)
            if "ledger" in form:
                _ledger(form["ledger"].encode())


def _use_form(form: dict[str, str]) -> None:
    """Everything that a page does with a form."""
    if (step := form.get("command", "")) in COMMANDS:
        with _deliberate():
            _check_facts(COMMANDS[step](_event(), dict(form), "seed"))
    for role in seeds.roles():
        with _deliberate():
            _check_facts([parse_fact(_event(), role, dict(form))])
    with _deliberate():
        parse_command(dict(form))
    with _deliberate():
        _check_rules(rules_from_form(form))
    with _deliberate():
        parse_plan(dict(form))
    cookie = preferences_cookie(form)
    _check(
        parse_preferences(cookie) == frozenset(cookie.split(".")) - {""},
        "preferences change when they are written and read",
    )


def _check_facts(facts: Iterable[EventFact]) -> None:
    event = _event()
    for fact in facts:
        entry = LedgerEntry(fact=fact, by="desk", at=3.0)
        event = record(event, entry)
        _check_entry(entry)


_KINDS: Final[tuple[Any, ...]] = (
    *(NameRequest, TableRequest, ActionRequest, TableCommand),
    *(account_routes.NewPassword, account_routes.ByPassword, account_routes.NewPasskey, account_routes.ByPasskey),
)
_BODIES: Final[tuple[TypeAdapter[Any], ...]] = tuple(TypeAdapter(kind) for kind in _KINDS)


def _json_body(data: bytes) -> None:
    for adapter in _BODIES:
        _use_body_of(adapter.validate_json, data)
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        return
    for adapter in _BODIES:
        _use_body_of(adapter.validate_python, plain)


def _use_body_of(validate: Callable[[Any], Any], plain: object) -> None:
    with _deliberate():
        try:
            body = validate(plain)
        except ValidationError as error:
            _check_error(validation_error(RequestValidationError(error.errors())))
            return
        _use_body(body)


def _use_body(body: BaseModel) -> None:
    if isinstance(body, RulesRequest):
        _check_rules(body.house_rules())
    if isinstance(body, ActionRequest):
        body.request()
    if isinstance(body, account_routes.NewPasskey | account_routes.ByPasskey):
        passkeys.parse_credential(body.credential)
    for name, clean in (
        ("name", clean_name),
        ("title", clean_title),
        ("words", clean_chat),
        ("label", strip_invisible),
    ):
        if isinstance(text := getattr(body, name, None), str):
            with _deliberate():
                _check_clean(clean(text), clean)


_SITE: Final = passkeys.Site.of("https://euchre.example")
_CHALLENGE: Final = "A" * 43


def _passkey(data: bytes) -> None:
    """An authenticator's response, read as that of a new and of a known passkey."""
    for kind, known in (("create", None), ("get", _PASSKEY)):
        client = {"type": f"webauthn.{kind}", "challenge": _CHALLENGE, "origin": _SITE.origin, "crossOrigin": False}
        response = {
            "clientDataJSON": passkeys.encode_base64url(json.dumps(client).encode()),
            "attestationObject": passkeys.encode_base64url(data),
            "authenticatorData": passkeys.encode_base64url(data),
            "signature": passkeys.encode_base64url(data[:72]),
            "userHandle": passkeys.encode_base64url(b"person"),
        }
        credential = {"id": "YWJjZA", "rawId": "YWJjZA", "type": "public-key", "response": response}
        with _deliberate():
            brought = passkeys.parse_credential(credential)
            passkeys.verify_authentication(_SITE, brought, known) if known else passkeys.verify_registration(
                _SITE, brought
            )


_PASSKEY: Final = Passkey(id=b"abcd", person="person", key=b"\xa0", count=0, label="", created=0.0, used=None)


def _check_clean(text: str, clean: Callable[[str], str]) -> None:
    _check(clean(text) == text, "a clean name is another one when it is cleaned again")
    text.encode()


# Headers, names, lists, scores


def _header(data: bytes) -> None:
    lines = [line.partition(b":") for line in data.split(b"\n") if b":" in line]
    headers = Headers(raw=[(name.strip().lower(), value.strip()) for name, _, value in lines])
    with _deliberate():
        check_host(headers.getlist("host"))
    content_length(headers)
    for scheme in ("http", "https"):
        is_trusted(headers, scheme)
    parse_preferences(headers.get("cookie", ""))
    client_key(headers.get("x-forwarded-for", ""))
    max_body_bytes(headers.get("referer", ""))
    with suppress(CookieError):
        SimpleCookie(headers.get("cookie", ""))


def _typed(data: bytes) -> None:
    text = _text(data)
    for clean in (clean_name, clean_title, clean_chat, strip_invisible):
        with _deliberate():
            _check_clean(clean(text[:MAX_BODY_BYTES]), clean)
    for read in (
        parse_cents,
        parse_tie_breaks,
        parse.parse_hand,
        parse.parse_rounds,
        parse.parse_game,
        parse.parse_cents,
    ):
        with _deliberate():
            read(text)
    with _deliberate():
        parse.parse_prizes(text, text, text.split(), _event().plan.prizes)
    with _deliberate():
        parse.parse_score(text.split(), (), (), text.split(), stopped=False)
    for singles in (True, False):
        for read_list in (parse_pasted, parse_csv):
            with _deliberate():
                read_list(text, singles=singles)
    client_key(text)
    parse_preferences(text)


def _mutated_form(data: bytes, rng: Random) -> bytes:
    if rng.random() < 0.3:
        return mutated_bytes(data, rng)
    try:
        fields = list(parse_urlencoded(data).items())
    except LeftbowerError:
        return mutated_bytes(data, rng)
    return urlencoded(mutated_form(fields, rng))


def _mutated_multipart(data: bytes, rng: Random) -> bytes:
    head, _, body = data.partition(b"\n")
    if rng.random() < 0.2:
        return mutated_bytes(head, rng) + b"\n" + body
    return head + b"\n" + mutated_multipart(body, seeds.BOUNDARY, rng)


_CARDS: Final = tuple(rank + suit for rank in "9TJQKA" for suit in "cdhs")
TARGETS: Final[Mapping[str, FuzzTarget]] = {
    target.name: target
    for target in (
        FuzzTarget(
            name="hand-line",
            run=_hand_line,
            seeds=seeds.hand_lines,
            max_bytes=handlines.MAX_HAND_LINE_CHARACTERS + 100,
            tokens=(
                *_CARDS,
                "{club 9-6}",
                LINK_PREFIX,
                "N:",
                "E:",
                "S:",
                "W:",
                "D:",
                "??",
                " | ",
                "o!",
                "h!",
                "w0100",
                "h7",
            ),
        ),
        FuzzTarget(
            name="record",
            run=_record,
            seeds=seeds.records,
            max_bytes=4 << 20,
            mutate=mutated_json_lines,
            tokens=("fact", "draw", "deal", "act", "seal", "sealed", "cut", "packets", "opened", "end", *_CARDS),
        ),
        FuzzTarget(
            name="egn",
            run=_egn,
            seeds=seeds.egn_files,
            max_bytes=4 << 20,
            mutate=mutated_json_lines,
            tokens=(
                "upCard",
                "dealer",
                "calls",
                "tricks",
                "discard",
                "isAlone",
                "aloneDefender",
                "R",
                "L",
                "Xx",
                *_CARDS,
            ),
        ),
        FuzzTarget(name="link", run=_link, seeds=seeds.links, max_bytes=100, tokens=tuple(CHECK_SEEDS)),
        FuzzTarget(
            name="toml",
            run=_toml,
            seeds=seeds.toml_files,
            max_bytes=MAX_TOML_CHARACTERS + 100,
            tokens=(*to_json(HouseRules()), "sheet", '"""', "'''", "1979-05-27T07:32:00Z", "0x", "inf", "nan"),
        ),
        FuzzTarget(
            name="ledger",
            run=_ledger,
            seeds=seeds.ledgers,
            max_bytes=max_body_bytes("/events/import"),
            mutate=mutated_json_lines,
            tokens=(
                "fact",
                "data",
                "at",
                "by",
                "score",
                "games",
                "hands",
                "points",
                "absent",
                "round",
                "table",
                "1e400",
            ),
        ),
        FuzzTarget(
            name="multipart",
            run=_multipart,
            seeds=seeds.multipart_bodies,
            max_bytes=max_body_bytes("/events/import"),
            mutate=_mutated_multipart,
            tokens=("--" + seeds.BOUNDARY, "\r\n", "Content-Disposition: form-data; name=", "filename*=", "charset="),
        ),
        FuzzTarget(
            name="form",
            run=_form,
            seeds=seeds.urlencoded_forms,
            max_bytes=max_body_bytes("/e/x/desk/import"),
            mutate=_mutated_form,
            tokens=(
                "action=",
                "&round=1",
                "&table=1",
                "&version=0",
                "games=",
                "names=",
                "tap=",
                "%0A",
                "%26",
                "command=",
                "prizes=",
            ),
        ),
        FuzzTarget(
            name="json-body",
            run=_json_body,
            seeds=seeds.json_bodies,
            max_bytes=MAX_BODY_BYTES,
            mutate=mutated_json_lines,
            tokens=(
                "command",
                "seat",
                "version",
                "action",
                "action_id",
                "rules",
                "changes",
                "credential",
                "\\ud800",
                "NaN",
            ),
        ),
        FuzzTarget(
            name="passkey",
            run=_passkey,
            seeds=seeds.attestations,
            max_bytes=MAX_BODY_BYTES,
            tokens=("authData", "attStmt"),
        ),
        FuzzTarget(
            name="header",
            run=_header,
            seeds=seeds.headers,
            max_bytes=MAX_BODY_BYTES,
            tokens=("Host: ", "Origin: ", "Last-Event-ID: ", "Cookie: ", "[::1]", "http://", "Bearer "),
        ),
        FuzzTarget(
            name="typed",
            run=_typed,
            seeds=seeds.texts,
            max_bytes=max_body_bytes("/e/x/desk/import"),
            tokens=("name,", "player;", " & ", "10-6", "^renege:", "N5!", "50%", "\u200d", "\ufe0f", "loners="),
        ),
    )
}
