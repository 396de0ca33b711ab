"""Season files: a log in JSON lines beside the files of its evenings, validated when opened."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leftbower.cli.common.input import json_object, read_text
from leftbower.cli.tournament.event_file import append_lines, create_file, open_ledger
from leftbower.errors import BadLedger, BadUsage, LeftbowerError
from leftbower.tournament.season.codec import entry_from_json, entry_to_json
from leftbower.tournament.season.facts import SeasonEntry, SeasonFact
from leftbower.tournament.season.state import Season
from leftbower.tournament.season.validate import record
from leftbower.tournament.season.view import SeasonView, name_key

_MAX_SEASON_BYTES: Final = 16 * 1024 * 1024


@dataclass(slots=True)
class SeasonFile:
    """A season and its file; paths of evenings are relative to its folder."""

    path: str
    season: Season
    size: int

    def write(self, *facts: SeasonFact) -> Season:
        """Append all of these facts, or none; they are validated first."""
        season, lines = self.season, []
        for fact in facts:
            entry = SeasonEntry(fact=fact, by="organizer", at=round(time.time(), 3))
            season = record(season, entry)
            lines.append(entry_to_json(entry))
        if Path(self.path).stat().st_size != self.size:
            raise BadLedger("another process just wrote to this file; try again", path=self.path)
        self.size += append_lines(self.path, lines)
        self.season = season
        return season

    def view(self, *more: str) -> SeasonView:
        """The season with its events, and those of `more` files."""
        folder = Path(self.path).parent
        return SeasonView(
            self.season,
            {event: open_ledger(str(folder / event)).event for event in (*self.season.events, *more)},
        )

    def relative(self, path: str) -> str:
        """The path of an evening as the log has it."""
        try:
            return str(Path(path).resolve().relative_to(Path(self.path).resolve().parent))
        except ValueError:
            return str(Path(path).resolve())


def open_season(path: str) -> SeasonFile:
    """Open a season file; errors name file and line."""
    season: Season | None = None
    try:
        text = read_text(path, _MAX_SEASON_BYTES)
        for number, line in enumerate(text.splitlines(), 1):
            season = _recorded(season, line, number)
        if season is None:
            raise BadLedger("this file has no season")
    except LeftbowerError as error:
        raise error.at(path) from None
    return SeasonFile(path, season, len(text.encode()))


def new_season(path: str, *facts: SeasonFact) -> SeasonFile:
    """Create a file with a new season; it must not exist."""
    season, lines = None, []
    for fact in facts:
        entry = SeasonEntry(fact=fact, by="organizer", at=round(time.time(), 3))
        season = record(season, entry)
        lines.append(entry_to_json(entry))
    assert season is not None
    create_file(path)
    return SeasonFile(path, season, append_lines(path, lines))


def find_player(view: SeasonView, name: str) -> str:
    """The one player whose name this is, in any spelling that was confirmed."""
    players = {
        player
        for player, spellings in view.spellings.items()
        if name_key(name) in {name_key(view.names[player]), *map(name_key, spellings)}
    }
    if len(players) != 1:
        raise BadUsage("%(count)s players are called %(name)s", path="name", count=len(players), name=name)
    return next(iter(players))


def _recorded(season: Season | None, line: str, number: int) -> Season:
    try:
        return record(season, entry_from_json(json_object(line)))
    except LeftbowerError as error:
        raise error.at(f"line {number}") from None
