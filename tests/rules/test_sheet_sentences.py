"""The sheets on deck, deal, bidding order, match, event and prizes; rows of docs/how-it-works/rules.md."""

from fractions import Fraction

import pytest

from leftbower.rules import (
    Call,
    HouseRules,
    Seat,
    Suit,
    as_text,
    clause_text,
    open_calls,
    parse_cards,
    preset,
    rule_card,
)

pytestmark = pytest.mark.unmeasured

SHEETS = ("round-robin", "campus", "school-cup", "prize-night", "club")
DEALER = Seat.W
UP_CARD = parse_cards("Td")[0]
DEALT = parse_cards("9d9sKcAhQh")
"""A hand with a natural trump, so that every seat may call under every sheet."""

every_sheet = pytest.mark.parametrize("rules", [preset(name) for name in SHEETS], ids=SHEETS)


@every_sheet
def test_cards_and_calls_go_from_the_dealers_left_to_the_dealer(rules: HouseRules) -> None:
    """Each player is asked once, clockwise."""
    seats = [rules.left_of(DEALER)]
    while seats[-1] is not DEALER:
        seats.append(rules.left_of(seats[-1]))
    assert seats == [Seat.N, Seat.E, Seat.S, Seat.W]
    assert "Everyone gets five cards." in _card(rules)
    assert "The cards are dealt from the dealer's left around the table." in _card(rules)
    assert "From the dealer's left, each player in turn passes" in _card(rules)
    assert "the dealer speaks last" in _card(rules)


@every_sheet
def test_the_maker_may_go_alone_and_the_partner_takes_no_part(rules: HouseRules) -> None:
    """The maker has this right, whether it is said with the call or later."""
    assert "Only the maker may go alone; the partner then takes no part in the hand." in _card(rules)
    assert "The partner's cards are laid face down." in _card(rules)
    with_the_call = Call(Suit.SPADES, alone=True) in open_calls(
        rules, round=2, seat=DEALER.left, dealer=DEALER, cards=DEALT, up_card=UP_CARD
    )
    assert with_the_call is (rules != preset("club"))


@pytest.mark.parametrize(
    ("name", "option", "says"),
    [
        ("round-robin", "first_dealer", "one to each player in turn; the player who gets the first jack deals"),
        ("school-cup", "first_dealer", "the player who gets the first jack deals"),
        ("prize-night", "first_dealer", "the player who gets the first black jack deals"),
        ("club", "first_dealer", "one to each player in turn; the player who gets the first jack deals"),
        ("club", "dealer_draw", "a new draw for each game"),
        ("prize-night", "draw_cut", "the cut is offered to the player on the shuffler's left"),
        ("round-robin", "deal_passes", "the deal passes to the left"),
        ("school-cup", "deal_passes", "the deal passes to the left"),
        ("club", "deal_passes", "the deal passes to the left"),
        ("club", "deal_cut", "the dealer must offer the cut to the player on the right"),
        ("club", "deal_cut", "cuts once or not at all and puts the two parts back together"),
        ("round-robin", "deal_pattern", "one at a time"),
        ("school-cup", "deal_pattern", "bundles of two or three"),
        ("prize-night", "deal_pattern", "two to each player and then three, or three and then two"),
        ("club", "deal_pattern", "bundles of two or three"),
        ("school-cup", "farmers_hand", "nines and tens is played like any other"),
    ],
)
def test_the_card_tells_how_to_choose_the_dealer_and_to_deal(name: str, option: str, says: str) -> None:
    """Dealer, cut and packets of each sheet."""
    assert says in clause_text(preset(name), option)


@pytest.mark.parametrize(
    ("name", "option", "says"),
    [
        ("round-robin", "bury", "orders the up-card up, the dealer takes it, then discards"),
        ("campus", "bury", "orders the up-card up, the dealer takes it, then discards"),
        ("school-cup", "bury", "the dealer discards a card, then takes the up-card in its place"),
        ("prize-night", "bury", "orders the up-card up, the dealer takes it, then discards a card"),
        ("club", "bury", "If any player orders the up-card up, the dealer takes it, then discards"),
        ("round-robin", "may_bury_up_card", "may not discard the up-card itself"),
        ("campus", "may_bury_up_card", "The dealer may discard the up-card itself"),
        ("school-cup", "may_bury_up_card", "may not discard the up-card itself"),
        ("prize-night", "may_bury_up_card", "may not discard the up-card itself"),
        ("club", "may_bury_up_card", "The dealer may discard the up-card itself"),
        ("round-robin", "going_alone", "together with the call"),
        ("campus", "going_alone", "together with the call"),
        ("prize-night", "going_alone", "together with the call"),
        ("club", "going_alone", "with the call that makes trump, or later, until the first card is led"),
    ],
)
def test_the_card_tells_how_the_up_card_is_taken_and_alone_is_said(name: str, option: str, says: str) -> None:
    """From the call to the first lead, in each sheet."""
    assert says in clause_text(preset(name), option)


@pytest.mark.parametrize(
    ("name", "option", "says"),
    [
        ("round-robin", "first_lead", "on the dealer's left leads to the first trick, against a lone hand too"),
        ("prize-night", "first_lead", "on the dealer's left leads to the first trick, against a lone hand too"),
        ("club", "first_lead", "on the dealer's left leads to the first trick, against a lone hand too"),
        ("school-cup", "looking_back", "kept face down. Only the winner of the last trick may look at it again"),
        ("school-cup", "disputes_open_tricks", "everyone may go back through the tricks"),
        ("club", "claims", "A player on lead who holds only certain winners may lay them all down at once"),
        ("club", "claim_consent", "If anyone disagrees that cards laid down at once are certain winners"),
        ("club", "claim_consent", "they are led one at a time"),
        ("school-cup", "claims", "A player, on lead or not, who holds only certain winners may lay them all down"),
        ("school-cup", "claim_consent", "Laying down certain winners needs no consent"),
        ("round-robin", "claims", "may lay them all down at once"),
        ("campus", "claims", "Cards are played one at a time, certain winners too"),
        ("prize-night", "claims", "Cards are played one at a time, certain winners too"),
        ("round-robin", "throw_ins", "when all who take part agree"),
        ("campus", "throw_ins", "Every hand is played out"),
        ("prize-night", "throw_ins", "Every hand is played out"),
        ("club", "throw_ins", "when all who take part agree that its outcome is certain"),
        ("school-cup", "throw_ins", "players are encouraged to throw in their cards"),
    ],
)
def test_the_card_tells_how_tricks_are_led_kept_and_cut_short(name: str, option: str, says: str) -> None:
    """First lead, closed tricks, claims and throw-ins of each sheet."""
    assert says in clause_text(preset(name), option)


@pytest.mark.parametrize(
    ("name", "option", "says"),
    [
        ("round-robin", "target", "reach 10 points"),
        ("campus", "target", "reach 10 points"),
        ("school-cup", "target", "reach 10 points"),
        ("club", "target", "reach 10 points"),
        ("school-cup", "win_by", "can be won by one point"),
        ("round-robin", "best_of", "A match is one game."),
        ("campus", "best_of", "best of three games: two wins"),
        ("school-cup", "best_of", "best of three games: two wins"),
        ("school-cup", "score_keeping", "a four and a six, hearts for one side and spades for the other"),
        ("campus", "deviations", "needs everyone's agreement before play starts"),
    ],
)
def test_the_card_tells_how_game_and_match_are_won(name: str, option: str, says: str) -> None:
    """Target, match, score keeping and deviations of each sheet."""
    assert says in clause_text(preset(name), option)


@every_sheet
def test_the_winner_of_a_trick_leads_to_the_next(rules: HouseRules) -> None:
    """Four sheets say so, the round robin takes it for granted, and every card states it."""
    assert "takes the trick" in _card(rules)
    assert "A player who takes a trick leads to the next." in _card(rules)


def test_round_robin_teams_meet_every_other_team_once() -> None:
    """The sheet's event, for teams of two that play one game each time."""
    rules = preset("round-robin")
    assert clause_text(rules, "event") == "The event is a round robin: every team meets every other team once."
    assert (rules.best_of, len(rules.sides[0])) == (1, 2)


def test_school_cup_shares_twenty_points_equally_among_the_match_ups() -> None:
    """With ten groups of four, the winner of each earns its school two points."""
    rules = preset("school-cup")
    assert Fraction(rules.event_points, 10) == 2
    assert "20 points are shared equally among the match-ups" in clause_text(rules, "event_points")
    assert "each share goes to its winner's school" in clause_text(rules, "event_points")


def test_school_cup_groups_are_two_from_each_school_and_co_ed() -> None:
    """A group is a team of two from each school, and it plays one match."""
    rules = preset("school-cup")
    assert "groups of four, a team of two from each; a group plays one match" in clause_text(rules, "event")
    assert clause_text(rules, "co_ed") == "The event is co-ed."


def test_school_cup_rewards_every_team_entered_with_a_tenth_of_a_point() -> None:
    """Our reading of ten per cent."""
    assert "a tenth of a point for each team it entered" in clause_text(preset("school-cup"), "participation")


def test_prize_night_gives_three_gift_cards() -> None:
    """First, second and third place, in dollars."""
    rules = preset("prize-night")
    assert rules.gift_cards == (75, 50, 25)
    assert "gift cards of $75, $50, $25" in clause_text(rules, "gift_cards")


@pytest.mark.parametrize("name", ["club3", "club2"])
def test_a_maker_without_partner_takes_the_dummy_or_goes_alone_unseen(name: str) -> None:
    """Three cards for any three, after the up-card is settled; going alone means never seeing them."""
    card = _card(preset(name))
    assert "The maker goes alone without ever looking at the dummy, or takes its three cards and discards" in card
    assert (
        "A dealer who makes the up-card's suit trump takes the up-card and discards before touching the dummy." in card
    )
    assert "Alone may be said with the call that makes trump, or later, until the dummy is touched." in card


def _card(rules: HouseRules) -> str:
    """The rule card as one line."""
    return " ".join(as_text(rule_card(rules)).split())
