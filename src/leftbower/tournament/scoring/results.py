"""Results of rounds, and totals per entrant."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from leftbower.rules import Outcome, Seat
from leftbower.rules.choices import Choice
from leftbower.tournament.model.choices import ByeValue
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring import scores


class RoundResult(Choice):
    WIN = "win"
    LOSS = "loss"
    LEVEL = "level"
    BYE = "bye"
    WALKOVER = "walkover"
    """Won because the other side was absent."""
    FORFEIT = "forfeit"
    """Lost because the entrant was absent."""
    UNPLAYED = "unplayed"
    """All sides were absent."""
    LATE = "late"
    """The round started before the entrant was added."""
    ABSENT = "absent"
    """The entrant was absent and not drawn."""
    PENDING = "pending"
    """The score is not settled yet."""


@dataclass(slots=True, kw_only=True)
class EntrantTally:
    entrant: str
    matches: Fraction = Fraction(0)
    """Matches won; a tie counts half."""
    played: int = 0
    rounds: int = 0
    """Rounds with a result, walkovers and forfeits too."""
    games: int = 0
    games_lost: int = 0
    points: int = 0
    conceded: int = 0
    loners: int = 0
    euchres: int = 0
    """Euchres the entrant's side inflicted."""
    high_game: int = 0
    byes: int = 0
    opponents: list[tuple[str, Fraction, int]] = field(default_factory=list)
    """Each opponent with the match result and the point difference."""

    @property
    def difference(self) -> int:
        return self.points - self.conceded

    @property
    def points_per_round(self) -> Fraction:
        return Fraction(self.points, self.rounds or 1)


MATCHES_WON: Final = {
    RoundResult.WIN: Fraction(1),
    RoundResult.WALKOVER: Fraction(1),
    RoundResult.LEVEL: Fraction(1, 2),
}


def table_results(event: Event, number: int, seating: Seating) -> tuple[RoundResult, ...]:
    score = event.settled_score(number, seating.table)
    sides = range(len(seating.sides))
    match score:
        case None:
            return tuple(RoundResult.PENDING for _ in sides)
        case scores.NoShow():
            return tuple(_no_show_result(score, label, len(sides)) for label in seating.labels)
        case _:
            won = scores.match_winner(event.rules_of(seating), score)
            return tuple(
                RoundResult.LEVEL if won is None else RoundResult.WIN if side == won else RoundResult.LOSS
                for side in sides
            )


def _no_show_result(score: scores.NoShow, label: str, sides: int) -> RoundResult:
    if len(score.absent) == sides:
        return RoundResult.UNPLAYED
    return RoundResult.FORFEIT if label in score.absent else RoundResult.WALKOVER


def round_result(event: Event, round_: Round, entrant: Entrant) -> RoundResult:
    seating = round_.seating_of(entrant.id)
    if seating is not None:
        side = seating.side_of(entrant.id)
        assert side is not None
        return table_results(event, round_.number, seating)[side]
    if entrant.id in round_.byes:
        return RoundResult.BYE
    return RoundResult.LATE if round_.number <= entrant.rounds_missed else RoundResult.ABSENT


def entrant_tallies(event: Event, rounds: Sequence[Round]) -> dict[str, EntrantTally]:
    """Tally these rounds for all entrants except house players; a match with a struck team counts as a bye."""
    tallies = {
        entrant: EntrantTally(entrant=entrant) for entrant, record in event.entrants.items() if not record.house_player
    }
    for round_ in rounds:
        for entrant in round_.byes:
            if entrant in tallies:
                _count_bye(event, round_, tallies[entrant])
        for seating in round_.tables:
            if not event.stage.singles and any(event.entrants[entrant].struck for entrant in seating.entrants):
                for entrant in tallies.keys() & set(seating.entrants):
                    _count_bye(event, round_, tallies[entrant])
            else:
                _count_table(event, round_, seating, tallies)
    return tallies


def _count_bye(event: Event, round_: Round, tally: EntrantTally) -> None:
    """Count a bye only after its round is over, so a bye does not lead the standings early."""
    if any(event.settled_score(round_.number, seating.table) is None for seating in round_.tables):
        return
    tally.byes += 1
    if event.plan.bye is ByeValue.WIN:
        tally.matches += 1
        tally.games += event.best_of(round_.stage) // 2 + 1


def _count_table(event: Event, round_: Round, seating: Seating, tallies: dict[str, EntrantTally]) -> None:
    results = table_results(event, round_.number, seating)
    if RoundResult.PENDING in results or RoundResult.UNPLAYED in results:
        return
    scored = side_scores(event, round_, seating)
    for side, result in enumerate(results):
        others = [other for other in range(len(results)) if other != side]
        ours, theirs = scored[side], max(scored[other].points for other in others)
        for seat in seating.sides[side] if len(seating.entrants_on(side)) > 1 else seating.sides[side][:1]:
            tally = tallies.get(event.credited_entrant(round_.number, seating.seats[seat]))
            if tally is None:
                continue
            _add(tally, result, ours, theirs, max(scored[other].games for other in others))
            tally.loners += sum(
                ours.loners.get(counted_seat, 0) for counted_seat in _seats_counted(seating, side, seat)
            )
            worth = MATCHES_WON.get(result, Fraction(0))
            tally.opponents += [
                (event.credited_entrant(round_.number, opponent), worth, ours.points - scored[other].points)
                for other in others
                for opponent in seating.entrants_on(other)
            ]


def _seats_counted(seating: Seating, side: int, seat: Seat) -> tuple[Seat, ...]:
    """Both seats of a team, or one seat of a single player."""
    return seating.sides[side] if len(seating.entrants_on(side)) == 1 else (seat,)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideTotals:
    """A side's totals in a match."""

    points: int = 0
    games: int = 0
    high_game: int = 0
    euchres: int = 0
    loners: dict[Seat, int] = field(default_factory=dict)


def side_scores(event: Event, round_: Round, seating: Seating) -> list[SideTotals]:
    score = event.settled_score(round_.number, seating.table)
    rules = event.rules_of(seating)
    sides = range(len(seating.sides))
    if isinstance(score, scores.NoShow):
        needed = event.best_of(round_.stage) // 2 + 1
        points = 0 if rules.fixed_hands else needed * rules.target
        present = SideTotals(points=points, games=needed)
        return [SideTotals() if label in score.absent else present for label in seating.labels]
    assert isinstance(score, scores.Played)
    totals = scores.game_scores(rules, score.games)
    won = scores.games_won(rules, score.games)
    return [
        SideTotals(
            points=sum(total[side] for total in totals),
            games=won[side],
            high_game=max(total[side] for total in totals),
            euchres=sum(1 for scorer in _euchring_sides(event, seating, score) if scorer == side),
            loners=_loners(score),
        )
        for side in sides
    ]


def _euchring_sides(event: Event, seating: Seating, score: scores.Played) -> Iterator[int]:
    """The side that scored, once per euchre."""
    rules = event.rules_of(seating)
    for game in scores.hand_results(rules, score.games):
        for result in game:
            if scores.is_euchre(result.hand):
                yield from (side for side, seats in enumerate(rules.sides) if seats[0] in result.points)


def _loners(score: scores.Played) -> dict[Seat, int]:
    loners = dict(score.loners)
    for game in score.games:
        for hand in game.hands if isinstance(game, scores.Hands) else ():
            if isinstance(hand, Outcome) and scores.is_loner(hand):
                loners[hand.maker] = loners.get(hand.maker, 0) + 1
    return loners


def _add(tally: EntrantTally, result: RoundResult, ours: SideTotals, theirs: int, games_lost: int) -> None:
    tally.matches += MATCHES_WON.get(result, Fraction(0))
    tally.played += result in (RoundResult.WIN, RoundResult.LOSS, RoundResult.LEVEL)
    tally.rounds += 1
    tally.games += ours.games
    tally.games_lost += games_lost
    tally.points += ours.points
    tally.conceded += theirs
    tally.euchres += ours.euchres
    tally.high_game = max(tally.high_game, ours.high_game)
