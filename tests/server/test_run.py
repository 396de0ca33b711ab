"""`leftbower serve` for operators: settings, one-line errors, signals, locks and logs."""

import asyncio
import json
import re
import signal
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from leftbower.errors import BadSettings, StoreUnreachable, UnreadableFile
from leftbower.server.process.run import serve as serve_here
from leftbower.server.settings import Settings, read_settings
from server_client import AppServer, Client, play_on, seated
from server_process import ServerProcess

CARDS = re.compile(r"\b(?:[9TJQKA][cdhs])+\b")


async def play_a_match(base: str) -> tuple[list[str], str, dict[str, Any]]:
    """A person against bots; returns what must not be in any log: names and tokens."""
    async with httpx.AsyncClient(base_url=base, timeout=20) as http:
        server = AppServer(None, http)
        ann = await server.guest("Annabella-Quisenberry")
        eve = Client(http, token="wrong-token-of-somebody")
        await eve.refused("GET", "/api/me", status=401, code="not-signed-in")
        changes = {"target": 5, "deal_cut": "none", "supervision": "honor"}
        table = await seated(ann, bots="ESW", rules="club", changes=changes)
        for body in (
            {"command": "sit", "seat": "Jd"},
            {"name": ann.name},
            {"version": 1, "action_id": ann.token, "action": {}},
        ):
            await ann.call("POST", f"/api/tables/{table}/actions", body, status=422)
        over = await play_on([ann], table, rest=0.02)
        return [ann.token, eve.token, ann.name, "Annabella"], table, over


def test_a_signal_ends_it_in_peace_with_the_store_closed(serve: Callable[..., ServerProcess], tmp_path: Path) -> None:
    """Status 0, an open feed ended, the lock released, the WAL checkpointed; nothing secret in its log."""
    first = serve("--port", "0", "--bot-delay", "0", "--hand-pause", "0", "--log-level", "debug")
    base = first.address()
    secrets, table, _ = asyncio.run(play_a_match(base))
    port = int(base.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as feed:
        feed.sendall(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert feed.recv(100).startswith(b"HTTP/1.1 200")
        assert httpx.get(f"{base}/healthz").json() == {"store": "ok", "feeds": 1, "busy": 0}
        second = serve("--port", "0")
        _, said = second.process.communicate(timeout=20)
        assert second.process.returncode == 2
        [sentence] = [line for line in said.splitlines() if not line.startswith("{")]
        assert re.fullmatch(r"leftbower: process \d+ is using .*leftbower\.db \[store-locked\]", sentence)
        status, logged = first.end(signal.SIGTERM)
    assert status == 0, logged
    lines = [json.loads(line) for line in logged.splitlines()]
    assert {"time", "level", "logger", "message"} <= set(lines[0])
    assert [line for line in lines if line["level"] in ("error", "warning")] == []
    assert len(lines) > 3
    assert not CARDS.search(logged)
    assert not [secret for secret in secrets if secret in logged]
    assert not (tmp_path / "leftbower.db-wal").exists()
    connection = sqlite3.connect(tmp_path / "leftbower.db")
    assert connection.execute("select count(*) from facts where log = ?", [table]).fetchone()[0] > 50
    connection.close()
    third = serve("--port", "0")
    third.address()
    assert third.end(signal.SIGINT)[0] == 0


def test_a_port_that_is_taken_is_said_in_one_sentence(serve: Callable[..., ServerProcess]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = serve("--port", str(port), "--database", "memory:")
        _, said = refused.process.communicate(timeout=20)
    assert refused.process.returncode == 2
    assert said == f"leftbower: port: can't listen on 127.0.0.1:{port}: address already in use [bad-settings]\n"


def test_options_override_the_environment_and_that_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "serve.toml"
    file.write_text('host = "127.0.0.3"\nport = 1\nbot_delay = 3.0\ndatabase = "file.db"\n')
    monkeypatch.setenv("LEFTBOWER_PORT", "2")
    monkeypatch.setenv("LEFTBOWER_BOT_DELAY", "2.5")
    monkeypatch.setenv("LEFTBOWER_LOG_LEVEL", "warning")
    read = read_settings(str(file), {"port": None, "bot_delay": 1.0, "host": None})
    assert (read.bot_delay, read.port, read.host, read.database) == (1.0, 2, "127.0.0.3", "file.db")
    assert (read.log_level, read.hand_pause) == ("warning", 6.0)
    assert read_settings(None, {}).host == "127.0.0.1"


@pytest.mark.parametrize(
    ("text", "options", "path", "says"),
    [
        ("port = 70000", {}, "port", "less than or equal to 65535"),
        ("port = 'x'", {}, "port", "valid integer"),
        ("bot_delay = -1", {}, "bot_delay", "greater than or equal to 0"),
        ("bot_delay = nan", {}, "bot_delay", "finite number"),
        ("prot = 80", {}, "prot", "extra inputs"),
        ("log_level = 'loud'", {}, "log_level", "'debug', 'info'"),
        ("port = ", {}, "serve.toml", "not TOML"),
        ("\0", {}, "serve.toml", "not TOML"),
        ("", {"port": -1}, "port", "greater than or equal to 0"),
        ("", {"database": ""}, "database", "at least 1 character"),
    ],
)
def test_a_wrong_setting_is_named(text: str, options: dict[str, Any], path: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "serve.toml"
    file.write_text(text)
    with pytest.raises(BadSettings, match=re.escape(says)) as wrong:
        read_settings(str(file), options)
    assert wrong.value.path.endswith(path)
    assert "\n" not in str(wrong.value)


def test_a_wrong_setting_ends_the_command_in_one_sentence(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused("serve", "--settings", "none.toml", code="unreadable-file", cwd=tmp_path)
    refused("serve", "--log-level", "loud", code="bad-settings", cwd=tmp_path)
    refused("serve", "--database", "http://x/y", "--port", "0", code="not-a-store", cwd=tmp_path)
    monkeypatch.setenv("LEFTBOWER_PORT", "many")
    refused("serve", code="bad-settings", cwd=tmp_path)
    with pytest.raises(UnreadableFile):
        read_settings(str(tmp_path), {})


async def test_an_unreadable_store_at_the_start_is_one_sentence() -> None:
    """And the port is closed: nothing listens if nothing is served."""

    async def fails() -> None:
        raise StoreUnreachable("can't reach the database")

    started: list[int] = []
    with pytest.raises(StoreUnreachable, match="the server can't start"):
        await serve_here(
            Settings(port=0, database="memory:", log_level="error"),
            started=started.append,
            prepare=lambda app: setattr(app.state.context.tables, "open", fails),
        )
    assert started == []
