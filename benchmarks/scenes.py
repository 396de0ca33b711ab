"""A table in every state worth looking at: found by playing seeded hands until one comes about, never made up."""

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
"""Through whose eyes every scene is looked at."""
_LONGEST: Final = 900
"""No match of these has so many facts."""
_SEEDS: Final = 400
Wanted = Callable[[Table, View | None], bool]
Choosing = Callable[[Table, Random, str], TableFact]


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that happened at a table up to a moment worth looking at."""

    name: str
    facts: tuple[TableFact, ...]


@cache
def scenes() -> tuple[Scene, ...]:
    """Every scene, in the order of an evening; they take a while to be found."""
    lobby = Scene("lobby", tuple(_begun(preset("campus"))[:3]))
    found = [Scene(name, _found(name, rules, wanted, choose)) for name, rules, wanted, choose in _WANTED]
    return (lobby, _rules_changed(), *found, _rematch_over(found[-1].facts))


def _rules_changed() -> Scene:
    """The viewer is ready, and the host changes rules and clock."""
    opened = Created(person=PEOPLE[0], rules=preset("club"), bot_level="regular", title="Friday at Ann’s")
    _, *rest = _begun(preset("club"))[:4]
    changed = replace(preset("club"), target=11, nobody_calls=NobodyCalls.PASS_OUT)
    host = RulesChanged(rules=changed), TimeControlChanged(clock=TimeControl.QUICK)
    return Scene("rules-changed", (opened, *rest, Agreed(person=VIEWER), *host))


def _rematch_over(first: tuple[TableFact, ...]) -> Scene:
    """A second match is over at the table of the first."""
    chance, facts = Random("rematch-over"), [*first, *(RematchRequested(person=person) for person in PEOPLE)]
    table = replay((fact, 0.0) for fact in facts)
    assert table is not None
    while not isinstance(table.match, MatchOver):
        facts.append(next_fact(table, chance, f"s{len(facts)}"))
        table = apply_fact(table, facts[-1], 0.0)
    return Scene("rematch-over", tuple(facts))


def _begun(rules: HouseRules) -> list[TableFact]:
    people = PEOPLE[: rules.players]
    return [
        Created(
            person=VIEWER if VIEWER in people else people[0], rules=rules, bot_level="regular", title="Friday at Ann’s"
        ),
        *(Sat(person=person, seat=seat) for person, seat in zip(people, rules.seats, strict=True)),
        *(Agreed(person=person) for person in people),
    ]


def _found(name: str, rules: HouseRules, wanted: Wanted, choose: Choosing) -> tuple[TableFact, ...]:
    for seed in range(_SEEDS):
        chance = Random(f"{name}:{seed}")
        facts = _begun(rules)
        table: Table | None = None
        for fact in facts:
            table = apply_fact(table, fact, 0.0)
        assert table is not None
        while len(facts) < _LONGEST:
            if wanted(table, hand_view_for(table, VIEWER)):
                return tuple(facts)
            if isinstance(table.match, MatchOver):
                break
            facts.append(choose(table, chance, f"s{len(facts)}"))
            table = apply_fact(table, facts[-1], 0.0)
    raise AssertionError(f"no hand of {_SEEDS} matches comes to {name}")


# Who does what


def _plain(table: Table, rng: Random, act: str) -> TableFact:
    return next_fact(table, rng, act)


def _boldly(table: Table, rng: Random, act: str) -> TableFact:
    """Whoever may go alone does."""
    return _rather(
        table, rng, act, lambda one: isinstance(one, GoAlone) or (isinstance(one, Order | Name) and one.alone)
    )


def _shyly(table: Table, rng: Random, act: str) -> TableFact:
    """Whoever may pass does."""
    return _rather(table, rng, act, lambda one: isinstance(one, Pass))


def _shortly(table: Table, rng: Random, act: str) -> TableFact:
    """Whoever may lay down the rest does."""
    return _rather(table, rng, act, lambda one: isinstance(one, Claim))


def _briefly(table: Table, rng: Random, act: str) -> TableFact:
    """In the third trick somebody proposes to throw the hand in."""
    late = table.hand is not None and len(getattr(table.hand, "tricks", ())) > 1
    return _rather(table, rng, act, lambda one: late and isinstance(one, ThrowIn))


def _hosted_by_bob(table: Table, rng: Random, act: str) -> TableFact:
    """Bob, who sits at the viewer's right, hosts the table, and so he shuffles for the draw."""
    return HostChanged(person=PEOPLE[1]) if table.host == VIEWER else next_fact(table, rng, act)


def _carelessly(table: Table, rng: Random, act: str) -> TableFact:
    """The viewer's opponents forget the cut and deal themselves a card short."""
    viewer = table.seat_of(VIEWER)
    if table.dealing_seat is not None and viewer and table.dealing_seat in table.rules.opponents_of(viewer):
        *rest, last = usual_packets(table.rules)
        return HandDealt(seat=table.dealing_seat, packets=(*rest, last - 1))
    if table.hand is not None and isinstance(table.hand, FaceDown) and table.hand.hand.deal.has_miscount():
        return Acted(action=TurnUp(table.hand.to_act), action_id=act)
    return next_fact(table, rng, act)


def _rather(table: Table, rng: Random, act: str, prefers: Callable[[object], bool]) -> TableFact:
    if table.hand is not None:
        liked = [one for one in view(table.hand, whose_turn(table.hand)).legal if prefers(one)]
        if liked:
            return Acted(action=rng.choice(liked), action_id=act)
    return next_fact(table, rng, act)


def _badly(table: Table, rng: Random, act: str) -> TableFact:
    """Whoever sits against the viewer reneges when it is possible, and the viewer calls what the cards prove."""
    seen = hand_view_for(table, VIEWER)
    for call in (one for one in (seen.legal if seen else ()) if isinstance(one, CallOut)):
        if call.irregularity is Irregularity.RENEGE and _proven(table, call):
            return Acted(action=call, action_id=act)
    if table.hand is not None:
        mine = view(table.hand, whose_turn(table.hand))
        honest = proper_actions(mine)
        wrong = [one for one in mine.legal if isinstance(one, Play) and one.seat is mine.seat and one not in honest]
        viewer = table.seat_of(VIEWER)
        if viewer and mine.seat in table.rules.opponents_of(viewer) and wrong and mine.to_act is mine.seat:
            return Acted(action=rng.choice(wrong), action_id=act)
    return next_fact(table, rng, act)


def _proven(table: Table, call: CallOut) -> bool:
    seen = hand_view_for(apply_fact(table, Acted(action=call), 0.0), VIEWER)
    return seen is not None and seen.phase is Phase.SETTLING


# What is looked for


def _asked(table: Table, seen: View | None, phase: Phase) -> bool:
    return seen is not None and table.hand is not None and seen.phase is phase and seen.to_act is seen.seat


def _bidding(table: Table, seen: View | None) -> bool:
    up = seen is not None and seen.up_card_status is UpCardStatus.TURNED_UP
    return _asked(table, seen, Phase.BIDDING) and up


def _naming(table: Table, seen: View | None) -> bool:
    down = seen is not None and seen.up_card_status is UpCardStatus.TURNED_DOWN
    return _asked(table, seen, Phase.BIDDING) and down


def _playing(table: Table, seen: View | None) -> bool:
    return _asked(table, seen, Phase.PLAYING) and seen is not None and len(seen.trick) > 1 and bool(seen.refused)


def _lone_led(table: Table, seen: View | None) -> bool:
    mine = seen is not None and seen.contract is not None and seen.contract.alone and seen.contract.maker is seen.seat
    return _asked(table, seen, Phase.PLAYING) and mine and seen is not None and len(seen.tricks) == 1


def _proposed(kind: type[Claim | ThrowIn]) -> Wanted:
    def wanted(table: Table, seen: View | None) -> bool:
        return seen is not None and isinstance(seen.proposal, kind) and bool(seen.legal)

    return wanted


def _may_open_last_trick(table: Table, seen: View | None) -> bool:
    return _asked(table, seen, Phase.PLAYING) and seen is not None and len(looking_back(seen)) == 1


def _many_calls(table: Table, seen: View | None) -> bool:
    calls = [one for one in (seen.legal if seen else ()) if isinstance(one, CallOut)]
    return _asked(table, seen, Phase.PLAYING) and len(calls) > 2


def _hand_over(table: Table, seen: View | None) -> bool:
    return (
        seen is not None
        and table.hand is None
        and seen.ending is not None
        and not table.gathering
        and sum(seen.scores) > 2
    )


def _drawn(table: Table, seen: View | None) -> bool:
    return bool(table.history) and isinstance(table.history[-1], Draw)


def _misdealt(table: Table, seen: View | None) -> bool:
    """Can the viewer call that a player has a card too few?"""
    calls = [one for one in (seen.legal if seen else ()) if isinstance(one, CallOut)]
    return seen is not None and seen.phase is Phase.BIDDING and len(calls) > 1


def _asked_to_deal(table: Table, seen: View | None) -> bool:
    return table.may_offer_cut and table.dealing_seat is table.seat_of(VIEWER)


def _asked_to_cut(table: Table, seen: View | None) -> bool:
    return table.cutter is not None and table.cutter is table.seat_of(VIEWER)


def _scored_with_cards(table: Table, seen: View | None) -> bool:
    return _playing(table, seen) and seen is not None and min(seen.scores) > 2 and max(seen.scores) > 6


_HONOR: Final = replace(preset("club"), supervision=Supervision.HONOR)
_WANTED: Final[tuple[tuple[str, HouseRules, Wanted, Choosing], ...]] = (
    ("draw-cut", preset("prize-night"), _asked_to_cut, _hosted_by_bob),
    ("draw", preset("prize-night"), _drawn, _plain),
    ("cut", preset("club"), _asked_to_cut, _plain),
    ("deal", _HONOR, _asked_to_deal, _plain),
    ("face-down", _HONOR, lambda table, seen: _asked(table, seen, Phase.FACE_DOWN), _plain),
    ("misdeal", _HONOR, _misdealt, _carelessly),
    ("bidding", preset("club"), _bidding, _plain),
    ("naming", preset("campus"), _naming, _shyly),
    ("burying", preset("club"), lambda table, seen: _asked(table, seen, Phase.DISCARDING), _plain),
    ("play", preset("club"), _playing, _plain),
    ("alone", preset("campus"), _lone_led, _boldly),
    ("honor", _HONOR, _many_calls, _plain),
    ("dispute", _HONOR, lambda table, seen: _asked(table, seen, Phase.SETTLING), _badly),
    ("last-trick", preset("school-cup"), _may_open_last_trick, _plain),
    (
        "tricks-open",
        replace(_HONOR, disputes_open_tricks=True),
        lambda table, seen: _asked(table, seen, Phase.SETTLING) and seen is not None and len(seen.tricks) > 1,
        _badly,
    ),
    ("claim", preset("club"), _proposed(Claim), _shortly),
    ("throw-in", preset("school-cup"), _proposed(ThrowIn), _briefly),
    ("tally", preset("school-cup"), _scored_with_cards, _plain),
    ("hand-over", preset("club"), _hand_over, _plain),
    ("dummy", preset("club3"), lambda table, seen: _asked(table, seen, Phase.EXCHANGING_DUMMY), _plain),
    ("three", preset("club3"), _playing, _plain),
    ("match-over", preset("club"), lambda table, _: isinstance(table.match, MatchOver), _plain),
)
