"""Three- and two-handed hands with many offenses: the engine and a naive judge agree at every step.

The judge (`naive_judge`) was written from the club's sheet and sees all cards face up. Before every action the engine
must offer exactly what the judge offers. After it, the turn, the open calls, the verdicts, the penalties and the final
points must match.
"""

from collections import Counter
from collections.abc import Mapping
from random import Random

import pytest

from honor_table import honor
from leftbower.engine import (
    Action,
    Answering,
    Bury,
    CallOut,
    Closing,
    Deal,
    GoAlone,
    GoTogether,
    LayAway,
    Name,
    Order,
    Play,
    Playing,
    Scored,
    Settle,
    Settling,
    State,
    ThrowIn,
    apply,
    legal_actions,
    start,
)
from leftbower.errors import RuleViolation
from leftbower.notation import hand_line, name_rules, parse_hand_line
from leftbower.rules import DECK, HouseRules, Irregularity, Seat, preset
from leftbower.rules.choices import Supervision
from naive_judge import TRICKS, Act, Judge, judge_hand
from naive_table import Offense

pytestmark = pytest.mark.unmeasured

Happened = Counter[str]

# Translation between engine and judge


def act_of(action: Action) -> Act:
    """The judge's form of an engine action."""
    seat = str(action.seat)
    match action:
        case Order():
            return "order alone" if action.alone else "order", seat
        case Name():
            return "name alone" if action.alone else "name", seat, str(action.suit)
        case Bury():
            return "bury", seat, str(action.card)
        case LayAway():
            return "lay away", seat, tuple(sorted(map(str, action.cards)))
        case Play():
            return "play", seat, str(action.card)
        case CallOut():
            return "call", seat, *offense_of(action)
        case Settle():
            return "settle", seat, action.terms.value, action.points
        case ThrowIn():
            return "throw in", seat, action.makers_tricks
        case GoAlone():
            return "alone", seat
        case GoTogether():
            return "dummy", seat
        case _:
            return type(action).__name__.lower(), seat


def offense_of(call: CallOut) -> Offense:
    return str(call.against), call.irregularity.value, call.trick


def by_name(points: Mapping[Seat, int]) -> dict[str, int]:
    return {str(seat): number for seat, number in points.items()}


# Offenses

WEIGHTS = {
    "proper": 12.0,
    "pass": 3,
    "dummy": 3,
    "order alone": 0.3,
    "name alone": 0.3,
    "bury": 2,
    "claim": 0.4,
    "throw in": 0.3,
    "ready": 0.5,
}
MISCHIEF = {"renege": 3.0, "out of turn": 0.5, "call": 2, "vain call": 0.7}
"""Weights of each kind of action; 1 for the others. The table's mood scales the offenses."""


def kinds_of(judge: Judge, offers: set[Act]) -> dict[str, list[Act]]:
    """Possible actions by kind, good or bad."""
    playing = judge.phase() == "playing"
    due = judge.due() if playing else ""
    legal = judge.legal_cards(due) if playing else []
    kinds: dict[str, list[Act]] = {}
    for act in sorted(offers, key=str):
        match act:
            case ("play", str(seat), str(card)):
                kind = "out of turn" if seat != due else "proper" if card in legal else "renege"
            case ("call", _, str(seat), str(what), int(trick)):
                kind = "call" if judge.guilty((seat, what, trick)) else "vain call"
            case _:
                kind = str(act[0])
        kinds.setdefault(kind, []).append(act)
    return kinds


def choose(kinds: dict[str, list[Act]], rng: Random, mood: float) -> tuple[str, Act]:
    """Choose a kind first, then an action, so that rare offenses happen often."""
    weights = [WEIGHTS.get(kind, 1) if kind not in MISCHIEF else mood * MISCHIEF[kind] for kind in kinds]
    kind = rng.choices(list(kinds), weights)[0]
    return kind, rng.choice(kinds[kind])


def any_action(rules: HouseRules, rng: Random) -> Action:
    """Anything a player may try: a card, the dummy, a discard or a call."""
    seat, other = rng.choice(rules.seats), rng.choice(rules.seats)
    card = rng.choice(DECK)
    call = CallOut(seat, other, rng.choice(list(Irregularity)), rng.randrange(TRICKS + 1))
    return rng.choice((Play(seat, card), Bury(seat, card), GoTogether(seat), GoAlone(seat), call, call))


# The comparison


def play_hand(rules: HouseRules, seed: int, happened: Happened) -> None:
    """Play one hand at random, compare at every step, and count what happened."""
    rng = Random(seed)
    deal = any_deal(rules, rng)
    judge = judge_of(rules, deal)
    mood = rng.choice((0, 0.3, 1, 3))
    state: State = start(rules, deal)
    while offers := judge.offers():
        actions = {act_of(action): action for action in legal_actions(state)}
        assert actions.keys() == offers, f"{hand_line(state)}: the judge differs on {actions.keys() ^ offers}"
        attempt = any_action(rules, rng)
        assert act_of(attempt) in offers or refuses(state, attempt), f"{hand_line(state)}: {attempt}"
        kind, act = choose(kinds_of(judge, offers), rng, mood)
        happened[kind] += 1
        count(judge, act, happened)
        state = apply(state, actions[act])
        judge.enter(act)
        compare_play(state, judge)
    assert isinstance(state, Scored), hand_line(state)
    assert state.reason.value == judge.reason(), hand_line(state)
    assert by_name(state.points) == judge.points(), hand_line(state)
    count_score(judge, happened)


def any_deal(rules: HouseRules, rng: Random) -> Deal:
    """A random deal; in every third one a player has a long suit, so that marches happen."""
    deck = rng.sample(rules.deck, len(rules.deck))
    if rng.randrange(3) == 0:
        suit = deck[0].suit
        deck.sort(key=lambda card: card.suit is not suit)
    hands = {
        seat: tuple(deck[5 * index : 5 * index + 5])
        for index, seat in enumerate(rng.sample(rules.seats, rules.players))
    }
    north, east, south, west = (hands.get(seat, ()) for seat in Seat)
    rest = deck[5 * rules.players :]
    return Deal(
        dealer=rng.choice(rules.seats),
        hands=(north, east, south, west),
        dummy=tuple(rest[: rules.dummy_size]),
        up_card=rest[rules.dummy_size],
    )


def judge_of(rules: HouseRules, deal: Deal) -> Judge:
    """A judge who sees all cards of a deal."""
    return Judge(
        players=tuple(map(str, rules.seats)),
        dealer=str(deal.dealer),
        hands={str(seat): [str(card) for card in deal.hands[seat.index]] for seat in rules.seats},
        dummy=tuple(map(str, deal.dummy)),
        up_card=str(deal.up_card),
        strict=rules.supervision is Supervision.STRICT,
    )


def refuses(state: State, action: Action) -> bool:
    """Is an action against the rules?"""
    try:
        apply(state, action)
    except RuleViolation:
        return True
    return False


def compare_play(state: State, judge: Judge) -> None:
    """The turn, the takers of the tricks, calls, verdicts and penalties match."""
    if isinstance(state, Playing):
        assert str(state.to_act) == judge.due(), hand_line(state)
    if isinstance(state, Playing | Closing):
        takers = [str(trick.winner) for trick in state.tricks]
        assert takers == [judge.taker(trick) for trick in judge.complete()], hand_line(state)
    if not isinstance(state, Playing | Answering | Settling | Closing | Scored):
        return
    docket = state.docket
    assert [(str(call.seat), offense_of(call)) for call in docket.calls] == judge.calls, hand_line(state)
    verdicts = [(offense_of(verdict.call), verdict.guilty) for verdict in docket.verdicts]
    assert verdicts == judge.verdicts, hand_line(state)
    penalties = [(judge.side(str(penalty.offender)), by_name(penalty.points)) for penalty in docket.penalties]
    assert penalties == list(judge.penalties.items()), hand_line(state)


# Statistics


def count(judge: Judge, act: Act, happened: Happened) -> None:
    """Count the next action, by what the judge knows about it."""
    match act:
        case ("bury", _, str(card)):
            happened["discard after the lead"] += bool(judge.laid)
            happened["up-card buried"] += card == judge.up_card
        case ("alone", str(seat)):
            happened["alone before the discard"] += judge.ordered and not judge.buried and seat == judge.dealer
        case ("dummy", str(seat)):
            happened["dummy while the dealer owes a discard"] += judge.ordered and not judge.buried
            happened["dummy of a dealer after the discard"] += judge.ordered and seat == judge.dealer
        case ("settle", _, str(terms), int(points)):
            last = len(judge.said) + 1 == len(judge.opponents(judge.settling[0] if judge.settling else ""))
            same = not judge.said or set(judge.said.values()) == {(terms, points)}
            happened[f"{terms} by all"] += last and same
            happened["one enforces"] += terms == "full" and bool(judge.said) and not same
            happened["no agreement on less"] += terms != "full" and not same
        case ("disagree", _) if judge.proposal:
            happened["claim refused" if judge.proposal[1] is None else "throw-in refused"] += 1


def count_score(judge: Judge, happened: Happened) -> None:
    """Count the ending of a hand and its rulings."""
    alone = "alone, " if judge.alone else ""
    happened[alone + judge.reason()] += 1
    happened.update(f"{kind} {'proven' if guilty else 'innocent'}" for (_, kind, _), guilty in judge.verdicts)
    happened.update(f"penalty of {'the maker' if side == 'maker' else 'a defender'}" for side in judge.penalties)
    happened["second offense of a side"] += len(judge.penalties) == 1 and len(judge.verdicts) > 2
    happened["offense never called"] += any(
        judge.guilty(offense) and offense not in judge.ruled for offense in judge.callable_offenses()
    )
    happened["six cards to the end"] += bool(judge.failure_to_discard()) and len(judge.complete()) == TRICKS
    happened["hand ended by agreement"] += judge.agreed_tricks is not None


PLAYED = (
    *("made-it", "march", "euchre", "alone, made-it", "alone, march", "alone, euchre"),
    *("bury", "up-card buried", "dummy of a dealer after the discard", "claim refused", "throw-in refused"),
    *("hand ended by agreement", "order alone", "name alone", "alone before the discard"),
)
RULED = (
    *("renege", "out of turn", "renege proven", "renege innocent", "out-of-turn proven", "failure-to-discard proven"),
    *("penalty", "alone, penalty", "both-guilty", "alone, both-guilty", "penalty of the maker"),
    *("penalty of a defender", "full by all", "fewer by all", "correct by all", "let-stand by all"),
    *("second offense of a side", "offense never called", "six cards to the end", "discard after the lead"),
    "dummy while the dealer owes a discard",
)
TWO_WRONGED = ("one enforces", "no agreement on less")


def play_hands(rules: HouseRules, hands: int) -> Happened:
    happened: Happened = Counter()
    for seed in range(hands):
        play_hand(rules, seed, happened)
    return happened


@pytest.mark.parametrize(("sheet", "hands"), [("club3", 900), ("club2", 700)])
def test_an_honor_table_agrees_with_the_judge(sheet: str, hands: int) -> None:
    """Everything that can happen did happen, so the agreement means something."""
    happened = play_hands(honor(sheet), hands)
    expected = PLAYED + RULED + (TWO_WRONGED if sheet == "club3" else ())
    assert not [kind for kind in expected if happened[kind] < 3], happened


@pytest.mark.parametrize("sheet", ["club3", "club2"])
def test_a_strict_table_agrees_with_the_judge(sheet: str) -> None:
    happened = play_hands(preset(sheet), 500)
    assert not [kind for kind in PLAYED if happened[kind] < 3], happened
    assert not [kind for kind in RULED if happened[kind]], happened


@pytest.mark.parametrize("sheet", ["club3", "club2"])
def test_a_few_hands_agree_with_the_judge(sheet: str) -> None:
    """Enough hands to catch the misreadings that `test_planted_engine` plants."""
    play_hands(honor(sheet), 160)
    play_hands(preset(sheet), 20)


# The judge alone, against sentences of the sheet

THREE_DEAL = "S 9h N:JhAhAsAcAd E:9sTs9cTdKh S:KsJsQcJdKd D:QsTcKc"
LIED, LATER = "N:As E:Td S:Ks", "N:Ac E:9c S:Qc N:Ad E:9s"
"""East doesn't follow spades, and shows one in the third trick."""
STRAIGHT = "N:As E:9s S:Ks N:Ac E:9c S:Qc N:Ad E:Td S:Kd N:Jh E:Kh S:Jd N:Ah E:Ts S:9h"


def judged(words: str) -> Judge:
    """The judge of a three-handed hand, dealt by South, after these tokens of a hand line."""
    calls, _, tricks = words.partition(" | ")
    state = parse_hand_line(f"{{{name_rules(honor('club3'))}}} {THREE_DEAL} | {calls} | {tricks}")
    deal = judge_of(state.hand.rules, state.hand.deal)
    return judge_hand(deal.dealer, deal.up_card, deal.hands, deal.dummy, map(act_of, state.actions))


@pytest.mark.parametrize(
    ("words", "points"),
    [
        (f"o & -QsTcKc -Js | {STRAIGHT} N. E. S.", {"N": 2}),
        (f"o ! -Js | {STRAIGHT} N. E. S.", {"N": 4}),
        (f"p o & -QsTcKc -Js | {STRAIGHT} N. E. S.", {"N": 2, "S": 2}),
        (f"p o ! -Js | {STRAIGHT} N. E. S.", {"N": 4, "S": 4}),
        (f"o & -QsTcKc -Js | {LIED} {LATER} N^E1renege N=full N. E. S.", {"N": 2}),
        (f"o ! -Js | {LIED} {LATER} N^E1renege N=full N. E. S.", {"N": 4}),
        (f"p o & -QsTcKc -Js | {LIED} {LATER} S^E1renege S=stand N=full N. E. S.", {"N": 2, "S": 2}),
        (f"p o ! -Js | {LIED} {LATER} S^E1renege N=full N. E. S.", {"N": 4, "S": 4}),
        ("o & -QsTcKc | N:As S:Js N^S1out-of-turn N=full N. E. S.", {"N": 2}),
        ("o ! | N:As E:9s S:Ks N^S0failure-to-discard N. E. S.", {"N": 4}),
        ("p p o ! | N:As E:9s S:Ks E^S0failure-to-discard N. E. S.", {"N": 4, "E": 4}),
        ("o & -QsTcKc -Js | S:Ks E:9s N:Ad N^S1out-of-turn N=1 E^N1renege S=full N. E. S.", {}),
    ],
)
def test_club3_hands_score_what_the_sheet_says(words: str, points: dict[str, int]) -> None:
    """Points 6 to 8 of the sheet's three-handed game; the last hand has both sides guilty."""
    assert judged(words).points() == points


def test_club3_judge_forbids_the_dummy_before_the_discard() -> None:
    """Point 4 of the sheet's three-handed game: a dealer who is the maker discards first."""
    assert ("dummy", "S") not in judged("p p o").offers()
    assert ("alone", "S") in judged("p p o").offers()
    assert ("dummy", "S") in judged("p p o -Js").offers()
    assert ("dummy", "N") in judged("o").offers()
    with pytest.raises(ValueError, match="not possible"):
        judge_hand("S", "9h", {seat: ["As"] for seat in "NES"}, ["Qs"], [("order", "N"), ("dummy", "E")])


def test_club3_judge_lets_only_opponents_call() -> None:
    """In a hand the two defenders are one side."""
    callers = {act[1] for act in judged(f"p o & -QsTcKc -Js | {LIED}").offers() if act[0] == "call"}
    assert callers == {"N", "S"}
    callers = {act[1] for act in judged(f"o & -QsTcKc -Js | {LIED}").offers() if act[0] == "call"}
    assert callers == {"N"}


def test_the_left_bower_follows_trump_for_the_judge() -> None:
    """Hearts are trump: the jack of diamonds follows hearts, and diamonds do not ask for it."""
    assert not judged("o & -QsTcKc -Js | N:Jh E:Kh S:Jd").strays()
    renege = ("S", "renege", 1)
    judge = judged("o & -QsTcKc -Js | N:Ah E:Kh S:Ks")
    assert judge.guilty(renege)
    assert judge.withheld("S", 1) == ["Jd", "9h"]
    assert not judge.decided(renege)
