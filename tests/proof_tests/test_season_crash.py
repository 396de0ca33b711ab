"""A season whose server is killed with SIGKILL, around commits and before answers, loses no answered change."""

import tempfile
from pathlib import Path

from leftbower.server.context import build_context
from leftbower.server.live.tables import SEASON_LOG_PREFIX
from leftbower.store import open_store
from leftbower.tournament.season.codec import entry_from_json
from leftbower.tournament.season.facts import PlanChanged
from leftbower.tournament.season.plan import SeasonPlan
from proofs.crash.crash import ServerLauncher
from proofs.crash.http_client import CONNECTION_ERRORS, connect
from proofs.crash.killable_server import KillPlan
from proofs.crash.phones import HTML, encode_form

KILLS = (("before-commit", 2), ("after-commit", 3), ("before-answer", 1), ("before-answer", 3))
"""Moments, and the occurrence at which the server is killed there."""


async def test_four_kills_lose_no_change_of_a_season(tmp_path: Path) -> None:
    """Every title that was answered is in the log once and in order; at most one more for each kill."""
    database = str(tmp_path / "store.db")
    async with await open_store(database) as store:
        name, code = await build_context(store).seasons.create(SeasonPlan(title="Season"))
    answered: list[str] = []
    with tempfile.TemporaryFile() as errors:
        async with ServerLauncher(errors) as launcher:
            for kill, (moment, occurrence) in enumerate(KILLS):
                port = await launcher.start(KillPlan(database=database, moment=moment, occurrence=occurrence))
                assert port is not None
                titles = [f"Title {kill}-{number}" for number in range(10)]
                answered += await change_titles(port, name, code, titles)
                assert titles[-1] not in answered, f"the server was not killed {moment}"
                await launcher.end()
    async with await open_store(database) as store:
        assert await store.verify() == []
        entries = [entry_from_json(row.fact) for row in await store.read(SEASON_LOG_PREFIX + name)]
    stored = [entry.fact.plan.title for entry in entries if isinstance(entry.fact, PlanChanged)]
    assert [title for title in stored if title in answered] == answered
    assert len(stored) - len(answered) <= len(KILLS)
    assert len(answered) >= 4


async def change_titles(port: int, season: str, code: str, titles: list[str]) -> list[str]:
    """Change the title again and again until the server is gone; returns the titles that were answered."""
    answered = []
    async with connect(port) as connection:
        for title in titles:
            body = encode_form({"command": "plan", "title": title})
            path, bearer = f"/seasons/{season}/desk/commands", f"Authorization: Bearer {code}"
            try:
                response = await connection.request("POST", path, bearer, HTML, body=body)
            except CONNECTION_ERRORS:
                break
            assert response.status == 303
            answered.append(title)
    return answered
