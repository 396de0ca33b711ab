"""`leftbower serve --processes`: workers share one PostgreSQL, are restarted when they die, and replaced on SIGHUP."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.parser import text_string_to_metric_families

from leftbower.errors import BadSettings, StoreUnreachable, WorkerEnded
from leftbower.server.process.supervisor import Worker, WorkerSlot, check_settings, describe_exit
from leftbower.server.process.worker import StartupResult, WorkerConfig
from leftbower.server.settings import Settings
from server_process import ServerProcess

Serve = Callable[..., ServerProcess]
COUNTED = "/preferences"
"""A page that no worker requests when it starts."""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until_gone(serving: ServerProcess) -> None:
    """Wait until no worker is left, or the test times out."""
    while any(is_alive(pid) for pid in serving.workers().values()):
        os.sched_yield()


@pytest.mark.parametrize("database", ["evening.db", "sqlite:///evening.db", "memory:"])
def test_several_processes_are_refused_on_a_single_server_store(
    refused: Callable[..., str], tmp_path: Path, database: str
) -> None:
    """In one sentence, before anything is created or opened."""
    said = refused("serve", "--processes", "2", "--database", database, code="bad-settings", cwd=tmp_path)
    assert said == ("leftbower: processes: several processes need PostgreSQL; other stores allow one [bad-settings]")
    assert list(tmp_path.iterdir()) == []


def test_how_many_can_be_set_like_everything_else(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused("serve", "--processes", "0", code="bad-settings", cwd=tmp_path)
    monkeypatch.setenv("LEFTBOWER_PROCESSES", "3")
    assert "PostgreSQL" in refused("serve", code="bad-settings", cwd=tmp_path)
    monkeypatch.delenv("LEFTBOWER_PROCESSES")
    (tmp_path / "hall.toml").write_text("processes = 3\n")
    assert "PostgreSQL" in refused("serve", "--settings", "hall.toml", code="bad-settings", cwd=tmp_path)
    check_settings(Settings(processes=2, database="postgresql://localhost/x"))
    with pytest.raises(BadSettings, match="need PostgreSQL"):
        check_settings(Settings(processes=2))


def test_a_database_that_is_not_there_is_said_in_one_sentence(serve: Serve) -> None:
    """By the supervisor, with the message of its worker; no process is left, and nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    words = ("--processes", "2", "--port", "0", "--log-level", "error")
    refused = serve(*words, "--database", f"postgresql://127.0.0.1:{port}/x")
    out, said = refused.process.communicate(timeout=60)
    assert (refused.process.returncode, out) == (2, "")
    [sentence] = said.splitlines()
    assert sentence.endswith("[store-unreachable]")


def test_workers_that_die_are_begun_again_and_replaced_and_ended(serve: Serve, postgres: Any) -> None:
    """No matter what happens to workers, every request is answered; in the end no process is left, and the status is
    0."""
    serving = serve("--processes", "2", "--port", "0", "--database", postgres.url)
    base = serving.address()
    serving.until(lambda lines: len(serving.workers()) == 2)
    first = serving.workers()

    os.kill(first[1], signal.SIGKILL)
    serving.until(lambda lines: serving.workers()[1] != first[1])
    second = serving.workers()
    assert second[2] == first[2]
    assert httpx.get(f"{base}/healthz").status_code == 200

    serving.process.send_signal(signal.SIGHUP)
    answers = []
    with httpx.Client(base_url=base) as connection:
        while not any("all workers replaced" in line for line in serving.logged):
            answers += [httpx.get(f"{base}/healthz").status_code, connection.get("/healthz").status_code]
    assert set(answers) == {200}
    third = serving.workers()
    assert not {*second.values()} & {*third.values()}
    assert not any(is_alive(pid) for pid in (*first.values(), *second.values()))

    port = int(base.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as feed:
        feed.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert feed.recv(100).startswith(b"HTTP/1.1 200")
        status, logged = serving.end(signal.SIGTERM)
    assert status == 0, logged
    assert not any(is_alive(pid) for pid in third.values())
    lines = [json.loads(line) for line in logged.splitlines()]
    [died] = [line for line in lines if line["level"] in ("warning", "error")]
    assert died["message"] == f"worker 1, process {first[1]}, was killed by SIGKILL"
    assert {line["worker"] for line in lines if line["logger"] == "uvicorn.error"} == {1, 2}
    assert {"worker" in line for line in lines if line["logger"] == "leftbower.supervisor"} == {False}


def test_workers_end_when_their_supervisor_has_ended(serve: Serve, postgres: Any, tmp_path: Path) -> None:
    """The supervisor is killed without warning; its workers remove its files."""
    serving = serve("--processes", "2", "--port", "0", "--database", postgres.url, TMPDIR=str(tmp_path))
    serving.address()
    serving.until(lambda lines: len(serving.workers()) == 2)
    serving.process.kill()
    serving.process.wait()
    until_gone(serving)
    assert [*tmp_path.iterdir()] == []


def samples(page: str) -> dict[str, float]:
    """The samples of a page of metrics by name, summed over their labels; of requests only `COUNTED`."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.labels.get("route", COUNTED) == COUNTED:
                found[sample.name] = found.get(sample.name, 0) + sample.value
    return found


def counted_in(file: Path) -> float:
    """The requests for `COUNTED` that one worker counted."""
    metrics = MultiProcessCollector.merge([str(file)])
    return sum(
        float(sample.value) for metric in metrics for sample in metric.samples if sample.labels.get("route") == COUNTED
    )


def test_any_worker_answers_with_the_metrics_of_all(serve: Serve, postgres: Any, tmp_path: Path) -> None:
    """A worker's counts outlive it, its successor continues the same files, and nothing is left on disk."""
    serving = serve("--processes", "2", "--port", "0", "--database", postgres.url, TMPDIR=str(tmp_path))
    base = serving.address()
    serving.until(lambda lines: len(serving.workers()) == 2)
    first = serving.workers()

    with ExitStack() as stack:
        clients: list[httpx.Client] = []
        [folder] = tmp_path.iterdir()
        files = sorted(folder.glob("counter_*.db"))
        assert [file.name for file in files] == ["counter_0.db", "counter_1.db"]
        while len(clients) < 100 and not all(map(counted_in, files)):
            clients.append(stack.enter_context(httpx.Client(base_url=base)))
            assert clients[-1].get(COUNTED).status_code == 200
        count = len(clients)
        assert sum(map(counted_in, files)) == count < 100
        pages = [samples(client.get("/metrics").text) for client in clients]
    assert {page["leftbower_requests_total"] for page in pages} == {count}
    assert {page["leftbower_store_up"] for page in pages} == {1}
    assert {page["leftbower_feeds"] for page in pages} == {0}
    assert min(page["process_open_fds"] for page in pages) > 3
    assert min(page["leftbower_max_rss_bytes"] for page in pages) > 2 * 10_000_000

    os.kill(first[1], signal.SIGKILL)
    serving.until(lambda lines: serving.workers()[1] != first[1])
    serving.process.send_signal(signal.SIGHUP)
    serving.until(lambda lines: any("all workers replaced" in line for line in lines))
    assert samples(httpx.get(f"{base}/metrics").text)["leftbower_requests_total"] == count
    assert len([*folder.glob("counter_*.db")]) <= 3

    status, logged = serving.end(signal.SIGTERM)
    assert status == 0, logged
    assert [*tmp_path.iterdir()] == []


# The parts


def test_errors_and_orders_travel_whole() -> None:
    config = WorkerConfig(worker=2, listener=7, counts=8, head_start=1.5, settings=Settings(port=1).model_dump())
    assert WorkerConfig.from_line(config.to_line()) == config
    assert StartupResult.from_line(StartupResult().to_line()).error is None
    error = StartupResult.from_line(
        StartupResult(error=StoreUnreachable("the database is away", path="here")).to_line()
    ).error
    assert isinstance(error, StoreUnreachable)
    assert str(error) == "here: the database is away"
    assert (describe_exit(3), describe_exit(-9)) == ("exited with status 3", "was killed by SIGKILL")


async def ended() -> Worker:
    """A worker that died at once."""
    process = await asyncio.create_subprocess_exec("true")
    await process.wait()
    return Worker(1, process)


class Tries:
    """Fails to start workers, except some that die at once."""

    def __init__(self, dead: Worker, *good: int) -> None:
        self.dead, self.good, self.number = dead, good, 0

    async def __call__(self, number: int, head_start: float) -> Worker:
        self.number += 1
        if self.number in self.good:
            return self.dead
        raise WorkerEnded(f"worker {number} failed to start: it ended with status 1")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The duration of each wait, in order; none is slept."""
    found: list[float] = []
    sleep = asyncio.sleep

    async def at_once(seconds: float) -> None:
        found.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", at_once)
    return found


async def test_the_server_ends_when_no_worker_serves_or_starts(waits: list[float]) -> None:
    tries = Tries(await ended(), 1)
    slot = WorkerSlot(1, tries, lambda: False)
    await slot.start()
    with pytest.raises(WorkerEnded):
        await slot.keep_running()
    assert tries.number == 1 + 5
    assert waits == sorted(waits)
    assert waits[-1] > waits[0] > 0


async def test_a_worker_is_restarted_with_backoff_while_others_serve(waits: list[float]) -> None:
    """No matter how long that takes, and also if it starts every time only to die at once."""
    dead = await ended()
    for tries in (Tries(dead, 1), Tries(dead, *range(1, 40))):
        waits.clear()
        slot = WorkerSlot(1, tries, lambda: tries.number < 30)  # noqa: B023
        await slot.start()
        keeping = asyncio.create_task(slot.keep_running())
        while len(waits) < 20:
            await asyncio.wait([keeping], timeout=0.001)
        keeping.cancel()
        await asyncio.wait([keeping])
        assert waits[:4] == [0.2, 0.4, 0.8, 1.6]
        assert waits[19] == max(waits) == 20.0
