"""What a page shows of a table, worked out from what its viewer may see; templates only spell it.

Everything here comes from a `View` and from what a table tells everybody: no page can show a card that the engine did
not show its viewer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.engine import (
    Action,
    Bury,
    CallOut,
    Claim,
    Correct,
    LayAway,
    Phase,
    Play,
    ThrowIn,
    UpCard,
    View,
)
from leftbower.notation.words import word
from leftbower.rules.cards import UNKNOWN, Card, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import Bot, Person, Table, phase, scores_of, seen_by
from leftbower.web.words import card_name, choice, happened, outcome, suit_name, why_not

_WHERE: Final[Mapping[int, tuple[str, ...]]] = {
    4: ("bottom", "left", "top", "right"),
    3: ("bottom", "left", "right"),
    2: ("bottom", "top"),
}
"""Where the seats are, clockwise from the viewer's."""
_SUITS: Final = (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS)
"""In which order the suits lie in a hand: black and red in turn, always the same."""
_BOTS: Final = {"bottom": "Sam", "left": "Wade", "top": "Nora", "right": "Ellis"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One seat, as it lies round the table."""

    seat: str
    where: str
    name: str
    level: str
    """Of a bot; empty for a person."""
    backs: int
    """How many cards lie before it, face down."""
    won: int
    """The tricks it has taken."""
    is_you: bool
    is_dealer: bool
    is_maker: bool
    is_alone: bool
    sits_out: bool
    has_turn: bool
    is_away: bool
    is_covered: bool
    open: tuple[Card, ...]
    """A hand that lies open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """A card on the table."""

    card: Card
    name: str
    where: str
    wins: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A card in the viewer's hand."""

    card: Card
    name: str
    act: str
    """The word of the act that uses it; empty for none."""
    why: str
    """Why it may not be used, while it is the viewer's turn."""
    is_trump: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something the viewer may do besides laying a card."""

    act: str
    label: str
    key: str
    """The letter that does it."""
    suit: str = ""
    is_main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A table as one viewer sees it."""

    table: str
    version: int
    phase: str
    places: tuple[Place, ...]
    scores: tuple[tuple[str, int], ...]
    """Every side with its score, the viewer's first."""
    tricks: tuple[int, ...]
    trump: str
    """The letter of the trump suit; empty before it is made."""
    trump_name: str
    called: str
    """By whom trump was made, and how."""
    up_card: Laid | None
    trick: tuple[Laid, ...]
    hand: tuple[Own, ...]
    buttons: tuple[Button, ...]
    """What the viewer is asked to choose from."""
    talk: tuple[Button, ...]
    """What the viewer may say across the table besides: claims, throw-ins, calls."""
    question: str
    """What the viewer is asked."""
    told: str
    """What happened last, in a sentence."""
    cut: int
    """How many cards the deck has that the viewer is offered to cut; 0 when that is not asked."""
    result: str
    """How the hand ended; empty while it goes on."""
    turn: bool
    """Is the viewer asked?"""
    watching: bool


def picture(name: str, table: Table, person: str | None, names: Mapping[str, str]) -> Picture:
    """The table through the eyes of a person."""
    seen = seen_by(table, person)
    seat = table.seat_of(person) if person is not None else None
    round_ = _round(table.rules, seat)
    called = _Called(table, names, seat, round_)
    places = tuple(_place(table, seen, where, at, called(at), seat) for at, where in round_.items())
    trump = seen.made.trump if seen and seen.made else None
    acts = {} if seen is None else _card_acts(seen)
    said = happened(seen.said[-1], seen, called) if seen and seen.said else _dealt(seen, called)
    result = outcome(seen, seen.ending, called) if seen and seen.ending else ""
    return Picture(
        table=name,
        version=table.version,
        phase=phase(table),
        places=places,
        scores=_scores(table, seat, called),
        tricks=_tricks(seen, seat),
        trump=str(trump) if trump else "",
        trump_name=suit_name(trump).capitalize() if trump else "",
        called=_called(seen, called),
        up_card=_up_card(seen),
        trick=_laid(seen, round_),
        hand=tuple(_hand(seen, acts, trump)) if seen else (),
        buttons=tuple(_buttons(seen, aside=False)) if seen else (),
        talk=tuple(_buttons(seen, aside=True)) if seen else (),
        question=_question(seen, called) if seen else "",
        told=result or said,
        cut=len(table.rules.deck) if table.cutter is not None and table.cutter is seat else 0,
        result=result,
        turn=seen is not None and bool(seen.legal) and seen.to_act is seen.seat,
        watching=seat is None,
    )


def _round(rules: HouseRules, seat: Seat | None) -> dict[Seat, str]:
    """Where every seat is, the viewer's at the bottom."""
    places = rules.places
    first = places.index(seat) if seat in places else places.index(Seat.S)
    clockwise = (*places[first:], *places[:first])
    return dict(zip(clockwise, _WHERE[len(places)], strict=True))


class _Called:
    """How seats are called: you, people by their names, and bots by names of their own."""

    def __init__(self, table: Table, names: Mapping[str, str], own: Seat | None, round_: Mapping[Seat, str]) -> None:
        self._table, self._names, self._own, self._round = table, names, own, round_

    def __call__(self, seat: Seat) -> str:
        """The name of who sits there."""
        if seat is self._own:
            return "You"
        sitter = self._table.seats.get(seat)
        if isinstance(sitter, Person):
            return self._names.get(sitter.id) or "Somebody"
        return _BOTS[self._round[seat]] if isinstance(sitter, Bot) else "Nobody"


def _place(table: Table, seen: View | None, where: str, at: Seat, name: str, own: Seat | None) -> Place:
    sitter = table.seats.get(at)
    person = sitter.id if isinstance(sitter, Person) else ""
    made = seen.made if seen else None
    playing = seen is not None and bool(seen.active)
    return Place(
        seat=str(at),
        where=where,
        name=name,
        level=sitter.level if isinstance(sitter, Bot) else "",
        backs=seen.backs[at] if seen else 0,
        won=sum(trick.winner is at for trick in seen.tricks) if seen else 0,
        is_you=at is own,
        is_dealer=seen is not None and seen.dealer is at,
        is_maker=made is not None and made.maker is at,
        is_alone=made is not None and ((made.alone and made.maker is at) or made.defender is at),
        sits_out=seen is not None and playing and at not in seen.active,
        has_turn=seen is not None and seen.to_act is at,
        is_away=person in table.away,
        is_covered=person in table.covered,
        open=tuple(card for card in (seen.exposed.get(at, ()) if seen else ()) if card is not UNKNOWN),
    )


def _scores(table: Table, seat: Seat | None, called: _Called) -> tuple[tuple[str, int], ...]:
    sides = list(zip(table.rules.sides, scores_of(table), strict=True))
    sides.sort(key=lambda one: seat not in one[0])
    if len(table.rules.sides) == 2 and table.rules.seats == 4 and seat is not None:
        return ("We", sides[0][1]), ("They", sides[1][1])
    return tuple((" and ".join(map(called, side)), score) for side, score in sides)


def _tricks(seen: View | None, seat: Seat | None) -> tuple[int, ...]:
    if seen is None:
        return ()
    sides = sorted(seen.rules.sides, key=lambda side: seat not in side)
    return tuple(sum(trick.winner in side for trick in seen.tricks) for side in sides)


def _called(seen: View | None, called: _Called) -> str:
    if seen is None or seen.made is None:
        return ""
    how = "ordered up" if seen.made.ordered else "called"
    alone = ", alone" if seen.made.alone else ""
    return f"{how} by {called(seen.made.maker).replace('You', 'you')}{alone}"


def _up_card(seen: View | None) -> Laid | None:
    if seen is None or seen.up_card_is is not UpCard.TURNED_UP or seen.ending is not None:
        return None
    return Laid(card=seen.up_card, name=card_name(seen.up_card), where="up")


def _laid(seen: View | None, round_: Mapping[Seat, str]) -> tuple[Laid, ...]:
    """The trick on the table; a whole one lies there until the next card."""
    if seen is None:
        return ()
    cards, seats = seen.trick, seen.seats
    winner = None
    if not cards and seen.tricks:
        cards, seats, winner = seen.tricks[-1].cards, seen.tricks[-1].seats, seen.tricks[-1].winner
    trump = seen.made.trump if seen.made else None
    return tuple(
        Laid(card=card, name=card_name(card, trump), where=round_[at], wins=at is winner)
        for card, at in zip(cards, seats, strict=True)
    )


def _card_acts(seen: View) -> dict[Card, Action]:
    """Which act each card of the viewer stands for now."""
    return {
        action.card: action
        for action in seen.legal
        if isinstance(action, Play | Bury) and isinstance(action.card, Card)
    }


def _hand(seen: View, acts: Mapping[Card, Action], trump: Suit | None) -> Iterator[Own]:
    held = [card for card in seen.cards if card is not UNKNOWN]
    for card in sorted(held, key=lambda one: order(one, trump)):
        action = acts.get(card)
        yield Own(
            card=card,
            name=card_name(card, trump),
            act=word(action) if action else "",
            why=why_not(seen.refused[card]) if card in seen.refused else "",
            is_trump=trump is not None and card.suit_under(trump) is trump,
        )


def order(card: Card, trump: Suit | None) -> tuple[int, int]:
    """Where a card lies in a hand: suits stay where they are, and the left bower lies with the trumps it belongs to."""
    suit = card.suit if trump is None else card.suit_under(trump)
    high = 0 if trump is None else 2 if card.is_right_bower(trump) else int(card.is_left_bower(trump))
    return _SUITS.index(suit), -(100 * high + "9TJQKA".index(str(card.rank)))


_LETTERS: Final = {
    "p": "p",
    "o": "o",
    "o!": "l",
    "!": "a",
    "&": "t",
    ".": "k",
}


_ASIDE: Final = (CallOut, Claim, Correct, ThrowIn)
"""What nobody asks for, and anybody may say."""


def _buttons(seen: View, *, aside: bool) -> Iterator[Button]:
    """What the viewer may do besides laying or burying a card, in the order in which it is listed."""
    for action in seen.legal:
        if isinstance(action, LayAway | Play | Bury) or isinstance(action, _ASIDE) is not aside:
            continue
        spelled = word(action)
        suit = spelled[0] if spelled.rstrip("!") in {"c", "d", "h", "s"} else ""
        key = _LETTERS.get(spelled) or (suit if suit and not spelled.endswith("!") else "")
        yield Button(act=spelled, label=choice(action, seen), key=key, suit=suit, is_main=spelled in {"o", "!"})


def _question(seen: View, called: _Called) -> str:
    """What the viewer is asked; empty when it is somebody else's turn."""
    if seen.to_act is not seen.seat or not seen.legal:
        return ""
    match seen.phase:
        case Phase.BIDDING if seen.up_card_is is UpCard.TURNED_UP:
            whose = "your" if seen.dealer is seen.seat else f"{called(seen.dealer)}’s"
            return f"The {card_name(seen.up_card)}, for {whose} hand?"
        case Phase.BIDDING:
            return "Name a suit?"
        case Phase.DISCARDING:
            return "Bury a card."
        case Phase.DECIDING_ALONE:
            return "Alone, or together?"
        case Phase.DEFENDING_ALONE:
            return "Defend alone?"
        case Phase.EXCHANGING_DUMMY:
            return "Lay away three cards."
        case Phase.FARMERS:
            return "Show a farmer’s hand?"
        case Phase.PLAYING:
            return "Your turn."
        case Phase.ANSWERING:
            return "Do you agree?"
        case Phase.SETTLING:
            return "What becomes of the penalty?"
        case _:
            return ""


def _dealt(seen: View | None, called: _Called) -> str:
    if seen is None:
        return ""
    who = called(seen.dealer)
    return f"{who} {'deal' if who == 'You' else 'deals'}; the {card_name(seen.up_card)} is turned up."
