"""The hand line, euchre's FEN: a whole hand in one line, for tests, files, URLs and bug reports.

    [{rules score} ]dealer up-card cards | calls | tricks
    {club 9-6} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h ! | KcTcJc 9c9h9s

The head is optional; without it, the default rules apply and the score is 0-0. The rules are a preset or a link. Scores
are in the order of the sides. After them may come the number of hands counted, if a game is a fixed number of hands, as
in `h7`, and the warnings of each seat, as in `w0100`. Hands are as dealt; `D:` is the dummy, `??` an unknown card. `/`
after the dealer means that the cut wasn't offered, `?` that the up-card is face down until the dealer turns it. Tricks
list cards in the order of play.
"""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from leftbower.engine.actions import Action, DefendAlone, GoAlone, Name, Order, Play, TurnUp
from leftbower.engine.deal import Deal, HeldCards
from leftbower.engine.game import Warnings
from leftbower.engine.hand import apply, start
from leftbower.engine.states import AskingDefenders, Closing, Discarding, Hand, Playing, Scored, State
from leftbower.engine.view import View
from leftbower.errors import BadDeal, BadHandLine, HandIsOver, LeftbowerError, NothingDealt, TooLarge
from leftbower.notation.replay import Fault, ReplayedHand
from leftbower.notation.tokens import parse_token, to_token
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat, parse_faces, presets, to_link
from leftbower.rules.choices import Supervision
from leftbower.rules.formats import rules_by_name

T = TypeVar("T")

MAX_HAND_LINE_CHARACTERS: Final = 1000
"""The longest real hand line has about 350."""


def hand_line(state: State) -> str:
    """The line of a state, with every card in it: for files and tests, never for a live table."""
    hand = state.hand
    return _write_head(hand) + _line(hand, state.actions)


def view_line(view: View) -> str:
    """The line of what a viewer knows, with `??` for the rest: the only one that may leave a live table.

    There is none before the up-card is turned.
    """
    if view.turned is None:
        raise NothingDealt("the up-card is face down; a hand line starts with it", state=None)
    hands = [_dealt_to(view, seat) for seat in Seat]
    deal = Deal(
        dealer=view.dealer,
        hands=(hands[0], hands[1], hands[2], hands[3]),
        up_card=view.turned,
        dummy=view.dummy or (UNKNOWN,) * view.rules.dummy_size,
        face_down=any(isinstance(action, TurnUp) for action in view.actions),
    )
    hand = Hand(rules=view.rules, deal=deal, scores=view.scores, warnings=view.warnings, hands=view.hands)
    return _write_head(hand) + _line(hand, view.actions)


def _dealt_to(view: View, seat: Seat) -> HeldCards:
    return view.dealt if seat is view.seat else (UNKNOWN,) * view.dealt_counts.get(seat, 0)


def parse_hand_line(text: str) -> State:
    """Parse a line into a state; the error says what is wrong and where."""
    replayed = replay_hand_line(text)
    if replayed.fault:
        raise replayed.fault.error
    return replayed.state


def replay_hand_line(text: str) -> ReplayedHand:
    """Replay a line up to the first error. A line whose head or deal can't be read raises."""
    if len(text) > MAX_HAND_LINE_CHARACTERS:
        raise TooLarge(
            "the hand line has %(length)s characters; the limit is %(limit)s",
            length=f"{len(text):,}",
            limit=f"{MAX_HAND_LINE_CHARACTERS:,}",
        )
    head = _HEAD.match(text)
    rules, scores, warnings, hands = _read_at("head", _read_head, head["head"]) if head else _NO_HEAD
    parts = _parts(text, head.end() if head else 0)
    deal = _read_deal(parts[0])
    try:
        state: State = start(rules, deal, scores, warnings, hands)
    except BadDeal as error:
        raise error.at("deal") from None
    return _replay(state, parts[1], parts[2])


def name_rules(rules: HouseRules) -> str:
    """The preset's name if the rules are a preset, otherwise their link."""
    return next((candidate.name for candidate in presets() if candidate.rules == rules), "") or to_link(rules)


_NO_CUT: Final = "/"
"""After a dealer who didn't offer the cut."""
_FACE_DOWN: Final = "?"
"""After a dealer who turns the up-card by an action."""
_NONE: Final[Warnings] = (0, 0, 0, 0)
_Head = tuple[HouseRules, tuple[int, ...] | None, Warnings, int]
"""Rules, scores, warnings, and hands counted."""
_NO_HEAD: Final[_Head] = (HouseRules(), None, _NONE, 0)
_Words = list[tuple[str, str]]
"""Tokens of a line, each with its path."""
_HEAD: Final = re.compile(r"\s*\{(?P<head>[^{}|]*)\}")
_SPOKEN: Final = re.compile(r"[-*^]|[NESW][!&*+.<=^:-]")
"""Start of a token that is said, or played at an honor table, among the tricks."""
_DEAL: Final = re.compile(r"(?P<whose>[NESWD]):(?P<cards>\S+)")


def _line(hand: Hand, actions: tuple[Action, ...]) -> str:
    rules, deal = hand.rules, hand.deal
    dealer = f"{deal.dealer}{'' if deal.cut_offered else _NO_CUT}{_FACE_DOWN if deal.face_down else ''}"
    hands = [f"{seat}:{_cards(deal.hands[seat.index])}" for seat in rules.seats]
    dummy = [f"D:{_cards(deal.dummy)}"] if deal.dummy else []
    parts = [" ".join([dealer, str(deal.up_card), *hands, *dummy])]
    first = next((index for index, action in enumerate(actions) if isinstance(action, Play)), len(actions))
    said = [to_token(action) for action in actions[:first]]
    played = _format_plays(rules, actions, first)
    return " | ".join([*parts, *filter(None, (" ".join(said), " ".join(played)))])


def _format_plays(rules: HouseRules, actions: tuple[Action, ...], first: int) -> list[str]:
    """The play as tokens: one per trick, or at an honor table one per card, with its seat."""
    if rules.supervision is Supervision.HONOR:
        return [
            f"{action.seat}:{action.card}" if isinstance(action, Play) else to_token(action)
            for action in actions[first:]
        ]
    words, size, laid = [""], _trick_size(rules, actions), 0
    for action in actions[first:]:
        if not isinstance(action, Play):
            words += [to_token(action), ""]
            continue
        words[-1] += str(action.card)
        laid += 1
        if laid % size == 0:
            words.append("")
    return [word for word in words if word]


def _cards(cards: HeldCards) -> str:
    return "".join(map(str, cards))


def _trick_size(rules: HouseRules, actions: tuple[Action, ...]) -> int:
    """Cards in a trick: one per player, except partners who sit out."""
    if rules.players < 4:
        return rules.players
    alone = any(
        isinstance(action, GoAlone) or (isinstance(action, Order | Name) and action.alone) for action in actions
    )
    return 4 - alone - any(isinstance(action, DefendAlone) for action in actions)


def _write_head(hand: Hand) -> str:
    rules, scores, warnings, hands = hand.rules, hand.scores, hand.warnings, hand.hands
    if rules == HouseRules() and not any(scores) and not any(warnings):
        return ""
    score = " " + "-".join(map(str, scores)) if any(scores) or any(warnings) or hands else ""
    counted = f" h{hands}" if hands else ""
    warned = " w" + "".join(map(str, warnings)) if any(warnings) else ""
    return f"{{{name_rules(rules)}{score}{counted}{warned}}} "


def _read_head(head: str) -> _Head:
    named, *rest = head.split() or [""]
    if not named or len(rest) > 3:
        raise BadHandLine("the head is {rules}, {rules score} or {rules score hands warnings}")
    rules = rules_by_name(named)
    if not rest:
        return rules, None, _NONE, 0
    score, *more = rest
    hands = _read_hands(more.pop(0), rules) if more and (more[0].startswith("h") or len(more) == 2) else 0
    warnings = _read_warnings(more[0]) if more else _NONE
    numbers = score.split("-")
    if len(numbers) != len(rules.sides) or not all(number.isdecimal() and len(number) < 4 for number in numbers):
        raise BadHandLine(
            "the score needs %(count)s numbers, like %(example)s",
            count=len(rules.sides),
            example="-".join("0" * len(rules.sides)),
        )
    return rules, tuple(map(int, numbers)), warnings, hands


def _read_hands(text: str, rules: HouseRules) -> int:
    if rules.fixed_hands is None or not re.fullmatch(r"h\d{1,3}", text, re.ASCII):
        raise BadHandLine("write hands like h7, and only in games with a fixed number of hands")
    return int(text[1:])


def _read_warnings(text: str) -> Warnings:
    if not re.fullmatch(r"w\d{4}", text, re.ASCII):
        raise BadHandLine("write warnings as w and four digits for N, E, S and W, like w0100")
    north, east, south, west = map(int, text[1:])
    return north, east, south, west


def _parts(text: str, begin: int) -> tuple[_Words, _Words, _Words]:
    """Tokens of the deal, the calls and the tricks, each with its column."""
    parts: tuple[_Words, _Words, _Words] = ([], [], [])
    part = 0
    for match in re.finditer(r"\||[^\s|]+", text[begin:]):
        path = f"column {begin + match.start() + 1}"
        if match[0] != "|":
            parts[part].append((path, match[0]))
        elif part < 2:
            part += 1
        else:
            raise BadHandLine("a hand line has three parts: deal | calls | tricks", path=path)
    return parts


def _read_deal(words: _Words) -> Deal:
    if len(words) < 2:
        raise BadHandLine("a hand line starts with the dealer and the up-card, like E Td N:…")
    (dealer_at, dealer), (up_at, up_card), *rest = words
    face_down, cut_offered = _FACE_DOWN in dealer[1:], _NO_CUT not in dealer[1:]
    marks = (_NO_CUT if not cut_offered else "") + (_FACE_DOWN if face_down else "")
    dealt: dict[str, HeldCards] = {}
    for path, held in rest:
        hand = _DEAL.fullmatch(held)
        if not hand or hand["whose"] in dealt:
            raise BadHandLine(
                "'%(hand)s' is not a hand like N:AcAdQcQhQs, or is there twice", path=path, hand=held[:12]
            )
        dealt[hand["whose"]] = _read_at(path, parse_faces, hand["cards"])
    return Deal(
        dealer=_read_at(dealer_at, Seat.parse, dealer.removesuffix(marks)),
        hands=(dealt.get("N", ()), dealt.get("E", ()), dealt.get("S", ()), dealt.get("W", ())),
        up_card=_read_at(up_at, Card.parse, up_card),
        dummy=dealt.get("D", ()),
        cut_offered=cut_offered,
        face_down=face_down,
    )


def _read_at(path: str, read: Callable[[str], T], text: str) -> T:
    """Parse the text; an error gets the path."""
    try:
        return read(text)
    except LeftbowerError as error:
        raise error.at(path) from None


def _replay(state: State, said: _Words, played: _Words) -> ReplayedHand:
    """Apply one token after another, up to the first error."""
    for path, text in said:
        try:
            state = apply(state, _action(state, text))
        except LeftbowerError as error:
            return ReplayedHand(state=state, fault=Fault(error=error.at(path), seat=_whose_turn(state)))
    for index, (path, text) in enumerate(played):
        before, card = state, None
        try:
            if _SPOKEN.match(text):
                state = apply(state, _action(state, text))
                continue
            for begin in range(0, len(text), 2):
                card = None
                card = Card.parse(text[begin : begin + 2])
                state = apply(state, Play(_to_act(state), card))
            _check_trick(
                before, state, more=any(not _SPOKEN.match(later) for _, later in played[index + 1 : index + 2])
            )
        except LeftbowerError as error:
            fault = Fault(error=error.at(path), trick=_complete(before) + 1, seat=_whose_turn(state), card=card)
            return ReplayedHand(state=state, fault=fault)
    return ReplayedHand(state=state)


def _action(state: State, text: str) -> Action:
    """The action of a token. Going alone may be said out of turn, because the seat to act may discard or lead first."""
    maker = state.contract.maker if isinstance(state, Discarding | AskingDefenders | Playing) else None
    return parse_token(text, _to_act(state), state.hand.deal.dealer, maker)


def _check_trick(before: State, after: State, *, more: bool) -> None:
    """A token must not run into the next trick, and an incomplete trick must be the last."""
    run_on = _complete(after) - _complete(before) + _begun(after) > 1 or (
        _complete(after) > _complete(before) and _begun(after)
    )
    if run_on or (_begun(after) and more):
        raise BadHandLine("write each trick as one word; only the last can be unfinished")


def _complete(state: State) -> int:
    return len(state.tricks) if isinstance(state, Playing | Closing | Scored) else 0


def _begun(state: State) -> bool:
    return isinstance(state, Playing) and bool(state.trick)


def _to_act(state: State) -> Seat:
    if isinstance(state, Scored):
        raise HandIsOver("the hand is over", state=state)
    return state.to_act


def _whose_turn(state: State) -> Seat | None:
    return None if isinstance(state, Scored) else state.to_act
