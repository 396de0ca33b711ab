"""The sheets in play: handwritten scenarios, each naming its sheet, independent of our own laws.

Three deals come up again and again. In `SUITED` every seat holds one suit, so that North's five top hearts take every
trick once hearts are trump; in `MIXED` North has three of them; `FARMER` gives West nines and tens.
"""

from dataclasses import replace

import pytest

from leftbower.engine import (
    Action,
    AskingDefenders,
    AskingFarmers,
    Bidding,
    Bury,
    Deal,
    DecidingAlone,
    Discarding,
    Draw,
    ExchangingDummy,
    Game,
    GameOver,
    GoAlone,
    GoTogether,
    InGame,
    InHand,
    Match,
    MatchOver,
    Order,
    Pass,
    Phase,
    Play,
    Playing,
    Reason,
    Scored,
    ShowFarmersHand,
    State,
    ToDeal,
    ToDraw,
    UpCardStatus,
    acts,
    advance_game,
    advance_match,
    apply,
    deal_hand,
    draw_dealer,
    legal_actions,
    new_game,
    new_match,
    view,
    winner,
)
from leftbower.errors import LeftbowerError, RuleViolation
from leftbower.notation import name_rules, parse_hand_line, parse_token, to_token
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat, Suit, parse_cards, preset

N, E, S, W = Seat
FOUR_SEATS = ("round-robin", "campus", "school-cup", "prize-night", "club")

SUITED = "N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
MIXED = "N:JhJdAh9s9c E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
FARMER = "N:AhKhJcQsAs E:JhJdJsKdAc S:AdQcKcQdKs W:9s9c9dThTc"
THREE = "N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd D:QsKsAs"
TWO = "N:JhJdAhKhQh S:TdQdKdAdAc D:QsKsAs"


def house_rules(sheet: str, **changes: object) -> HouseRules:
    """A sheet with changes."""
    return replace(preset(sheet), **changes)  # type: ignore[arg-type]


def state_of(rules: HouseRules | str, rest: str) -> State:
    """The state of a hand line under these rules."""
    return parse_hand_line(f"{{{rules if isinstance(rules, str) else name_rules(rules)}}} {rest}")


def open_words(state: State) -> set[str]:
    """The legal acts, as tokens of the hand line."""
    return {to_token(action) for action in acts(state)}


def may_say(state: State) -> set[str]:
    """The legal acts and talk, as tokens of the hand line."""
    return {to_token(action) for action in legal_actions(state)}


def why_not(state: State, text: str) -> str:
    """The error code if the seat to act tries this."""
    assert not isinstance(state, Scored)
    with pytest.raises(RuleViolation) as refusal:
        apply(state, parse_token(text, state.to_act))
    return refusal.value.code


def turn(state: State) -> Seat:
    assert not isinstance(state, Scored)
    return state.to_act


def cards(text: str) -> tuple[Card, ...]:
    return parse_cards(text)


def playing(state: State) -> Playing:
    assert isinstance(state, Playing)
    return state


def scored(state: State) -> Scored:
    assert isinstance(state, Scored)
    return state


# Bidding


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_the_seat_left_of_the_dealer_speaks_first_and_the_dealer_last(sheet: str) -> None:
    """Every sheet: the dealer's left first, two rounds."""
    line = f"W Th {SUITED} | "
    turns = [turn(state_of(sheet, line + "p " * passes)) for passes in range(8)]
    assert turns == [N, E, S, W, N, E, S, W]


@pytest.mark.parametrize("sheet", ["campus", "school-cup", "prize-night"])
def test_alone_is_said_with_the_call(sheet: str) -> None:
    """campus, school-cup, prize-night: pass, order, or order alone; then any other suit, alone or not."""
    assert open_words(state_of(sheet, f"W Th {SUITED}")) == {"p", "o", "o!"}
    assert open_words(state_of(sheet, f"W Th {SUITED} | p p p p")) == {"p", "c", "c!", "d", "d!", "s", "s!"}


def test_the_club_asks_alone_after_the_bury() -> None:
    """club: the question comes after the discard, for a maker who hasn't said alone."""
    begun = state_of("club", f"W Th {SUITED}")
    assert open_words(begun) == {"p", "o"}
    assert may_say(begun) == {"p", "o", "o!"}
    buried = state_of("club", f"W Th {SUITED} | o -Ts")
    assert isinstance(buried, DecidingAlone)
    assert turn(buried) is N
    assert open_words(buried) == {"!", "&"}
    assert playing(apply(buried, GoAlone(N))).active == (N, E, W)
    assert playing(apply(buried, GoTogether(N))).active == (N, E, S, W)


def test_club_maker_says_alone_with_the_call() -> None:
    """club: said with the call, it isn't asked again, in either round."""
    ordered = state_of("club", f"W Th {SUITED} | o!")
    assert isinstance(ordered, Discarding)
    assert playing(state_of("club", f"W Th {SUITED} | o! -Ts")).active == (N, E, W)
    named = playing(state_of("club", f"W Th {SUITED} | p p p p p c!"))
    assert (named.active, named.contract.alone) == ((N, E, S), True)
    assert why_not(state_of("club", f"W Th {SUITED} | p p p p"), "h!") == "suit-turned-down"


def test_club_partner_who_orders_up_only_alone_has_one_such_call() -> None:
    """A club where the dealer's partner must go alone: the call is listed once, and alone needn't be added."""
    state = state_of(name_rules(house_rules("club", partner_orders_alone=True)), f"W Th {SUITED} | p")
    assert legal_actions(state) == (Pass(E), Order(E, alone=True))


def test_club_maker_says_alone_until_the_first_card_is_led() -> None:
    """club: while the dealer discards, and after answering "with my partner"; not once a card is led."""
    early = state_of("club", f"W Th {SUITED} | o !")
    assert isinstance(early, Discarding)
    assert playing(state_of("club", f"W Th {SUITED} | o ! -Ts")).active == (N, E, W)
    together = playing(state_of("club", f"W Th {SUITED} | o -Ts &"))
    assert "!" in may_say(together)
    assert "!" not in open_words(together)
    revised = playing(state_of("club", f"W Th {SUITED} | o -Ts & !"))
    assert (revised.active, revised.contract.alone, revised.to_act) == ((N, E, W), True, N)
    assert "!" not in may_say(revised)
    led = playing(apply(together, acts(together)[0]))
    for action in (GoAlone(N), GoAlone(S)):
        with pytest.raises(RuleViolation) as refusal:
            apply(led, action)
        assert refusal.value.code == "not-now"
    with pytest.raises(RuleViolation):
        apply(together, GoAlone(E))


def test_club_alone_is_too_late_once_a_card_was_led_and_taken_back() -> None:
    """club, honor: the lead went back to its hand, but the play has begun."""
    rules = name_rules(house_rules("club", supervision="honor"))
    deal = "W 9h N:JhAhAsAcAd E:9sTs9cTdKh S:QsTcKc9dQd W:KsJsQcJdKd"
    line = f"{{{rules}}} {deal} | o -Js & | E:Kh S:Qs W:Ks N:As N^E1out-of-turn N=correct S=correct"
    assert "!" in may_say(parse_hand_line(f"{{{rules}}} {deal} | o -Js &"))
    assert "!" not in may_say(parse_hand_line(line))


def test_alone_before_the_lead_asks_the_defenders_again() -> None:
    """club with lone defenders: they are asked again when the maker goes alone, unless one already defends alone."""
    rules = name_rules(house_rules("club", defend_alone="against-a-loner"))
    state = parse_hand_line(f"{{{rules}}} W Th {SUITED} | o -Ts & !")
    assert isinstance(state, AskingDefenders)
    assert state.contract.alone
    always = name_rules(house_rules("club", defend_alone="always"))
    begun = parse_hand_line(f"{{{always}}} W Th {SUITED} | o -Ts &")
    assert isinstance(begun, AskingDefenders)
    assert isinstance(apply(begun, GoAlone(N)), AskingDefenders)
    stands = playing(parse_hand_line(f"{{{always}}} W Th {SUITED} | o -Ts & E! !"))
    assert (stands.active, stands.contract.defender) == ((N, E), E)


@pytest.mark.parametrize("sheet", ["club3", "club2"])
def test_club_alone_of_three_and_two_is_closed_by_the_dummy(sheet: str) -> None:
    """club3, club2: with the call, while the dealer discards and when asked, but never after taking the dummy."""
    deal = {"club3": "S 9h N:JhAhAsAcAd E:9sTs9cTdKh S:KsJsQcJdKd D:QsTcKc"}.get(
        sheet, "S Th N:JhAhAsAcAd S:KsJsQcJdKd D:QsTcKc"
    )
    for calls in ("o! -Js", "o ! -Js", "o -Js !"):
        assert playing(state_of(sheet, f"{deal} | {calls}")).contract.alone
    for calls in ("o -Js &", "o -Js & -KcQsTc"):
        assert "!" not in may_say(state_of(sheet, f"{deal} | {calls}"))


def test_the_club_asks_alone_at_once_in_the_second_round() -> None:
    """club: there is no discard; the maker is asked once, before the first lead."""
    named = state_of("club", f"W Th {SUITED} | p p p p p c")
    assert isinstance(named, DecidingAlone)
    assert turn(named) is E
    led = playing(state_of("club", f"W Th {SUITED} | p p p p p c &"))
    with pytest.raises(RuleViolation) as refusal:
        apply(led, GoAlone(N))
    assert refusal.value.code == "not-now"


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_the_suit_turned_down_may_not_be_named(sheet: str) -> None:
    """Every sheet: in round two any other suit."""
    second = state_of(sheet, f"W Th {SUITED} | p p p p")
    assert why_not(second, "h") == "suit-turned-down"
    assert why_not(second, "o") == "not-now"
    assert {"c", "d", "s"} <= open_words(second)
    assert "h" not in open_words(second)


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_in_the_first_round_only_the_up_card_counts(sheet: str) -> None:
    """Every sheet: no suit is named in round one, not even the up-card's."""
    first = state_of(sheet, f"W Th {SUITED}")
    assert why_not(first, "c") == "not-now"
    assert why_not(first, "h") == "not-now"


@pytest.mark.parametrize("sheet", ["campus", "school-cup", "prize-night"])
def test_a_stuck_dealer_names_a_suit_and_may_go_alone(sheet: str) -> None:
    """campus, school-cup, prize-night: the dealer may not pass a second time."""
    stuck = state_of(sheet, f"W Th {SUITED} | p p p p p p p")
    assert open_words(stuck) == {"c", "c!", "d", "d!", "s", "s!"}
    assert why_not(stuck, "p") == "dealer-is-stuck"
    lone = playing(state_of(sheet, f"W Th {SUITED} | p p p p p p p s!"))
    assert lone.contract.alone
    assert lone.active == (N, S, W)


def test_a_stuck_dealer_in_the_club_is_asked_alone_too() -> None:
    """club: names a suit, and then says alone or not."""
    stuck = state_of("club", f"W Th {SUITED} | p p p p p p p")
    assert open_words(stuck) == {"c", "d", "s"}
    assert why_not(stuck, "p") == "dealer-is-stuck"
    assert open_words(state_of("club", f"W Th {SUITED} | p p p p p p p s")) == {"!", "&"}


def test_round_robin_passes_the_hand_out() -> None:
    """round-robin: eight passes, no points."""
    last = state_of("round-robin", f"W Th {SUITED} | p p p p p p p")
    assert "p" in open_words(last)
    out = scored(state_of("round-robin", f"W Th {SUITED} | p p p p p p p p"))
    assert (out.reason, dict(out.points), out.contract, out.tricks) == (Reason.PASSED_OUT, {}, None, ())
    assert acts(out) == ()
    with pytest.raises(RuleViolation) as refusal:
        apply(out, Pass(N))
    assert refusal.value.code == "hand-is-over"


# Round robin's own rules of calling

NO_CLUBS = "W 9c N:9h9sKdQhTh E:AcAsJdKcKs S:9dAhJcTcTs W:AdJhJsKhQd"
"""West holds no club; the jack of spades would be the left bower."""
JACK_OF_CLUBS = "W 9c N:9h9sKdQhTh E:AcAsJdKcKs S:9dAhJsTcTs W:AdJhJcKhQd"


def test_a_round_robin_dealer_without_a_natural_trump_may_only_pass() -> None:
    """round-robin: neither the left bower nor the up-card counts."""
    dealer = state_of("round-robin", NO_CLUBS + " | p p p")
    assert open_words(dealer) == {"p"}
    assert why_not(dealer, "o") == "no-natural-trump"
    assert why_not(dealer, "o!") == "no-natural-trump"
    assert open_words(state_of("round-robin", JACK_OF_CLUBS + " | p p p")) == {"p", "o", "o!"}


def test_only_a_dealer_who_takes_up_needs_a_natural_trump() -> None:
    """round-robin: North has no club either and may order; the dealer then takes the card. Round two is free."""
    assert open_words(state_of("round-robin", NO_CLUBS)) == {"p", "o", "o!"}
    assert isinstance(state_of("round-robin", NO_CLUBS + " | o"), Discarding)
    assert open_words(state_of("round-robin", NO_CLUBS + " | p p p p p p p")) == {"p", "d", "d!", "h", "h!", "s", "s!"}
    assert open_words(state_of("campus", NO_CLUBS + " | p p p")) == {"p", "o", "o!"}


def test_no_view_shows_why_a_dealer_passes() -> None:
    """round-robin: to the others, a dealer who must pass looks like one who doesn't want to call."""
    must = state_of("round-robin", NO_CLUBS + " | p p p p")
    may = state_of("round-robin", NO_CLUBS.replace("Jc", "xx").replace("Js", "Jc").replace("xx", "Js") + " | p p p p")
    for seat in (N, E, None):
        assert view(must, seat) == view(may, seat)


def test_the_dealers_partner_orders_only_alone_in_round_robin() -> None:
    """round-robin: pass or alone, in round one only."""
    partner = state_of("round-robin", f"W Th {SUITED} | p")
    assert turn(partner) is E
    assert open_words(partner) == {"p", "o!"}
    assert why_not(partner, "o") == "must-go-alone"
    assert open_words(state_of("round-robin", f"W Th {SUITED} | p p p p p")) == {"p", "c", "c!", "d", "d!", "s", "s!"}
    assert open_words(state_of("campus", f"W Th {SUITED} | p")) == {"p", "o", "o!"}


def test_forced_alone_the_dealer_takes_up_buries_and_sits_out() -> None:
    """round-robin: East plays alone; the dealer's five cards sit out."""
    taken = state_of("round-robin", f"W Th {SUITED} | p o!")
    assert isinstance(taken, Discarding)
    assert turn(taken) is W
    assert open_words(taken) == {"-Ts", "-Js", "-Qs", "-Ks", "-As"}
    led = playing(state_of("round-robin", f"W Th {SUITED} | p o! -Ts"))
    assert led.active == (N, E, S)
    assert led.leader is led.to_act is N
    assert led.cards[W.index] == cards("JsQsKsAsTh")
    over = scored(state_of("round-robin", f"W Th {SUITED} | p o! -Ts | JhTc9d JdJcTd AhQcQd KhKcKd QhAcAd"))
    assert over.points == {N: 2, S: 2}
    assert len(over.cards[W.index]) == 5


# The up-card and the discard


def test_the_school_cup_buries_before_it_takes() -> None:
    """school-cup: five cards to choose from, without the up-card; then the dealer picks it up."""
    before = state_of("school-cup", f"W Th {SUITED} | o")
    assert isinstance(before, Discarding)
    assert before.cards[W.index] == cards("TsJsQsKsAs")
    assert open_words(before) == {"-Ts", "-Js", "-Qs", "-Ks", "-As"}
    assert why_not(before, "-Th") == "up-card-stays"
    after = playing(state_of("school-cup", f"W Th {SUITED} | o -Ts"))
    assert after.cards[W.index] == cards("JsQsKsAsTh")


@pytest.mark.parametrize("sheet", ["round-robin", "prize-night"])
def test_the_dealer_buries_another_card_than_the_up_card(sheet: str) -> None:
    """round-robin says "a different card", prize-night "another"."""
    taken = state_of(sheet, f"W Th {SUITED} | o")
    assert taken.cards[W.index] == cards("TsJsQsKsAsTh")
    assert open_words(taken) == {"-Ts", "-Js", "-Qs", "-Ks", "-As"}
    assert why_not(taken, "-Th") == "up-card-stays"
    assert why_not(taken, "-9d") == "card-not-held"


@pytest.mark.parametrize("sheet", ["campus", "club"])
def test_the_up_card_itself_may_be_buried(sheet: str) -> None:
    """campus and club: any of the six."""
    taken = state_of(sheet, f"W Th {SUITED} | o")
    assert open_words(taken) == {"-Ts", "-Js", "-Qs", "-Ks", "-As", "-Th"}
    assert why_not(taken, "-9d") == "card-not-held"
    after = state_of(sheet, f"W Th {SUITED} | o -Th")
    assert after.cards[W.index] == cards("TsJsQsKsAs")


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_the_dealer_plays_with_five_cards(sheet: str) -> None:
    """Every sheet: one card in, one card out."""
    state = state_of(sheet, f"W Th {SUITED} | o -Ts" + (" &" if sheet == "club" else ""))
    assert {len(held) for held in playing(state).cards} == {5}


def test_only_the_dealer_buries() -> None:
    """campus: the dealer is the one to act, no matter who ordered."""
    state = state_of("campus", f"W Th {SUITED} | o")
    with pytest.raises(RuleViolation) as refusal:
        apply(state, Bury(N, Card.parse("Qh")))
    assert refusal.value.code == "not-your-turn"


# Who leads


@pytest.mark.parametrize("sheet", ["campus", "school-cup", "prize-night"])
def test_the_seat_left_of_the_dealer_leads_lone_hands_too(sheet: str) -> None:
    """prize-night, club and round-robin say so; the others are silent and get the default."""
    assert playing(state_of(sheet, f"W Th {SUITED} | p o -Ts")).leader is N
    assert playing(state_of(sheet, f"W Th {SUITED} | p o! -Ts")).leader is N
    assert playing(state_of(sheet, f"W Th {SUITED} | o! -Ts")).leader is N


@pytest.mark.parametrize("sheet", ["campus", "school-cup", "prize-night"])
def test_if_the_leader_sits_out_the_next_active_seat_leads(sheet: str) -> None:
    """South goes alone, so North, left of the dealer, sits out, and East leads."""
    state = playing(state_of(sheet, f"W Th {SUITED} | p p o! -Ts"))
    assert state.active == (E, S, W)
    assert state.leader is state.to_act is E


LONERS_LEFT = house_rules("campus", first_lead="loners-left", defend_alone="always")


@pytest.mark.parametrize(
    ("said", "leader"),
    [
        ("o -Ts E& W&", N),  # no lone hand: left of the dealer
        ("o! -Ts E& W&", E),  # North alone
        ("p o! -Ts N& S&", S),  # East alone, West sits out
        ("p p o! -Ts E& W&", W),  # South alone
        ("o! -Ts E& W!", W),  # North alone against West alone: East and South sit out
        ("p o -Ts N!", E),  # North defends alone
        ("p o -Ts N& S!", W),  # South defends alone
    ],
)
def test_loners_left_leads_where_a_table_plays_it_so(said: str, leader: Seat) -> None:
    """An option: the first active seat to the left of the lone player, and only on a lone hand."""
    assert playing(state_of(LONERS_LEFT, f"W Th {SUITED} | {said}")).leader is leader


def test_loners_left_leads_with_three_players_too() -> None:
    """club3 with the option: East alone, South leads."""
    state = playing(state_of(house_rules("club3", first_lead="loners-left"), f"S Th {THREE} | p o -9d !"))
    assert state.leader is S
    assert playing(state_of("club3", f"S Th {THREE} | p o -9d !")).leader is N


# Defending alone

AGAINST_A_LONER = house_rules("campus", defend_alone="against-a-loner")
ALWAYS = house_rules("campus", defend_alone="always")


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_no_sheet_lets_a_defender_stand_alone(sheet: str) -> None:
    """Every sheet: after the maker's decision the first card is led."""
    said = "o -Ts !" if sheet == "club" else "o! -Ts"
    assert isinstance(state_of(sheet, f"W Th {SUITED} | {said}"), Playing)


def test_defending_alone_against_a_loner_only() -> None:
    """The option `against a loner`: no defender is asked when the makers play together."""
    assert isinstance(state_of(AGAINST_A_LONER, f"W Th {SUITED} | o -Ts"), Playing)
    assert isinstance(state_of(AGAINST_A_LONER, f"W Th {SUITED} | p p p p c"), Playing)
    state = state_of(AGAINST_A_LONER, f"W Th {SUITED} | o! -Ts")
    assert isinstance(state, AskingDefenders)
    assert open_words(state) == {"E!", "E&"}


@pytest.mark.parametrize(
    ("said", "first", "second"),
    [("o -Ts", E, W), ("p o -Ts", N, S), ("p p o -Ts", E, W), ("p p p o -Ts", N, S), ("p p p p c", E, W)],
)
def test_defenders_are_asked_from_the_dealers_left(said: str, first: Seat, second: Seat) -> None:
    """The option `always`: the first to say so defends alone, and if both decline all four play."""
    state = state_of(ALWAYS, f"W Th {SUITED} | {said}")
    assert isinstance(state, AskingDefenders)
    assert turn(state) is first
    alone = playing(state_of(ALWAYS, f"W Th {SUITED} | {said} {first}!"))
    assert alone.contract.defender is first
    assert alone.active == tuple(seat for seat in Seat if seat is not second)
    then = state_of(ALWAYS, f"W Th {SUITED} | {said} {first}&")
    assert isinstance(then, AskingDefenders)
    assert turn(then) is second
    assert playing(state_of(ALWAYS, f"W Th {SUITED} | {said} {first}& {second}!")).contract.defender is second
    both = playing(state_of(ALWAYS, f"W Th {SUITED} | {said} {first}& {second}&"))
    assert both.contract.defender is None
    assert both.active == (N, E, S, W)


def test_a_defender_answers_only_for_itself() -> None:
    """The hand line names the defender; out of turn it is refused."""
    state = state_of(ALWAYS, f"W Th {SUITED} | o -Ts")
    assert why_not(state, "W!") == "not-your-turn"
    assert why_not(state, "p") == "not-now"


def test_a_euchre_scores_four_to_a_lone_defender_and_never_more() -> None:
    """The option `always`: against a maker with partner, and one defender against one maker."""
    with_partner = state_of(ALWAYS, f"W Th {SUITED} | p o -Ts N! | JhTcTh JdJcJs AhQcQs KhKcKs QhAcAs")
    assert scored(with_partner).points == {N: 4, S: 4}
    assert scored(with_partner).reason is Reason.EUCHRE
    duel = state_of(
        house_rules("club", defend_alone="always"), f"W Th {SUITED} | p o -Ts ! N! | JhTc JdJc AhQc KhKc QhAc"
    )
    assert scored(duel).points == {N: 4, S: 4}
    assert [len(trick.cards) for trick in scored(duel).tricks] == [2] * 5
    held_off = state_of(ALWAYS, f"W Th {SUITED} | o -Ts E! | JhTc9d JdJcTd AhQcQd KhKcKd QhAcAd")
    assert scored(held_off).points == {N: 2, S: 2}


# Farmer's hand

REDEAL = house_rules("campus", farmers_hand="redeal")
SWAP = house_rules("campus", farmers_hand="swap")


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_no_sheet_has_a_farmers_hand(sheet: str) -> None:
    """school-cup rules it out, the others are silent: the bidding begins at once."""
    state = state_of(sheet, f"S Qh {FARMER}")
    assert isinstance(state, Bidding)
    assert turn(state) is W


def test_every_seat_is_asked_about_a_farmers_hand() -> None:
    """The option `redeal`: a player with nothing to show is asked too."""
    state = state_of(REDEAL, f"S Qh {FARMER}")
    for seat, words in ((W, {".", "~9cTc9dTh9s"}), (N, {"."}), (E, {"."}), (S, {"."})):
        assert isinstance(state, AskingFarmers)
        assert turn(state) is seat
        assert open_words(state) == words
        state = apply(state, parse_token(".", seat))
    assert isinstance(state, Bidding)
    assert turn(state) is W


def test_a_farmers_hand_is_redealt_and_scores_nothing() -> None:
    """The option `redeal`: five nines and tens shown, and the hand is over."""
    over = scored(state_of(REDEAL, f"S Qh {FARMER} | ~9cTc9dTh9s"))
    assert (over.reason, dict(over.points)) == (Reason.FARMERS_REDEAL, {})
    assert why_not(state_of(REDEAL, f"S Qh {FARMER}"), "~9cTc9d") == "no-farmers-hand"
    assert why_not(state_of(REDEAL, f"S Qh {FARMER} | ."), "~9cTc9dTh9s") == "no-farmers-hand"
    assert why_not(state_of(REDEAL, f"S Qh {FARMER}"), "p") == "not-now"


def test_a_farmers_hand_is_improved_from_the_closed_kitty() -> None:
    """The option `swap`: three shown nines or tens for the three closed cards, one player a hand."""
    state = state_of(SWAP, f"S Qh {FARMER}")
    assert len(open_words(state)) == 1 + 10
    assert why_not(state, "~9cTc9dTh9s") == "no-farmers-hand"
    swapped = state_of(SWAP, f"S Qh {FARMER} | ~9cTc9d")
    assert isinstance(swapped, Bidding)
    assert turn(swapped) is W
    assert set(swapped.cards[W.index]) == set(cards("9sTh9hTdTs"))
    for seat in (N, E, S, None):
        seat_view = view(swapped, seat)
        assert ShowFarmersHand(W, cards("9cTc9d")) in seat_view.actions
        assert seat_view.card_counts[W] == 5


def test_a_swap_later_round_the_table_ends_the_asking() -> None:
    """The option `swap`: West keeps, North shows, and no seat after North is asked."""
    line = "S Qh N:9s9c9dThTc E:JhJdJsKdAc S:AdQcKcQdKs W:AhKhJcQsAs | . ~9cTc9d"
    state = state_of(SWAP, line)
    assert isinstance(state, Bidding)
    assert turn(state) is W
    assert set(state.cards[N.index]) == set(cards("9sTh9hTdTs"))


# Play and points


def test_the_left_bower_follows_trump_and_not_its_printed_suit() -> None:
    """campus, hearts trump: on a diamond East plays the nine, not the jack; on a heart the jack must go."""
    deal = "E Th N:AhKhQh9c9s E:Jd9dTcQcKc S:AdKdQdTdAc W:AsKsQsJsTs"
    diamond = state_of("campus", deal + " | p p o -Kc | AdTsQh")
    assert open_words(diamond) == {"9d"}
    with pytest.raises(RuleViolation) as refusal:
        apply(diamond, Play(E, Card.parse("Jd")))
    assert refusal.value.code == "must-follow-suit"
    refused = view(diamond, E).refused
    assert dict(refused) == dict.fromkeys(cards("JdTcQcTh"), "must-follow-suit")
    heart = state_of("campus", deal.replace("E Th", "W Th") + " | o -Ts | Ah")
    assert open_words(heart) == {"Jd"}


def test_the_highest_trump_or_card_led_takes_the_trick_and_leads() -> None:
    """campus: an ace of another suit takes nothing; a low trump beats an ace."""
    state = playing(state_of("campus", f"W Th {MIXED} | o -Ts | JhTc9dTh JdJcTdJs AhQcQdQs 9sKcKdKs"))
    assert [trick.winner for trick in state.tricks] == [N, N, N, W]
    assert state.leader is state.to_act is W
    deal = "E Th N:AhKhQh9c9s E:Jd9dTcQcKc S:AdKdQdTdAc W:AsKsQsJsTs"
    trumped = playing(state_of("campus", deal + " | p p o -Kc | AdTsQh9d"))
    assert trumped.tricks[0].winner is N
    assert trumped.to_act is N
    bower = playing(state_of("campus", deal.replace("E Th", "W Th") + " | o -Ts | AhJdAcTh"))
    assert bower.tricks[0].winner is E


def test_cards_are_played_in_turn() -> None:
    """campus: clockwise among active seats, and only your own cards."""
    state = playing(state_of("campus", f"W Th {SUITED} | o -Ts | Jh"))
    assert state.to_act is E
    with pytest.raises(RuleViolation) as refusal:
        apply(state, Play(S, Card.parse("9d")))
    assert refusal.value.code == "not-your-turn"
    with pytest.raises(RuleViolation) as refusal:
        apply(state, Play(E, Card.parse("9d")))
    assert refusal.value.code == "card-not-held"
    lone = playing(state_of("campus", f"W Th {SUITED} | o! -Ts | JhTc"))
    assert lone.to_act is W


TOGETHER = "JhTc9dTh JdJcTdJs AhQcQdQs KhKcKdKs QhAcAdAs"
NORTH_ALONE = "JhTcTh JdJcJs AhQcQs KhKcKs QhAcAs"
EAST_ALONE = "JhTc9d JdJcTd AhQcQd KhKcKd QhAcAd"


@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_points_by_the_sheet(sheet: str) -> None:
    """Every sheet: 1 and 2, alone 1 and 4, euchre 2; the euchre of a lone maker 2, in the club 4."""
    club = sheet == "club"
    # East is the dealer's partner, and in round-robin orders only alone: there South is euchred with partner instead.
    together, alone = (" &", " !") if club else ("", "")
    call = "o" if club else "o!"
    made_it = state_of(sheet, f"W Th {MIXED} | o -Ts{together} | JhTc9dTh JdJcTdJs AhQcQdQs 9sKcKdKs As9cAcAd")
    march = state_of(sheet, f"W Th {SUITED} | o -Ts{together} | {TOGETHER}")
    made_points_alone = state_of(sheet, f"W Th {MIXED} | {call} -Ts{alone} | JhTcTh JdJcJs AhQcQs 9sKcKs As9cAc")
    march_points_alone = state_of(sheet, f"W Th {SUITED} | {call} -Ts{alone} | {NORTH_ALONE}")
    euchre_points_alone = state_of(sheet, f"W Th {SUITED} | p {call} -Ts{alone} | {EAST_ALONE}")
    assert (scored(made_it).points, scored(made_it).reason) == ({N: 1, S: 1}, Reason.MADE_IT)
    assert (scored(march).points, scored(march).reason) == ({N: 2, S: 2}, Reason.MARCH)
    assert (scored(made_points_alone).points, scored(made_points_alone).reason) == ({N: 1, S: 1}, Reason.MADE_IT)
    assert (scored(march_points_alone).points, scored(march_points_alone).reason) == ({N: 4, S: 4}, Reason.MARCH)
    lone = 4 if club else 2
    assert (scored(euchre_points_alone).points, scored(euchre_points_alone).reason) == (
        {N: lone, S: lone},
        Reason.EUCHRE,
    )
    if sheet != "round-robin":
        euchre = state_of(sheet, f"W Th {SUITED} | p o -Ts{together} | {TOGETHER}")
        assert (scored(euchre).points, scored(euchre).reason) == ({N: 2, S: 2}, Reason.EUCHRE)


# Three and two


def test_three_players_take_the_dummy_or_go_alone() -> None:
    """club3: after the dealer's discard, the maker goes alone, or takes three and lays three away."""
    taken = state_of("club3", f"S Th {THREE} | o")
    assert isinstance(taken, Discarding)
    assert turn(taken) is S
    assert len(open_words(taken)) == 6
    state = state_of("club3", f"S Th {THREE} | o -9d")
    assert isinstance(state, DecidingAlone)
    assert turn(state) is N
    assert open_words(state) == {"!", "&"}
    exchange = state_of("club3", f"S Th {THREE} | o -9d &")
    assert isinstance(exchange, ExchangingDummy)
    assert set(exchange.cards[N.index]) == set(cards("JhJdAhKhQhQsKsAs"))
    assert len(acts(exchange)) == 56
    assert why_not(exchange, "-QsKs") == "card-not-held"
    assert why_not(exchange, "-9sKsAs") == "card-not-held"
    led = playing(state_of("club3", f"S Th {THREE} | o -9d & -JdQsKs"))
    assert led.cards[N.index] == cards("JhAhKhQhAs")
    assert led.active == (N, E, S)
    assert led.leader is N


def test_alone_and_the_dummy_exclude_each_other() -> None:
    """club3 and club2: one or the other."""
    assert why_not(state_of("club3", f"S Th {THREE} | o -9d &"), "!") == "not-now"
    lone = playing(state_of("club3", f"S Th {THREE} | o -9d !"))
    assert why_not(lone, "-QsKsAs") == "not-now"
    assert lone.cards[N.index] == cards("JhJdAhKhQh")
    assert lone.active == (N, E, S)
    duel = playing(state_of("club2", f"S Th {TWO} | o -Ac !"))
    assert duel.cards[N.index] == cards("JhJdAhKhQh")
    assert duel.contract.laid_away == ()


def test_with_three_players_each_defender_scores_a_euchre() -> None:
    """club3: each defender 2, and 4 when the maker was alone."""
    tricks = "JhTcTh JdJcTd AhQcQd KhKcKd QhAcAd"
    with_dummy = state_of("club3", f"S Th {THREE} | p o -9d & -QsKsAs | {tricks}")
    assert scored(with_dummy).points == {N: 2, S: 2}
    alone = state_of("club3", f"S Th {THREE} | p o -9d ! | {tricks}")
    assert scored(alone).points == {N: 4, S: 4}


def test_with_three_players_only_the_maker_scores_what_he_makes() -> None:
    """club3: there are no partners."""
    tricks = "JhTcTh JdJcTd AhQcQd KhKcKd QhAcAd"
    assert scored(state_of("club3", f"S Th {THREE} | o -9d & -QsKsAs | {tricks}")).points == {N: 2}
    assert scored(state_of("club3", f"S Th {THREE} | o -9d ! | {tricks}")).points == {N: 4}


def test_two_players() -> None:
    """club2: no nines, the other scores the euchre, 4 when alone."""
    state = state_of("club2", f"S Th {TWO}")
    assert turn(state) is N
    assert open_words(state) == {"p", "o"}
    assert turn(state_of("club2", f"S Th {TWO} | p")) is S
    tricks = "JhTh JdTd AhQd KhKd QhAd"
    assert scored(state_of("club2", f"S Th {TWO} | p o -Ac & -QsKsAs | {tricks}")).points == {N: 2}
    assert scored(state_of("club2", f"S Th {TWO} | p o -Ac ! | {tricks}")).points == {N: 4}
    assert scored(state_of("club2", f"S Th {TWO} | o -Ac ! | {tricks}")).points == {N: 4}
    assert why_not(state_of("club2", f"S Th {TWO} | p p p"), "p") == "dealer-is-stuck"


def test_three_players_with_the_dealers_name_said_at_once() -> None:
    """A table of three that says alone with the call: otherwise the maker takes the dummy unasked."""
    rules = house_rules("campus", players=3)
    assert isinstance(state_of(rules, f"S Th {THREE} | o -9d"), ExchangingDummy)
    assert isinstance(state_of(rules, f"S Th {THREE} | o! -9d"), Playing)
    assert isinstance(state_of(rules, f"S Th {THREE} | p p p c"), ExchangingDummy)


# What players see


def test_only_the_dealer_sees_the_buried_card() -> None:
    """campus: the others see that there was a discard, and what happened to the up-card."""
    state = state_of("campus", f"W Th {SUITED} | o -Ts")
    assert view(state, W).buried == cards("Ts")
    assert view(state, W).actions == (Order(N), Bury(W, Card.parse("Ts")))
    for seat in (N, E, S, None):
        seat_view = view(state, seat)
        assert seat_view.buried == ()
        assert seat_view.actions == (Order(N), Bury(W, UNKNOWN))
        assert seat_view.up_card_status is UpCardStatus.TAKEN


def test_only_the_maker_sees_the_dummy_and_what_was_laid_away() -> None:
    """club3: as soon as it is taken; it stays hidden when the maker goes alone."""
    before = state_of("club3", f"S Th {THREE} | o -9d")
    during = state_of("club3", f"S Th {THREE} | o -9d &")
    after = state_of("club3", f"S Th {THREE} | o -9d & -QsKsAs")
    alone = state_of("club3", f"S Th {THREE} | o -9d !")
    assert [view(state, N).dummy for state in (before, during, after, alone)] == [(), *[cards("QsKsAs")] * 2, ()]
    assert view(after, N).laid_away == cards("QsKsAs")
    for seat in (E, S, None):
        for state in (before, during, after, alone):
            assert view(state, seat).dummy == ()
            assert view(state, seat).laid_away == ()
    assert view(during, E).card_counts == {N: 8, E: 5, S: 5}


def test_a_view_shows_what_is_public() -> None:
    """campus: phase, trump, turn, tricks, and in the end the points."""
    begun = view(state_of("campus", f"W Th {SUITED}"), E)
    assert (begun.phase, begun.up_card_status, begun.contract, begun.legal) == (
        Phase.BIDDING,
        UpCardStatus.TURNED_UP,
        None,
        (),
    )
    assert (begun.cards, begun.dealt, begun.to_act) == (cards("TcJcQcKcAc"), cards("TcJcQcKcAc"), N)
    second = view(state_of("campus", f"W Th {SUITED} | p p p p"), N)
    assert second.up_card_status is UpCardStatus.TURNED_DOWN
    lone = view(state_of("campus", f"W Th {SUITED} | p p p p c! | JhTc"), S)
    assert lone.contract is not None
    assert (lone.contract.maker, lone.contract.trump, lone.contract.alone, lone.contract.ordered) == (
        N,
        Suit.CLUBS,
        True,
        False,
    )
    assert (lone.trick, lone.leader, lone.to_act, lone.active) == (cards("JhTc"), N, W, (N, E, W))
    over = view(state_of("campus", f"W Th {SUITED} | o -Ts | {TOGETHER}"), None)
    assert over.ending is not None
    assert (over.ending.reason, over.ending.points, over.to_act) == (Reason.MARCH, {N: 2, S: 2}, None)
    assert len(over.tricks) == 5


# Dealing

TOP_DOWN = tuple(HouseRules().deck)
"""The deck in sorting order, so that the index of a card is its number."""


def dealt(rules: HouseRules, dealer: Seat, **how: object) -> dict[str, list[int]]:
    """The indexes of the cards everyone was dealt, and of the up-card."""
    deck = rules.deck
    deal = deal_hand(rules, dealer=dealer, deck=deck, **how)  # type: ignore[arg-type]
    indexes = {str(seat): list(map(deck.index, map(known, deal.hands[seat.index]))) for seat in rules.seats}
    return indexes | {"dummy": list(map(deck.index, map(known, deal.dummy))), "up": [deck.index(deal.up_card)]}


def known(face: object) -> Card:
    assert isinstance(face, Card)
    return face


def test_round_robin_deals_one_at_a_time() -> None:
    """round-robin: five rounds from the dealer's left; the 21st card is up."""
    assert dealt(preset("round-robin"), E) == {
        "S": [0, 4, 8, 12, 16],
        "W": [1, 5, 9, 13, 17],
        "N": [2, 6, 10, 14, 18],
        "E": [3, 7, 11, 15, 19],
        "dummy": [],
        "up": [20],
    }


@pytest.mark.parametrize("sheet", ["campus", "school-cup", "prize-night", "club"])
def test_twos_and_then_threes(sheet: str) -> None:
    """campus, school-cup, prize-night, club: packets of two, then of three, where the dealer chooses nothing else."""
    assert dealt(preset(sheet), E) == {
        "S": [0, 1, 8, 9, 10],
        "W": [2, 3, 11, 12, 13],
        "N": [4, 5, 14, 15, 16],
        "E": [6, 7, 17, 18, 19],
        "dummy": [],
        "up": [20],
    }


@pytest.mark.parametrize("sheet", ["prize-night", "club", "school-cup"])
def test_threes_and_then_twos_where_the_dealer_may_choose(sheet: str) -> None:
    """prize-night: 2-3 or 3-2; club and school-cup: bundles of two or three."""
    assert dealt(preset(sheet), E, packets=(3, 2)) == {
        "S": [0, 1, 2, 12, 13],
        "W": [3, 4, 5, 14, 15],
        "N": [6, 7, 8, 16, 17],
        "E": [9, 10, 11, 18, 19],
        "dummy": [],
        "up": [20],
    }


@pytest.mark.parametrize("packets", [(4, 1), (2, 2), (5,), (9,), (2, 3, 1)])
def test_packets_no_sheet_knows_are_refused(packets: tuple[int, ...]) -> None:
    """prize-night and club: 2-3 or 3-2 and nothing else."""
    for sheet in ("prize-night", "club"):
        with pytest.raises(LeftbowerError):
            dealt(preset(sheet), E, packets=packets)


@pytest.mark.parametrize("sheet", ["round-robin", "campus"])
def test_packets_cannot_be_chosen_where_the_sheet_leaves_no_choice(sheet: str) -> None:
    """round-robin deals one at a time, campus two and three."""
    with pytest.raises(LeftbowerError):
        dealt(preset(sheet), E, packets=(3, 2))


def test_three_players_are_dealt_a_dummy_after_their_cards() -> None:
    """club3: fifteen cards, the dummy of three, the 19th card up."""
    assert dealt(preset("club3"), E) == {
        "S": [0, 1, 6, 7, 8],
        "N": [2, 3, 9, 10, 11],
        "E": [4, 5, 12, 13, 14],
        "dummy": [15, 16, 17],
        "up": [18],
    }


def test_two_players_are_dealt_a_dummy_after_their_cards() -> None:
    """club2: ten cards, the dummy of three, the 14th card up; there are no nines."""
    assert dealt(preset("club2"), S) == {
        "N": [0, 1, 4, 5, 6],
        "S": [2, 3, 7, 8, 9],
        "dummy": [10, 11, 12],
        "up": [13],
    }
    with pytest.raises(LeftbowerError, match="20-card deck of a 2-player game"):
        deal_hand(preset("club2"), dealer=S, deck=TOP_DOWN)


def test_the_cut_before_the_deal_turns_the_deck() -> None:
    """club: the lifted part goes under; at least one card stays in each part."""
    assert dealt(preset("club"), E, cut=5)["S"] == [5, 6, 13, 14, 15]
    assert dealt(preset("club"), E, cut=5)["up"] == [1]
    assert dealt(preset("club"), E, cut=0) == dealt(preset("club"), E)
    assert dealt(preset("club"), E, cut=23)["S"] == [23, 0, 7, 8, 9]
    for cut in (24, -1):
        with pytest.raises(LeftbowerError) as refusal:
            dealt(preset("club"), E, cut=cut)
        assert refusal.value.code == "bad-cut"


@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "prize-night"])
def test_no_cut_before_the_deal_where_the_sheet_has_none(sheet: str) -> None:
    """round-robin, campus, school-cup, prize-night."""
    with pytest.raises(LeftbowerError) as refusal:
        dealt(preset(sheet), E, cut=5)
    assert refusal.value.code == "bad-cut"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ("N:JhJdAhKhQh E:JhJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs", "Jh was dealt twice"),
        ("N:JhJdAhKh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs", "N has 4 cards instead of 5"),
        ("N:JhJdAhKhTh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs", "Th was dealt twice"),
        (SUITED + " D:9c9s9h", "the dummy has 3 cards instead of 0"),
    ],
)
def test_a_deal_that_cannot_be_is_refused(changed: str, says: str) -> None:
    """Any four-handed sheet: each card once, five to a seat, no dummy."""
    with pytest.raises(LeftbowerError, match=says) as refusal:
        state_of("campus", f"W Th {changed}")
    assert refusal.value.code == "bad-deal"


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        (f"S 9h {TWO}", "9h isn't in the 2-player deck"),
        (f"E Th {TWO}", "E can't deal: there is no such seat in a 2-player game"),
        (f"S Th {TWO} E:TcJcQcKc9c", "9c isn't in the 2-player deck|E has 5 cards"),
        (f"S Th {TWO} E:TcJcQcKcTs", "E has 5 cards instead of 0"),
    ],
)
def test_a_two_handed_deal_has_two_hands_and_no_nines(rest: str, says: str) -> None:
    """club2."""
    with pytest.raises(LeftbowerError, match=says):
        state_of("club2", rest)


# The draw for the first dealer


def drawn(rules: HouseRules, shuffler: Seat, top: str, cut: int = 0) -> Draw:
    """The draw with these cards on top of the deck."""
    first = cards(top)
    deck = (*first, *(card for card in rules.deck if card not in first))
    return draw_dealer(rules, shuffler=shuffler, deck=deck, cut=cut)


@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "club"])
def test_the_first_jack_deals(sheet: str) -> None:
    """round-robin, school-cup, club say so: cards go around from the shuffler's left until a jack, of any color."""
    draw = drawn(preset(sheet), N, "9cJhJs")
    assert (draw.dealer, draw.cards, draw.shuffler) == (S, cards("9cJh"), N)
    assert drawn(preset(sheet), N, "Js").dealer is E
    assert drawn(preset(sheet), N, "9cTcQcKcAcJd").dealer is S


def test_the_first_black_jack_deals() -> None:
    """prize-night: the jack of hearts doesn't count."""
    draw = drawn(preset("prize-night"), N, "9cJhJs")
    assert (draw.dealer, draw.cards) == (W, cards("9cJhJs"))


def test_the_cut_before_the_draw() -> None:
    """prize-night: offered to the left; no other sheet has one."""
    draw = drawn(preset("prize-night"), N, "9cJhJs9dJc", cut=3)
    assert (draw.dealer, draw.cards) == (S, cards("9dJc"))
    for sheet in ("round-robin", "campus", "school-cup", "club"):
        with pytest.raises(LeftbowerError) as refusal:
            drawn(preset(sheet), N, "Js", cut=3)
        assert refusal.value.code == "bad-cut"


def test_the_draw_with_three_and_two_players() -> None:
    """club3, club2: around the seats in use."""
    assert drawn(preset("club3"), S, "9cTcQcJc").dealer is N
    assert drawn(preset("club3"), S, "Jc").dealer is N
    assert drawn(preset("club2"), N, "TcJc").dealer is N


def test_the_shuffler_sits_at_the_table() -> None:
    """club3: West is an empty seat."""
    with pytest.raises(LeftbowerError) as refusal:
        drawn(preset("club3"), W, "Jc")
    assert refusal.value.code == "bad-seat"


def test_a_draw_needs_the_whole_deck() -> None:
    """A deck with a missing, doubled or extra card is refused."""
    for deck in (TOP_DOWN[:-1], (*TOP_DOWN[:-1], TOP_DOWN[0]), (*TOP_DOWN, TOP_DOWN[0])):
        with pytest.raises(LeftbowerError, match="24-card deck of a 4-player game"):
            draw_dealer(preset("campus"), shuffler=N, deck=deck)


# Games


def top_hearts(rules: HouseRules, dealer: Seat, strong: Seat) -> Deal:
    """A deal in which `strong` holds the five top hearts, the ten is up, and the nine is in the kitty."""
    hearts = cards("JhJdAhKhQh")
    rest = [card for card in rules.deck if card not in hearts and str(card) not in ("9h", "Th")]
    others = [seat for seat in rules.seats if seat is not strong]
    held = {seat: tuple(rest[5 * number : 5 * number + 5]) for number, seat in enumerate(others)}
    north, east, south, west = (hearts if seat is strong else held.get(seat, ()) for seat in Seat)
    dummy = tuple(rest[5 * len(others) :][: rules.dummy_size])
    return Deal(dealer=dealer, hands=(north, east, south, west), up_card=Card.parse("Th"), dummy=dummy)


def play_hand(game: Game, strong: Seat, *, caller: Seat | None = None, alone: bool = False) -> Game:
    """One hand in which `strong` takes every trick, after `caller` (or strong) ordered up."""
    game = advance_game(game, top_hearts(game.rules, game.dealer, strong))
    while isinstance(game, InHand):
        game = advance_game(game, _next_act(game.hand, caller or strong, alone))
    return game


def _next_act(state: State, caller: Seat, alone: bool) -> Action:
    legal = acts(state)
    match state:
        case Bidding():
            return Order(caller, alone and len(legal) > 2) if turn(state) is caller else Pass(turn(state))
        case Discarding():
            return legal[0] if len(state.cards[turn(state).index]) == 6 and _plain(legal[0]) else legal[-1]
        case DecidingAlone():
            return legal[0] if alone else legal[1]
        case ExchangingDummy():
            return legal[-1]
        case _:
            return legal[0]


def _plain(action: Action) -> bool:
    """Is it a card other than a top heart?"""
    return isinstance(action, Bury) and action.card not in cards("JhJdAhKhQh")


def pass_out(game: Game) -> Game:
    """One hand in which all players pass twice."""
    game = advance_game(game, top_hearts(game.rules, game.dealer, N))
    while isinstance(game, InHand):
        game = advance_game(game, Pass(game.hand.to_act))
    return game


def refusal_of(game: Game, fact: object) -> str:
    with pytest.raises(RuleViolation) as refusal:
        advance_game(game, fact)  # type: ignore[arg-type]
    assert refusal.value.state in (game, getattr(game, "hand", None))
    return refusal.value.code


def test_a_game_is_won_at_ten() -> None:
    """campus: five marches; the deal passes to the left each time."""
    game: Game = new_game(preset("campus"), W)
    for score, dealer in ((2, N), (4, E), (6, S), (8, W)):
        game = play_hand(game, N)
        assert isinstance(game, ToDeal)
        assert (game.scores, game.dealer) == ((score, 0), dealer)
        assert game.last is not None
    game = play_hand(game, S)
    assert isinstance(game, GameOver)
    assert (game.scores, game.winner, game.hands, game.dealer) == ((10, 0), (N, S), 5, N)
    assert refusal_of(game, Pass(N)) == "game-is-over"


def test_the_deal_passes_after_a_passed_out_hand_too() -> None:
    """round-robin: the next player deals, nothing is scored, the hand is counted."""
    game = pass_out(new_game(preset("round-robin"), W))
    assert isinstance(game, ToDeal)
    assert (game.dealer, game.scores, game.hands) == (N, (0, 0), 1)


def test_a_game_goes_on_only_by_what_is_due() -> None:
    """campus: deal when it is your deal, act when there are cards."""
    game = new_game(preset("campus"), W)
    assert refusal_of(game, Pass(N)) == "nothing-dealt"
    assert refusal_of(game, top_hearts(game.rules, N, N)) == "not-the-dealer"
    begun = advance_game(game, top_hearts(game.rules, W, N))
    assert isinstance(begun, InHand)
    assert (begun.scores, begun.dealer) == ((0, 0), W)
    assert refusal_of(begun, top_hearts(game.rules, W, N)) == "still-playing"
    assert refusal_of(begun, Pass(E)) == "not-your-turn"
    with pytest.raises(LeftbowerError):
        new_game(preset("club3"), W)


def test_no_win_by_two_on_the_sheets_but_where_a_table_wants_it() -> None:
    """school-cup: ten is enough. With the option, 11-9 is enough and 10-9 isn't."""
    assert isinstance(play_hand(new_game(preset("school-cup"), W, (8, 9)), N), GameOver)
    game = play_hand(new_game(house_rules("campus", win_by=2), W, (8, 9)), N)
    assert isinstance(game, ToDeal)
    assert game.scores == (10, 9)
    game = play_hand(game, N)
    assert isinstance(game, GameOver)
    assert (game.scores, game.winner) == ((12, 9), (N, S))


def test_three_players_play_on_until_one_alone_leads() -> None:
    """club3: at 11-11-0 no player has won; at 13-11-0 North has. South is euchred, so both defenders score."""
    game = play_hand(new_game(preset("club3"), S, (9, 9, 0)), N, caller=S)
    assert isinstance(game, ToDeal)
    assert game.scores == (11, 11, 0)
    assert game.dealer is N
    game = play_hand(game, N)
    assert isinstance(game, GameOver)
    assert (game.scores, game.winner) == ((13, 11, 0), (N,))


@pytest.mark.parametrize(
    ("sheet", "scores", "won"),
    [
        ("club3", (10, 9, 9), (N,)),
        ("club3", (10, 10, 3), None),
        ("club3", (9, 9, 3), None),
        ("club3", (3, 12, 12), None),
        ("club3", (3, 12, 13), (S,)),
        ("club2", (9, 10), (S,)),
        ("campus", (10, 9), (N, S)),
        ("campus", (9, 8), None),
        ("campus", (9, 12), (E, W)),
    ],
)
def test_who_has_won(sheet: str, scores: tuple[int, ...], won: tuple[Seat, ...] | None) -> None:
    """At least the target, and more than anyone else."""
    assert winner(preset(sheet), scores, 7) == won


FIXED = house_rules("round-robin", game_ends="after-8-hands")


def test_eight_hands_count_passed_out_ones_and_may_end_level() -> None:
    """round-robin with the option: eight passed-out hands are a tie, and a match of one game too."""
    game: Game = new_game(FIXED, W)
    for _ in range(7):
        game = pass_out(game)
        assert isinstance(game, ToDeal)
    game = pass_out(game)
    assert isinstance(game, GameOver)
    assert (game.winner, game.scores, game.hands) == (None, (0, 0), 8)


def test_a_game_of_eight_hands_is_won_by_the_higher_score() -> None:
    """round-robin with the option: more than ten points don't end it, the eighth hand does."""
    game: Game = new_game(FIXED, W)
    for hand in range(1, 9):
        game = play_hand(game, game.dealer.left, alone=True)
        assert isinstance(game, GameOver if hand == 8 else ToDeal)
    assert isinstance(game, GameOver)
    assert (game.scores, game.winner) == ((16, 16), None)
    ahead: Game = new_game(FIXED, W, (1, 0))
    for _ in range(8):
        ahead = pass_out(ahead)
    assert isinstance(ahead, GameOver)
    assert ahead.winner == (N, S)


def test_best_of_three_plays_one_more_hand_when_level() -> None:
    """round-robin with the options: a tied game goes on until a hand decides it."""
    game: Game = new_game(replace(FIXED, best_of=3), W)
    for _ in range(9):
        game = pass_out(game)
        assert isinstance(game, ToDeal)
    game = play_hand(game, game.dealer.left)
    assert isinstance(game, GameOver)
    assert game.hands == 10
    assert game.winner == ((N, S) if game.last.contract and game.last.contract.maker in (N, S) else (E, W))


def test_a_farmers_redeal_is_no_hand_and_the_same_dealer_deals_again() -> None:
    """With the options: it doesn't count as one of the eight hands."""
    rules = house_rules("campus", farmers_hand="redeal", game_ends="after-8-hands")
    state = state_of(rules, f"S Qh {FARMER}")
    game = advance_game(new_game(rules, S), state.hand.deal)
    redealt = advance_game(game, ShowFarmersHand(W, cards("9s9c9dThTc")))
    assert isinstance(redealt, ToDeal)
    assert (redealt.dealer, redealt.hands, redealt.scores) == (S, 0, (0, 0))
    assert redealt.last is not None
    assert redealt.last.reason is Reason.FARMERS_REDEAL


# Matches


def play_game(match: Match, strong: Seat) -> Match:
    """One game that `strong` wins by marches alone, from its first deal."""
    assert isinstance(match, InGame)
    wins = match.wins
    while isinstance(match, InGame) and match.wins == wins:
        if isinstance(match.game, ToDeal):
            match = advance_match(match, top_hearts(match.rules, match.game.dealer, strong))
        else:
            match = advance_match(match, _next_act(match.game.hand, strong, True))
    return match


def draw(dealer: Seat) -> Draw:
    """A draw in which the first card decides."""
    return drawn(preset("campus"), dealer.right, "Js")


def match_refusal(match: Match, fact: object) -> str:
    with pytest.raises(RuleViolation) as refusal:
        advance_match(match, fact)  # type: ignore[arg-type]
    return refusal.value.code


def test_the_best_of_three_games_with_a_draw_for_each() -> None:
    """campus: two games win; the first dealer of each is drawn again."""
    match: Match = new_match(preset("campus"))
    assert match_refusal(match, Pass(N)) == "nothing-drawn"
    match = advance_match(match, draw(E))
    assert isinstance(match, InGame)
    assert match.game.dealer is E
    assert match_refusal(match, draw(E)) == "still-playing"
    match = play_game(match, N)
    assert isinstance(match, ToDraw)
    assert match.wins == (1, 0)
    match = play_game(advance_match(match, draw(W)), E)
    assert isinstance(match, ToDraw)
    assert match.wins == (1, 1)
    match = play_game(advance_match(match, draw(W)), E)
    assert isinstance(match, MatchOver)
    assert (match.wins, match.winner) == ((1, 2), (E, W))
    assert match_refusal(match, draw(N)) == "match-is-over"


def test_two_straight_games_end_the_match() -> None:
    """school-cup: the third is not played."""
    match = play_game(advance_match(new_match(preset("school-cup")), draw(E)), N)
    match = play_game(advance_match(match, draw(E)), S)
    assert isinstance(match, MatchOver)
    assert (match.wins, match.winner) == ((2, 0), (N, S))


def test_one_draw_for_the_whole_match_where_a_table_wants_it() -> None:
    """campus with the option: the deal passes on from game to game, and scores start again."""
    match = play_game(advance_match(new_match(house_rules("campus", dealer_draw="each-match")), draw(E)), N)
    assert isinstance(match, InGame)
    assert isinstance(match.game, ToDeal)
    assert match.game.scores == (0, 0)
    assert match.game.dealer is N  # East, South and West dealt three hands of four points
