"""Worker processes that are killed or replaced lose nothing, and players continue; otherwise the test would notice."""

from collections import defaultdict
from pathlib import Path

import pytest

from proofs.crash.players import ClientHistory
from proofs.crash.processes import MultiProcessServer, longest_silence, recovery_times, run_process_test


async def test_a_kill_and_a_rolling_restart_lose_nothing(postgres: str) -> None:
    """Every answered action is in the log once, no request fails, and all players continue; the output says how
    soon."""
    report = await run_process_test(postgres, kills=1, restarts=1, tables=2, think=0.05)
    assert (report.lost, report.doubled, report.forgotten, report.flaws) == (0, 0, 0, 0)
    assert report.failed == 0
    assert (report.kills, report.restarts, report.tables) == (1, 1, 2)
    assert report.answered > 10
    assert report.views > report.facts > report.answered
    assert 0 < report.table_recovery_seconds <= report.player_recovery_seconds < float("inf")


async def test_a_server_that_does_not_start_proves_nothing(tmp_path: Path) -> None:
    """The error includes the server's output."""
    async with MultiProcessServer(str(tmp_path / "store.db"), 2) as server:
        with pytest.raises(RuntimeError, match="does not start"):
            await server.port()
    assert server.complaints == [
        "leftbower: processes: several processes need PostgreSQL; other stores allow one [bad-settings]"
    ]


# The check itself, on small histories


def received(**versions: list[tuple[float, int]]) -> ClientHistory:
    """Times and versions that clients received of table t."""
    return ClientHistory(
        version_times=defaultdict(list, {("t", person): entries for person, entries in versions.items()})
    )


def test_a_table_has_gone_on_when_all_received_the_next_fact() -> None:
    """A fact from before the kill that is only received after it doesn't count."""
    facts = {"t": [10.0, 11.0, 14.0, 14.5]}
    history = received(ann=[(10.1, 1), (12.5, 2), (14.1, 3)], bob=[(10.1, 1), (16.0, 4)])
    assert recovery_times(12.0, facts, history) == {"t": (2.0, 4.0)}
    assert recovery_times(11.0, facts, history) == {"t": (3.0, 5.0)}


def test_a_table_without_new_facts_or_messages_has_not_gone_on() -> None:
    forever = float("inf")
    assert recovery_times(12.0, {"t": [10.0]}, received(ann=[(10.1, 1)])) == {"t": (forever, forever)}
    assert recovery_times(9.0, {"t": [10.0]}, received(ann=[(9.5, 0)])) == {"t": (1.0, forever)}


def test_silence_is_the_longest_time_without_a_message() -> None:
    """Between the two times, including both ends."""
    history = received(ann=[(9.0, 1), (11.0, 2), (12.0, 3), (30.0, 4)], bob=[(13.0, 1), (14.0, 2)])
    assert longest_silence(10.0, 15.0, history) == 3.0
    assert longest_silence(10.0, 11.5, history) == 1.5
    assert longest_silence(10.0, 11.5, ClientHistory()) == 0.0
