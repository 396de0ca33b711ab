"""An action is on disk before its response is sent, as system calls show."""

from pathlib import Path

import pytest

from proofs.crash.fsync_trace import Trace, can_trace, check_trace, parse_trace, trace_server

FAULTS = Path(__file__).with_name("faults.py")
with_strace = pytest.mark.skipif(not can_trace(), reason="strace is not installed")

REQUEST = r'1 read(9<socket:[5]>, "POST /api/tables/t1/actions HTTP/1.1\r\nHost: localhost"..., 262144) = 300'
SYNC = "2 fdatasync(7</d/store.db-wal>) = 0"
ANSWER = r'1 write(9<socket:[5]>, "HTTP/1.1 200 OK\r\ncontent-length"..., 7000) = 7000'
REFUSAL = r'1 write(9<socket:[5]>, "HTTP/1.1 409 Conflict\r\ncontent"..., 300) = 300'


def check(*lines: str) -> tuple[int, int]:
    """The number of responses, and of those sent too early."""
    trace = check_trace(parse_trace(lines), "/d/store.db-wal")
    return trace.answers, trace.unsynced


def test_an_answer_needs_a_sync_since_its_request() -> None:
    """A sync before the request doesn't count, and neither does one of another file, or a failed one."""
    assert check(REQUEST, SYNC, ANSWER) == (1, 0)
    assert check(SYNC, REQUEST, ANSWER) == (1, 1)
    assert check(REQUEST, SYNC.replace("-wal", ""), ANSWER) == (1, 1)
    assert check(REQUEST, SYNC.replace("= 0", "= -1 EIO (Input/output error)"), ANSWER) == (1, 1)
    assert check(REQUEST, SYNC, ANSWER, REQUEST, ANSWER) == (2, 1)


def test_a_refusal_needs_none() -> None:
    """A refusal writes nothing; and a command is not counted."""
    assert check(REQUEST, REFUSAL) == (0, 0)
    assert check(REQUEST.replace("/actions", "/commands"), ANSWER) == (0, 0)


def test_a_sync_counts_when_it_has_returned() -> None:
    """strace splits a call if another thread interrupts it; a response in between is too early."""
    begins, ends = "2 fdatasync(7</d/store.db-wal> <unfinished ...>", "2 <... fdatasync resumed>) = 0"
    assert check(REQUEST, begins, ends, ANSWER) == (1, 0)
    assert check(REQUEST, begins, ANSWER, ends) == (1, 1)
    call, read = REQUEST.split(' "')
    half, rest = f"{call} <unfinished ...>", f'1 <... read resumed>"{read}'
    assert check(half, SYNC, rest, ANSWER) == (1, 1)
    assert check(half, rest, SYNC, ANSWER) == (1, 0)


def test_a_trace_without_answers_proves_nothing() -> None:
    """Without actions nothing can be lost."""
    assert not Trace(answers=0, unsynced=0, syncs=3).sound


@with_strace
async def test_every_act_is_synced_before_it_is_answered() -> None:
    """A server with SQLite under strace, while people play."""
    trace = await trace_server(acts=15)
    assert trace.sound
    assert trace.answers >= 15


@with_strace
async def test_a_server_that_does_not_wait_for_the_disk_is_caught() -> None:
    """No kill would reveal it, only a power cut; the trace does."""
    trace = await trace_server(acts=5, fault=f"{FAULTS}:unsynced")
    assert trace.unsynced == trace.answers >= 5
