"""Scores of a match, hand by hand or as totals, and the check that a score is possible under the rules.

Hands are scored by the engine's functions: `points` for tricks, `ruling` for irregularities. The cost of a renege
depends on the warnings before it, so hands are never scored alone: `hand_results` scores all hands of a match in order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from leftbower.errors import BadScore
from leftbower.rules import HouseRules, Incident, Outcome, Points, Ruling, Seat, Side, points, ruling
from leftbower.rules.choices import NobodyCalls, WarningsFor, WarningsLast
from leftbower.rules.scoring import TRICKS_NEEDED, TRICKS_PER_HAND, winners
from leftbower.tournament.scoring.reachable import is_game_won, scores_after_hands, scores_to_target

MAX_GAME_POINTS: Final = 60
"""Upper limit of points in a game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOut:
    """A hand without a call."""

    passed_out: bool = True


ReportedHand = Outcome | Incident | PassedOut
"""How a hand ended, as reported by a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """A game reported only as points, in the order of the table's sides."""

    points: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """A game reported hand by hand."""

    hands: tuple[ReportedHand, ...]


Game = Totals | Hands


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A played match, game by game."""

    games: tuple[Game, ...]
    loners: Mapping[Seat, int] = field(default_factory=dict)
    """Lone hands that took all five tricks, if games are reported as totals."""
    stopped: bool = False
    """Stopped by the clock; the last game counts as it stood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoShow:
    """A match that was not played because one or all sides were absent."""

    absent: tuple[str, ...]
    """Labels of the absent sides, NS or EW."""


Score = Played | NoShow


@dataclass(frozen=True, slots=True, kw_only=True)
class HandResult:
    """Result of one reported hand, given all hands before it."""

    hand: ReportedHand
    points: Points
    counts: bool = True
    """Does it count as a hand? A redeal does not, nor a warning in a hand that is played on."""
    warned: Seat | None = None
    """The player it warns."""


Results = Sequence[Sequence[HandResult]]
"""Results of each game of a match; the last game is the one in play."""


def hand_results(rules: HouseRules, games: Sequence[Game]) -> tuple[tuple[HandResult, ...], ...]:
    """Score every hand of a match in order, or refuse an impossible one; a game reported as totals has no hands."""
    results: list[list[HandResult]] = []
    for game in games:
        results.append([])
        for hand in game.hands if isinstance(game, Hands) else ():
            results[-1].append(_hand_result(rules, results, hand))
    return tuple(map(tuple, results))


def rule_on(rules: HouseRules, results: Results, incident: Incident) -> Ruling:
    """Rule on an incident after these hands; `earlier_warnings` is recounted from them, ignoring the incident's own."""
    return ruling(rules, replace(incident, earlier_warnings=earlier_warnings(rules, results, incident.offender)))


def earlier_warnings(rules: HouseRules, results: Results, offender: Seat | None) -> int:
    """Count warnings against a player or a side, in the last game or in all games, as the rules say."""
    if offender is None:
        return 0
    games = results[-1:] if rules.warnings_last is WarningsLast.GAME else results
    seats = rules.side_of(offender) if rules.warnings_for is WarningsFor.SIDE else (offender,)
    return sum(result.warned in seats for game in games for result in game)


def _hand_result(rules: HouseRules, before: Results, hand: ReportedHand) -> HandResult:
    match hand:
        case Outcome():
            rules.side_of(hand.maker)
            if not 0 <= hand.makers_tricks <= TRICKS_PER_HAND:
                raise BadScore("a hand has five tricks; the makers can't take %(tricks)s", tricks=hand.makers_tricks)
            return HandResult(hand=hand, points=points(rules, hand))
        case Incident():
            ruled = rule_on(rules, before, hand)
            return HandResult(
                hand=hand,
                points=ruled.points,
                counts=ruled.hand_ends and ruled.deal_passes,
                warned=hand.offender if ruled.warning else None,
            )
        case PassedOut():
            return HandResult(hand=hand, points={})


def game_scores(rules: HouseRules, games: Sequence[Game]) -> tuple[tuple[int, ...], ...]:
    """Points of each side in each game of a match."""
    results = hand_results(rules, games)
    return tuple(
        game.points if isinstance(game, Totals) else _sum_points(rules, hands)
        for game, hands in zip(games, results, strict=True)
    )


def _sum_points(rules: HouseRules, hands: Sequence[HandResult]) -> tuple[int, ...]:
    return tuple(sum(result.points.get(side[0], 0) for result in hands) for side in rules.sides)


def check_hand(rules: HouseRules, hand: ReportedHand) -> None:
    """Refuse a hand that all passed if the dealer is stuck."""
    if isinstance(hand, PassedOut) and rules.nobody_calls is not NobodyCalls.PASS_OUT:
        raise BadScore("under these rules the dealer must call; no hand is passed out")


def is_loner(hand: ReportedHand) -> bool:
    """Did a lone maker take all five tricks?"""
    return isinstance(hand, Outcome) and hand.alone and hand.makers_tricks == TRICKS_PER_HAND


def is_euchre(hand: ReportedHand) -> bool:
    """Did the makers take too few tricks?"""
    return isinstance(hand, Outcome) and hand.makers_tricks < TRICKS_NEEDED


def games_won(rules: HouseRules, games: Sequence[Game]) -> tuple[int, ...]:
    """Games won by each side; a tied game counts for no side, a shared target for all who reached it."""
    won = [seat for scored in game_scores(rules, games) for seat in _winners(rules, scored)]
    return tuple(won.count(side[0]) for side in rules.sides)


def _winners(rules: HouseRules, scored: Sequence[int]) -> Side:
    """Winners of a game; if it was stopped or has a fixed number of hands, the side that is ahead."""
    ahead = [side for side, points in zip(rules.sides, scored, strict=True) if points == max(scored)]
    to_target = winners(rules, scored) if rules.fixed_hands is None else None
    return to_target or (ahead[0] if len(ahead) == 1 else ())


def match_winner(rules: HouseRules, score: Played) -> int | None:
    """The side that won the match; None for a tie."""
    won = games_won(rules, score.games)
    if won.count(max(won)) == 1:
        return won.index(max(won))
    total = [sum(side) for side in zip(*game_scores(rules, score.games), strict=True)]
    return total.index(max(total)) if score.stopped and total.count(max(total)) == 1 else None


def same_score(rules: HouseRules, first: Score, second: Score) -> bool:
    """Do two scores have the same games, or the same absent sides?"""
    if isinstance(first, NoShow) or isinstance(second, NoShow):
        return isinstance(first, NoShow) and isinstance(second, NoShow) and set(first.absent) == set(second.absent)
    return game_scores(rules, first.games) == game_scores(rules, second.games) and first.stopped is second.stopped


def check_score(rules: HouseRules, best_of: int, score: Score, labels: Sequence[str]) -> None:
    """Refuse a score that is impossible under the rules."""
    if isinstance(score, NoShow):
        if not score.absent or not set(score.absent) <= set(labels) or len(set(score.absent)) < len(score.absent):
            raise BadScore("say which side was absent: %(sides)s, or all", sides=" or ".join(labels))
        return
    _check_loners(rules, score)
    if not 1 <= len(score.games) <= best_of:
        raise BadScore("report 1 to %(best_of)s games, not %(count)s", best_of=best_of, count=len(score.games))
    for number in range(1, len(score.games) + 1):
        last = number == len(score.games)
        try:
            _check_game(rules, score.games[:number], stopped=score.stopped and last, level=best_of == 1)
        except BadScore as error:
            raise error.at(f"game {number}" if best_of > 1 else "score") from None
    if not score.stopped:
        _check_match(rules, best_of, score)


def _check_match(rules: HouseRules, best_of: int, score: Played) -> None:
    needed = best_of // 2 + 1
    if best_of == 1:
        return
    for number in range(1, len(score.games)):
        if max(games_won(rules, score.games[:number])) >= needed:
            raise BadScore(
                "the match was won after %(number)s games, but %(count)s are reported",
                number=number,
                count=len(score.games),
            )
    if max(games_won(rules, score.games)) < needed:
        raise BadScore("no side has won %(needed)s games; if the clock stopped the match, say so", needed=needed)


def _check_loners(rules: HouseRules, score: Played) -> None:
    if not score.loners:
        return
    if any(isinstance(game, Hands) for game in score.games):
        raise BadScore("don't enter loners with a hand-by-hand score; they are counted from the hands")
    for side, seats in enumerate(rules.sides):
        for seat in seats:
            rules.side_of(seat)
        claimed = sum(score.loners.get(seat, 0) for seat in seats)
        scored = sum(game[side] for game in game_scores(rules, score.games))
        if any(count < 0 for count in score.loners.values()) or claimed * rules.march_points_alone > scored:
            raise BadScore(
                "%(claimed)s loners score more than that side's %(scored)s points", claimed=claimed, scored=scored
            )
    if not set(score.loners) <= set(rules.seats):
        raise BadScore("a loner must be in a seat at this table")


def _check_game(rules: HouseRules, games: Sequence[Game], *, stopped: bool, level: bool) -> None:
    """Refuse the last of these games if it can't end like this."""
    scored = game_scores(rules, games)[-1]
    if len(scored) != len(rules.sides) or any(points < 0 for points in scored):
        raise BadScore("a score here has %(count)s numbers, none below 0", count=len(rules.sides))
    if isinstance(games[-1], Hands):
        _check_hands(rules, hand_results(rules, games)[-1], stopped=stopped, level=level)
    if rules.fixed_hands is not None:
        _check_fixed(rules, scored, rules.fixed_hands, level=level or stopped)
    elif stopped:
        _check_stopped(rules, scored)
    else:
        _check_target(rules, scored)


def _check_target(rules: HouseRules, scored: tuple[int, ...]) -> None:
    """Check that the last hand won the game, and no earlier one did."""
    score = "-".join(map(str, scored))
    if not is_game_won(rules, scored):
        raise BadScore("no side has won at %(score)s; a game goes to %(target)s", score=score, target=rules.target)
    if max(scored) > MAX_GAME_POINTS or scored not in scores_to_target(rules, max(scored))[0]:
        raise BadScore("no game can end %(score)s under these rules", score=score)


def _check_stopped(rules: HouseRules, scored: tuple[int, ...]) -> None:
    if max(scored) > MAX_GAME_POINTS or scored not in scores_to_target(rules, max(scored))[1]:
        raise BadScore("a game stopped by the clock can't be %(score)s", score="-".join(map(str, scored)))


def _check_fixed(rules: HouseRules, scored: tuple[int, ...], hands: int, *, level: bool) -> None:
    """Check that the points fit this number of hands, and that a tied game had its extra hand."""
    if scored not in scores_after_hands(rules, hands, extra_hand=not level):
        raise BadScore("%(hands)s hands can't end %(score)s", hands=hands, score="-".join(map(str, scored)))
    if not level and len(set(scored)) == 1:
        raise BadScore("a tied game needs one more hand")


def _check_hands(rules: HouseRules, results: Sequence[HandResult], *, stopped: bool, level: bool) -> None:
    """Check that the hands end exactly when the game is over; only a tie that must be broken adds a hand."""
    for result in results:
        check_hand(rules, result.hand)
    counted = sum(result.counts for result in results)
    if rules.fixed_hands is not None:
        tied = not level and len(set(_sum_points(rules, results[:-1]))) == 1
        if counted > rules.fixed_hands + tied or (counted < rules.fixed_hands and not stopped):
            raise BadScore(
                "a game here has %(hands)s hands, but %(counted)s are reported",
                hands=rules.fixed_hands,
                counted=counted,
            )
        return
    for number in range(1, len(results)):
        if is_game_won(rules, _sum_points(rules, results[:number])):
            raise BadScore(
                "the game was over after hand %(number)s, but %(count)s are reported", number=number, count=len(results)
            )
