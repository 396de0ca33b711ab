"""Scenes for screenshots: tables in typical states, found by playing seeded hands until each comes up."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Final

from benchmarks.table_fixture import next_fact
from leftbower.engine import (
    CallOut,
    Claim,
    Draw,
    FaceDown,
    GoAlone,
    MatchOver,
    Name,
    Order,
    Pass,
    Phase,
    Play,
    ThrowIn,
    TurnUp,
    UpCardStatus,
    View,
    looking_back,
    usual_packets,
    view,
    whose_turn,
)
from leftbower.players.player import proper_actions
from leftbower.rules.choices import NobodyCalls, Supervision
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Irregularity
from leftbower.rules.sheets import preset
from leftbower.table import (
    Acted,
    Agreed,
    BotSeated,
    Created,
    HandDealt,
    HostChanged,
    RematchRequested,
    RulesChanged,
    Sat,
    Table,
    TableFact,
    TimeControl,
    TimeControlChanged,
    apply_fact,
    hand_view_for,
    replay,
)

NAMES: Final = ("Ann", "Bob", "Cat", "Dan")
PEOPLE: Final = ("ann", "bob", "cat", "dan")
VIEWER: Final = PEOPLE[2]
"""The person whose view every scene shows."""
_MAX_FACTS: Final = 900
"""More than any of these matches has."""
_MAX_SEEDS: Final = 400
Condition = Callable[[Table, View | None], bool]
ChooseFact = Callable[[Table, Random, str], TableFact]


@dataclass(frozen=True, slots=True)
class Scene:
    """The facts of a table up to the moment of the picture."""

    name: str
    facts: tuple[TableFact, ...]


@cache
def scenes() -> tuple[Scene, ...]:
    """Every scene, in the order of an evening; the search takes a few seconds."""
    lobby = Scene("lobby", tuple(_opening_facts(preset("campus"))[:3]))
    played = [Scene(name, _find_facts(name, rules, condition, choose)) for name, rules, condition, choose in _SCENES]
    others = (
        Scene("watching", _find_facts("watching", preset("club"), _fourth_card, _random_choice, _watched)),
        Scene("clock", _find_facts("clock", preset("club"), _playing, _random_choice, _timed)),
    )
    return (lobby, _rules_changed(), *others, *played, _rematch_over(played[-1].facts))


def _rules_changed() -> Scene:
    """The viewer is ready, and the host changes rules and clock."""
    opened = Created(person=PEOPLE[0], rules=preset("club"), bot_level="regular", title="Friday at Ann’s")
    _, *rest = _opening_facts(preset("club"))[:4]
    changed = replace(preset("club"), target=11, nobody_calls=NobodyCalls.PASS_OUT)
    host = RulesChanged(rules=changed), TimeControlChanged(clock=TimeControl.QUICK)
    return Scene("rules-changed", (opened, *rest, Agreed(person=VIEWER), *host))


def _rematch_over(first: tuple[TableFact, ...]) -> Scene:
    """A second match is over at the table of the first."""
    rng, facts = Random("rematch-over"), [*first, *(RematchRequested(person=person) for person in PEOPLE)]
    table = replay((fact, 0.0) for fact in facts)
    assert table is not None
    while not isinstance(table.match, MatchOver):
        facts.append(next_fact(table, rng, f"s{len(facts)}"))
        table = apply_fact(table, facts[-1], 0.0)
    return Scene("rematch-over", tuple(facts))


def _opening_facts(rules: HouseRules) -> list[TableFact]:
    people = PEOPLE[: rules.players]
    if VIEWER not in people:
        people = (*people[:-1], VIEWER)
    return [
        Created(person=VIEWER, rules=rules, bot_level="regular", title="Friday at Ann’s"),
        *(Sat(person=person, seat=seat) for person, seat in zip(people, rules.seats, strict=True)),
        *(Agreed(person=person) for person in people),
    ]


def _watched() -> list[TableFact]:
    """The viewer has no seat; a bot that can be replaced has."""
    created, *_ = _opening_facts(preset("club"))
    players = [*zip(PEOPLE, preset("club").seats, strict=True)]
    sat = [Sat(person=person, seat=seat) for person, seat in players if person != VIEWER]
    bots = [BotSeated(seat=seat, level="regular") for person, seat in players if person == VIEWER]
    return [created, *sat, *bots, *(Agreed(person=person) for person in PEOPLE if person != VIEWER)]


def _timed() -> list[TableFact]:
    created, *rest = _opening_facts(preset("club"))
    return [created, TimeControlChanged(clock=TimeControl.RELAXED), *rest]


def _find_facts(
    name: str,
    rules: HouseRules,
    condition: Condition,
    choose: ChooseFact,
    opening: Callable[[], list[TableFact]] | None = None,
) -> tuple[TableFact, ...]:
    for seed in range(_MAX_SEEDS):
        rng = Random(f"{name}:{seed}")
        facts = opening() if opening else _opening_facts(rules)
        table: Table | None = None
        for fact in facts:
            table = apply_fact(table, fact, 0.0)
        assert table is not None
        while len(facts) < _MAX_FACTS:
            if condition(table, hand_view_for(table, VIEWER)):
                return tuple(facts)
            if isinstance(table.match, MatchOver):
                break
            facts.append(choose(table, rng, f"s{len(facts)}"))
            table = apply_fact(table, facts[-1], 0.0)
    raise AssertionError(f"no hand of {_MAX_SEEDS} matches comes to {name}")


# How players choose


def _random_choice(table: Table, rng: Random, act: str) -> TableFact:
    return next_fact(table, rng, act)


def _prefer_alone(table: Table, rng: Random, act: str) -> TableFact:
    """Go alone when it is legal."""
    return _prefer(
        table,
        rng,
        act,
        lambda action: isinstance(action, GoAlone) or (isinstance(action, Order | Name) and action.alone),
    )


def _prefer_pass(table: Table, rng: Random, act: str) -> TableFact:
    """Pass when it is legal."""
    return _prefer(table, rng, act, lambda action: isinstance(action, Pass))


def _prefer_claim(table: Table, rng: Random, act: str) -> TableFact:
    """Claim the rest when it is legal."""
    return _prefer(table, rng, act, lambda action: isinstance(action, Claim))


def _prefer_throw_in(table: Table, rng: Random, act: str) -> TableFact:
    """Propose to throw the hand in from the third trick on."""
    late = table.hand is not None and len(getattr(table.hand, "tricks", ())) > 1
    return _prefer(table, rng, act, lambda action: late and isinstance(action, ThrowIn))


def _hosted_by_bob(table: Table, rng: Random, act: str) -> TableFact:
    """Bob, on the viewer's right, hosts the table, so he shuffles for the draw."""
    return HostChanged(person=PEOPLE[1]) if table.host == VIEWER else next_fact(table, rng, act)


def _misdeal(table: Table, rng: Random, act: str) -> TableFact:
    """The viewer's opponents skip the cut and deal themselves a card short."""
    viewer = table.seat_of(VIEWER)
    if table.dealing_seat is not None and viewer and table.dealing_seat in table.rules.opponents_of(viewer):
        *rest, last = usual_packets(table.rules)
        return HandDealt(seat=table.dealing_seat, packets=(*rest, last - 1))
    if table.hand is not None and isinstance(table.hand, FaceDown) and table.hand.hand.deal.has_miscount():
        return Acted(action=TurnUp(table.hand.to_act), action_id=act)
    return next_fact(table, rng, act)


def _prefer(table: Table, rng: Random, act: str, prefers: Callable[[object], bool]) -> TableFact:
    if table.hand is not None:
        preferred = [action for action in view(table.hand, whose_turn(table.hand)).legal if prefers(action)]
        if preferred:
            return Acted(action=rng.choice(preferred), action_id=act)
    return next_fact(table, rng, act)


def _renege(table: Table, rng: Random, act: str) -> TableFact:
    """The viewer's opponents renege when they can, and the viewer calls any renege that the cards prove."""
    seat_view = hand_view_for(table, VIEWER)
    for call in (action for action in (seat_view.legal if seat_view else ()) if isinstance(action, CallOut)):
        if call.irregularity is Irregularity.RENEGE and _proven(table, call):
            return Acted(action=call, action_id=act)
    if table.hand is not None:
        actor = view(table.hand, whose_turn(table.hand))
        proper = proper_actions(actor)
        wrong = [
            action
            for action in actor.legal
            if isinstance(action, Play) and action.seat is actor.seat and action not in proper
        ]
        viewer = table.seat_of(VIEWER)
        if viewer and actor.seat in table.rules.opponents_of(viewer) and wrong and actor.to_act is actor.seat:
            return Acted(action=rng.choice(wrong), action_id=act)
    return next_fact(table, rng, act)


def _proven(table: Table, call: CallOut) -> bool:
    seat_view = hand_view_for(apply_fact(table, Acted(action=call), 0.0), VIEWER)
    return seat_view is not None and seat_view.phase is Phase.SETTLING


# Conditions of scenes


def _viewer_to_act(table: Table, seat_view: View | None, phase: Phase) -> bool:
    return (
        seat_view is not None
        and table.hand is not None
        and seat_view.phase is phase
        and seat_view.to_act is seat_view.seat
    )


def _bidding(table: Table, seat_view: View | None) -> bool:
    up = seat_view is not None and seat_view.up_card_status is UpCardStatus.TURNED_UP
    return _viewer_to_act(table, seat_view, Phase.BIDDING) and up


def _naming(table: Table, seat_view: View | None) -> bool:
    down = seat_view is not None and seat_view.up_card_status is UpCardStatus.TURNED_DOWN
    return _viewer_to_act(table, seat_view, Phase.BIDDING) and down


def _playing(table: Table, seat_view: View | None) -> bool:
    return (
        _viewer_to_act(table, seat_view, Phase.PLAYING)
        and seat_view is not None
        and len(seat_view.trick) > 1
        and bool(seat_view.refused)
    )


def _fourth_card(table: Table, seat_view: View | None) -> bool:
    return seat_view is not None and len(seat_view.trick) == 3 and len(seat_view.tricks) > 1


def _lone_led(table: Table, seat_view: View | None) -> bool:
    mine = (
        seat_view is not None
        and seat_view.contract is not None
        and seat_view.contract.alone
        and seat_view.contract.maker is seat_view.seat
    )
    return (
        _viewer_to_act(table, seat_view, Phase.PLAYING)
        and mine
        and seat_view is not None
        and len(seat_view.tricks) == 1
    )


def _proposed(kind: type[Claim | ThrowIn]) -> Condition:
    def condition(table: Table, seat_view: View | None) -> bool:
        return seat_view is not None and isinstance(seat_view.proposal, kind) and bool(seat_view.legal)

    return condition


def _may_open_last_trick(table: Table, seat_view: View | None) -> bool:
    return (
        _viewer_to_act(table, seat_view, Phase.PLAYING) and seat_view is not None and len(looking_back(seat_view)) == 1
    )


def _many_calls(table: Table, seat_view: View | None) -> bool:
    calls = [action for action in (seat_view.legal if seat_view else ()) if isinstance(action, CallOut)]
    return _viewer_to_act(table, seat_view, Phase.PLAYING) and len(calls) > 2


def _hand_over(table: Table, seat_view: View | None) -> bool:
    return (
        seat_view is not None
        and table.hand is None
        and seat_view.ending is not None
        and not table.gathering
        and sum(seat_view.scores) > 2
    )


def _drawn(table: Table, seat_view: View | None) -> bool:
    return bool(table.history) and isinstance(table.history[-1], Draw)


def _misdealt(table: Table, seat_view: View | None) -> bool:
    """Can the viewer call that a player has a card too few?"""
    calls = [action for action in (seat_view.legal if seat_view else ()) if isinstance(action, CallOut)]
    return seat_view is not None and seat_view.phase is Phase.BIDDING and len(calls) > 1


def _may_deal(table: Table, seat_view: View | None) -> bool:
    return table.may_offer_cut and table.dealing_seat is table.seat_of(VIEWER)


def _may_cut(table: Table, seat_view: View | None) -> bool:
    return table.cutter is not None and table.cutter is table.seat_of(VIEWER)


def _scored_with_cards(table: Table, seat_view: View | None) -> bool:
    return (
        _playing(table, seat_view) and seat_view is not None and min(seat_view.scores) > 2 and max(seat_view.scores) > 6
    )


_HONOR: Final = replace(preset("club"), supervision=Supervision.HONOR)
_SCENES: Final[tuple[tuple[str, HouseRules, Condition, ChooseFact], ...]] = (
    ("draw-cut", preset("prize-night"), _may_cut, _hosted_by_bob),
    ("draw", preset("prize-night"), _drawn, _random_choice),
    ("cut", preset("club"), _may_cut, _random_choice),
    ("deal", _HONOR, _may_deal, _random_choice),
    ("face-down", _HONOR, lambda table, seat_view: _viewer_to_act(table, seat_view, Phase.FACE_DOWN), _random_choice),
    ("misdeal", _HONOR, _misdealt, _misdeal),
    ("bidding", preset("club"), _bidding, _random_choice),
    ("naming", preset("campus"), _naming, _prefer_pass),
    (
        "burying",
        preset("club"),
        lambda table, seat_view: _viewer_to_act(table, seat_view, Phase.DISCARDING),
        _random_choice,
    ),
    ("play", preset("club"), _playing, _random_choice),
    ("alone", preset("campus"), _lone_led, _prefer_alone),
    ("honor", _HONOR, _many_calls, _random_choice),
    ("dispute", _HONOR, lambda table, seat_view: _viewer_to_act(table, seat_view, Phase.SETTLING), _renege),
    ("last-trick", preset("school-cup"), _may_open_last_trick, _random_choice),
    (
        "tricks-open",
        replace(_HONOR, disputes_open_tricks=True),
        lambda table, seat_view: (
            _viewer_to_act(table, seat_view, Phase.SETTLING) and seat_view is not None and len(seat_view.tricks) > 1
        ),
        _renege,
    ),
    ("claim", preset("club"), _proposed(Claim), _prefer_claim),
    ("throw-in", preset("school-cup"), _proposed(ThrowIn), _prefer_throw_in),
    ("tally", preset("school-cup"), _scored_with_cards, _random_choice),
    ("hand-over", preset("club"), _hand_over, _random_choice),
    (
        "dummy",
        preset("club3"),
        lambda table, seat_view: _viewer_to_act(table, seat_view, Phase.EXCHANGING_DUMMY),
        _random_choice,
    ),
    ("three", preset("club3"), _playing, _random_choice),
    (
        "two",
        preset("club2"),
        lambda table, seat_view: (
            _viewer_to_act(table, seat_view, Phase.PLAYING) and seat_view is not None and bool(seat_view.trick)
        ),
        _random_choice,
    ),
    ("match-over", preset("club"), lambda table, _: isinstance(table.match, MatchOver), _random_choice),
)
