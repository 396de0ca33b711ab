"""Names and titles: input comes back as clean text, the same everywhere, or is refused."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given, strategies as st

from leftbower.dealing import verify
from leftbower.errors import BadName
from leftbower.server.people.name_commitments import commit_names, committed_names
from leftbower.server.people.sanitize import clean_name, clean_title, length
from leftbower.server.quotas import Quotas
from leftbower.store.memory import MemoryStore
from naive_chain import dump_lines, parsed, rechained
from payloads import CLEANED, LONG, SURROGATES, TAME, UNCLEAN, everything
from server_client import NO_CUTS, AppServer, Client, checked, play_on, seated, seeded, serving

BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
REFUSED = {422: {"bad-name", "bad-request"}, 413: {"too-large"}}


def assert_clean(text: str) -> None:
    """By Unicode's tables alone: nothing that moves, hides, reverses, is a lone surrogate or unassigned; composed and
    short."""
    kinds = {unicodedata.category(letter) for letter in text if letter != "\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}, ascii(text)
    assert not BIDI & set(text)
    assert unicodedata.is_normalized("NFC", text)
    assert text == " ".join(text.split(" "))
    assert "  " not in text
    for before, after in zip(" " + text, text + " ", strict=True):
        if "\u200d" in (before, after):  # only between emoji
            assert max(ord(before), ord(after)) > 0x2000, ascii(text)
    marks = "".join("m" if unicodedata.category(letter).startswith("M") else "-" for letter in text)
    assert "mmmmmm" not in marks
    assert not marks.startswith("m")


async def send_raw(client: Client, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """The response to a body that no ordinary encoder writes."""
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"}
    answer = await client.http.request(method, path, content=json.dumps(body), headers=headers)
    assert answer.status_code < 500, (ascii(body), answer.text)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    return answer.status_code, answer.json()


def check_answer(sent: str, status: int, answer: Any, clean: str) -> bool:
    """Check that it is clean text or an error with a code; returns whether it was accepted."""
    if status in REFUSED:
        assert answer["error"]["code"] in REFUSED[status], ascii(sent)
        assert sent not in TAME
        assert not any(mark in json.dumps(answer) for mark in ("<", "\\u202e", "Set-Cookie"))
        return False
    assert_clean(clean)
    if sent in TAME:
        assert clean == sent
    if sent in CLEANED:
        assert clean == CLEANED[sent]
    return True


async def finished_match(server: AppServer) -> tuple[Client, str]:
    """A guest who has played, whose name is in the record."""
    ann = await server.guest("Ann")
    table = await seated(ann, bots="S", rules="club2", changes={"target": 5, "deal_cut": "none"})
    await play_on([ann], table)
    return ann, table


async def test_there_are_enough_of_them() -> None:
    assert len(set(everything())) >= 300
    assert len(TAME) > 150
    assert len(UNCLEAN) > 200


async def test_a_name_is_clean_text_everywhere_or_is_refused() -> None:
    """In JSON, at the table, and as bound for a record; hand lines have no names.

    A record has the name at the time. With any other name in its place it doesn't verify, unless that one is bound.
    """
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        ann, table = await finished_match(server)
        hands = await ann.call("GET", f"/api/tables/{table}/hands")
        record = parsed(await ann.call("GET", f"/api/tables/{table}/record"))
        entropy, accepted, refused = seeded(4), 0, 0
        for sent in everything():
            before = (await ann.call("GET", "/api/me"))["name"]
            status, answer = await send_raw(ann, "PUT", "/api/me", {"name": sent})
            me = (await ann.call("GET", "/api/me"))["name"]
            if not check_answer(sent, status, answer, me):
                refused += 1
                assert me == before
                continue
            accepted += 1
            assert status == 200
            assert answer["name"] == me
            assert (await ann.see(table))["people"][ann.person] == me
            [commitment] = (await commit_names(server.context.store, [ann.person], entropy)).values()
            bound = await committed_names(server.context.store, [commitment], server.context.outage)
            assert bound[commitment].name == me
            record[0]["players"]["N"]["name"] = me
            found = verify.verify(dump_lines(record)).misfit
            assert (found is None) == (me == "Ann")
            assert found is None or str(found) == "line 1, header: the name of N doesn't match its commitment"
            assert verify.verify(dump_lines(rechained(record))).misfit is None
        record[0]["players"]["N"]["name"] = "Ann"
        assert parsed(await ann.call("GET", f"/api/tables/{table}/record")) == record
        assert await ann.call("GET", f"/api/tables/{table}/hands") == hands
        assert accepted > 300
        assert refused > 20


async def test_a_title_is_clean_text_everywhere_or_is_refused() -> None:
    """In the view, in the list, also for strangers; and the fact has the cleaned title."""
    store = MemoryStore()
    async with serving(store, quotas=Quotas(tables_open=10**6, tables_per_day=10**6)) as server:
        ann = await server.guest("Ann")
        for sent in everything():
            status, answer = await send_raw(ann, "POST", "/api/tables", {**NO_CUTS, "title": sent})
            if not check_answer(sent, status, answer, answer.get("title", "")):
                continue
            table, title = answer["table"], answer["title"]
            assert (await server.anonymous().see(table))["title"] == title
            assert (await ann.call("GET", "/api/tables"))[0]["title"] == title
            assert (await store.read(table))[0].fact["title"] == title


async def test_a_guest_is_cleaned_at_the_first_door_too() -> None:
    async with serving(MemoryStore()) as server:
        anonymous = server.anonymous()
        for sent, clean in CLEANED.items():
            status, answer = await send_raw(anonymous, "POST", "/api/guests", {"name": sent})
            assert (status, answer["name"]) == (201, clean)
        for sent in ("", "\u200b", "\u0301", *SURROGATES, *LONG):
            status, answer = await send_raw(anonymous, "POST", "/api/guests", {"name": sent})
            assert status in REFUSED, ascii(sent)
        checked((await send_raw(anonymous, "POST", "/api/guests", {"name": "\u202e \u2066"}))[1], "bad-name")
        checked((await send_raw(anonymous, "POST", "/api/guests", {"name": "x" * 41}))[1], "bad-name")


async def test_a_table_needs_no_title_and_lists_of_old_have_none() -> None:
    """A title of only spaces counts as none."""
    store = MemoryStore()
    async with serving(store) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**NO_CUTS)
        assert (await ann.see(table))["title"] == ""
        assert (await ann.call("POST", "/api/tables", {"title": " \u200b\n"}, status=201))["title"] == ""
        body = {"phase": "over", "host": ann.person, "sheet": "club", "seats": {}}
        await store._list("old", 0, json.dumps(body), 0, [ann.person])
        assert (await ann.call("GET", "/api/tables"))[-1] == {"table": "old", "title": "", **body}


@pytest.mark.parametrize(
    ("text", "count"), [("👩‍👩‍👧", 1), ("🇩🇪🇫🇷🇩", 3), ("1️⃣2", 2), ("Zoë", 3), ("", 0), ("👍🏽👍", 2)]
)
def test_characters_are_counted_as_people_count_them(text: str, count: int) -> None:
    assert length(text) == count


def test_forty_characters_are_a_name_and_sixty_a_title() -> None:
    for letter in ("x", "é", "é", "👍🏽", "🇩🇪"):
        assert length(clean_name(letter * 40)) == 40
        assert length(clean_title(letter * 60)) == 60
        for clean, too_long in ((clean_name, 41), (clean_title, 61)):
            with pytest.raises(BadName):
                clean(letter * too_long)


STRANGE = st.sampled_from(
    list("a e\u0301\u0300\u0323\u200d\ufe0f\u20e3👩👧🏽🇩🇪\u200b\u202e\n\u1100\u1161\u11a8\u115fকি")
)


@given(st.lists(STRANGE | st.characters(), max_size=12).map("".join))
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    clean = clean_title(text)
    assert clean_title(clean) == clean
    assert_clean(clean)
