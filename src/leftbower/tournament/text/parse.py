"""Parsers for money, prizes, tie-breaks, scores and hands as people type them."""

import re
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from typing import Final, TypeVar

from leftbower.errors import BadMoney, BadPlan, BadScore, BadUsage, show
from leftbower.rules import Incident, Outcome, Seat
from leftbower.tournament.model.choices import ExtraCategory, TieBreak
from leftbower.tournament.model.plan import Prizes
from leftbower.tournament.scoring.scores import Game, Hands, NoShow, PassedOut, Played, ReportedHand, Score, Totals

E = TypeVar("E", bound=Enum)
_MONEY: Final = re.compile(r"\$?(\d{1,6})(?:\.(\d\d))?")
_SHARE: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6}|/[1-9][0-9]{0,5})?)\s*%")
_HAND: Final = re.compile(r"([NESW])([0-5])(!?)(?:([NESW])!)?", re.IGNORECASE)
_INCIDENT: Final = re.compile(r"\^([a-z-]+):([NESW])(?::([NESW]))?(!?)", re.IGNORECASE)


def parse_cents(text: str) -> int:
    """Parse dollars: 5, $5 or 5.00."""
    match = _MONEY.fullmatch(text.strip())
    if match is None:
        raise BadMoney("%(amount)s is not an amount; write 5 or 5.00", amount=show(text))
    return 100 * int(match[1]) + int(match[2] or 0)


def format_dollars(amount: int) -> str:
    return f"${amount // 100}.{amount % 100:02d}"


def parse_prizes(cash: str, cards: str, extras: Sequence[str], usual: Prizes) -> Prizes:
    """Parse prizes: 100,50,25 are dollars; 50%,30%,20% are shares of the pot."""

    shares = [share.strip() for share in cash.split(",") if share.strip().endswith("%")]
    if shares and len(shares) != len(cash.split(",")):
        raise BadPlan("write all prizes in dollars, or all as shares like 50%", path="prizes")
    return Prizes(
        cash=() if shares else tuple(map(parse_cents, filter(None, cash.split(",")))),
        shares=tuple(_parse_share(share) for share in shares),
        cards=usual.cards if not cards else () if cards == "none" else tuple(map(parse_cents, cards.split(","))),
        extras=tuple(map(_parse_extra, extras)),
    )


def _parse_share(text: str) -> Fraction:
    match = _SHARE.fullmatch(text)
    if match is None:
        raise BadPlan("%(share)s is not a share; write 50%%", path="prizes", share=show(text))
    return Fraction(match[1]) / 100


def _parse_extra(text: str) -> tuple[ExtraCategory, int]:

    name, _, amount = text.partition("=")
    return parse_choice(ExtraCategory, name, "extra"), parse_cents(amount)


def parse_tie_breaks(text: str) -> tuple[TieBreak, ...]:
    """Parse tie-breaks in order, separated by commas."""

    return tuple(parse_choice(TieBreak, word, "ties") for word in text.split(",") if word.strip())


def parse_choice(choice: type[E], text: str, path: str) -> E:
    """Parse one member of an enum."""
    try:
        return choice(text.strip().lower())
    except ValueError:
        words = ", ".join(str(member.value) for member in choice)
        raise BadUsage("%(word)s is not one of %(words)s", path=path, word=show(text), words=words) from None


def parse_score(
    games: Sequence[str], hands: Sequence[str], absent: Sequence[str], loners: Sequence[str], *, stopped: bool
) -> Score:
    """Parse a score: games as 10-6, or hand by hand, or the absent sides."""

    if bool(games) + bool(hands) + bool(absent) != 1:
        raise BadScore("give the games as 10-6, or --hands, or --absent")
    if absent:
        return NoShow(absent=tuple(side.upper() for side in absent))
    totals: list[Game] = [Totals(points=_parse_points(word)) for word in games]
    return Played(games=tuple(totals or map(parse_game, hands)), loners=_parse_loners(loners), stopped=stopped)


def _parse_points(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,3}([-:]\d{1,3}){1,2}", text.strip()):
        raise BadScore("%(score)s is not a score; write 10-6, North and South first", score=show(text))
    return tuple(map(int, re.split("[-:]", text.strip())))


def _parse_loners(counts: Sequence[str]) -> dict[Seat, int]:

    loners: dict[Seat, int] = {}
    for text in counts:
        seat, _, count = text.partition("=")
        if not re.fullmatch("[0-9]{1,3}", count):
            raise BadScore("%(count)s is not a number of loners; write N=1", count=show(text))
        loners[Seat.parse(seat)] = int(count)
    return loners


def parse_game(text: str) -> Game:
    """Parse a game hand by hand: N3, E5! alone, W2!N! against a lone defender, p passed out, ^renege:E an irregularity.

    ^renege:E:N also names the maker, for penalties that depend on it. After a renege that is only a warning comes its
    hand.
    """

    return Hands(hands=tuple(map(parse_hand, text.replace(",", " ").split())))


def parse_hand(text: str) -> ReportedHand:
    if text.lower() == "p":
        return PassedOut()
    if match := _INCIDENT.fullmatch(text):
        maker = match[3].upper() if match[3] else None
        facts = {
            "irregularity": match[1].lower(),
            "offender": match[2].upper(),
            "maker": maker,
            "alone": bool(match[4]),
        }
        return Incident.from_json(facts)
    match = _HAND.fullmatch(text)
    if match is None:
        raise BadScore(
            "%(hand)s is not a hand; write the maker and the tricks, like N3, or N5! for a loner", hand=show(text)
        )
    return Outcome(
        maker=Seat.parse(match[1]), makers_tricks=int(match[2]), alone=bool(match[3]), defended_alone=bool(match[4])
    )


def format_hand(hand: ReportedHand) -> str:
    """Inverse of `parse_hand`; an irregularity keeps only its kind, offender and maker."""
    match hand:
        case Outcome():
            defended = f"{_DEFENDER[str(hand.maker)]}!" if hand.defended_alone else ""
            return f"{hand.maker}{hand.makers_tricks}{'!' * hand.alone}{defended}"
        case Incident():
            maker = f":{hand.maker}" if hand.maker else ""
            return f"^{hand.irregularity}:{hand.offender or hand.dealer or '-'}{maker}{'!' * hand.alone}"
        case PassedOut():
            return "p"


_DEFENDER: Final = {"N": "E", "E": "S", "S": "W", "W": "N"}


def parse_rounds(text: str) -> tuple[int, int]:
    """Parse rounds: 3, or 3-5."""
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip())
    if match is None:
        raise BadUsage("%(rounds)s is not a round; write 3 or 3-5", path="rounds", rounds=show(text))
    return int(match[1]), int(match[2] or match[1])
