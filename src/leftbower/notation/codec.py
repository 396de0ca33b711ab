"""The one JSON codec: actions, deals, draws, views and errors as plain objects, and back."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Final

from leftbower.engine.actions import (
    Action,
    Agree,
    Bury,
    CallOut,
    Claim,
    Correct,
    DefendAlone,
    DefendTogether,
    Disagree,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Ready,
    Settle,
    ShowFarmersHand,
    Terms,
    ThrowIn,
    TurnUp,
)
from leftbower.engine.deal import Deal, Draw
from leftbower.engine.game import Warnings
from leftbower.engine.match import Fact
from leftbower.engine.states import Docket, Penalty, PublicContract, Reason, Trick, Verdict
from leftbower.engine.view import Ending, Phase, UpCardStatus, View
from leftbower.errors import BadRecord, LeftbowerError, show
from leftbower.rules.announcements import cite
from leftbower.rules.cards import UNKNOWN, Card, Face, Suit, parse_cards, parse_faces
from leftbower.rules.formats import from_json as rules_from_json, to_json as rules_to_json
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Irregularity, Remedy, Ruling
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat

JsonObject = dict[str, Any]
"""An object as JSON holds it."""


def action_to_json(action: Action) -> JsonObject:
    """`{"act": "play", "seat": "N", "card": "Jd"}`."""
    kind = type(action)
    plain: JsonObject = {"act": _ACT_NAMES[kind]}
    for name in _FIELDS[kind]:
        plain[name] = _WRITE[name](getattr(action, name))
    return plain


def action_from_json(plain: Mapping[str, object]) -> Action:
    """The action of `action_to_json`, or the error that names what is wrong."""
    kind = _ACTIONS.get(_text(plain, "act"))
    if kind is None:
        raise BadRecord(f"{show(plain['act'])} is not an act; they are {', '.join(_ACTIONS)}", path="act")
    _only(plain, _ALLOWED_KEYS[kind])
    action: Action = kind(_seat(plain, "seat"), **{name: reads(plain, name) for name, reads in _READ[kind].items()})
    return action


def fact_to_json(fact: Fact) -> JsonObject:
    """A draw, a deal or an action as one object, with its kind under `fact`."""
    match fact:
        case Draw():
            return {
                "fact": "draw",
                "shuffler": str(fact.shuffler),
                "cards": _join(fact.cards),
                "dealer": str(fact.dealer),
            }
        case Deal():
            hands = {str(seat): _join(fact.hands[seat.index]) for seat in Seat if fact.hands[seat.index]}
            return {
                "fact": "deal",
                "dealer": str(fact.dealer),
                "up_card": str(fact.up_card),
                "hands": hands,
                "dummy": _join(fact.dummy),
                **({} if fact.cut_offered else {"cut_offered": False}),
                **({"face_down": True} if fact.face_down else {}),
            }
        case _:
            return {"fact": "act"} | action_to_json(fact)


def fact_from_json(plain: Mapping[str, object]) -> Fact:
    """The fact of `fact_to_json`, or the error that names what is wrong."""
    kind = _text(plain, "fact")
    body = {name: value for name, value in plain.items() if name != "fact"}
    match kind:
        case "act":
            return action_from_json(body)
        case "draw":
            _only(body, {"shuffler", "cards", "dealer"})
            return Draw(shuffler=_seat(body, "shuffler"), cards=_cards(body, "cards"), dealer=_seat(body, "dealer"))
        case "deal":
            return _deal(body)
        case _:
            raise BadRecord(f"{show(kind)} is not a fact; they are draw, deal and act", path="fact")


def view_to_json(view: View) -> JsonObject:
    """A view as one object: all that its viewer may know, and nothing else."""
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
    """The fields of a hand that all viewers share, without the rules, what was said, the tricks and the docket."""
    return {
        "scores": list(view.scores),
        "warnings": list(view.warnings),
        "hands": view.hands,
        "phase": view.phase.value,
        "dealer": str(view.dealer),
        "up_card": _maybe(view.turned),
        "up_card_status": view.up_card_status.value,
        "dealt_counts": {str(seat): count for seat, count in view.dealt_counts.items()},
        "card_counts": {str(seat): count for seat, count in view.card_counts.items()},
        "contract": None if view.contract is None else _contract_to_json(view.contract),
        "active": _seats(view.active),
        "leader": _maybe(view.leader),
        "trick": _join(view.trick),
        "seats": _seats(view.seats),
        "to_act": _maybe(view.to_act),
        "taken_back": [action_to_json(play) for play in view.taken_back],
        "exposed": {str(seat): _join(cards) for seat, cards in view.exposed.items()},
        "proposal": None if view.proposal is None else action_to_json(view.proposal),
        "verdict": None if view.verdict is None else _verdict_to_json(view.verdict, view.rules),
        "ending": None if view.ending is None else _ending_to_json(view.ending),
    }


def private_to_json(view: View) -> JsonObject:
    """The fields of a hand that differ by viewer, without what was said and what the viewer may do."""
    return {
        "seat": _maybe(view.seat),
        "dealt": _join(view.dealt),
        "cards": _join(view.cards),
        "dummy": _join(view.dummy),
        "refused": {str(card): code for card, code in view.refused.items()},
    }


def actions_to_json(said: Iterable[Action]) -> list[JsonObject]:
    """What was done and said, as a viewer saw it, or what may be."""
    return [action_to_json(action) for action in said]


def tricks_to_json(tricks: Iterable[Trick]) -> list[JsonObject]:
    """Complete tricks."""
    return [
        {"cards": _join(trick.cards), "seats": _seats(trick.seats), "winner": str(trick.winner)} for trick in tricks
    ]


def view_from_json(plain: Mapping[str, Any]) -> View:
    """The view of `view_to_json`: for clients that trust the server they got it from."""
    return View(
        rules=rules_from_json(plain["rules"]),
        scores=tuple(plain["scores"]),
        warnings=_read_warnings(plain["warnings"]),
        hands=plain["hands"],
        seat=_maybe_seat(plain["seat"]),
        phase=Phase(plain["phase"]),
        dealer=Seat(plain["dealer"]),
        turned=None if plain["up_card"] is None else Card.parse(plain["up_card"]),
        up_card_status=UpCardStatus(plain["up_card_status"]),
        dealt=parse_faces(plain["dealt"]),
        cards=parse_faces(plain["cards"]),
        dummy=parse_faces(plain["dummy"]),
        dealt_counts=MappingProxyType({Seat(seat): count for seat, count in plain["dealt_counts"].items()}),
        card_counts=MappingProxyType({Seat(seat): count for seat, count in plain["card_counts"].items()}),
        actions=tuple(map(action_from_json, plain["actions"])),
        contract=None if plain["contract"] is None else _contract_from_json(plain["contract"]),
        active=_read_seats(plain["active"]),
        leader=_maybe_seat(plain["leader"]),
        trick=parse_cards(plain["trick"]),
        seats=_read_seats(plain["seats"]),
        tricks=tuple(
            Trick(cards=parse_cards(trick["cards"]), seats=_read_seats(trick["seats"]), winner=Seat(trick["winner"]))
            for trick in plain["tricks"]
        ),
        to_act=_maybe_seat(plain["to_act"]),
        legal=tuple(map(action_from_json, plain["legal"])),
        refused=MappingProxyType({Card.parse(card): code for card, code in plain["refused"].items()}),
        taken_back=tuple(map(_play, plain["taken_back"])),
        exposed=MappingProxyType({Seat(seat): parse_faces(cards) for seat, cards in plain["exposed"].items()}),
        docket=_docket_from_json(plain["docket"]),
        proposal=None if plain["proposal"] is None else _proposal(plain["proposal"]),
        verdict=None if plain["verdict"] is None else _verdict_from_json(plain["verdict"]),
        ending=None if plain["ending"] is None else _ending_from_json(plain["ending"]),
    )


def error_to_json(error: LeftbowerError) -> JsonObject:
    """An error as the API, a record and a command show it: code, sentence and path, never the state behind it."""
    return error.as_json()


_ACTIONS: Final[dict[str, type[Any]]] = {
    "turn-up": TurnUp,
    "keep": KeepHand,
    "farmers-hand": ShowFarmersHand,
    "pass": Pass,
    "order": Order,
    "name": Name,
    "bury": Bury,
    "alone": GoAlone,
    "together": GoTogether,
    "lay-away": LayAway,
    "defend-alone": DefendAlone,
    "defend-together": DefendTogether,
    "play": Play,
    "call-out": CallOut,
    "correct": Correct,
    "settle": Settle,
    "claim": Claim,
    "throw-in": ThrowIn,
    "agree": Agree,
    "disagree": Disagree,
    "ready": Ready,
}
_ACT_NAMES: Final = {kind: name for name, kind in _ACTIONS.items()}
_FIELDS: Final = {kind: tuple(field.name for field in fields(kind)) for kind in _ACT_NAMES}


def _join(cards: tuple[Face, ...]) -> str:
    return "".join(map(str, cards))


_WRITE: Final[dict[str, Callable[[Any], object]]] = {
    "seat": str,
    "suit": str,
    "card": str,
    "cards": _join,
    "alone": bool,
    "against": str,
    "irregularity": str,
    "trick": int,
    "terms": lambda terms: terms.value,
    "points": int,
    "makers_tricks": int,
}


def _contract_to_json(contract: PublicContract) -> JsonObject:
    return {
        "maker": str(contract.maker),
        "trump": str(contract.trump),
        "ordered": contract.ordered,
        "alone": contract.alone,
        "defender": _maybe(contract.defender),
    }


def _contract_from_json(plain: Mapping[str, Any]) -> PublicContract:
    return PublicContract(
        maker=Seat(plain["maker"]),
        trump=Suit(plain["trump"]),
        ordered=plain["ordered"],
        alone=plain["alone"],
        defender=_maybe_seat(plain["defender"]),
    )


def _ending_to_json(ending: Ending) -> JsonObject:
    return {"reason": ending.reason.value, "points": _points(ending.points)}


def _ending_from_json(plain: Mapping[str, Any]) -> Ending:
    return Ending(reason=Reason(plain["reason"]), points=_read_points(plain["points"]))


def docket_to_json(docket: Docket, rules: HouseRules) -> JsonObject:
    """What was called and ruled; each ruling cites the rules in words."""
    return {
        "calls": [action_to_json(call) for call in docket.calls],
        "verdicts": [_verdict_to_json(verdict, rules) for verdict in docket.verdicts],
        "penalties": [_penalty_to_json(penalty) for penalty in docket.penalties],
        "costs": [_penalty_to_json(penalty) for penalty in docket.costs],
        "settled": [action_to_json(call) for call in docket.settled],
        "taken_back": [action_to_json(play) for play in docket.taken_back],
        "exposed": [[str(seat), trick] for seat, trick in docket.exposed],
        "proposals": [[str(seat), trick] for seat, trick in docket.proposals],
    }


def _docket_from_json(plain: Mapping[str, Any]) -> Docket:
    return Docket(
        calls=tuple(map(_call, plain["calls"])),
        verdicts=tuple(map(_verdict_from_json, plain["verdicts"])),
        penalties=tuple(map(_penalty_from_json, plain["penalties"])),
        costs=tuple(map(_penalty_from_json, plain["costs"])),
        settled=tuple(map(_call, plain["settled"])),
        taken_back=tuple(map(_play, plain["taken_back"])),
        exposed=_read_seats_and_tricks(plain["exposed"]),
        proposals=_read_seats_and_tricks(plain["proposals"]),
    )


def _verdict_to_json(verdict: Verdict, rules: HouseRules) -> JsonObject:
    return {
        "call": action_to_json(verdict.call),
        "guilty": verdict.guilty,
        "evidence": _join(verdict.evidence),
        "ruling": None if verdict.ruling is None else _ruling_to_json(verdict.ruling, rules),
    }


def _verdict_from_json(plain: Mapping[str, Any]) -> Verdict:
    return Verdict(
        call=_call(plain["call"]),
        guilty=plain["guilty"],
        evidence=parse_cards(plain["evidence"]),
        ruling=None if plain["ruling"] is None else _ruling_from_json(plain["ruling"]),
    )


def _ruling_to_json(ruling: Ruling, rules: HouseRules) -> JsonObject:
    return ruling.as_json() | {"rule": cite(ruling, rules)}


def _ruling_from_json(plain: Mapping[str, Any]) -> Ruling:
    return Ruling(
        remedy=Remedy(plain["remedy"]),
        points=_read_points(plain["points"]),
        hand_ends=plain["hand_ends"],
        deal_passes=plain["deal_passes"],
        may_be_waived=plain["may_be_waived"],
        cited_options=tuple(plain["cited_options"]),
    )


def _penalty_to_json(penalty: Penalty) -> JsonObject:
    return {"offender": str(penalty.offender), "trick": penalty.trick, "points": _points(penalty.points)}


def _penalty_from_json(plain: Mapping[str, Any]) -> Penalty:
    return Penalty(offender=Seat(plain["offender"]), trick=plain["trick"], points=_read_points(plain["points"]))


def _points(points: Points) -> dict[str, int]:
    return {str(seat): scored for seat, scored in points.items()}


def _read_points(plain: Mapping[str, int]) -> Points:
    return MappingProxyType({Seat(seat): scored for seat, scored in plain.items()})


def _seats(seats: tuple[Seat, ...]) -> list[str]:
    return [str(seat) for seat in seats]


def _read_seats(plain: list[str]) -> tuple[Seat, ...]:
    return tuple(map(Seat, plain))


def _read_warnings(plain: list[int]) -> Warnings:
    north, east, south, west = plain
    return north, east, south, west


def _read_seats_and_tricks(plain: list[list[Any]]) -> tuple[tuple[Seat, int], ...]:
    return tuple((Seat(seat), trick) for seat, trick in plain)


def _play(plain: Mapping[str, object]) -> Play:
    return Play(_seat(plain, "seat"), _card(plain, "card"))


def _call(plain: Mapping[str, object]) -> CallOut:
    return CallOut(
        _seat(plain, "seat"), _seat(plain, "against"), _irregularity(plain, "irregularity"), _count(plain, "trick")
    )


def _proposal(plain: Mapping[str, object]) -> Claim | ThrowIn:
    seat = _seat(plain, "seat")
    return ThrowIn(seat, _count(plain, "makers_tricks")) if "makers_tricks" in plain else Claim(seat)


def _maybe(value: object) -> str | None:
    return None if value is None else str(value)


def _maybe_seat(value: str | None) -> Seat | None:
    return None if value is None else Seat(value)


def _deal(plain: Mapping[str, object]) -> Deal:
    _only(plain, {"dealer", "up_card", "hands", "dummy", "cut_offered", "face_down"})
    hands = plain.get("hands")
    if not isinstance(hands, dict):
        raise BadRecord("a deal has the hands of its seats", path="hands")
    _only(hands, {str(seat) for seat in Seat})
    held = [_faces(hands, str(seat)) if str(seat) in hands else () for seat in Seat]
    return Deal(
        dealer=_seat(plain, "dealer"),
        hands=(held[0], held[1], held[2], held[3]),
        up_card=_card(plain, "up_card"),
        dummy=_faces(plain, "dummy") if "dummy" in plain else (),
        cut_offered=_yes_no({"cut_offered": True} | dict(plain), "cut_offered"),
        face_down=_yes_no({"face_down": False} | dict(plain), "face_down"),
    )


def _only(plain: Mapping[str, object], names: set[str]) -> None:
    for name in plain:
        if name not in names:
            raise BadRecord(f"{show(name)} does not belong here; known are {', '.join(sorted(names))}")


def _text(plain: Mapping[str, object], name: str) -> str:
    value = plain.get(name)
    if not isinstance(value, str):
        raise BadRecord(f"{name} is missing or not a text", path=name)
    return value


def _seat(plain: Mapping[str, object], name: str) -> Seat:
    return Seat.parse(_text(plain, name))


def _card(plain: Mapping[str, object], name: str) -> Card:
    return Card.parse(_text(plain, name))


def _face(plain: Mapping[str, object], name: str) -> Face:
    return UNKNOWN if _text(plain, name) == str(UNKNOWN) else _card(plain, name)


def _faces(plain: Mapping[str, object], name: str) -> tuple[Face, ...]:
    return parse_faces(_text(plain, name))


def _cards(plain: Mapping[str, object], name: str) -> tuple[Card, ...]:
    return parse_cards(_text(plain, name))


def _suit(plain: Mapping[str, object], name: str) -> Suit:
    return Suit.parse(_text(plain, name))


def _yes_no(plain: Mapping[str, object], name: str) -> bool:
    value = plain.get(name, False)
    if not isinstance(value, bool):
        raise BadRecord(f"{name} is true or false", path=name)
    return value


def _count(plain: Mapping[str, object], name: str) -> int:
    value = plain.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 9:
        raise BadRecord(f"{name} is a small whole number", path=name)
    return value


def _irregularity(plain: Mapping[str, object], name: str) -> Irregularity:
    for kind in Irregularity:
        if kind.value == _text(plain, name):
            return kind
    raise BadRecord(f"{show(plain[name])} is not an irregularity", path=name)


def _terms(plain: Mapping[str, object], name: str) -> Terms:
    for terms in Terms:
        if terms.value == _text(plain, name):
            return terms
    raise BadRecord(f"{show(plain[name])} is no way to settle a penalty", path=name)


_READ: Final[dict[type[Any], dict[str, Callable[[Mapping[str, object], str], object]]]] = {
    TurnUp: {},
    KeepHand: {},
    ShowFarmersHand: {"cards": _cards},
    Pass: {},
    Order: {"alone": _yes_no},
    Name: {"suit": _suit, "alone": _yes_no},
    Bury: {"card": _face},
    GoAlone: {},
    GoTogether: {},
    LayAway: {"cards": _faces},
    DefendAlone: {},
    DefendTogether: {},
    Play: {"card": _card},
    CallOut: {"against": _seat, "irregularity": _irregularity, "trick": _count},
    Correct: {"trick": _count},
    Settle: {"terms": _terms, "points": _count},
    Claim: {},
    ThrowIn: {"makers_tricks": _count},
    Agree: {},
    Disagree: {},
    Ready: {},
}
_ALLOWED_KEYS: Final = {kind: {"act", "seat", *read} for kind, read in _READ.items()}
