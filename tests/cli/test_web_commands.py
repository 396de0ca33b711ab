"""Commands around browsers: serve with a table, pictures, and the cost of pages."""

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

from benchmarks import load, pages
from leftbower.cli.common.lan import is_taken
from leftbower.server.http.lan import lan_address

Command = Callable[..., Any]
Refusal = Callable[..., str]


def test_serve_opens_a_table_and_prints_the_lan_address(tmp_path: Path) -> None:
    """The printed address opens a table with bots, once; phones get an address of this machine and a QR code."""
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
    assert lines[1].startswith(f"On phones, open http://{lan_address()}:")
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
def test_pictures_are_taken_of_a_scene(run_benchmarks: Command, benchmarks_refused: Refusal, tmp_path: Path) -> None:
    from browser import chromium  # noqa: PLC0415

    chromium()
    words = ("pictures", "--out", str(tmp_path), "--size", "small", "--scene")
    taken = json.loads(run_benchmarks(*words, "dispute", "--json").stdout)
    files = [Path(picture["file"]) for picture in taken]
    assert [file.name for file in files] == ["dispute-small-dark.png", "dispute-small-light.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    assert [picture["problems"] for picture in taken] == [[], []]
    unknown = benchmarks_refused(*words, "nothing", code="bad-usage")
    assert "there is no scene nothing; there are lobby, rules-changed, watching," in unknown


def test_pages_are_measured_beside_json(run_benchmarks: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (load, pages):
        monkeypatch.setattr(module, "_IDLE_CHECK_SECONDS", 0.1)
    quick = ("--part", "rendering", "--tables", "8", "--seconds", "1", "--every", "0.3")  # not all between two hands
    output = json.loads(run_benchmarks("pages", *quick, "--json").stdout)
    loads = output["rendering"]
    costs = [loads[feeds]["cpu_per_act"] for feeds in ("alone", "json", "html")]
    assert output["ratio"] == round((costs[0] + costs[2] - costs[1]) / costs[0], 2)
    assert all(loads[feeds]["acts"] > 0 and not loads[feeds]["refused"] for feeds in ("alone", "json", "html"))
