"""What each round brought to an entrant, and all of it added up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from leftbower.rules.choices import Choice
from leftbower.rules.scoring import Outcome
from leftbower.rules.seats import Seat
from leftbower.tournament.entrants import Entrant
from leftbower.tournament.model import Event
from leftbower.tournament.plan import Bye
from leftbower.tournament.scores import (
    Hands,
    NoShow,
    Played,
    game_scores,
    games_won,
    hand_results,
    is_euchre,
    is_loner,
    match_winner,
)
from leftbower.tournament.seating import Round, Seating


class Result(Choice):
    """What a round was to an entrant."""

    WIN = "win"
    LOSS = "loss"
    LEVEL = "level"
    BYE = "bye"
    WALKOVER = "walkover"
    """Won, because the other side was not there."""
    FORFEIT = "forfeit"
    """Lost, because the entrant was not there."""
    UNPLAYED = "unplayed"
    """Nobody was there."""
    LATE = "late"
    """The round had begun before the entrant was entered."""
    ABSENT = "absent"
    """The entrant was away, and not drawn."""
    PENDING = "pending"
    """The score does not stand yet."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Everything an entrant has, added up."""

    entrant: str
    matches: Fraction = Fraction(0)
    """Matches won; a level one is half."""
    played: int = 0
    games: int = 0
    games_lost: int = 0
    points: int = 0
    conceded: int = 0
    loners: int = 0
    euchres: int = 0
    """Euchres the entrant's side inflicted."""
    high_game: int = 0
    byes: int = 0
    met: list[tuple[str, Fraction, int]] = field(default_factory=list)
    """Whom the entrant opposed, with what it brought in matches and in points more than theirs."""

    @property
    def difference(self) -> int:
        """Points scored less points given."""
        return self.points - self.conceded


_WORTH: Final = {Result.WIN: Fraction(1), Result.WALKOVER: Fraction(1), Result.LEVEL: Fraction(1, 2)}


def results_at(event: Event, number: int, seating: Seating) -> tuple[Result, ...]:
    """What a table brought to each of its sides."""
    score = event.settled(number, seating.table)
    sides = range(len(seating.sides))
    match score:
        case None:
            return tuple(Result.PENDING for _ in sides)
        case NoShow():
            return tuple(_unplayed(score, label, len(sides)) for label in seating.labels)
        case _:
            won = match_winner(event.rules_of(seating), score)
            return tuple(Result.LEVEL if won is None else Result.WIN if side == won else Result.LOSS for side in sides)


def _unplayed(score: NoShow, label: str, sides: int) -> Result:
    if len(score.absent) == sides:
        return Result.UNPLAYED
    return Result.FORFEIT if label in score.absent else Result.WALKOVER


def result(event: Event, one: Round, entrant: Entrant) -> Result:
    """What a round was to an entrant."""
    seating = one.table_of(entrant.id)
    if seating is not None:
        side = seating.side_of(entrant.id)
        assert side is not None
        return results_at(event, one.number, seating)[side]
    if entrant.id in one.byes:
        return Result.BYE
    return Result.LATE if one.number <= entrant.entered else Result.ABSENT


def tallies(event: Event, rounds: Sequence[Round]) -> dict[str, Tally]:
    """What everybody has from these rounds; bots of the house are not counted."""
    found = {entrant: Tally(entrant=entrant) for entrant, one in event.entrants.items() if not one.house}
    for one in rounds:
        for entrant in one.byes:
            if entrant in found:
                _bye(event, one, found[entrant])
        for seating in one.tables:
            _count(event, one, seating, found)
    return found


def _bye(event: Event, one: Round, tally_: Tally) -> None:
    """A bye counts from when its round is over, so that nobody leads by sitting still."""
    if any(event.settled(one.number, seating.table) is None for seating in one.tables):
        return
    tally_.byes += 1
    if event.plan.bye is Bye.WIN:
        tally_.matches += 1
        tally_.games += event.best_of(one.stage) // 2 + 1


def _count(event: Event, one: Round, seating: Seating, found: dict[str, Tally]) -> None:
    results = results_at(event, one.number, seating)
    if Result.PENDING in results or Result.UNPLAYED in results:
        return
    scored = _scored(event, one, seating)
    for side, result_ in enumerate(results):
        others = [other for other in range(len(results)) if other != side]
        ours, theirs = scored[side], max(scored[other].points for other in others)
        for seat in seating.sides[side] if len(seating.on(side)) > 1 else seating.sides[side][:1]:
            tally_ = found.get(event.credited(one.number, seating.seats[seat]))
            if tally_ is None:
                continue
            _add(tally_, result_, ours, theirs, max(scored[other].games for other in others))
            tally_.loners += sum(ours.loners.get(at, 0) for at in _chairs(seating, side, seat))
            worth = _WORTH.get(result_, Fraction(0))
            tally_.met += [
                (event.credited(one.number, who), worth, ours.points - scored[other].points)
                for other in others
                for who in seating.on(other)
            ]


def _chairs(seating: Seating, side: int, seat: Seat) -> tuple[Seat, ...]:
    """A team has the chairs of both, a single player the own one."""
    return seating.sides[side] if len(seating.on(side)) == 1 else (seat,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """What a side has from a match."""

    points: int = 0
    games: int = 0
    high: int = 0
    euchres: int = 0
    loners: dict[Seat, int] = field(default_factory=dict)


def _scored(event: Event, one: Round, seating: Seating) -> list[_Scored]:
    score = event.settled(one.number, seating.table)
    rules = event.rules_of(seating)
    sides = range(len(seating.sides))
    if isinstance(score, NoShow):
        needed = event.best_of(one.stage) // 2 + 1
        given = 0 if rules.fixed_hands else needed * rules.target
        here = _Scored(points=given, games=needed)
        return [_Scored() if label in score.absent else here for label in seating.labels]
    assert isinstance(score, Played)
    totals = game_scores(rules, score.games)
    won = games_won(rules, score.games)
    return [
        _Scored(
            points=sum(total[side] for total in totals),
            games=won[side],
            high=max(total[side] for total in totals),
            euchres=sum(1 for scorer in _euchres(event, seating, score) if scorer == side),
            loners=_loners(score),
        )
        for side in sides
    ]


def _euchres(event: Event, seating: Seating, score: Played) -> Iterator[int]:
    """The side that scored it, for every euchre."""
    rules = event.rules_of(seating)
    for game in hand_results(rules, score.games):
        for result in game:
            if is_euchre(result.hand):
                yield from (side for side, seats in enumerate(rules.sides) if seats[0] in result.points)


def _loners(score: Played) -> dict[Seat, int]:
    found = dict(score.loners)
    for game in score.games:
        for hand in game.hands if isinstance(game, Hands) else ():
            if isinstance(hand, Outcome) and is_loner(hand):
                found[hand.maker] = found.get(hand.maker, 0) + 1
    return found


def _add(tally_: Tally, result_: Result, ours: _Scored, theirs: int, games_lost: int) -> None:
    tally_.matches += _WORTH.get(result_, Fraction(0))
    tally_.played += result_ in (Result.WIN, Result.LOSS, Result.LEVEL)
    tally_.games += ours.games
    tally_.games_lost += games_lost
    tally_.points += ours.points
    tally_.conceded += theirs
    tally_.euchres += ours.euchres
    tally_.high_game = max(tally_.high_game, ours.high)
