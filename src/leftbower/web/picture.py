"""What a page shows of a table, worked out from what its viewer may see; templates only spell it.

Everything here comes from a `View` and from what a table tells everybody: no page can show a card that the engine did
not show its viewer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Final

from leftbower.engine import Draw, InGame, LayAway, MatchOver, Pass, Phase, Play, ToDeal, UpCard, View, disputed_tricks
from leftbower.engine.deal import HAND_SIZE
from leftbower.notation.telling import YOU, Naming
from leftbower.notation.words import word
from leftbower.rules.cards import UNKNOWN, Card, Face, Suit
from leftbower.rules.choices import ScoreKept
from leftbower.rules.seats import Seat
from leftbower.table import Bot, Person, Table, phase, scores_of, seen_by
from leftbower.web.controls import NOTHING, Controls, card_acts, controls
from leftbower.web.deal_form import DealForm, deal_form
from leftbower.web.naming import Called, places_round
from leftbower.web.tally import Tally, tally
from leftbower.web.tricks import Laid, cards_on_table, last_trick
from leftbower.web.words import (
    card_name,
    deals,
    happened,
    happened_call,
    object_,
    outcome,
    ruled,
    shuffles,
    suit_name,
    takes_the_trick,
    together,
    why_not,
)

_SUITS: Final = (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS)
"""In which order the suits lie in a hand: black and red in turn, always the same."""
_TALK_LASTS: Final = 6
"""What somebody said stands beside them for so many versions."""
_REJOIN_VERSIONS: Final = 24
"""Versions for which the sentence about another device stands below the table, about a hand; a sign stays after it."""


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
    has_passed: bool
    """In this round of the bidding."""
    sits_out: bool
    has_turn: bool
    is_away: bool
    is_covered: bool
    rejoins: bool
    """Did the desk of the event let this player join from another device?"""
    is_to_be_had: bool
    """May the viewer, who has no seat, take it from a bot with the next hand?"""
    open: tuple[Card, ...]
    """A hand that lies open."""
    says: str
    """What it has just said."""


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
class Score:
    """One side's score."""

    name: str
    points: int
    tally: Tally | None
    """The four and the six that show it, where the rules keep it so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Referee:
    """What was called and ruled last."""

    sentences: tuple[str, ...]
    rule: str
    """The rule on which the ruling rests; empty where nothing was ruled."""
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A table as one viewer sees it."""

    table: str
    version: int
    phase: str
    places: tuple[Place, ...]
    scores: tuple[Score, ...]
    """Every side with its score, the viewer's first."""
    games: str
    """Games won, where a match has several."""
    tricks: tuple[int, ...]
    trump: str
    """The letter of the trump suit; empty before it is made."""
    trump_name: str
    called: str
    """By whom trump was made, and how."""
    up_card: Laid | None
    dummy: int
    """How many cards of a dummy lie face down beside the deck."""
    drawn: tuple[Laid, ...]
    """The cards of the draw for the first dealer, while it is looked at."""
    trick: tuple[Laid, ...]
    """The trick that is played, or a complete one that is not gathered yet."""
    trick_open: int
    """Whole seconds after which the page gathers the trick; 0 for one that stays."""
    last_trick: tuple[Laid, ...]
    """The last trick, if the viewer may open it again."""
    is_disputed: bool
    """May everyone go back through the tricks?"""
    hand: tuple[Own, ...]
    asked: Controls
    referee: Referee | None
    fell: str
    """The card that completed the trick, in a sentence, until the trick is gathered."""
    told: str
    """What happened last, in a sentence or two."""
    absent: str
    """Who is away, and what becomes of the seat."""
    rejoin: str
    """Whom the desk of the event let join from another device, for about a hand."""
    cut: int
    """How many cards the deck has that the viewer is offered to cut; 0 when that is not asked."""
    cut_question: str
    """How the viewer is asked for the cut: before a deal, or before the draw for the dealer."""
    dealing: DealForm | None
    """What the viewer is asked for as the dealer of an honor table."""
    face_down: bool
    """Are all cards dealt, and none turned yet?"""
    undo: str
    """Who asks the viewer to let an act be undone; empty for nobody."""
    may_undo: bool
    may_hint: bool
    result: str
    """How the hand ended; empty while it goes on."""
    turn: bool
    """Is the viewer asked?"""
    watching: bool
    comes_later: bool
    """Does the viewer sit down with the next hand?"""
    is_host: bool
    left: float | None
    """Seconds until the time of whoever is asked runs out, where a clock runs."""


def picture(
    name: str,
    table: Table,
    person: str | None,
    names: Mapping[str, str],
    *,
    left: float | None = None,
    trick_left: float = 0.0,
) -> Picture:
    """The table through the eyes of a person; a complete trick lies open for `trick_left` more seconds."""
    watching = person is None or table.seat_of(person) is None
    table = _as_played(table)
    seen = seen_by(table, person)
    seat = table.seat_of(person) if person is not None else None
    round_ = places_round(table.rules, seat)
    called = Called(table.seats, names, seat, round_)
    asked = controls(seen, called) if seen else NOTHING
    laid = None if table.cutter is not None or table.deals is not None else seen
    trump = laid.made.trump if laid and laid.made else None
    trick = cards_on_table(laid, round_, trick_left=trick_left) if laid else ()
    complete = any(card.wins for card in trick)
    turn = bool(asked.question) or (seen is not None and bool(seen.legal) and seen.to_act is seen.seat)
    return Picture(
        table=name,
        version=table.version,
        phase=phase(table),
        places=tuple(_place(table, laid, where, at, called(at), person) for at, where in round_.items()),
        scores=_scores(table, seat, called),
        games=_games(table, seat),
        tricks=_tricks(laid, seat),
        trump=str(trump) if trump else "",
        trump_name=suit_name(trump).capitalize() if trump else "",
        called=_called(laid, called),
        up_card=_up_card(seen),
        dummy=_dummy(seen),
        drawn=_drawn(table, round_),
        trick=trick,
        trick_open=ceil(trick_left) if complete and isfinite(trick_left) else 0,
        last_trick=last_trick(seen, round_) if seen else (),
        is_disputed=seen is not None and bool(disputed_tricks(seen)),
        hand=tuple(_hand(laid, trump)) if laid else (),
        asked=asked,
        referee=_referee(seen, called),
        fell=happened(seen.said[-1], seen, called) if seen and complete and _ends_trick(seen) else "",
        told=_told(table, seen, called),
        absent=_absent(table, called),
        rejoin=rejoin_says(table, called, since=0 if table.gathering else table.version - _REJOIN_VERSIONS),
        cut=len(table.rules.deck) if table.cutter is not None and table.cutter is seat else 0,
        cut_question="Cut the deck?" if table.shuffler is None else "Cut before the draw for first deal?",
        dealing=deal_form(table, called) if table.deals is not None and table.deals is seat else None,
        face_down=seen is not None and seen.phase is Phase.FACE_DOWN,
        undo=_undo(table, person, names),
        may_undo=_may_undo(table, seat, person),
        may_hint=turn and _has_advice(seen) and person is not None and table.may_ask_the_coach(person),
        result=outcome(seen, seen.ending, called) if seen and seen.ending else "",
        turn=turn,
        watching=watching,
        comes_later=seat is not None and table.waiting.get(seat) == person,
        is_host=person is not None and table.host == person,
        left=left,
    )


def _as_played(table: Table) -> Table:
    """After a match, the table with the rules and seats of that match, whatever the host has changed since."""
    match = table.match
    return table.but(rules=match.rules, seats=table.sat) if isinstance(match, MatchOver) else table


def _has_advice(seen: View | None) -> bool:
    """Can a coach say anything? Not about cards that are face down, nor about a misdealt hand."""
    return seen is not None and seen.turned is not None and set(seen.counts.values()) == {HAND_SIZE}


def _place(table: Table, seen: View | None, where: str, at: Seat, name: str, viewer: str | None) -> Place:
    sitter = table.seats.get(at)
    person = sitter.id if isinstance(sitter, Person) else ""
    own = table.seat_of(viewer) if viewer is not None else None
    made = seen.made if seen else None
    return Place(
        seat=str(at),
        where=where,
        name=name,
        level=sitter.level if isinstance(sitter, Bot) else "",
        backs=seen.backs[at] if seen else 0,
        won=sum(trick.winner is at for trick in seen.tricks) if seen else 0,
        is_you=at is own,
        is_dealer=at is _dealer(table, seen),
        is_maker=made is not None and made.maker is at,
        is_alone=made is not None and ((made.alone and made.maker is at) or made.defender is at),
        has_passed=seen is not None and at in _passed(seen),
        sits_out=seen is not None and bool(seen.active) and at not in seen.active,
        has_turn=at in (table.cutter, table.deals) or (seen is not None and seen.to_act is at),
        is_away=person in table.away,
        is_covered=person in table.covered,
        rejoins=at in table.rejoins,
        is_to_be_had=own is None and not table.event and isinstance(sitter, Bot) and at not in table.waiting,
        open=() if at is own else faces(seen.exposed.get(at, ()) if seen else ()),
        says=_says(table, person, viewer),
    )


def _dealer(table: Table, seen: View | None) -> Seat | None:
    """Who deals the sealed deck, or dealt the hand that is seen."""
    game = table.match.game if isinstance(table.match, InGame) else None
    return seen.dealer if seen else game.dealer if isinstance(game, ToDeal) else None


def _passed(seen: View) -> list[Seat]:
    """Who has passed in this round of the bidding."""
    if seen.phase is not Phase.BIDDING:
        return []
    passes = [action.seat for action in seen.said if isinstance(action, Pass)]
    return passes if seen.up_card_is is UpCard.TURNED_UP else passes[seen.rules.seats :]


def faces(cards: tuple[Face, ...]) -> tuple[Card, ...]:
    """The cards among some that have a face."""
    return tuple(card for card in cards if card is not UNKNOWN)


def _says(table: Table, person: str, viewer: str | None) -> str:
    """The phrase that a person said a moment ago, unless the viewer does not want to hear it."""
    said = [(at, one) for at, one in table.said if person and one.person == person and one.phrase]
    if not said or (viewer, person) in table.muted or said[-1][0] + _TALK_LASTS < table.version:
        return ""
    return said[-1][1].phrase.replace("-", " ").capitalize()


def _scores(table: Table, seat: Seat | None, called: Naming) -> tuple[Score, ...]:
    sides = list(zip(table.rules.sides, scores_of(table), ("h", "s", "", ""), strict=False))
    cards = table.rules.score_kept is ScoreKept.FOURS_AND_SIXES
    sides.sort(key=lambda one: seat not in one[0])
    ours = ("We", "They") if table.rules.seats == 4 and seat is not None else ("", "", "")
    return tuple(
        Score(name=word_ or together(side, called), points=points, tally=tally(points, suit) if cards else None)
        for (side, points, suit), word_ in zip(sides, ours, strict=False)
    )


def _games(table: Table, seat: Seat | None) -> str:
    if table.match is None or table.rules.best_of == 1:
        return ""
    sides = sorted(zip(table.rules.sides, table.match.wins, strict=True), key=lambda one: seat not in one[0])
    return "–".join(str(wins) for _, wins in sides)


def _tricks(seen: View | None, seat: Seat | None) -> tuple[int, ...]:
    if seen is None or not seen.active:
        return ()
    sides = sorted(seen.rules.sides, key=lambda side: seat not in side)
    return tuple(sum(trick.winner in side for trick in seen.tricks) for side in sides)


def _called(seen: View | None, called: Naming) -> str:
    if seen is None or seen.made is None:
        return ""
    how = "ordered up" if seen.made.ordered else "called"
    alone = ", alone" if seen.made.alone else ""
    return f"{how} by {object_(called(seen.made.maker))}{alone}"


def _up_card(seen: View | None) -> Laid | None:
    if seen is None or seen.up_card_is is not UpCard.TURNED_UP or seen.ending is not None:
        return None
    return Laid(card=seen.up_card, name=card_name(seen.up_card), where="up")


def _dummy(seen: View | None) -> int:
    """The dummy lies there until the maker takes it."""
    if seen is None or seen.ending is not None or not seen.rules.dummy_size:
        return 0
    taken = seen.phase is Phase.EXCHANGING_DUMMY or any(isinstance(action, LayAway) for action in seen.said)
    return 0 if taken else seen.rules.dummy_size


def _drawn(table: Table, round_: Mapping[Seat, str]) -> tuple[Laid, ...]:
    """The draw for the first dealer lies on the table until the first hand is dealt; before each seat its last card."""
    draw = table.story[-1] if table.story else None
    if not isinstance(draw, Draw) or table.gathering:
        return ()
    places = table.rules.places
    first = places.index(draw.shuffler) + 1
    seats = [places[(first + number) % len(places)] for number in range(len(draw.cards))]
    return tuple(
        Laid(card=card, name=card_name(card), where=round_[at], wins=card is draw.cards[-1])
        for card, at in zip(draw.cards[-len(places) :], seats[-len(places) :], strict=True)
    )


def _hand(seen: View, trump: Suit | None) -> Iterator[Own]:
    acts = card_acts(seen)
    for card in sorted(faces(seen.cards), key=lambda one: order(one, trump)):
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


def _referee(seen: View | None, called: Naming) -> Referee | None:
    """The last verdict, or the calls that wait for proof."""
    if seen is None:
        return None
    docket = seen.docket
    waiting = tuple(f"{happened_call(call, called)}: not proven yet." for call in docket.calls)
    ruled_on = ruled(docket.verdicts[-1], seen.rules, called) if docket.verdicts else ()
    if not waiting and not ruled_on and disputed_tricks(seen):  # the card that was called went back to its hand
        waiting = ("A renege was called in this hand.",)
    if not waiting and not ruled_on:
        return None
    *sentences, rule = ruled_on or ("",)
    is_new = seen.phase is Phase.SETTLING or not isinstance(seen.said[-1], Play)
    return Referee(sentences=(*sentences, *waiting), rule=rule, is_new=is_new)


def _told(table: Table, seen: View | None, called: Naming) -> str:
    """What happened last: an act, or who took the trick that it completed; the hand it ended."""
    drawn = table.story[-1] if table.story else None
    if table.cutter is not None and table.shuffler is not None:
        return (
            f"{shuffles(table.shuffler, called)} for the draw; the cut is offered to {object_(called(table.cutter))}."
        )
    if table.deals is not None:
        return f"It is {'your' if called(table.deals) == YOU else f'{called(table.deals)}’s'} deal."
    if isinstance(drawn, Draw):
        return f"The {card_name(drawn.cards[-1])} is drawn. {deals(drawn.dealer, called)} first."
    if seen is None:
        return ""
    if not seen.said:
        turned = "all cards are face down" if seen.turned is None else f"the {card_name(seen.turned)} is turned up"
        return f"{deals(seen.dealer, called)}; {turned}."
    if _ends_trick(seen):
        sentences = [takes_the_trick(seen.tricks[-1].winner, called)]
    else:
        sentences = [happened(seen.said[-1], seen, called)]
    if seen.ending:
        sentences.append(outcome(seen, seen.ending, called))
    return " ".join(sentences)


def _ends_trick(seen: View) -> bool:
    """Was the last act the card that completed a trick?"""
    return isinstance(seen.said[-1], Play) and bool(seen.tricks) and not seen.trick


def _absent(table: Table, called: Naming) -> str:
    """Whoever has dropped out keeps the seat; whoever was too long away is played for."""
    for seat, sitter in table.seats.items():
        if isinstance(sitter, Person) and sitter.id in table.covered:
            return f"A bot plays for {object_(called(seat))} until they are back."
        if isinstance(sitter, Person) and sitter.id in table.away:
            return f"{called(seat)} is away; the seat is kept."
    return ""


def rejoin_says(table: Table, called: Naming, *, since: int = 0) -> str:
    """Whom the desk of the event let join from another device, and what that means; announced after a version."""
    names = [object_(called(seat)) for seat, (_, version) in table.rejoins.items() if version > since]
    if not names:
        return ""
    return f"The desk let {' and '.join(names)} join from another device. It gets a seat only between matches."


def _undo(table: Table, person: str | None, names: Mapping[str, str]) -> str:
    undo = table.undo
    if undo is None or person is None or undo.person == person or person not in table.people - undo.agreed:
        return ""
    return names.get(undo.person) or "Somebody"


def _may_undo(table: Table, seat: Seat | None, person: str | None) -> bool:
    """Against bots only, never in an event, and if there is something to undo."""
    if table.event or seat is None or table.hand is None or table.undo is not None:
        return False
    against = any(isinstance(table.seats.get(other), Person) for other in table.rules.opponents_of(seat))
    return not against and any(one.person == person for one in table.before)
