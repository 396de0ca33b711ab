"""What concerns browsers: a table for whoever started the server, pictures, and what pages cost."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from leftbower.bench import loading, pages
from leftbower.cli.hall import is_taken
from leftbower.server.addresses import address_in_the_room

Command = Callable[..., Any]
Refusal = Callable[..., str]


def test_serve_opens_a_table_and_tells_the_room(tmp_path: Path) -> None:
    """The address it prints leads to a table with bots, once; phones get an address of this machine, and a code."""
    words = ["serve", "--open", "--lan", "--port", "0", "--database", str(tmp_path / "evening.db")]
    environment = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "leftbower", *words], stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("If no browser opens"):
            lines.append(server.stdout.readline())
        table = next(line for line in lines if line.startswith("Your table: ")).split()[-1]
        first = httpx.get(table, follow_redirects=True)
        again = httpx.get(table)
        server.send_signal(signal.SIGINT)
        server.wait(20)
    assert lines[0].startswith("Listening on http://0.0.0.0:")
    assert lines[1].startswith(f"Phones in this room: http://{address_in_the_room()}:")
    assert any("█" in line for line in lines)
    assert 'class="hand' in first.text
    assert (again.status_code, again.headers["location"]) == (303, "/")


def test_a_port_is_known_to_be_taken() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert is_taken("127.0.0.1", port)
    assert not is_taken("127.0.0.1", 0)


@pytest.mark.xdist_group("browser")
def test_pictures_are_taken_of_a_scene(leftbower: Command, refused: Refusal, tmp_path: Path) -> None:
    from browsing import chromium  # noqa: PLC0415

    chromium()
    words = ("bench", "pictures", "--out", str(tmp_path), "--size", "small", "--scene")
    taken = json.loads(leftbower(*words, "dispute", "--json").stdout)
    assert [Path(one).name for one in taken] == ["dispute-small.png"]
    assert Path(taken[0]).read_bytes().startswith(b"\x89PNG")
    assert "there is no scene nothing; there are lobby, rules-changed, draw-cut, draw," in refused(*words, "nothing", code="bad-usage")


def test_pages_are_measured_beside_json(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (loading, pages):
        monkeypatch.setattr(module, "_CALM", 0.1)
    quick = ("--part", "drawing", "--tables", "8", "--seconds", "1", "--every", "0.3")  # not all between two hands
    told = json.loads(leftbower("bench", "pages", *quick, "--json").stdout)
    drawn = told["drawn"]
    acts = [drawn[what]["cpu_per_act"] for what in ("alone", "json", "html")]
    assert told["ratio"] == round((acts[0] + acts[2] - acts[1]) / acts[0], 2)
    assert all(drawn[what]["acts"] > 0 and not drawn[what]["refused"] for what in ("alone", "json", "html"))
