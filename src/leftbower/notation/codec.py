"""The JSON codec of actions, deals, draws, views and errors."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from leftbower.codec import Codec, JsonObject, Scalar
from leftbower.engine import Deal, Docket, Draw, Fact, Trick, Verdict, View, actions
from leftbower.engine.deal import Hands, HeldCards
from leftbower.errors import BadRecord, LeftbowerError
from leftbower.i18n import gettext_noop
from leftbower.rules import UNKNOWN, Card, Face, HouseRules, Ruling, Seat, Suit, cite, parse_cards, parse_faces
from leftbower.rules.formats import from_json as rules_from_json, to_json as rules_to_json


def _join(cards: Iterable[Face]) -> str:
    return "".join(map(str, cards))


def _parse_face(text: str) -> Face:
    return UNKNOWN if text == str(UNKNOWN) else Card.parse(text)


def _check_small(number: int) -> int:
    if not 0 <= number <= 9:
        raise ValueError
    return number


_SCALARS: Final[Mapping[Any, Scalar]] = {
    HouseRules: Scalar(rules_to_json, rules_from_json, dict),
    Face: Scalar(str, _parse_face),
    tuple[Card, ...]: Scalar(_join, parse_cards),
    HeldCards: Scalar(_join, parse_faces),
}
_ACTIONS: Final[Mapping[str, type[actions.Action]]] = {
    "turn-up": actions.TurnUp,
    "keep": actions.KeepHand,
    "farmers-hand": actions.ShowFarmersHand,
    "pass": actions.Pass,
    "order": actions.Order,
    "name": actions.Name,
    "bury": actions.Bury,
    "alone": actions.GoAlone,
    "together": actions.GoTogether,
    "lay-away": actions.LayAway,
    "defend-alone": actions.DefendAlone,
    "defend-together": actions.DefendTogether,
    "play": actions.Play,
    "call-out": actions.CallOut,
    "correct": actions.Correct,
    "settle": actions.Settle,
    "claim": actions.Claim,
    "throw-in": actions.ThrowIn,
    "agree": actions.Agree,
    "disagree": actions.Disagree,
    "ready": actions.Ready,
}
ACTIONS: Final = Codec[actions.Action](
    BadRecord,
    _ACTIONS,
    tag="act",
    unknown=gettext_noop("%(name)s is not an act; they are %(names)s"),
    scalars={**_SCALARS, int: Scalar(int, _check_small, int)},
    defaults={"trick": 0, "makers_tricks": 0},
)
"""`{"act": "play", "seat": "N", "card": "Jd"}`."""
action_to_json = ACTIONS.to_json
action_from_json = ACTIONS.from_json

_EXACT: Final[Mapping[Any, Scalar]] = {**_SCALARS, Seat: Scalar(str, Seat), Suit: Scalar(str, Suit)}
"""For views: letters in one case only."""
_RULINGS: Final = Codec[Ruling](BadRecord, scalars=_EXACT, complete=True, strict=False)
_VIEWS: Final = Codec[View](
    BadRecord,
    scalars={**_EXACT, Ruling: Scalar(Ruling.as_json, _RULINGS.reader(Ruling), dict)},
    uses=(ACTIONS,),
    wire_names={"turned": "up_card"},
    complete=True,
    strict=False,
)
_SHARED: Final = (
    *("scores", "warnings", "hands", "phase", "dealer", "turned", "up_card_status", "dealt_counts", "card_counts"),
    *("contract", "active", "leader", "trick", "seats", "to_act", "taken_back", "exposed"),
    *("proposal", "verdict", "ending"),
)
_write_shared = _VIEWS.writer(View, _SHARED)
_write_docket = _VIEWS.writer(Docket)
_write_trick = _VIEWS.writer(Trick)
private_to_json = _VIEWS.writer(View, ("seat", "dealt", "cards", "dummy", "refused"))
"""Writes the fields of a view that differ by viewer, without the viewer's actions."""
view_from_json = _VIEWS.reader(View)
"""Parses the JSON of `view_to_json`, for clients that trust their server."""

_read_hands_by_seat = _VIEWS.reader(dict[Seat, HeldCards])


def _write_hands(hands: Hands) -> JsonObject:
    return {str(seat): _join(hands[seat.index]) for seat in Seat if hands[seat.index]}


def _parse_hands(plain: JsonObject) -> tuple[HeldCards, ...]:
    hands = _read_hands_by_seat(plain)
    return tuple(hands.get(seat, ()) for seat in Seat)


_DEALS: Final = Codec[Deal | Draw](
    BadRecord,
    {"draw": Draw, "deal": Deal},
    unknown=gettext_noop("%(name)s is not a fact; write draw, deal or act"),
    scalars={**_SCALARS, Hands: Scalar(_write_hands, _parse_hands, dict)},
    omit=("cut_offered", "face_down"),
)


def fact_to_json(fact: Fact) -> JsonObject:
    """A draw, a deal or an action as one object, with its kind under `fact`."""
    return _DEALS.to_json(fact) if isinstance(fact, Deal | Draw) else {"fact": "act"} | ACTIONS.to_json(fact)


def fact_from_json(plain: Mapping[str, object]) -> Fact:
    """Parse the output of `fact_to_json`; the error names what is wrong."""
    if plain.get("fact") != "act":
        return _DEALS.from_json(plain)
    return ACTIONS.from_json({name: value for name, value in plain.items() if name != "fact"})


def view_to_json(view: View) -> JsonObject:
    """A view as one object: everything its viewer may know, and nothing else."""
    return {
        "rules": rules_to_json(view.rules),
        "actions": actions_to_json(view.actions),
        **shared_to_json(view),
        "tricks": tricks_to_json(view.tricks),
        "docket": docket_to_json(view.docket, view.rules),
        **private_to_json(view),
        "legal": actions_to_json(view.legal),
    }


def shared_to_json(view: View) -> JsonObject:
    """The fields of a hand that all viewers share, without rules, actions, tricks and docket."""
    plain = _write_shared(view)
    if view.verdict is not None:
        _add_citation(view.verdict, plain["verdict"], view.rules)
    return plain


def docket_to_json(docket: Docket, rules: HouseRules) -> JsonObject:
    """Calls and rulings; each ruling cites the rules in words."""
    plain = _write_docket(docket)
    for verdict, written in zip(docket.verdicts, plain["verdicts"], strict=True):
        _add_citation(verdict, written, rules)
    return plain


def _add_citation(verdict: Verdict, plain: JsonObject, rules: HouseRules) -> None:
    if verdict.ruling is not None:
        plain["ruling"]["rule"] = cite(verdict.ruling, rules)


def actions_to_json(said: Iterable[actions.Action]) -> list[JsonObject]:
    """Actions as a viewer saw them, or legal actions."""
    return list(map(ACTIONS.to_json, said))


def tricks_to_json(tricks: Iterable[Trick]) -> list[JsonObject]:
    return list(map(_write_trick, tricks))


def error_to_json(error: LeftbowerError) -> JsonObject:
    """An error for the API, a record or a command: code, message and path, never the state behind it."""
    return error.as_json()
