"""How people spell money, prizes, tie-breaks, scores and hands, at a prompt or in a form."""

import re
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from typing import Final, TypeVar

from leftbower.errors import BadMoney, BadPlan, BadScore, BadUsage, show
from leftbower.rules.referee import Incident
from leftbower.rules.scoring import Outcome
from leftbower.rules.seats import Seat
from leftbower.tournament.plan import Counter, Prizes, TieBreak
from leftbower.tournament.scores import Game, Hand, Hands, NoShow, PassedOut, Played, Score, Totals

E = TypeVar("E", bound=Enum)
_MONEY: Final = re.compile(r"\$?(\d{1,6})(?:\.(\d\d))?")
_SHARE: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6}|/[1-9][0-9]{0,5})?)\s*%")
_HAND: Final = re.compile(r"([NESW])([0-5])(!?)(?:([NESW])!)?", re.IGNORECASE)
_INCIDENT: Final = re.compile(r"\^([a-z-]+):([NESW])(?::([NESW]))?(!?)", re.IGNORECASE)


def cents(text: str) -> int:
    """Dollars and cents as people write them: 5, $5 or 5.00."""
    told = _MONEY.fullmatch(text.strip())
    if told is None:
        raise BadMoney(f"{show(text)} is no amount; write 5 or 5.00")
    return 100 * int(told[1]) + int(told[2] or 0)


def dollars(amount: int) -> str:
    """Cents as people write them."""
    return f"${amount // 100}.{amount % 100:02d}"


def prizes(cash: str, cards: str, extras: Sequence[str], usual: Prizes) -> Prizes:
    """What is played for: 100,50,25 are dollars, 50%,30%,20% shares of the pot."""

    shares = [word.strip() for word in cash.split(",") if word.strip().endswith("%")]
    if shares and len(shares) != len(cash.split(",")):
        raise BadPlan("prizes are dollars, or all of them shares of the pot", place="prizes")
    return Prizes(
        cash=() if shares else tuple(map(cents, filter(None, cash.split(",")))),
        shares=tuple(_share(word) for word in shares),
        cards=usual.cards if not cards else () if cards == "none" else tuple(map(cents, cards.split(","))),
        extras=tuple(map(_extra, extras)),
    )


def _share(word: str) -> Fraction:
    told = _SHARE.fullmatch(word)
    if told is None:
        raise BadPlan(f"{show(word)} is no share; write 50%", place="prizes")
    return Fraction(told[1]) / 100


def _extra(word: str) -> tuple[Counter, int]:

    name, _, amount = word.partition("=")
    return chosen(Counter, name, "extra"), cents(amount)


def tie_breaks(text: str) -> tuple[TieBreak, ...]:
    """Tie-breaks in their order, with commas between."""

    return tuple(chosen(TieBreak, word, "ties") for word in text.split(",") if word.strip())


def chosen(kind: type[E], word: str, place: str) -> E:
    """One of a few words."""
    try:
        return kind(word.strip().lower())
    except ValueError:
        words = ", ".join(str(one.value) for one in kind)
        raise BadUsage(f"{show(word)} is none of {words}", place=place) from None


def score(
    games: Sequence[str], hands: Sequence[str], absent: Sequence[str], loners: Sequence[str], *, stopped: bool
) -> Score:
    """A score as a command is told it: games as 10-6, or hand by hand, or who did not come."""

    if bool(games) + bool(hands) + bool(absent) != 1:
        raise BadScore("tell the games as 10-6, or their --hands, or who was --absent")
    if absent:
        return NoShow(absent=tuple(side.upper() for side in absent))
    told: list[Game] = [Totals(points=_points(word)) for word in games]
    return Played(games=tuple(told or map(game, hands)), loners=_loners(loners), stopped=stopped)


def _points(word: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,3}([-:]\d{1,3}){1,2}", word.strip()):
        raise BadScore(f"{show(word)} is no score; write 10-6, North and South first")
    return tuple(map(int, re.split("[-:]", word.strip())))


def _loners(words: Sequence[str]) -> dict[Seat, int]:

    found: dict[Seat, int] = {}
    for word in words:
        seat, _, count = word.partition("=")
        if not re.fullmatch("[0-9]{1,3}", count):
            raise BadScore(f"{show(word)} is no count of loners; write N=1")
        found[Seat.parse(seat)] = int(count)
    return found


def game(words: str) -> Game:
    """Parse a game hand by hand: N3, E5! alone, W2!N! against a lone defender, p passed out, ^renege:E an irregularity.

    ^renege:E:N names the maker too, for penalties that depend on it. A renege that is only a warning is followed by
    its hand.
    """

    return Hands(hands=tuple(map(hand, words.replace(",", " ").split())))


def hand(word: str) -> Hand:
    """A hand by its word."""

    if word.lower() == "p":
        return PassedOut()
    if told := _INCIDENT.fullmatch(word):
        maker = told[3].upper() if told[3] else None
        facts = {"irregularity": told[1].lower(), "offender": told[2].upper(), "maker": maker, "alone": bool(told[4])}
        return Incident.from_json(facts)
    told = _HAND.fullmatch(word)
    if told is None:
        raise BadScore(f"{show(word)} is no hand; write the maker and the tricks, as N3, or N5! alone")
    return Outcome(
        maker=Seat.parse(told[1]), makers_tricks=int(told[2]), alone=bool(told[3]), defended_alone=bool(told[4])
    )


def hand_word(hand: Hand) -> str:
    """The word of a hand; of an irregularity, no more than what, who and the maker."""
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


def rounds(text: str) -> tuple[int, int]:
    """Rounds as people write them: 3, or 3-5."""
    told = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip())
    if told is None:
        raise BadUsage(f"{show(text)} are no rounds; write 3 or 3-5", place="rounds")
    return int(told[1]), int(told[2] or told[1])
