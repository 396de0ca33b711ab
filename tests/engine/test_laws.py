"""Laws of the engine that hold in every reachable state, for every seat and every rule set."""

import pickle
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import FrozenInstanceError, fields, replace
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import Phase, given, settings, strategies as st

from leftbower.engine import (
    Action,
    AskingDefenders,
    AskingFarmers,
    Bidding,
    Bury,
    Contract,
    DecidingAlone,
    DefendAlone,
    DefendTogether,
    Discarding,
    ExchangingDummy,
    FaceDown,
    GameOver,
    GoAlone,
    GoTogether,
    InGame,
    InHand,
    KeepHand,
    LayAway,
    Match,
    MatchOver,
    Name,
    Order,
    Pass,
    Play,
    Playing,
    Reason,
    Scored,
    ShowFarmersHand,
    State,
    ToDeal,
    acts,
    advance_match,
    apply,
    legal_actions,
    new_match,
    replay,
    start,
    view,
)
from leftbower.errors import RuleViolation
from leftbower.notation import (
    Record,
    RecordedPlayer,
    action_from_json,
    action_to_json,
    dumps,
    error_to_json,
    fact_from_json,
    fact_to_json,
    hand_line,
    loads,
    parse_hand_line,
    read_record,
    view_from_json,
    view_line,
    view_to_json,
)
from leftbower.rules import DECK, UNKNOWN, Card, Face, HouseRules, Seat, Suit, preset, to_link
from leftbower.testing import finished_hands, hands, house_rules, match_facts, states

pytestmark = pytest.mark.unmeasured

PHASES = (AskingFarmers, Bidding, Discarding, DecidingAlone, ExchangingDummy, AskingDefenders, Playing, Scored)
LONGEST_HAND = 4 + 8 + 1 + 1 + 1 + 2 + 20
"""Four questions about a farmer's hand, two rounds of bids, discard, alone, lay away, two defenders, twenty cards."""

PHASES_WITHOUT_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""No shrinking for a whole match: it would take minutes."""


def universe(state: State) -> Iterator[Action]:
    """Every conceivable action; of the many sets of cards only a part."""
    seats = Seat
    for seat in seats:
        yield from (KeepHand(seat), Pass(seat), GoAlone(seat), GoTogether(seat), DefendAlone(seat))
        yield from (DefendTogether(seat), Order(seat), Order(seat, True), Bury(seat, UNKNOWN))
        yield from (Name(seat, suit, alone) for suit in Suit for alone in (False, True))
        yield from (act(seat, card) for card in DECK for act in (Play, Bury))
        yield Play(seat, UNKNOWN)  # type: ignore[arg-type]
        yield from (ShowFarmersHand(seat, DECK[:5]), LayAway(seat, DECK[:3]), LayAway(seat, (UNKNOWN,) * 3))
    if isinstance(state, AskingFarmers | ExchangingDummy):
        yield from _sets_of_cards(state)


def _sets_of_cards(state: AskingFarmers | ExchangingDummy) -> Iterator[Action]:
    seat, held = state.to_act, state.cards[state.to_act.index]
    known = [card for card in held if card is not UNKNOWN]
    others = [card for card in DECK if card not in held]
    mixed: tuple[Face, ...] = (*held[:4], *others[:4], UNKNOWN)
    for size in range(7):
        yield from (LayAway(seat, cards) for cards in combinations(mixed if size == 3 else held, size))
        yield from (ShowFarmersHand(seat, cards) for cards in combinations(known[:3] + others[:4], size))
    for card in known:
        yield from (LayAway(seat, (card, card, known[0])), ShowFarmersHand(seat, (card,) * 5))
        yield ShowFarmersHand(seat, (card, card, *known[:3]))


def check_every_action(state: State) -> None:
    """`apply` accepts the listed actions, refuses all others by name, and leaves the state unchanged."""
    before = deepcopy(state)
    listed = legal_actions(state)
    assert len(set(listed)) == len(listed)
    assert isinstance(state, Scored) == (not listed)
    for action in listed:
        after = apply(state, action)
        assert after.actions == (*state.actions, action)
        assert after.hand is state.hand
    for action in set(universe(state)) - set(listed):
        with pytest.raises(RuleViolation) as refusal:
            apply(state, action)
        assert refusal.value.code not in ("error", "")
        assert refusal.value.state is state
        assert refusal.value.message
    assert state == before


# Legal actions


@settings(max_examples=120)
@given(states())
def test_legal_actions_are_exactly_what_apply_accepts(state: State) -> None:
    """In every phase, for every seat and rule set."""
    check_every_action(state)


@settings(max_examples=15)
@pytest.mark.parametrize("phase", PHASES)
@given(data=st.data())
def test_legal_actions_are_exact_in_rare_phases_too(phase: type[State], data: st.DataObject) -> None:
    """Each phase gets its share of examples."""
    check_every_action(data.draw(states(phase=phase)))


@settings(max_examples=50)
@given(states(unknown=True))
def test_legal_actions_are_exact_where_cards_are_unknown(state: State) -> None:
    """A record with unknown cards follows the same list."""
    check_every_action(state)


@settings(max_examples=25)
@given(house_rules().flatmap(states))
def test_no_other_option_changes_what_is_legal(state: State) -> None:
    """Options about game, match, penalties and event don't change the legal actions."""
    check_every_action(state)


@settings(max_examples=60)
@given(states())
def test_everything_legal_belongs_to_the_seat_that_is_to_act(state: State) -> None:
    """In strict play one seat acts at a time, and it sits at the table."""
    if isinstance(state, Scored):
        return
    assert {action.seat for action in acts(state)} == {state.to_act}
    assert state.to_act in state.hand.rules.seats


# Cards


def all_cards(state: State) -> Counter[Face]:
    """Every card of a hand, wherever it is, computed from the deal and the actions."""
    hand, rules = state.hand, state.hand.rules
    deal = hand.deal
    contract = None if isinstance(state, FaceDown | AskingFarmers | Bidding) else state.contract
    lying: list[Face] = [card for held in state.cards for card in held]
    tricks = state.tricks if isinstance(state, Playing | Scored) else ()
    lying += [card for trick in tricks for card in trick.cards]
    lying += state.trick if isinstance(state, Playing) else ()
    lying += _kitty(state)
    exchanged = not isinstance(state, Bidding | AskingFarmers | Discarding | DecidingAlone)
    if contract is None:
        lying += [*deal.dummy, deal.up_card]
        return Counter(lying)
    lying += contract.laid_away
    lying += () if exchanged and not contract.alone else deal.dummy
    lying += [contract.buried] if contract.buried is not None else []
    before_taking = isinstance(state, Discarding) and str(rules.bury) == "before-taking"
    lying += () if contract.ordered and not before_taking else [deal.up_card]
    return Counter(lying)


def _kitty(state: State) -> list[Face]:
    """The closed kitty: the cards not dealt, or those shown in a farmer's swap."""
    deal = state.hand.deal
    farmers_hands = [action for action in state.actions if isinstance(action, ShowFarmersHand)]
    if farmers_hands and str(state.hand.rules.farmers_hand) == "swap":
        return list(farmers_hands[0].cards)
    dealt = {deal.up_card, *deal.dummy, *(card for held in deal.hands for card in held)}
    return [card for card in state.hand.rules.deck if card not in dealt]


@settings(max_examples=100)
@given(hands())
def test_no_card_is_ever_lost_or_doubled(walk: tuple[State, ...]) -> None:
    """Hands, tricks, kitty, dummy and discards add up to the deck, in every state of the hand."""
    whole: Counter[Face] = Counter(walk[0].hand.rules.deck)
    for state in walk:
        assert all_cards(state) == whole


@settings(max_examples=60)
@given(hands())
def test_every_player_plays_from_five_cards(walk: tuple[State, ...]) -> None:
    """Everyone holds five at the first lead, and active players hold none at the end."""
    over = walk[-1]
    first = next((state for state in walk if isinstance(state, Playing)), None)
    for seat in first.hand.rules.seats if first else ():
        assert first
        assert len(first.cards[seat.index]) == 5
        assert len(over.cards[seat.index]) == (0 if seat in first.active else 5)


# The end of a hand


def test_ranks_of_the_naive_recount() -> None:
    """The recount below has its own ranking, not the program's."""
    assert [str(card) for card in sorted(DECK, key=lambda card: naive_rank(str(card), "s", "h"))][-7:] == [
        *("9s", "Ts", "Qs", "Ks", "As", "Jc", "Js"),
    ]


def naive_rank(card: str, trump: str, led: str) -> int:
    """The strength of a card in a trick, 0 if it can't win."""
    left = "J" + {"c": "s", "s": "c", "d": "h", "h": "d"}[trump]
    trumps = [rank + trump for rank in "9TQKA"] + [left, "J" + trump]
    plain = [rank + led for rank in "9TJQKA"]
    return 10 + trumps.index(card) if card in trumps else 1 + plain.index(card) if card in plain else 0


def naive_tricks(state: Scored, contract: Contract) -> list[Seat]:
    """Who took each trick, only from the cards played."""
    trump = str(contract.trump)
    left = "J" + {"c": "s", "s": "c", "d": "h", "h": "d"}[trump]
    plays = [action for action in state.actions if isinstance(action, Play)]
    size = len(plays) // 5
    winners = []
    for start_index in range(0, len(plays), size):
        trick = plays[start_index : start_index + size]
        first = str(trick[0].card)
        led = trump if first == left else first[1]
        winners.append(max(trick, key=lambda play: naive_rank(str(play.card), trump, led)).seat)
    return winners


def naive_points(state: Scored) -> dict[Seat, int]:
    """The points of a hand, from the cards played and the words of the rules."""
    rules, contract = state.hand.rules, state.contract
    if contract is None:
        return {}
    maker = contract.maker
    makers = {maker, maker.partner} if rules.players == 4 else {maker}
    others = set(rules.seats) - makers
    taken = sum(seat in makers for seat in naive_tricks(state, contract))
    if taken < 3:
        lone = 4 if contract.defender else rules.euchre_points_alone if contract.alone else rules.euchre_points
        return dict.fromkeys(others, lone)
    if contract.alone:
        return dict.fromkeys(makers, rules.march_points_alone if taken == 5 else rules.made_points_alone)
    return dict.fromkeys(makers, rules.march_points if taken == 5 else rules.made_points)


@settings(max_examples=100)
@given(finished_hands())
def test_points_are_those_of_a_naive_recount(state: Scored) -> None:
    """From the tricks alone; a hand that wasn't played scores nothing."""
    assert dict(state.points) == naive_points(state)
    if state.contract is None:
        assert state.reason in (Reason.PASSED_OUT, Reason.FARMERS_REDEAL)
        return
    assert [trick.winner for trick in state.tricks] == naive_tricks(state, state.contract)
    for before, after in pairwise(state.tricks):
        assert after.leader is before.winner


@settings(max_examples=60)
@given(hands())
def test_every_hand_ends_after_a_bounded_number_of_acts(walk: tuple[State, ...]) -> None:
    """The seat to act has a legal action, and the hand is over after at most 37 acts."""
    assert isinstance(walk[-1], Scored)
    assert len(walk[-1].actions) <= LONGEST_HAND
    assert all(legal_actions(state) for state in walk[:-1])


@settings(max_examples=60)
@given(hands(unknown=True))
def test_a_hand_with_unknown_cards_never_gets_stuck(walk: tuple[State, ...]) -> None:
    """There is always a card left that an unknown one can be."""
    assert isinstance(walk[-1], Scored)
    assert len(walk[-1].actions) <= LONGEST_HAND


# States as values


@settings(max_examples=50)
@given(states())
def test_every_state_is_a_fold_of_its_actions(state: State) -> None:
    """The deal and the actions determine the state."""
    hand = state.hand
    assert replay(start(hand.rules, hand.deal, hand.scores), state.actions) == state


@settings(max_examples=30)
@given(states())
def test_states_and_actions_are_frozen_values(state: State) -> None:
    """They are immutable, picklable, and compare by value."""
    values: list[Any] = [state, state.hand, state.hand.deal, *state.actions, *legal_actions(state)]
    for value in values:
        assert pickle.loads(pickle.dumps(value)) == value
        with pytest.raises(FrozenInstanceError):
            setattr(value, fields(value)[0].name, None)
    for action in values[3:]:
        assert hash(action) == hash(pickle.loads(pickle.dumps(action)))


# Hand line, record and JSON


@settings(max_examples=80)
@given(states(), st.tuples(*[st.integers(0, 20)] * 4))
def test_a_hand_line_is_read_back_exactly(state: State, scores: tuple[int, ...]) -> None:
    """State to text to state, and text to state to text."""
    hand = state.hand
    begun = start(hand.rules, hand.deal, scores[: len(hand.rules.sides)])
    state = replay(begun, state.actions)
    line = hand_line(state)
    assert parse_hand_line(line) == state
    assert hand_line(parse_hand_line(line)) == line
    assert "\n" not in line
    assert len(line) <= 400


@settings(max_examples=40)
@given(states(unknown=True))
def test_a_hand_line_with_unknown_cards_is_read_back_exactly(state: State) -> None:
    """Also where some cards are unknown."""
    assert parse_hand_line(hand_line(state)) == state


@settings(max_examples=60)
@given(states(), st.sampled_from([*Seat, None]))
def test_the_line_of_a_view_is_a_hand_line(state: State, seat: Seat | None) -> None:
    """A viewer's line parses, and has the same seat to act."""
    if seat not in (*state.hand.rules.seats, None):
        return
    seat_view = view(state, seat)
    parsed = parse_hand_line(view_line(seat_view))
    assert type(parsed) is type(state)
    if not isinstance(parsed, Scored) and not isinstance(state, Scored):
        assert parsed.to_act is state.to_act
    assert view_line(view(parsed, seat)) == view_line(seat_view)


@pytest.mark.parametrize("seat", [Seat.N, Seat.S, None])
def test_an_up_card_laid_away_face_down_leaves_a_line_that_reads(seat: Seat | None) -> None:
    """A dealer who can't discard the up-card takes the dummy, and lays the up-card away with two other cards."""
    link = to_link(replace(preset("club2"), may_bury_up_card=False))
    deal = "N As N:TcJcQcKcAc S:TdJdQdKdAd D:ThJhQh"
    state = parse_hand_line(f"{{{link}}} {deal} | p o -Tc & -JcKcAs | TdQc JdAc QdTh KdJh AdQh")
    view_of_seat = view_line(view(state, seat))
    assert view_line(view(parse_hand_line(view_of_seat), seat)) == view_of_seat


@settings(max_examples=60)
@given(states())
def test_actions_and_deals_survive_json(state: State) -> None:
    """Every act, listed or done, and the deal."""
    for action in (*state.actions, *legal_actions(state)):
        assert action_from_json(action_to_json(action)) == action
        assert fact_from_json(fact_to_json(action)) == action
    assert fact_from_json(fact_to_json(state.hand.deal)) == state.hand.deal


@settings(max_examples=60)
@given(states(), st.sampled_from([*Seat, None]))
def test_views_survive_json(state: State, seat: Seat | None) -> None:
    """Through text and back, for every seat and the spectator."""
    if seat in (*state.hand.rules.seats, None):
        seat_view = view(state, seat)
        assert view_from_json(view_to_json(seat_view)) == seat_view


@settings(max_examples=8, phases=PHASES_WITHOUT_SHRINKING)
@given(match_facts(finished=True), st.text(max_size=12))
def test_a_finished_record_is_read_back_exactly(played: tuple[HouseRules, tuple[Any, ...]], name: str) -> None:
    """Rules, players and every fact; the text is the same after a round trip."""
    rules, facts = played
    record = Record(rules=rules, facts=facts, players={Seat.N: RecordedPlayer(name=name, kind="bot", version="1")})
    assert isinstance(record.fold(), MatchOver)
    text = dumps(record)
    assert loads(text) == record
    assert dumps(loads(text)) == text


@settings(max_examples=15, phases=PHASES_WITHOUT_SHRINKING)
@given(match_facts())
def test_an_unfinished_record_keeps_all_its_facts(played: tuple[HouseRules, tuple[Any, ...]]) -> None:
    """The state of the match is the fold of the record."""
    record = Record(rules=played[0], facts=played[1])
    parsed, replayed = read_record(dumps(record))
    assert parsed == record
    assert parsed.fold() == record.fold()
    assert (replayed.fault is None) == isinstance(record.fold(), MatchOver)


@settings(max_examples=15, phases=PHASES_WITHOUT_SHRINKING)
@given(match_facts())
def test_the_score_of_a_replay_is_the_score_of_its_last_game(played: tuple[HouseRules, tuple[Any, ...]]) -> None:
    """Whatever the rules say about draws, a new game starts at 0."""
    record = Record(rules=played[0], facts=played[1])
    match = record.fold()
    _, replayed = read_record(dumps(record))
    if isinstance(match, MatchOver):
        assert replayed.scores == match.last.scores
    elif isinstance(match, InGame) and match.game.hands:
        assert replayed.scores == match.game.scores


@settings(max_examples=15, phases=PHASES_WITHOUT_SHRINKING)
@given(match_facts())
def test_every_draw_in_a_match_survives_json(played: tuple[HouseRules, tuple[Any, ...]]) -> None:
    """Draws, deals and acts."""
    for fact in played[1]:
        assert fact_from_json(fact_to_json(fact)) == fact


@settings(max_examples=10, phases=PHASES_WITHOUT_SHRINKING)
@given(match_facts(finished=True))
def test_a_match_is_a_fold_in_which_no_fact_can_be_missing(played: tuple[HouseRules, tuple[Any, ...]]) -> None:
    """Drawn, dealt, acted: each fact fits only in its place, and scores never fall within a game."""
    rules, facts = played
    match: Match = new_match(rules)
    scores: tuple[int, ...] = ()
    for fact in facts:
        match = advance_match(match, fact)
        game = match.last if isinstance(match, MatchOver) else match.game if isinstance(match, InGame) else None
        if isinstance(game, ToDeal) and not game.hands:
            scores = game.scores
            assert not any(scores)
        elif isinstance(game, ToDeal | GameOver | InHand):
            assert all(score >= earlier for score, earlier in zip(game.scores, scores, strict=True))
            scores = game.scores
    assert isinstance(match, MatchOver)
    with pytest.raises(RuleViolation) as refusal:
        advance_match(match, facts[0])
    assert refusal.value.code == "match-is-over"


# What errors and views say

_CARD = re.compile(r"\b(?:[9TJQKA]|10)[cdhs♣♦♥♠]")


@settings(max_examples=40)
@given(states())
def test_an_error_never_tells_a_card_or_the_state(state: State) -> None:
    """Neither its message nor its JSON nor its log output names a card that the action didn't."""
    for action in set(universe(state)) - set(legal_actions(state)):
        with pytest.raises(RuleViolation) as refusal:
            apply(state, action)
        error = refusal.value
        text = f"{error} {error!r} {error_to_json(error)} {error.args}"
        own = {str(action.card)} if isinstance(action, Play | Bury) else set()
        assert set(_CARD.findall(text)) <= own
        assert not re.search(r"\b(?:Hand|Deal|Card)\(|hands=|cards=", text)


@given(states(phase=Playing))
@settings(max_examples=10)
def test_a_pickled_error_leaves_the_state_behind(state: State) -> None:
    """Only code, message and path are pickled, and no card."""
    with pytest.raises(RuleViolation) as refusal:
        apply(state, Pass(Seat.N))
    error = refusal.value.at("line 3")
    unpickled = pickle.loads(pickle.dumps(error))
    assert type(unpickled) is type(error)
    assert unpickled.as_json() == error.as_json()
    assert unpickled.state is None


@settings(max_examples=100)
@given(states())
def test_a_view_explains_every_card_its_viewer_holds(state: State) -> None:
    """Each card held is either legal to play or discard, or refused with a code; other viewers get nothing."""
    for seat in state.hand.rules.seats:
        seat_view = view(state, seat)
        assert seat_view.legal == tuple(action for action in legal_actions(state) if action.seat is seat)
        if isinstance(state, Playing | Discarding) and seat is state.to_act:
            usable = {action.card for action in seat_view.legal if isinstance(action, Play | Bury)}
            assert usable | set(seat_view.refused) == set(seat_view.cards)
            assert not usable & set(seat_view.refused)
            assert all(re.fullmatch(r"[a-z-]+", code) for code in seat_view.refused.values())
        else:
            assert not seat_view.refused
    spectator = view(state, None)
    assert (*spectator.legal, *spectator.refused, *spectator.cards, *spectator.dealt, *spectator.dummy) == ()


@settings(max_examples=60)
@given(states(), st.sampled_from(DECK))
def test_a_card_is_playable_exactly_when_it_is_listed(state: State, card: Card) -> None:
    """The function that lists legal cards is the one that refuses the others."""
    if not isinstance(state, Playing):
        return
    action = Play(state.to_act, card)
    if action in legal_actions(state):
        assert card in state.cards[state.to_act.index]
        apply(state, action)
    else:
        with pytest.raises(RuleViolation) as refusal:
            apply(state, action)
        held = card in state.cards[state.to_act.index]
        assert refusal.value.code == ("must-follow-suit" if held else "card-not-held")


# The strategies themselves


@settings(max_examples=20, phases=PHASES_WITHOUT_SHRINKING)
@given(hands(), match_facts())
def test_what_the_strategies_draw_prints_short(
    walk: tuple[State, ...], played: tuple[HouseRules, tuple[Any, ...]]
) -> None:
    """Hypothesis warns about longer ones, and with warnings as errors that would hide the real failure."""
    assert len(repr(walk)) < 10_000
    assert len(repr(played)) < 10_000
