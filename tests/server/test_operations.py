"""For operators: metrics and access to them, and the backup drill of docs/server/operate.md, command by command."""

import asyncio
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from stat import S_IFDIR
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from leftbower.errors import BadSettings
from leftbower.server.api.operations import MetricsAccess
from leftbower.server.auth import Caller
from leftbower.server.feeds.table_feed import follow_table
from leftbower.server.http.rate_limit import RateLimit
from leftbower.server.observability.metrics import PROCESS, REGISTRY, metrics_folder
from leftbower.server.settings import read_settings
from leftbower.store.memory import MemoryStore
from server_client import NO_CUTS, Client, free_limits, listening, play_on, seated, seeded, serving

PAGE = Path(__file__).parents[2] / "docs" / "server" / "operate.md"
OPEN_FILES = Path("/proc/self/fd")
LABELS = {"method", "route", "status", "by", "reason", "le", "level", "code", "limit"}
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(page: str) -> Samples:
    """Every sample, by the parser of `prometheus-client`; each follows the lines with its type and help."""
    samples: Samples = {}
    families: set[str] = set()
    for family in text_string_to_metric_families(page):
        assert family.type in ("counter", "gauge", "histogram"), family
        assert family.documentation
        assert family.name not in families
        families.add(family.name)
        for sample in family.samples:
            suffixes = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}[family.type]
            assert sample.name.removeprefix(family.name) in suffixes
            assert sample.labels.keys() <= LABELS
            pairs = frozenset(sample.labels.items())
            assert (sample.name, pairs) not in samples
            samples[sample.name, pairs] = sample.value
    return samples


def total(samples: Samples, name: str, **labels: str) -> float:
    return sum(number for (found, pairs), number in samples.items() if found == name and labels.items() <= set(pairs))


async def drained(answer: httpx.Response) -> None:
    """Read a feed as fast as it comes: a client that doesn't read is disconnected."""
    async for _ in answer.aiter_bytes():
        pass


async def test_metrics_count_everything_and_name_no_person() -> None:
    async with listening(entropy=seeded(4)) as (_, server):

        async def counted() -> Samples:
            answer = await server.http.get("/metrics")
            assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
            page.append(answer.text)
            return read(answer.text)

        page: list[str] = []
        before = await counted()
        ann = await server.guest("Annabella")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        feed = f"/api/tables/{table}/feed"
        async with server.http.stream("GET", feed, headers={"Authorization": f"Bearer {ann.token}"}) as answer:
            reading = asyncio.create_task(drained(answer))
            await play_on([ann], table)
            during = await counted()
            reading.cancel()
            await asyncio.wait([reading])
        await ann.refused("GET", "/nothing", status=404, code="not-found")
        server.context.auth._limits = free_limits(token=RateLimit(1, 0.001, name="token"))
        anonymous = server.anonymous()
        await anonymous.see(table)
        for path in (f"/api/tables/{table}", "/api/links/no"):
            await anonymous.refused("GET", path, status=429, code="too-often")
        async with asyncio.timeout(5):
            while len(server.context.feeds):
                await asyncio.sleep(0.01)
        after = await counted()

        def more(name: str, **labels: str) -> float:
            return total(after, name, **labels) - total(before, name, **labels)

        facts = await server.context.store.read(table)
        acts = [stored.fact for stored in facts if stored.fact["fact"] == "acted"]
        assert more("leftbower_actions_total", by="person") == sum(bool(act["action_id"]) for act in acts) > 5
        assert more("leftbower_actions_total", by="server") == sum(not act["action_id"] for act in acts) > 15
        assert more("leftbower_append_seconds_count") == len(facts)
        assert more("leftbower_append_seconds_bucket", le="+Inf") == len(facts)
        assert 0 < more("leftbower_append_seconds_sum") < 60
        assert more("leftbower_bot_decision_seconds_count", level="novice") > 15
        assert more("leftbower_requests_total", route="/api/guests", method="POST", status="201") == 1
        assert more("leftbower_requests_total", route="/api/tables/{table}", status="200") > 10
        assert more("leftbower_requests_total", route="none", status="404") == 1
        assert more("leftbower_limits_hit_total", limit="token") == 2
        assert more("leftbower_feeds_ended_total", reason="disconnected") == 1
        assert total(during, "leftbower_feeds") == 1
        assert total(after, "leftbower_feeds") == 0
        assert total(after, "leftbower_tables_cached") == 1
        assert total(after, "leftbower_tables_busy") == 0
        assert total(after, "leftbower_store_up") == 1
        assert total(after, "process_open_fds") > 3
        for secret in (ann.person, ann.token, table, "Annabella", "127.0.0.1"):
            assert secret not in "".join(page)


@pytest.mark.parametrize("kernel_counts", [True, False])
def test_open_files_are_counted(kernel_counts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the kernel, or by listing them if its version doesn't count."""
    if not OPEN_FILES.is_dir():
        pytest.skip("the system does not list them")
    if not kernel_counts:
        monkeypatch.setattr(Path, "stat", lambda path, **_: SimpleNamespace(st_size=0, st_mode=S_IFDIR))
    PROCESS.record()
    before = REGISTRY.get_sample_value("process_open_fds")
    with ExitStack() as files:
        for _ in range(100):
            files.enter_context(TemporaryFile())
        PROCESS.record()
        after = REGISTRY.get_sample_value("process_open_fds")
    assert before is not None
    assert after is not None
    assert 90 <= after - before <= 110  # others may be opened or closed at the same time


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="the system has no folder in memory")
def test_metrics_of_workers_are_on_no_disk_that_can_be_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk would kill a worker that maps a file on it, just when there is something new to count."""
    monkeypatch.delenv("TMPDIR", raising=False)
    with metrics_folder() as folder:
        assert Path(folder).stat().st_dev == Path("/dev/shm").stat().st_dev
        assert Path(folder).stat().st_mode & 0o077 == 0
    assert not Path(folder).exists()


@pytest.mark.skipif(not OPEN_FILES.is_dir() or not OPEN_FILES.stat().st_size, reason="the kernel does not count files")
def test_open_files_are_not_listed_where_the_kernel_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With thousands of connections a list would stop the server for milliseconds, every five seconds."""
    monkeypatch.setattr(Path, "iterdir", lambda path: pytest.fail("they were listed"))
    PROCESS.record()


@pytest.mark.parametrize("folder", ["missing", "."])
def test_a_single_process_ignores_the_metrics_folder_of_another_program(folder: str, tmp_path: Path) -> None:
    """`PROMETHEUS_MULTIPROC_DIR` may be set for another program, and its folder may not exist."""
    code = "from leftbower.server.observability.metrics import *; print(render_metrics().decode())"
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / folder)}
    finished = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert read(finished.stdout)["leftbower_store_up", frozenset()] == 1.0
    assert not list(tmp_path.iterdir())


def test_the_page_for_operators_lists_every_metric_with_its_labels() -> None:
    text = PAGE.read_text().partition("| metric |")[2].partition("\n\n")[0]
    documented = {
        name for line in text.splitlines()[2:] for name in re.findall(r"`([a-z_{},]+)`", line.split(" | ")[0])
    }
    exposed = set()
    for metric in REGISTRY._collector_to_names:
        assert isinstance(metric, MetricWrapperBase)
        [family] = metric.describe()
        labels = ",".join(metric._labelnames)
        name = f"{family.name}_total" if family.type == "counter" else family.name
        exposed.add(f"{name}{{{labels}}}" if labels else name)
    assert documented == exposed


async def test_feeds_say_why_they_ended() -> None:
    """Too slow, evicted, or ended with the token."""
    async with serving(MemoryStore(), feed_queue_size=2, limits=free_limits(feeds_per_person=1)) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**NO_CUTS)
        start = read((await server.http.get("http://localhost/metrics")).text)

        async def listener() -> Any:
            return await follow_table(server.context, table, Caller(person=ann.person))

        slow, crowded = await listener(), await listener()
        await anext(slow)
        for seat in "NESW":
            await ann.command(table, "sit", seat=seat)
        assert [event async for event in slow] == []
        await anext(crowded)
        cut = await listener()
        await anext(cut)
        assert len([event async for event in crowded]) == 1
        server.context.feeds.end_for_person(ann.person)
        assert [event async for event in cut] == []
        end = read((await server.http.get("http://localhost/metrics")).text)
        for reason in ("slow", "evicted", "closed"):
            name = "leftbower_feeds_ended_total"
            assert total(end, name, reason=reason) - total(start, name, reason=reason) == 1, reason


@pytest.mark.parametrize(
    ("setting", "client", "host", "headers", "may"),
    [
        ("loopback", "127.0.0.1", "localhost:8000", {}, True),
        ("loopback", "127.0.0.9", "127.0.0.9", {}, True),
        ("loopback", "::1", "[::1]:8000", {}, True),
        ("loopback", "::ffff:127.0.0.1", "localhost", {}, True),
        ("loopback", "192.0.2.1", "localhost", {}, False),
        ("loopback", "127.0.0.1", "rebound.evil.test", {}, False),
        ("loopback", "127.0.0.1", "localhost.evil.test", {}, False),
        ("loopback", "127.0.0.1", "localhost", {"X-Forwarded-For": "192.0.2.1"}, False),
        ("loopback", "127.0.0.1", "localhost", {"Via": "1.1 proxy"}, False),
        ("loopback", "testclient", "localhost", {}, False),
        ("off", "127.0.0.1", "localhost", {}, False),
        ("10.1.0.0/16", "10.1.2.3", "hall.test", {}, True),
        ("10.1.0.0/16", "::ffff:10.1.2.3", "hall.test", {}, True),
        ("10.1.0.0/16", "10.2.0.1", "hall.test", {}, False),
        ("10.1.0.0/16", "127.0.0.1", "localhost", {}, False),
        ("10.1.0.0/16, 127.0.0.1", "127.0.0.1", "localhost", {}, True),
        ("2001:db8::/32", "2001:db8::7", "hall.test", {}, True),
    ],
)
async def test_metrics_are_for_this_machine_unless_others_are_named(
    setting: str, client: str, host: str, headers: dict[str, str], may: bool
) -> None:
    """All others get 404, as for any unknown address."""
    async with serving(MemoryStore(), metrics=setting) as server:
        transport = httpx.ASGITransport(server.app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as http:
            answer = await http.get("/metrics", headers=headers)
            assert answer.status_code == (200 if may else 404)
            assert may == ("leftbower_feeds" in answer.text)
            nothing = await http.get("/nothing", headers=headers)
            assert may or answer.text == nothing.text


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"metrics": "everybody"}, "metrics"),
        ({"metrics": "10.0.0.1/8"}, "metrics"),
        ({"trusted_proxies": "nginx"}, "trusted_proxies"),
        ({"trusted_proxies": "10.0.0.0/8,"}, "trusted_proxies"),
        ({"certificate": "x.pem"}, ""),
        ({"key": "x.pem"}, ""),
    ],
)
def test_a_setting_that_names_no_network_is_refused(settings: dict[str, Any], path: str) -> None:
    with pytest.raises(BadSettings) as wrong:
        read_settings(None, settings)
    assert wrong.value.path == path


def test_readers_of_no_network_cannot_be() -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        MetricsAccess("everybody")


# The drill


def drill() -> Iterator[str]:
    """The commands of the drill, as the page has them."""
    _, _, rest = PAGE.read_text().partition("## The backup drill\n")
    part = rest.partition("\n## ")[0]
    for line in part.splitlines():
        if line.startswith("    leftbower "):
            yield line.strip()


def test_the_backup_drill_works_as_it_is_written(tmp_path: Path) -> None:
    """While a server runs: copy it, verify the copy, start it elsewhere, and keep playing there."""
    commands = list(drill())
    assert [shlex.split(command)[1] for command in commands] == [
        "backup",
        "backup",
        "verify",
        "restore",
        "verify",
        "serve",
    ]

    def run(command: str) -> str:
        words = shlex.split(command, comments=True)[1:]
        done = subprocess.run(
            [sys.executable, "-m", "leftbower", *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    async def first_run() -> tuple[str, str, int]:
        async with listening(str(tmp_path / "leftbower.db"), entropy=seeded(6)) as (_, server):
            ann, bob = await server.guests("Ann", "Bob")
            table = await seated(ann, [bob], bots="EW", **NO_CUTS)
            await play_on([ann, bob], table, until=lambda state: state["phase"] == "playing" and state["version"] > 20)
            copied = [await asyncio.to_thread(run, command) for command in commands[:2]]
            assert all("Heads" in said for said in copied)
            at = (await ann.see(table))["version"]
            over = await play_on([ann, bob], table)
            assert over["version"] > at
            await asyncio.to_thread(run, commands[2])
            return table, ann.token, at

    table, token, at = asyncio.run(first_run())
    for command in commands[3:5]:
        assert "same" in (said := run(command)) or "no changes found" in said
    words = shlex.split(commands[5])[2:]
    restored = words[words.index("--database") + 1]

    async def second_run() -> None:
        """A dump has no tokens: people come again, and others take over the bots' seats."""
        async with listening(str(tmp_path / restored), entropy=seeded(7)) as (_, server):
            state = await server.anonymous().see(table)
            assert state["version"] == at
            assert sorted(state["people"].values()) == ["Ann", "Bob"]
            await Client(server.http, token=token).refused("GET", "/api/me", status=401, code="not-signed-in")
            cat = await server.guest("Cat")
            await cat.command(table, "sit", seat="E")
            await play_on([cat], await seated(cat, bots="ESW", **NO_CUTS))

    asyncio.run(second_run())
    connection = sqlite3.connect(tmp_path / restored)
    assert connection.execute("select count(*) from people").fetchone() == (3,)
    connection.close()


async def test_a_copied_file_opens_as_it_is_and_all_play_on(tmp_path: Path) -> None:
    """With tokens: after a disk is lost, no one has to sign in again."""
    words = next(drill()).split()[1:]
    async with listening(str(tmp_path / words[1]), entropy=seeded(6)) as (_, server):
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        copying = [sys.executable, "-m", "leftbower", *words]
        await asyncio.to_thread(subprocess.run, copying, cwd=tmp_path, check=True, capture_output=True)
    async with listening(str(tmp_path / words[2]), limits=free_limits()) as (_, server):
        again = Client(server.http, "Ann", ann.person, ann.token)
        assert (await play_on([again], table))["phase"] == "over"
