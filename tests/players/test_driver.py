"""Playing hands and games: who is asked, who may talk, and what happens to a bot that errs."""

import pickle
from dataclasses import replace
from random import Random

import pytest

from honor_table import FOUR, HONEST, LIED, SECOND, THIRD, TWO, N, W, dealt, honor, playing, say, table
from leftbower.engine import (
    Action,
    Agree,
    Bury,
    CallOut,
    Claim,
    Correct,
    Phase,
    Play,
    Playing,
    Reason,
    Scored,
    Settle,
    State,
    ThrowIn,
    View,
    acts,
    apply,
    deal_hand,
    new_game,
    replay,
    start,
    talk,
    whose_turn,
)
from leftbower.errors import IllegalAnswer
from leftbower.players import RandomPlayer
from leftbower.players.driver import next_action, play_game, play_hand
from leftbower.players.player import Player
from leftbower.players.roster import player
from leftbower.rules import HouseRules, Seat, preset, presets
from leftbower.rules.choices import Supervision

NAMES = [listed.name for listed in presets()]


class Talker:
    """Acts like `random`, and talks whenever it finds talk of its kind; keeps every view."""

    name = "talker"

    def __init__(self, *words: type[Action]) -> None:
        self.words = words
        self.views: list[View] = []
        self.offered: list[View] = []

    def act(self, view: View, rng: Random) -> Action:
        self.views.append(view)
        return player("random").act(view, rng)

    def remark(self, view: View, rng: Random) -> Action | None:
        self.offered.append(view)
        mine = [action for action in view.legal if isinstance(action, self.words)]
        return mine[0] if mine else None


class Broken(RandomPlayer):
    """Always gives the answer it was created with."""

    name = "broken"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, view: View, rng: Random) -> Action:
        return self.answer  # type: ignore[return-value]


def shuffled(rules: HouseRules, seed: int, dealer: Seat = N) -> State:
    deck = list(rules.deck)
    Random(seed).shuffle(deck)
    return start(rules, deal_hand(rules, dealer=dealer, deck=deck))


def seat_rngs(seed: int = 1) -> dict[Seat, Random]:
    return {seat: Random(f"{seed}{seat}") for seat in Seat}


def in_every_seat(who: Player) -> dict[Seat, Player]:
    return dict.fromkeys(Seat, who)


@pytest.mark.parametrize("supervision", Supervision)
@pytest.mark.parametrize("name", NAMES)
def test_a_hand_is_played_to_its_end_under_every_preset(name: str, supervision: Supervision) -> None:
    """And the engine accepts every act."""
    rules = replace(preset(name), supervision=supervision)
    for seed in range(5):
        begun = shuffled(rules, seed)
        ended = play_hand(begun, in_every_seat(player("random")), seat_rngs(seed))
        assert replay(begun, ended.actions) == ended


def test_a_hand_can_be_driven_from_any_state() -> None:
    halfway = playing(table("club", f"{LIED} {SECOND}"))
    ended = play_hand(halfway, in_every_seat(player("random")), seat_rngs())
    assert ended.actions[: len(halfway.actions)] == halfway.actions
    assert play_hand(ended, {}, {}) is ended


def test_players_get_their_own_view_and_only_on_their_turn() -> None:
    bots = {seat: Talker() for seat in Seat}
    ended = play_hand(shuffled(preset("round-robin"), 3), bots, seat_rngs())
    for seat, bot in bots.items():
        assert {seat_view.seat for seat_view in bot.views} <= {seat}
        assert [seat_view.to_act for seat_view in bot.views] == [seat] * len(bot.views)
    assert sum(len(bot.views) for bot in bots.values()) == len(ended.actions)


@pytest.mark.parametrize("sheet", ["club", "campus"])
def test_a_dealer_who_owes_a_card_is_asked_first(sheet: str) -> None:
    """If forgetting it is an offense, an honor table doesn't wait for it: North is to act, but West is asked."""
    rules = honor(sheet, failure_to_discard="penalty")
    ordered = say(start(rules, dealt(rules, FOUR)), "o")
    assert not isinstance(ordered, Scored)
    assert (ordered.to_act, whose_turn(ordered)) == (N, W)
    action = next_action(ordered, in_every_seat(player("random")), seat_rngs())
    assert isinstance(action, Bury)
    buried = apply(ordered, action)
    assert not isinstance(buried, Scored)
    assert whose_turn(buried) is N


def test_remarks_are_offered_to_those_who_can_speak() -> None:
    bots = {seat: Talker(Claim) for seat in Seat}
    rules = honor("club")
    play_hand(shuffled(rules, 4), bots, seat_rngs())
    offered = [seat_view for bot in bots.values() for seat_view in bot.offered]
    assert offered
    for seat_view in offered:
        assert not seat_view.actions or seat_view.actions[-1].seat is not seat_view.seat
        assert any(isinstance(action, CallOut | Correct | Claim | ThrowIn) for action in seat_view.legal)


def test_a_strict_table_has_no_remarks_before_the_first_lead() -> None:
    bots = {seat: Talker() for seat in Seat}
    play_hand(shuffled(preset("club"), 4), bots, seat_rngs())
    assert {seat_view.phase for bot in bots.values() for seat_view in bot.offered} <= {Phase.PLAYING}


def test_a_player_who_never_talks_is_offered_no_remark() -> None:
    class Silent(Talker):
        talks = False

    silent = Silent(Claim)
    play_hand(shuffled(honor("club"), 4), in_every_seat(silent), seat_rngs())
    assert silent.views
    assert not silent.offered


def test_a_claim_is_answered_by_the_others_in_turn() -> None:
    claimed = playing(table("club", "", line=FOUR, supervision="strict"))

    class Agreeable(Talker):
        def act(self, view: View, rng: Random) -> Action:
            agreed = [action for action in view.legal if isinstance(action, Agree)]
            return agreed[0] if agreed else super().act(view, rng)

    ended = play_hand(claimed, in_every_seat(Agreeable(Claim)), seat_rngs())
    words = ended.actions[len(claimed.actions) :]
    assert isinstance(words[0], Claim)
    assert [type(word) for word in words[1:]] == [Agree] * 3
    assert ended.reason is Reason.MARCH


def test_a_renege_that_is_called_is_settled_and_the_hand_ends() -> None:
    """East has shown the spade that was withheld; North calls it."""
    state = playing(table("club", f"{LIED} {SECOND} {THIRD}"))
    ended = play_hand(state, in_every_seat(Talker(CallOut)), seat_rngs())
    assert isinstance(ended.actions[len(state.actions)], CallOut)
    assert ended.docket.verdicts[0].guilty
    assert replay(state, ended.actions[len(state.actions) :]) == ended


def test_the_wronged_side_is_asked_what_becomes_of_a_penalty() -> None:
    state = playing(table("club", f"{LIED} {SECOND} {THIRD}", waiver=True))
    ended = play_hand(state, in_every_seat(Talker(CallOut)), seat_rngs())
    assert any(isinstance(action, Settle) for action in ended.actions)


@pytest.mark.parametrize("answer", [None, "p", Play(N, FOUR)])  # type: ignore[arg-type]
def test_a_bot_that_answers_nonsense_is_named(answer: object) -> None:
    with pytest.raises(IllegalAnswer, match=r"^broken at E ") as wrong:
        play_hand(shuffled(preset("club"), 1), in_every_seat(Broken(answer)), seat_rngs())
    again = pickle.loads(pickle.dumps(wrong.value))
    assert (str(again), again.state) == (str(wrong.value), None)


def test_a_bot_that_acts_for_another_is_named() -> None:
    """The engine would accept it: at an honor table any player may be ready."""
    state = shuffled(preset("club"), 1)
    assert not isinstance(state, Scored)
    others = acts(state)[0]
    with pytest.raises(IllegalAnswer, match="broken at E"):
        play_hand(state, in_every_seat(Broken(replace(others, seat=N))), seat_rngs())


def test_an_illegal_remark_is_named_too() -> None:
    class Loud(Talker):
        name = "loud"

        def remark(self, view: View, rng: Random) -> Action | None:
            return Agree(N)

    with pytest.raises(IllegalAnswer, match="loud at"):
        play_hand(shuffled(preset("club"), 1), in_every_seat(Loud()), seat_rngs())


def test_bots_that_talk_without_end_are_stopped() -> None:
    """Correcting a card that wasn't wrong changes nothing, and two who take turns at it would never stop."""
    state = playing(table("campus", f"{LIED} N:Jh E:Kh S:Tc W:9h", line=HONEST, correction="unless-called"))
    assert sum(isinstance(action, Correct) for action in talk(state)) == 2
    with pytest.raises(IllegalAnswer, match="didn't stop after 1,000 actions"):
        play_hand(state, in_every_seat(Talker(Correct)), seat_rngs())


@pytest.mark.parametrize("name", ["club", "club3", "club2"])
def test_a_game_is_driven_until_a_side_has_won(name: str) -> None:
    rules = preset(name)
    hands: list[Scored] = []
    decks = Random(5)
    over = play_game(
        new_game(rules, N),
        in_every_seat(player("random")),
        seat_rngs(),
        lambda game: decks.sample(rules.deck, len(rules.deck)),
        scored=hands.append,
    )
    assert over.winner is not None
    assert max(over.scores) >= rules.target
    assert len(hands) == over.hands
    for side, score in zip(rules.sides, over.scores, strict=True):
        assert score == sum(hand.points.get(side[0], 0) for hand in hands)


def test_the_next_action_is_a_remark_if_there_is_one() -> None:
    rules = preset("club2")
    state = playing(drive_to_the_play(start(rules, dealt(rules, TWO))))
    action = next_action(state, in_every_seat(Talker(Claim)), seat_rngs())
    assert isinstance(action, Claim)
    assert isinstance(next_action(state, in_every_seat(Talker()), seat_rngs()), Play)


def drive_to_the_play(state: State) -> State:
    while not isinstance(state, Playing | Scored):
        state = apply(state, next_action(state, in_every_seat(player("random")), seat_rngs()))
    return state
