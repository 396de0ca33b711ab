"""Misreadings of play, planted one at a time in a copy of the engine, are each caught by a test from the sheets.

The test is a scenario written by hand or, for three and two players, a comparison with the naive judge.

Laws that the program checks against itself can't detect a rule that is wrong everywhere; these tests can.
"""

from pathlib import Path

import pytest

from mutation import MutationRunner, Plant, copy_package

SCENARIOS = "tests/engine/test_sheet_scenarios.py"
DRAWS = "tests/table/test_dealer_draw.py"
HONOR_DEALS = "tests/table/test_honor_deals.py"
LOOKING_BACK = "tests/engine/test_looking_back.py"
NAIVE_JUDGE = "tests/engine/test_naive_judge.py::test_a_few_hands_agree_with_the_judge"


PLANTS = {
    "the suit turned down may be named": Plant(
        "rules/calling.py",
        "for suit in Suit if suit is not up_card.suit for call",
        "for suit in Suit for call",
        f"{SCENARIOS}::test_the_suit_turned_down_may_not_be_named",
    ),
    "a leader who sits out is not skipped": Plant(
        "engine/play.py",
        "while leader not in active:",
        "while False:",
        f"{SCENARIOS}::test_if_the_leader_sits_out_the_next_active_seat_leads",
    ),
    "a lone maker takes the dummy too": Plant(
        "engine/bidding.py",
        "if contract.alone or not hand.rules.dummy_size:",
        "if not hand.rules.dummy_size:",
        f"{SCENARIOS}::test_alone_and_the_dummy_exclude_each_other",
    ),
    "of three players only one defender scores": Plant(
        "rules/scoring.py",
        "dict.fromkeys(rules.opponents_of(outcome.maker), ",
        "dict.fromkeys(rules.opponents_of(outcome.maker)[: 1 if rules.players == 3 else 2], ",
        f"{SCENARIOS}::test_with_three_players_each_defender_scores_a_euchre",
    ),
    "the dealer keeps six cards": Plant(
        "engine/bidding.py",
        "_ask_maker(hand, with_held(state.cards, dealer, left), ",
        "_ask_maker(hand, state.cards, ",
        f"{SCENARIOS}::test_the_dealer_plays_with_five_cards",
    ),
    "the up-card may always be buried": Plant(
        "engine/bidding.py",
        "if hand.rules.may_bury_up_card or card is not hand.deal.up_card",
        "if True",
        f"{SCENARIOS}::test_the_dealer_buries_another_card_than_the_up_card",
    ),
    "the school cup takes the up-card before it buries": Plant(
        "engine/bidding.py",
        "if hand.rules.bury is choices.BuryOrder.AFTER_TAKING or may_forget:",
        "if True:",
        f"{SCENARIOS}::test_the_school_cup_buries_before_it_takes",
    ),
    "a stuck dealer may pass": Plant(
        "rules/calling.py",
        "return not stuck",
        "return True",
        f"{SCENARIOS}::test_a_stuck_dealer_names_a_suit_and_may_go_alone",
    ),
    "no natural trump is needed": Plant(
        "rules/calling.py",
        "if seat is dealer and rules.natural_trump and",
        "if False and",
        f"{SCENARIOS}::test_a_round_robin_dealer_without_a_natural_trump_may_only_pass",
    ),
    "a dealer whose partner is forced alone plays on": Plant(
        "engine/play.py",
        "[contract.maker.partner] if contract.alone else []",
        "[contract.maker.partner] if contract.alone and contract.maker.partner is not Seat.W else []",
        f"{SCENARIOS}::test_forced_alone_the_dealer_takes_up_buries_and_sits_out",
    ),
    "the seat left of the loner does not lead": Plant(
        "engine/play.py",
        "rules.first_lead is FirstLead.LONERS_LEFT",
        "False",
        f"{SCENARIOS}::test_loners_left_leads_where_a_table_plays_it_so",
    ),
    "the partner of a lone defender plays on": Plant(
        "engine/play.py",
        "[contract.defender.partner] if contract.defender is not None else []",
        "[]",
        f"{SCENARIOS}::test_defenders_are_asked_from_the_dealers_left",
    ),
    "the second defender is not asked": Plant(
        "engine/bidding.py",
        "if seat is _defenders(hand, state.contract)[0]:",
        "if False:",
        f"{SCENARIOS}::test_defenders_are_asked_from_the_dealers_left",
    ),
    "the maker's left is asked to defend first": Plant(
        "engine/bidding.py",
        "first = hand.deal.dealer.left\n",
        "first = contract.maker.left\n",
        f"{SCENARIOS}::test_defenders_are_asked_from_the_dealers_left",
    ),
    "defenders are asked though no maker is alone": Plant(
        "engine/bidding.py",
        "hand.rules.defend_alone is choices.LoneDefense.AGAINST_A_LONER and contract.alone",
        "hand.rules.defend_alone is choices.LoneDefense.AGAINST_A_LONER",
        f"{SCENARIOS}::test_defending_alone_against_a_loner_only",
    ),
    "a lone defender scores an ordinary euchre": Plant(
        "engine/states.py",
        "defended_alone = self.defender is not None",
        "defended_alone = False",
        f"{SCENARIOS}::test_a_euchre_scores_four_to_a_lone_defender_and_never_more",
    ),
    "the club asks alone before the bury": Plant(
        "rules/calling.py",
        "if rules.going_alone is GoingAlone.WITH_THE_CALL:",
        "if True:",
        f"{SCENARIOS}::test_the_club_asks_alone_after_the_bury",
    ),
    "the hand ends when the dealer passes once": Plant(
        "engine/bidding.py",
        "if last and state.round == 2:",
        "if last:",
        f"{SCENARIOS}::test_round_robin_passes_the_hand_out",
    ),
    "only a player with a farmer's hand is asked": Plant(
        "engine/bidding.py",
        "if seat is hand.deal.dealer:\n        return _bidding(",
        "if True:\n        return _bidding(",
        f"{SCENARIOS}::test_every_seat_is_asked_about_a_farmers_hand",
    ),
    "after a swap the next seat is asked": Plant(
        "engine/bidding.py",
        "return _bidding(hand, with_held(state.cards, seat, left + closed_kitty(hand.rules, hand.deal)), actions)",
        "return AskingFarmers(hand=hand, cards=with_held(state.cards, seat, left + closed_kitty(hand.rules, hand.deal))"
        ", actions=actions, to_act=hand.rules.left_of(seat))",
        f"{SCENARIOS}::test_a_farmers_hand_is_improved_from_the_closed_kitty",
    ),
    "the left bower follows its printed suit": Plant(
        "rules/tricks.py",
        "    if led is not None:\n        suit =",
        "    if led:\n        return tuple(card for card in cards if card.suit is led) or tuple(cards)\n"
        "    if led is not None:\n        suit =",
        f"{SCENARIOS}::test_the_left_bower_follows_trump_and_not_its_printed_suit",
    ),
    "the highest card takes the trick whatever its suit": Plant(
        "rules/tricks.py",
        "    return max(trick, key=_strengths(trump, trick[0].suit_under(trump)).__getitem__)\n",
        "    return max(trick, key=lambda card: list(Rank).index(card.rank))\n",
        f"{SCENARIOS}::test_the_highest_trump_or_card_led_takes_the_trick_and_leads",
    ),
    "the leader of the last trick leads again": Plant(
        "engine/play.py",
        "to_act=winner,\n",
        "to_act=state.leader,\n",
        f"{SCENARIOS}::test_the_highest_trump_or_card_led_takes_the_trick_and_leads",
    ),
    "the same dealer deals after a passed-out hand": Plant(
        "engine/game.py",
        "rules.left_of(game.dealer)",
        "game.dealer if hand.reason is Reason.PASSED_OUT else rules.left_of(game.dealer)",
        f"{SCENARIOS}::test_the_deal_passes_after_a_passed_out_hand_too",
    ),
    "a farmer's redeal is counted as a hand": Plant(
        "engine/game.py",
        "dealer=game.dealer, scores=scores, hands=game.hands, warnings=warnings, last=hand",
        "dealer=game.dealer, scores=scores, hands=game.hands + 1, last=hand",
        f"{SCENARIOS}::test_a_farmers_redeal_is_no_hand_and_the_same_dealer_deals_again",
    ),
    "the deal passes after a farmer's redeal": Plant(
        "engine/game.py",
        "dealer=game.dealer, scores=scores, hands=game.hands, warnings=warnings, last=hand",
        "dealer=rules.left_of(game.dealer), scores=scores, hands=game.hands, last=hand",
        f"{SCENARIOS}::test_a_farmers_redeal_is_no_hand_and_the_same_dealer_deals_again",
    ),
    "a tie is a win for the first side": Plant(
        "engine/game.py",
        "hands >= rules.fixed_hands and len(leaders) == 1",
        "hands >= rules.fixed_hands",
        f"{SCENARIOS}::test_eight_hands_count_passed_out_ones_and_may_end_level",
    ),
    "a game is won by one point where two are asked for": Plant(
        "rules/scoring.py",
        "if ranked[0] < rules.target or ranked[0] - ranked[1] < rules.win_by:",
        "if ranked[0] < rules.target or ranked[0] == ranked[1]:",
        f"{SCENARIOS}::test_no_win_by_two_on_the_sheets_but_where_a_table_wants_it",
    ),
    "three players end level at the target": Plant(
        "rules/scoring.py",
        "if ranked[0] < rules.target or ranked[0] - ranked[1] < rules.win_by:",
        "if ranked[0] < rules.target or (rules.players != 3 and ranked[0] - ranked[1] < rules.win_by):",
        f"{SCENARIOS}::test_who_has_won",
    ),
    "best of three ends a level game as a tie": Plant(
        "engine/game.py",
        "return rules.best_of == 1 and rules.fixed_hands",
        "return rules.fixed_hands",
        f"{SCENARIOS}::test_best_of_three_plays_one_more_hand_when_level",
    ),
    "a red jack deals on prize night": Plant(
        "engine/deal.py",
        "(any_jack or not card.suit.is_red)",
        "True",
        f"{SCENARIOS}::test_the_first_black_jack_deals",
    ),
    "the shuffler gets the first card of the draw": Plant(
        "engine/deal.py",
        "rules.seats.index(shuffler) + 1",
        "rules.seats.index(shuffler)",
        f"{SCENARIOS}::test_the_first_jack_deals",
    ),
    "the dummy is dealt before the players": Plant(
        "engine/deal.py",
        "seat, top = dealer, 0",
        "seat, top = dealer, rules.dummy_size",
        f"{SCENARIOS}::test_three_players_are_dealt_a_dummy_after_their_cards",
    ),
    "everyone may look at the last trick in the school cup": Plant(
        "engine/view.py",
        "return tuple(trick for trick in last if trick.winner is view.seat)",
        "return last",
        f"{LOOKING_BACK}::test_school_cup_only_the_last_winner_looks_before_leading",
    ),
    "the winner of a trick may look at it after leading": Plant(
        "engine/view.py",
        "last = () if view.trick or view.phase is Phase.SCORED else",
        "last = () if view.phase is Phase.SCORED else",
        f"{LOOKING_BACK}::test_school_cup_only_the_last_winner_looks_before_leading",
    ),
    "a dispute is over once it is ruled": Plant(
        "engine/view.py",
        "(action.irregularity for action in view.actions if isinstance(action, CallOut))",
        "(call.irregularity for call in view.docket.calls)",
        f"{LOOKING_BACK}::test_school_cup_tricks_stay_open_though_the_call_was_ruled_at_once",
    ),
    "a dispute is over when the hand has counted": Plant(
        "engine/view.py",
        "if not view.rules.disputes_open_tricks:",
        "if not view.rules.disputes_open_tricks or view.phase is Phase.SCORED:",
        f"{LOOKING_BACK}::test_school_cup_a_late_call_opens_all_tricks_until_the_deal",
    ),
    "a view shows all players the buried card": Plant(
        "engine/view.py",
        "return Bury(action.seat, UNKNOWN)",
        "return action",
        f"{SCENARIOS}::test_only_the_dealer_sees_the_buried_card",
    ),
    "a view shows the dummy to the defenders": Plant(
        "engine/view.py",
        "or contract.maker is not viewer",
        "",
        f"{SCENARIOS}::test_only_the_maker_sees_the_dummy_and_what_was_laid_away",
    ),
    "a view shows the dummy before it is taken": Plant(
        "engine/view.py",
        "return () if isinstance(state, states.Discarding | states.DecidingAlone) else state.hand.deal.dummy",
        "return state.hand.deal.dummy",
        f"{SCENARIOS}::test_only_the_maker_sees_the_dummy_and_what_was_laid_away",
    ),
    "the cut before the draw is offered to the right": Plant(
        "table/state.py",
        "return rules.seats[(index + 1) % rules.players]",
        "return rules.seats[(index - 1) % rules.players]",
        f"{DRAWS}::test_prize_night_offers_the_cut_to_the_left_before_the_draw",
    ),
    "no cut is offered before the draw": Plant(
        "table/state.py",
        "cutting_seat(self.rules, self.rules.draw_cut, self.shuffler)",
        "cutting_seat(self.rules, Cut.NONE, self.shuffler)",
        f"{DRAWS}::test_prize_night_offers_the_cut_to_the_left_before_the_draw",
    ),
    "a dealer who forgot the cut has offered it": Plant(
        "table/reducer.py",
        "cut_offered=not honor or table.cut_offered or rules.deal_cut is Cut.NONE,",
        "cut_offered=True,",
        f"{HONOR_DEALS}::test_club_a_forgotten_cut_can_happen_and_be_called",
    ),
    "the up-card of an honor table shows with the deal": Plant(
        "table/reducer.py",
        "face_down=honor,",
        "face_down=False,",
        f"{HONOR_DEALS}::test_club_wrong_numbers_of_cards_can_happen_and_be_called",
    ),
    "the cut before the draw does not turn the deck": Plant(
        "table/reducer.py",
        "shuffler=table.shuffler, deck=table.sealed_deck.deck, cut=table.cut or 0)",
        "shuffler=table.shuffler, deck=table.sealed_deck.deck)",
        f"{DRAWS}::test_prize_night_offers_the_cut_to_the_left_before_the_draw",
    ),
    "a dealer who made trump takes the dummy before the discard": Plant(
        "engine/bidding.py",
        "return (alone,) if _dummy_waits(state) else (alone, together)",
        "return (alone, together)",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "alone may be said after the dummy is taken": Plant(
        "engine/bidding.py",
        "if led or state.contract.alone or state.contract.laid_away:",
        "if led or state.contract.alone:",
        f"{NAIVE_JUDGE}[club2]",
    ),
    "among three a defender's offense pays both others": Plant(
        "rules/referee.py",
        "return rules.opponents_of(offender) if offender is facts.maker else (facts.maker,)",
        "return rules.opponents_of(offender)",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "of three players a defender may call the other": Plant(
        "engine/honor.py",
        "return rules.opponents_of(maker) if seat is maker else (maker,)",
        "return rules.opponents_of(seat)",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "each of two defenders pays a penalty": Plant(
        "engine/honor.py",
        "any(penalty.offender not in opponents_in_hand(state, seat) for penalty",
        "any(penalty.offender is seat for penalty",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "one of two defenders may waive a penalty": Plant(
        "engine/honor.py",
        "action.terms is not Terms.FULL and len(state.asked) > 1:",
        "action.terms is not Terms.FULL and False:",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "two defenders who ask for less in different words get the last word": Plant(
        "engine/honor.py",
        "terms = action.terms if agreed else Terms.FULL",
        "terms = action.terms",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "a lead out of turn is no offense": Plant(
        "engine/honor.py",
        "if seat is not (leader if index == 0 else next_to_play(state.active, seats[:index])) and not",
        "if index and seat is not next_to_play(state.active, seats[:index]) and not",
        f"{NAIVE_JUDGE}[club3]",
    ),
    "of two guilty sides the first pays": Plant(
        "engine/honor.py",
        "if len(paid) == 1 else (Reason.BOTH_GUILTY",
        "if len(paid) >= 1 else (Reason.BOTH_GUILTY",
        f"{NAIVE_JUDGE}[club2]",
    ),
    "a renege is proven from closed cards": Plant(
        "engine/honor.py",
        "if not _closed_cards(state, call.against):",
        "if True:",
        f"{NAIVE_JUDGE}[club2]",
    ),
    "every player who does not follow is guilty in the end": Plant(
        "engine/honor.py",
        "return (None if _closed_cards(state, call.against) else False), (laid,)",
        "return (None if _closed_cards(state, call.against) else True), (laid,)",
        f"{NAIVE_JUDGE}[club2]",
    ),
    "an offense in a lone hand costs two": Plant(
        "rules/referee.py",
        "scored = rules.renege_points_alone if _costs_more(rules, facts, offender) else rules.renege_points",
        "scored = rules.renege_points",
        f"{NAIVE_JUDGE}[club2]",
    ),
    "a missing discard may be waived": Plant(
        "rules/referee.py",
        'return _penalty(rules, facts, dealer, ("failure_to_discard", *_PENALTY))',
        'return _penalty(rules, facts, dealer, ("failure_to_discard", *_PENALTY), may_be_waived=True)',
        f"{NAIVE_JUDGE}[club2]",
    ),
    "a dealer may discard after the first card": Plant(
        "engine/bidding.py",
        "contract.buried is None and not laid and _may_forget(state.hand)",
        "contract.buried is None and _may_forget(state.hand)",
        f"{NAIVE_JUDGE}[club2]",
    ),
}


@pytest.mark.parametrize("misreading", PLANTS)
def test_a_planted_misreading_of_play_is_caught(
    misreading: str, mutation_runner: MutationRunner, tmp_path: Path
) -> None:
    """The scenario fails rather than breaks: status 1 is a failed test, anything higher another error."""
    outcome = mutation_runner.run_mutated(PLANTS[misreading], tmp_path)
    assert outcome.status == 1, outcome.printed
    assert "1 failed" in outcome.printed
    assert "NameError" not in outcome.printed
    assert "SyntaxError" not in outcome.printed


def test_without_a_plant_the_same_scenarios_pass(mutation_runner: MutationRunner, tmp_path: Path) -> None:
    """The same scenarios pass on the unchanged engine, run in the same way."""
    outcome = mutation_runner.run(copy_package(tmp_path), *sorted({plant.caught_by for plant in PLANTS.values()}))
    assert outcome.status == 0, outcome.printed
