"""View model of a match that is over: the result, its story, the score hand by hand, the hands that decided it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.engine.game import Scores
from leftbower.engine.match import MatchOver
from leftbower.engine.states import Scored
from leftbower.i18n import gettext as _, ngettext
from leftbower.notation.describe import YOU, SeatNamer, join_names
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.seats import Seat
from leftbower.server.live.records import games_of
from leftbower.table import Table, viewing_seat
from leftbower.web.table.endings.hand_end import SIDES, scores_after, summary
from leftbower.web.table.history import DealtCards, last_deal
from leftbower.web.table.seat_names import SeatNames

_KEY_HANDS: Final = 3
_COMEBACK: Final = 3
"""A side that won after it was this far behind came back."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 24, 400, 12, 192
"""The score's grid in the curve's 420 by 200 units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideResult:
    name: str
    side: str
    """The CSS class of its color."""
    score: int
    """Games won, or the score of the only game."""
    final: int
    """Its score in the last game."""
    path: str
    """Its score hand by hand, as an SVG path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHand:
    number: int
    title: str
    story: str
    trump: str
    """Letter of the trump suit; empty if no one called."""
    points: int
    side: str
    x: float
    """Its place on the curve."""
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnd:
    title: str
    won: bool
    sides: tuple[SideResult, ...]
    """The viewer's side first."""
    last_score: str
    """The score of the last game, if several were played."""
    story: str
    key_hands: tuple[KeyHand, ...]
    """Of the last game, in order."""
    last_deal: tuple[DealtCards, ...]
    """All hands of the last deal; empty in an event, which shows them after the round."""
    share_text: str


def match_end(table: Table, person: str | None, names: Mapping[str, str]) -> MatchEnd | None:
    """The result with the names and sides of the players at the end; None before the end of a match."""
    match = table.match
    if not isinstance(match, MatchOver):
        return None
    seat, rules = viewing_seat(table, person), match.rules
    name = SeatNames(table.last_seats, names, seat)
    sides = sorted(rules.sides, key=lambda side: seat not in side)
    hands = [scored for scored in games_of(table)[-1][0] if scored.points or scored.contract]
    scores = match.wins if rules.best_of > 1 else match.last.scores
    by_side = dict(zip(rules.sides, scores, strict=True))
    top = max(rules.target if not rules.fixed_hands else 1, *match.last.scores)
    result = "–".join(str(by_side[side]) for side in sides)
    return MatchEnd(
        title=_winner_text(match.winner, name),
        won=match.winner is not None and seat in match.winner,
        sides=tuple(
            SideResult(
                name=join_names(side, name),
                side=css_class,
                score=by_side[side],
                final=match.last.scores[rules.sides.index(side)],
                path=_path(rules.sides.index(side), hands, top),
            )
            for css_class, side in zip(SIDES, sides, strict=False)
        ),
        last_score=_last_score(match.last.scores, rules, sides) if rules.best_of > 1 else "",
        story=" ".join(_story(match, hands, seat, name)),
        key_hands=tuple(_key_hands(hands, sides, seat, name, top)),
        last_deal=() if table.event else last_deal(table, person, names),
        share_text=_(
            "Euchre: %(result)s %(score)s", result=_winner_text(match.winner, _by_name(table, names)), score=result
        ),
    )


def _by_name(table: Table, names: Mapping[str, str]) -> SeatNamer:
    """Names for others, to whom the viewer isn't `you`."""
    return SeatNames(table.last_seats, names, None)


def _winner_text(winner: Side | None, name: SeatNamer) -> str:
    if winner is None:
        return _("It’s a tie.")
    winners = join_names(winner, name)
    if len(winner) > 1:
        return _("%(winners)s win!", winners=winners)
    return _("You win!") if name(winner[0]) == YOU else _("%(winner)s wins!", winner=winners)


def _last_score(scores: Scores, rules: HouseRules, sides: Sequence[Side]) -> str:
    by_side = dict(zip(rules.sides, scores, strict=True))
    return _("Last game %(score)s", score="–".join(str(by_side[side]) for side in sides))


def _story(match: MatchOver, hands: Sequence[Scored], seat: Seat | None, name: SeatNamer) -> Iterator[str]:
    """How the winners got there, how the last hand ended, and how long it took."""
    winner = match.last.winner
    if winner is not None and len(match.rules.sides) == 2:
        own = match.rules.sides.index(winner)
        behind = max((scored.hand.scores for scored in hands), key=lambda score: score[1 - own] - score[own])
        if behind[1 - own] - behind[own] >= _COMEBACK:
            score = f"{behind[own]}–{behind[1 - own]}"
            yield _("%(names)s came back from %(score)s.", names=join_names(winner, name), score=score)
    if hands:
        yield summary(hands[-1], seat, name)[1]
    yield ngettext("%(num)d hand.", "%(num)d hands.", len(hands))


def _path(side: int, hands: Sequence[Scored], top: int) -> str:
    scores = [0, *(scores_after(scored)[side] for scored in hands)]
    points = [f"{_x(number, len(hands)):.1f} {_y(score, top):.1f}" for number, score in enumerate(scores)]
    return "M" + "L".join(points)


def _x(number: int, hands: int) -> float:
    return _LEFT + (_RIGHT - _LEFT) * number / max(hands, 1)


def _y(score: int, top: int) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * min(score, top) / top


def _key_hands(
    hands: Sequence[Scored], sides: Sequence[Side], seat: Seat | None, name: SeatNamer, top: int
) -> Iterator[KeyHand]:
    """The hands with the most points; of equal ones the later, because it decided more."""
    gains = [(max(scored.points.values(), default=0), number) for number, scored in enumerate(hands, 1)]
    for points, number in sorted(sorted(gains)[-_KEY_HANDS:], key=lambda gain: gain[1]):
        scored = hands[number - 1]
        scorer = next((side for side in sides if scored.points.get(side[0]) == points), None)
        if scorer is None:
            continue
        title, story = summary(scored, seat, name)
        yield KeyHand(
            number=number,
            title=title,
            story=story,
            trump=str(scored.contract.trump) if scored.contract else "",
            points=points,
            side=SIDES[sides.index(scorer)],
            x=round(_x(number, len(hands)), 1),
            y=round(_y(scores_after(scored)[scored.hand.rules.sides.index(scorer)], top), 1),
        )
