"""A bracket laid out for a picture: boxes in columns, the lines between them, and what is known about each match."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import gettext as _
from leftbower.tournament.formats.brackets import bracket_of
from leftbower.tournament.formats.schedules.bracket import Bracket
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import NoShow, Played, game_scores, games_won

BOX_WIDTH: Final = 340
BOX_HEIGHT: Final = 60
COLUMN_WIDTH: Final = 404
ROW_HEIGHT: Final = 84
HEAD_HEIGHT: Final = 56
"""Room above the boxes for their titles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketSide:
    entrant: str
    """Empty while it is open."""
    name: str
    """Or where the entrant will come from: `winner of table 2`."""
    seed: int
    score: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMatch:
    slot: str
    title: str
    """Its round: `Semifinals`, `Final`."""
    x: int
    y: int
    """The middle of its box."""
    sides: tuple[BracketSide, BracketSide]
    state: str
    """open, ready, live or done."""
    table: int = 0
    """The table where it is played or was played; 0 before its draw."""

    @property
    def is_final(self) -> bool:
        return self.slot in ("final", "again") or self.title == _("Final")


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketLine:
    """From a box to the next one."""

    slot: str
    """The match that it leaves."""
    x: int
    y: int
    to_x: int
    to_y: int
    decided: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketPicture:
    width: int
    height: int
    matches: tuple[BracketMatch, ...]
    lines: tuple[BracketLine, ...]
    titles: tuple[tuple[str, int, int], ...]
    """The title of each round, above its first box."""

    def rounds(self) -> dict[str, tuple[BracketMatch, ...]]:
        """The matches by the title of their round, in order of play."""
        rounds: dict[str, tuple[BracketMatch, ...]] = {}
        for match in self.matches:
            rounds[match.title] = (*rounds.get(match.title, ()), match)
        return rounds


def bracket_picture(event: Event, stage: int = -1) -> BracketPicture | None:
    """The bracket of a stage, by default the last; None if it has no bracket or no entrants yet."""
    stage %= len(event.stages)
    if not event.stages[stage].definition.bracket:
        return None
    bracket = bracket_of(event, stage)
    if len(bracket.seeds) < 2:
        return None
    tables = {
        seating.slot: (round_, seating)
        for round_ in event.rounds_of(stage)
        for seating in round_.tables
        if seating.slot
    }
    places = _places(bracket)
    seeds = {entrant: number for number, entrant in enumerate(bracket.seeds, 1)}
    matches = tuple(
        _match(event, bracket, slot, places[slot], tables, seeds)
        for slot in bracket.slots()
        if _is_shown(bracket, slot)
    )
    boxes = {match.slot: match for match in matches}
    return BracketPicture(
        width=max(x for x, _y in places.values()) + BOX_WIDTH + 8,
        height=max(y for _x, y in places.values()) + BOX_HEIGHT,
        matches=matches,
        lines=tuple(_lines(bracket, boxes)),
        titles=tuple(_titles(matches)),
    )


def last_bracket(event: Event) -> BracketPicture | None:
    """The bracket of the last stage that has one."""
    pictures = (bracket_picture(event, stage) for stage in reversed(range(len(event.stages))))
    return next((picture for picture in pictures if picture is not None), None)


def round_title(event: Event, number: int) -> str:
    """`Semifinals`, or `Round 3`; the last round of a bracket is its final."""
    round_ = event.round(number)
    if event.stages[round_.stage].definition.bracket:
        bracket = bracket_of(event, round_.stage)
        titles = {slot_title(bracket, seating.slot) for seating in round_.tables} - {_("Third place")}
        if len(titles) == 1:
            return titles.pop()
    return _("Round %(round)d", round=number)


def slot_title(bracket: Bracket, slot: str) -> str:
    """The name of a match's round."""
    match slot:
        case "third":
            return _("Third place")
        case "final":
            return _("Final")
        case "again":
            return _("Deciding final")
    number = int(slot[1:].split("-", maxsplit=1)[0])
    if slot[0] == "L":
        return _("Losers' final") if number == 2 * bracket.rounds - 2 else _("Losers' round %(round)d", round=number)
    if bracket.double:
        return _("Winners' final") if number == bracket.rounds else _("Winners' round %(round)d", round=number)
    match bracket.rounds - number:
        case 0:
            return _("Final")
        case 1:
            return _("Semifinals")
        case 2:
            return _("Quarterfinals")
        case left:
            return _("Round of %(count)d", count=2 ** (left + 1))


def _is_shown(bracket: Bracket, slot: str) -> bool:
    """No box for a bye, nor for a deciding final that isn't needed."""
    return None not in bracket.players(slot)


def _places(bracket: Bracket) -> dict[str, tuple[int, int]]:
    """Left edge and middle of every box: the losers' side lies below the winners', the final to the right of both."""
    slots = [slot.split("-") for slot in bracket.slots() if "-" in slot]
    counts: dict[str, int] = {}
    for column, match in slots:
        counts[column] = max(counts.get(column, 0), int(match))
    above = HEAD_HEIGHT + counts["W1"] * ROW_HEIGHT
    places = {}
    for column, match in slots:
        number, is_loser = int(column[1:]), column[0] == "L"
        top, height = (above + HEAD_HEIGHT, counts.get("L1", 0)) if is_loser else (HEAD_HEIGHT, counts["W1"])
        index = number if is_loser else max(0, 2 * number - 3) if bracket.double else number - 1
        y = top + (2 * int(match) - 1) * height * ROW_HEIGHT // (2 * counts[column])
        places[f"{column}-{match}"] = 4 + index * COLUMN_WIDTH, y
    last_x, last_y = places[f"W{bracket.rounds}-1"]
    if bracket.double:
        final_x = 4 + COLUMN_WIDTH * max(1, 2 * bracket.rounds - 1)
        places["final"] = final_x, last_y
        if _is_shown(bracket, "again"):
            places["again"] = final_x + COLUMN_WIDTH, last_y
    elif "third" in bracket.slots():
        places["third"] = last_x, last_y + BOX_HEIGHT + HEAD_HEIGHT + 8
    return places


def _match(
    event: Event,
    bracket: Bracket,
    slot: str,
    place: tuple[int, int],
    tables: Mapping[str, tuple[Round, Seating]],
    seeds: Mapping[str, int],
) -> BracketMatch:
    drawn = tables.get(slot)
    players = bracket.players(slot)
    names = [
        event.entrants[player].name if isinstance(player, str) else _source(bracket, slot, side, tables)
        for side, player in enumerate(players)
    ]
    ids = [player if isinstance(player, str) else "" for player in players]
    winner = bracket.winners.get(slot)
    scores = _scores(event, drawn) if drawn else {}
    first, second = (
        BracketSide(
            entrant=player,
            name=name,
            seed=seeds.get(player, 0),
            score=scores.get(player, ""),
            won=bool(player) and player == winner,
        )
        for player, name in zip(ids, names, strict=True)
    )
    state = "done" if winner is not None else "live" if drawn else "ready" if all(ids) else "open"
    return BracketMatch(
        slot=slot,
        title=slot_title(bracket, slot),
        x=place[0],
        y=place[1],
        sides=(first, second),
        state=state,
        table=drawn[1].table if drawn else 0,
    )


def _source(bracket: Bracket, slot: str, side: int, tables: Mapping[str, tuple[Round, Seating]]) -> str:
    """Who an open side waits for; empty before that match is drawn."""
    before, lost = bracket.feeders(slot)[side]
    if before not in tables:
        return ""
    table = tables[before][1].table
    return _("loser of table %(table)d", table=table) if lost else _("winner of table %(table)d", table=table)


def _scores(event: Event, drawn: tuple[Round, Seating]) -> dict[str, str]:
    """The score of each entrant: games won in a match of several games, else points, also while they play."""
    round_, seating = drawn
    rules, settled = event.rules_of(seating), event.settled_score(round_.number, seating.table)
    if isinstance(settled, NoShow):
        return {}
    tally = event.hall.tallies.get((round_.number, seating.table))
    games = settled.games if isinstance(settled, Played) else tally.games if tally else ()
    if not games:
        return {}
    best_of = event.best_of_at(round_.number, seating)
    points = games_won(rules, games) if best_of > 1 else game_scores(rules, games)[-1]
    return {seating.entrants_on(side)[0]: str(number) for side, number in enumerate(points)}


def _lines(bracket: Bracket, boxes: Mapping[str, BracketMatch]) -> Iterator[BracketLine]:
    """From each match to the one that its winner plays next."""
    for match in boxes.values():
        for before, lost in bracket.feeders(match.slot):
            if before in boxes and not lost:
                source = boxes[before]
                yield BracketLine(
                    slot=before,
                    x=source.x + BOX_WIDTH,
                    y=source.y,
                    to_x=match.x,
                    to_y=match.y,
                    decided=source.state == "done",
                )


def _titles(matches: Iterable[BracketMatch]) -> Iterator[tuple[str, int, int]]:
    tops: dict[str, BracketMatch] = {}
    for match in matches:
        if match.title not in tops or match.y < tops[match.title].y:
            tops[match.title] = match
    for title, match in tops.items():
        yield title, match.x, match.y - BOX_HEIGHT // 2 - 12
