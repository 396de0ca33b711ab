"""Random numbers of a decision depend only on the deal's secret and the public history."""

from dataclasses import replace
from hashlib import sha256
from random import Random

from hypothesis import given

from leftbower.dealing import seal
from leftbower.engine import Action, Bury, OpenState, Play, Scored, State, apply, deal_hand, start, view, whose_turn
from leftbower.notation import parse_hand_line
from leftbower.players.decision_rng import Purpose, cut_rng, decision_rng, decision_seed
from leftbower.players.roster import player
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.cards import Card
from leftbower.testing import states

SECRET, OTHER = bytes(32), bytes(31) + b"\x01"
FORMAT = "{campus} W Jd N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p"


def hand(line: str) -> OpenState:
    state = parse_hand_line(line)
    assert not isinstance(state, Scored)
    return state


def played(
    rules: HouseRules, entropy: bytes, secret: bytes, level: str = "novice"
) -> tuple[tuple[Action, ...], list[bytes]]:
    """A hand of four bots from the deck of this entropy with another secret: the actions and their seeds."""
    state: State = start(rules, deal_hand(rules, dealer=Seat.N, deck=seal(entropy, rules.deck).deck))
    seeds: list[bytes] = []
    while not isinstance(state, Scored):
        seat_view = view(state, whose_turn(state))
        seeds.append(decision_seed(secret, seat_view, cut=0, purpose=Purpose.ACT))
        state = apply(state, player(level).act(seat_view, Random(seeds[-1])))
    return state.actions, seeds


def test_nothing_public_determines_what_a_bot_does() -> None:
    """The same deals, with everything the same but the secret: no seed is the same, and hands go differently."""
    rules = preset("campus")
    entropies = [number.to_bytes(32) for number in range(20)]
    first, second = ([played(rules, entropy, secret) for entropy in entropies] for secret in (SECRET, OTHER))
    assert not {seed for _, seeds in first for seed in seeds} & {seed for _, seeds in second for seed in seeds}
    assert sum(hand != other for (hand, _), (other, _) in zip(first, second, strict=True)) >= 5


def test_the_same_deal_and_history_give_the_same_choice() -> None:
    rules = preset("campus")
    for number in range(5):
        assert played(rules, number.to_bytes(32), SECRET) == played(rules, number.to_bytes(32), SECRET)


def test_the_format_of_a_seed_is_plain_text() -> None:
    seat_view = view(hand(FORMAT), Seat.E)
    history = '[{"act":"pass","seat":"N"}]'
    text = f"leftbower rng 1:{SECRET.hex()}:act:E:7:Jd:{history}"
    assert decision_seed(SECRET, seat_view, cut=7, purpose=Purpose.ACT) == sha256(text.encode()).digest()
    rng = decision_rng(SECRET, seat_view, cut=7, purpose=Purpose.ACT)
    assert rng.random() == Random(sha256(text.encode()).digest()).random()
    cut = sha256(f"leftbower rng 1:{SECRET.hex()}:cut:E".encode()).digest()
    assert cut_rng(SECRET, Seat.E).randrange(24) == Random(cut).randrange(24)


def test_seat_cut_purpose_and_each_action_change_the_seed() -> None:
    before, now = hand(FORMAT.removesuffix(" p")), hand(FORMAT)
    seeds = [
        decision_seed(secret, view(state, seat), cut=cut, purpose=purpose)
        for secret in (SECRET, OTHER)
        for state in (before, now)
        for seat in state.hand.rules.seats
        for cut in (0, 7)
        for purpose in Purpose
    ]
    assert len(set(seeds)) == len(seeds) == 2 * 2 * 4 * 2 * 3


def test_a_seed_does_not_depend_on_hidden_cards() -> None:
    """The dealer discards one card or another: no other player knows, and every later seed is the same."""
    line = "{campus} W Jd N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | o"
    led, *_ = hand(line).cards[Seat.N.index]
    later = [
        apply(apply(hand(line), Bury(Seat.W, Card.parse(card))), Play(Seat.N, Card.parse(str(led))))
        for card in ("9h", "Js", "Kh")
    ]
    for seat in Seat:
        found = {decision_seed(SECRET, view(state, seat), cut=0, purpose=Purpose.ACT) for state in later}
        assert len(found) == 1


@given(states())
def test_a_seed_is_made_of_what_a_spectator_sees(state: State) -> None:
    spectator = view(state, None)
    for seat in state.hand.rules.seats:
        as_seen = replace(spectator, seat=seat)
        expected = decision_seed(SECRET, as_seen, cut=0, purpose=Purpose.ACT)
        assert decision_seed(SECRET, view(state, seat), cut=0, purpose=Purpose.ACT) == expected
