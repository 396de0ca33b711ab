"""The hand line, euchre's FEN: a whole hand in one line, for tests, files, addresses and bug reports.

    [{rules score} ]dealer up-card cards | calls | tricks
    {club 9-6} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h ! | KcTcJc 9c9h9s

The head is optional: the default rules at nothing to nothing. Rules are a preset or a link; scores stand in the order
of the sides. Hands are as dealt; `D:` is the dummy, `??` a card nobody told us. Tricks are cards as they fell.
"""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from leftbower.engine.actions import Action, DefendAlone, GoAlone, Name, Order, Play
from leftbower.engine.deal import Deal, Held
from leftbower.engine.hand import apply, start
from leftbower.engine.states import Playing, Scored, State
from leftbower.engine.view import View
from leftbower.errors import BadDeal, BadHandLine, HandIsOver, LeftbowerError, TooLarge
from leftbower.notation.replayed import Fault, ReplayedHand
from leftbower.notation.words import read_word, word
from leftbower.rules.cards import UNKNOWN, Card, parse_faces
from leftbower.rules.forms import LINK_PREFIX, from_link, to_link
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import preset, presets

T = TypeVar("T")

LONGEST: Final = 1000
"""Characters. The longest honest hand line has about 350."""


def hand_line(state: State) -> str:
    """The line of a state, with every card in it: for files and tests, never for a live table."""
    hand = state.hand
    return _line(hand.rules, hand.scores, hand.deal, state.actions)


def view_line(view: View) -> str:
    """The line of what a viewer knows, with `??` for the rest: the one that may leave a live table."""
    hidden: Held = (UNKNOWN,) * 5
    hands = [view.dealt if seat is view.seat else hidden if seat in view.rules.places else () for seat in Seat]
    deal = Deal(
        dealer=view.dealer,
        hands=(hands[0], hands[1], hands[2], hands[3]),
        up_card=view.up_card,
        dummy=view.dummy or (UNKNOWN,) * view.rules.dummy_size,
    )
    return _line(view.rules, view.scores, deal, view.said)


def parse_hand_line(text: str) -> State:
    """The state a line describes, or the error that says what is wrong with it and where."""
    replayed = replay_hand_line(text)
    if replayed.fault:
        raise replayed.fault.error
    return replayed.state


def replay_hand_line(text: str) -> ReplayedHand:
    """Replay a line as far as it is right. A line whose head or deal cannot be read raises."""
    if len(text) > LONGEST:
        raise TooLarge(f"a hand line has at most {LONGEST:,} characters, and this one has {len(text):,}")
    head = _HEAD.match(text)
    rules, scores = _placed("head", _read_head, head["head"]) if head else (HouseRules(), None)
    parts = _parts(text, head.end() if head else 0)
    deal = _read_deal(parts[0])
    try:
        state: State = start(rules, deal, scores)
    except BadDeal as error:
        raise error.at("deal") from None
    for place, said in parts[1]:
        try:
            state = apply(state, read_word(said, _to_act(state)))
        except LeftbowerError as error:
            return ReplayedHand(state=state, fault=Fault(error=error.at(place), seat=_whose_turn(state)))
    return _replay_tricks(state, parts[2])


def name_rules(rules: HouseRules) -> str:
    """A preset's name where the rules are a preset's, else their link."""
    return next((one.name for one in presets() if one.rules == rules), "") or to_link(rules)


_Words = list[tuple[str, str]]
"""Words of a line, each with the place it stands at."""
_HEAD: Final = re.compile(r"\s*\{(?P<head>[^{}|]*)\}")
_DEAL: Final = re.compile(r"(?P<whose>[NESWD]):(?P<cards>\S+)")


def _line(rules: HouseRules, scores: tuple[int, ...], deal: Deal, actions: tuple[Action, ...]) -> str:
    hands = [f"{seat}:{_cards(deal.hands[seat.index])}" for seat in rules.places]
    dummy = [f"D:{_cards(deal.dummy)}"] if deal.dummy else []
    parts = [" ".join([str(deal.dealer), str(deal.up_card), *hands, *dummy])]
    said = [word(action) for action in actions if not isinstance(action, Play)]
    played = [action.card for action in actions if isinstance(action, Play)]
    size = _trick_size(rules, actions)
    if said:
        parts.append(" ".join(said))
    if played:
        parts.append(" ".join(_cards(tuple(played[at : at + size])) for at in range(0, len(played), size)))
    return _write_head(rules, scores) + " | ".join(parts)


def _cards(cards: Held) -> str:
    return "".join(map(str, cards))


def _trick_size(rules: HouseRules, actions: tuple[Action, ...]) -> int:
    """How many cards a trick has: everybody's but those of partners who sit out."""
    if rules.seats < 4:
        return rules.seats
    alone = any(
        isinstance(action, GoAlone) or (isinstance(action, Order | Name) and action.alone) for action in actions
    )
    return 4 - alone - any(isinstance(action, DefendAlone) for action in actions)


def _write_head(rules: HouseRules, scores: tuple[int, ...]) -> str:
    if rules == HouseRules() and not any(scores):
        return ""
    score = " " + "-".join(map(str, scores)) if any(scores) else ""
    return f"{{{name_rules(rules)}{score}}} "


def _read_head(head: str) -> tuple[HouseRules, tuple[int, ...] | None]:
    named, *scores = head.split() or [""]
    if not named or len(scores) > 1:
        raise BadHandLine("the head is {rules} or {rules score}")
    rules = from_link(named) if named.startswith(LINK_PREFIX) else preset(named)
    if not scores:
        return rules, None
    numbers = scores[0].split("-")
    if len(numbers) != len(rules.sides) or not all(number.isdecimal() and len(number) < 4 for number in numbers):
        raise BadHandLine(f"the score needs {len(rules.sides)} numbers, as in {'-'.join('0' * len(rules.sides))}")
    return rules, tuple(map(int, numbers))


def _parts(text: str, begin: int) -> tuple[_Words, _Words, _Words]:
    """The words of the deal, the calls and the tricks, each with its column."""
    parts: tuple[_Words, _Words, _Words] = ([], [], [])
    at = 0
    for found in re.finditer(r"\||[^\s|]+", text[begin:]):
        place = f"column {begin + found.start() + 1}"
        if found[0] != "|":
            parts[at].append((place, found[0]))
        elif at < 2:
            at += 1
        else:
            raise BadHandLine("a hand line has three parts: deal | calls | tricks", place=place)
    return parts


def _read_deal(words: _Words) -> Deal:
    if len(words) < 2:
        raise BadHandLine("a hand line begins with the dealer and the up-card, as in E Td N:…")
    (dealer_at, dealer), (up_at, up_card), *rest = words
    dealt: dict[str, Held] = {}
    for place, held in rest:
        hand = _DEAL.fullmatch(held)
        if not hand or hand["whose"] in dealt:
            raise BadHandLine(f"'{held[:12]}' is not a hand, as in N:AcAdQcQhQs, or stands there twice", place=place)
        dealt[hand["whose"]] = _placed(place, parse_faces, hand["cards"])
    return Deal(
        dealer=_placed(dealer_at, Seat.parse, dealer),
        hands=(dealt.get("N", ()), dealt.get("E", ()), dealt.get("S", ()), dealt.get("W", ())),
        up_card=_placed(up_at, Card.parse, up_card),
        dummy=dealt.get("D", ()),
    )


def _placed(place: str, read: Callable[[str], T], text: str) -> T:
    """What `read` makes of the text; its error says where it stands."""
    try:
        return read(text)
    except LeftbowerError as error:
        raise error.at(place) from None


def _replay_tricks(state: State, words: _Words) -> ReplayedHand:
    for number, (place, trick) in enumerate(words, 1):
        card = None
        try:
            for at in range(0, len(trick), 2):
                card = None
                card = Card.parse(trick[at : at + 2])
                state = apply(state, Play(_to_act(state), card))
            _check_trick(state, number, last=number == len(words))
        except LeftbowerError as error:
            fault = Fault(error=error.at(place), trick=number, seat=_whose_turn(state), card=card)
            return ReplayedHand(state=state, fault=fault)
    return ReplayedHand(state=state)


def _check_trick(state: State, number: int, *, last: bool) -> None:
    """A word is a trick: only the last may be unfinished, and none may run on into the next."""
    complete = len(state.tricks) if isinstance(state, Playing | Scored) else 0
    begun = isinstance(state, Playing) and bool(state.trick)
    if complete + begun != number or (begun and not last):
        raise BadHandLine("every trick is one word, and only the last may be unfinished")


def _to_act(state: State) -> Seat:
    if isinstance(state, Scored):
        raise HandIsOver("the hand is over", state=state)
    return state.to_act


def _whose_turn(state: State) -> Seat | None:
    return None if isinstance(state, Scored) else state.to_act
