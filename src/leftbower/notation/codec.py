"""The one JSON codec: actions, deals, draws, views and errors as plain objects, and back."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Final

from leftbower.engine.actions import (
    Action,
    Bury,
    DefendAlone,
    DefendTogether,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    ShowFarmersHand,
)
from leftbower.engine.deal import Deal, Draw
from leftbower.engine.match import Fact
from leftbower.engine.states import Reason, Trick
from leftbower.engine.view import Ending, Made, Phase, UpCard, View
from leftbower.errors import BadRecord, LeftbowerError, show
from leftbower.rules.cards import UNKNOWN, Card, Face, Suit, parse_cards, parse_faces
from leftbower.rules.forms import from_json as rules_from_json
from leftbower.rules.forms import to_json as rules_to_json
from leftbower.rules.seats import Seat

Plain = dict[str, Any]
"""An object as JSON holds it."""


def action_to_json(action: Action) -> Plain:
    """`{"act": "play", "seat": "N", "card": "Jd"}`."""
    plain: Plain = {"act": _ACT_NAMES[type(action)]}
    for one in fields(action):
        plain[one.name] = _WRITE[one.name](getattr(action, one.name))
    return plain


def action_from_json(plain: Mapping[str, object]) -> Action:
    """The action of `action_to_json`, or the error that names what is wrong."""
    kind = _ACTS.get(_text(plain, "act"))
    if kind is None:
        raise BadRecord(f"{show(plain['act'])} is not an act; they are {', '.join(_ACTS)}", place="act")
    read = {"seat": _seat} | _READ[kind]
    _only(plain, {"act", *read})
    action: Action = kind(**{name: reads(plain, name) for name, reads in read.items()})
    return action


def fact_to_json(fact: Fact) -> Plain:
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
            return Draw(shuffler=_seat(body, "shuffler"), cards=_known(body, "cards"), dealer=_seat(body, "dealer"))
        case "deal":
            return _deal(body)
        case _:
            raise BadRecord(f"{show(kind)} is not a fact; they are draw, deal and act", place="fact")


def view_to_json(view: View) -> Plain:
    """A view as one object: all that its viewer may know, and nothing else."""
    return {
        "rules": rules_to_json(view.rules),
        "scores": list(view.scores),
        "seat": _maybe(view.seat),
        "phase": view.phase.value,
        "dealer": str(view.dealer),
        "up_card": str(view.up_card),
        "up_card_is": view.up_card_is.value,
        "dealt": _join(view.dealt),
        "cards": _join(view.cards),
        "dummy": _join(view.dummy),
        "backs": {str(seat): count for seat, count in view.backs.items()},
        "said": [action_to_json(action) for action in view.said],
        "made": None if view.made is None else _made_to_json(view.made),
        "active": [str(seat) for seat in view.active],
        "leader": _maybe(view.leader),
        "trick": _join(view.trick),
        "tricks": [
            {"leader": str(trick.leader), "cards": _join(trick.cards), "winner": str(trick.winner)}
            for trick in view.tricks
        ],
        "to_act": _maybe(view.to_act),
        "legal": [action_to_json(action) for action in view.legal],
        "refused": {str(card): code for card, code in view.refused.items()},
        "seen": _join(view.seen),
        "ending": None if view.ending is None else _ending_to_json(view.ending),
    }


def view_from_json(plain: Mapping[str, Any]) -> View:
    """The view of `view_to_json`: for clients that trust the server they got it from."""
    return View(
        rules=rules_from_json(plain["rules"]),
        scores=tuple(plain["scores"]),
        seat=_maybe_seat(plain["seat"]),
        phase=Phase(plain["phase"]),
        dealer=Seat(plain["dealer"]),
        up_card=Card.parse(plain["up_card"]),
        up_card_is=UpCard(plain["up_card_is"]),
        dealt=parse_faces(plain["dealt"]),
        cards=parse_faces(plain["cards"]),
        dummy=parse_faces(plain["dummy"]),
        backs=MappingProxyType({Seat(seat): count for seat, count in plain["backs"].items()}),
        said=tuple(map(action_from_json, plain["said"])),
        made=None if plain["made"] is None else _made_from_json(plain["made"]),
        active=tuple(map(Seat, plain["active"])),
        leader=_maybe_seat(plain["leader"]),
        trick=parse_cards(plain["trick"]),
        tricks=tuple(
            Trick(leader=Seat(trick["leader"]), cards=parse_cards(trick["cards"]), winner=Seat(trick["winner"]))
            for trick in plain["tricks"]
        ),
        to_act=_maybe_seat(plain["to_act"]),
        legal=tuple(map(action_from_json, plain["legal"])),
        refused=MappingProxyType({Card.parse(card): code for card, code in plain["refused"].items()}),
        seen=parse_cards(plain["seen"]),
        ending=None if plain["ending"] is None else _ending_from_json(plain["ending"]),
    )


def error_to_json(error: LeftbowerError) -> Plain:
    """An error as the API, a record and a command show it: code, sentence and place, never the state behind it."""
    return error.as_json()


_ACTS: Final[dict[str, type[Any]]] = {
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
}
_ACT_NAMES: Final = {kind: name for name, kind in _ACTS.items()}


def _join(cards: tuple[Face, ...]) -> str:
    return "".join(map(str, cards))


_WRITE: Final[dict[str, Callable[[Any], object]]] = {
    "seat": str,
    "suit": str,
    "card": str,
    "cards": _join,
    "alone": bool,
}


def _made_to_json(made: Made) -> Plain:
    return {
        "maker": str(made.maker),
        "trump": str(made.trump),
        "ordered": made.ordered,
        "alone": made.alone,
        "defender": _maybe(made.defender),
    }


def _made_from_json(plain: Mapping[str, Any]) -> Made:
    return Made(
        maker=Seat(plain["maker"]),
        trump=Suit(plain["trump"]),
        ordered=plain["ordered"],
        alone=plain["alone"],
        defender=_maybe_seat(plain["defender"]),
    )


def _ending_to_json(ending: Ending) -> Plain:
    return {"reason": ending.reason.value, "points": {str(seat): scored for seat, scored in ending.points.items()}}


def _ending_from_json(plain: Mapping[str, Any]) -> Ending:
    points = {Seat(seat): scored for seat, scored in plain["points"].items()}
    return Ending(reason=Reason(plain["reason"]), points=MappingProxyType(points))


def _maybe(value: object) -> str | None:
    return None if value is None else str(value)


def _maybe_seat(value: str | None) -> Seat | None:
    return None if value is None else Seat(value)


def _deal(plain: Mapping[str, object]) -> Deal:
    _only(plain, {"dealer", "up_card", "hands", "dummy"})
    hands = plain.get("hands")
    if not isinstance(hands, dict):
        raise BadRecord("a deal has the hands of its seats", place="hands")
    _only(hands, {str(seat) for seat in Seat})
    held = [_faces(hands, str(seat)) if str(seat) in hands else () for seat in Seat]
    return Deal(
        dealer=_seat(plain, "dealer"),
        hands=(held[0], held[1], held[2], held[3]),
        up_card=_card(plain, "up_card"),
        dummy=_faces(plain, "dummy") if "dummy" in plain else (),
    )


def _only(plain: Mapping[str, object], known: set[str]) -> None:
    for name in plain:
        if name not in known:
            raise BadRecord(f"{show(name)} does not belong here; known are {', '.join(sorted(known))}")


def _text(plain: Mapping[str, object], name: str) -> str:
    value = plain.get(name)
    if not isinstance(value, str):
        raise BadRecord(f"{name} is missing or not a text", place=name)
    return value


def _seat(plain: Mapping[str, object], name: str) -> Seat:
    return Seat.parse(_text(plain, name))


def _card(plain: Mapping[str, object], name: str) -> Card:
    return Card.parse(_text(plain, name))


def _face(plain: Mapping[str, object], name: str) -> Face:
    return UNKNOWN if _text(plain, name) == str(UNKNOWN) else _card(plain, name)


def _faces(plain: Mapping[str, object], name: str) -> tuple[Face, ...]:
    return parse_faces(_text(plain, name))


def _known(plain: Mapping[str, object], name: str) -> tuple[Card, ...]:
    return parse_cards(_text(plain, name))


def _suit(plain: Mapping[str, object], name: str) -> Suit:
    return Suit.parse(_text(plain, name))


def _yes_no(plain: Mapping[str, object], name: str) -> bool:
    value = plain.get(name, False)
    if not isinstance(value, bool):
        raise BadRecord(f"{name} is true or false", place=name)
    return value


_READ: Final[dict[type[Any], dict[str, Callable[[Mapping[str, object], str], object]]]] = {
    KeepHand: {},
    ShowFarmersHand: {"cards": _known},
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
}
