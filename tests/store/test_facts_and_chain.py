"""Canonical JSON and the hash chain, compared with Python's parser and a chain written from the documentation."""

import json
from hashlib import sha256
from struct import pack
from typing import Any

from hypothesis import given, settings, strategies as st

from leftbower.store import canonical
from leftbower.store.chain import chained, fits, start
from leftbower.store.facts import upcast

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)
LOGS = st.from_regex(r"[A-Za-z0-9._:/-]{1,100}", fullmatch=True)


@settings(max_examples=60)
@given(OBJECTS)
def test_an_object_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    """Nothing is lost, and encoding it again changes nothing."""
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@settings(max_examples=60)
@given(OBJECTS, st.randoms(use_true_random=False))
def test_equal_objects_have_one_spelling(value: dict[str, Any], random: Any) -> None:
    """In any order of insertion, and from any other encoder."""
    keys = list(value)
    random.shuffle(keys)
    shuffled = {key: value[key] for key in keys}
    assert canonical(shuffled) == canonical(value)
    assert canonical(json.loads(json.dumps(shuffled, indent=2))) == canonical(value)


@settings(max_examples=60)
@given(OBJECTS)
def test_a_spelling_is_one_line_of_utf8(value: dict[str, Any]) -> None:
    """No line break, no NUL, nothing that a database can't store as text."""
    text = canonical(value)
    assert not {"\n", "\r", "\0"} & set(text)
    assert text.encode().decode() == text


def reference_hashes(log: str, at: int, bodies: list[str]) -> list[bytes]:
    """The hashes as described at the top of chain.py."""
    digest = sha256(b"leftbower log 1\0" + log.encode()).digest()
    hashes = []
    for seq, body in enumerate(bodies, 1):
        digest = sha256(digest + pack(">I", len(log)) + log.encode() + pack(">Qq", seq, at) + body.encode()).digest()
        hashes.append(digest)
    return hashes


@settings(max_examples=40)
@given(LOGS, st.integers(0, 10**13), st.lists(OBJECTS.map(canonical), max_size=6))
def test_the_chain_is_the_documented_one(log: str, at: int, bodies: list[str]) -> None:
    """Numbers, times and texts are encoded as written there."""
    rows = chained(log, start(log), at, bodies)
    assert [row.hash for row in rows] == reference_hashes(log, at, bodies)
    assert [(row.seq, row.at, row.body) for row in rows] == [(seq, at, body) for seq, body in enumerate(bodies, 1)]


@settings(max_examples=40)
@given(LOGS, LOGS, st.integers(0, 10**13), OBJECTS, OBJECTS)
def test_a_row_fits_only_its_own_location(
    log: str, other: str, at: int, fact: dict[str, Any], next_fact: dict[str, Any]
) -> None:
    """Not in another log, not with another fact or time, not after another row."""
    first, second = chained(log, start(log), at, [canonical(fact), canonical(next_fact)])
    assert fits(log, start(log), first)
    assert not fits(log, start(log), second)
    assert not fits(log, start(log), first._replace(at=at + 1))
    assert fits(log, start(log), first._replace(body=canonical(next_fact))) == (canonical(fact) == canonical(next_fact))
    assert fits(other, start(other), first) == (log == other)


def test_an_upcaster_that_leads_nowhere_is_applied_once() -> None:
    """A mistake in a table of upcasters doesn't hang the server."""
    steps = []

    def again(old: dict[str, Any]) -> dict[str, Any]:
        steps.append(old)
        return old

    assert upcast({"fact": "a", "v": 1}, {("a", 1): again}) == {"fact": "a", "v": 1}
    assert len(steps) == 1
