"""The referee against a naive one, plain ifs on the sheet's name, and named cases from the sheets, all by hand."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import product
from typing import Final

import pytest

from leftbower.errors import BadIncident, BadSeat
from leftbower.rules import HouseRules, Incident, Irregularity, Remedy, Ruling, Seat, cite, facts_needed, preset, ruling
from leftbower.rules.choices import Correction, Cut, FailureToDiscard, Misdeal, MissingCut, OutOfTurn, RenegeAlone

N, E, S, W = Seat.N, Seat.E, Seat.S, Seat.W

RENEGE = Irregularity.RENEGE
OUT_OF_TURN = Irregularity.OUT_OF_TURN
FAILURE_TO_DISCARD = Irregularity.FAILURE_TO_DISCARD
NO_CUT_OFFERED = Irregularity.NO_CUT_OFFERED
WRONG_CARD_COUNT = Irregularity.WRONG_CARD_COUNT
MISDEALS = (NO_CUT_OFFERED, WRONG_CARD_COUNT)

PLAYERS: Final = {
    "standard": 4,
    "round-robin": 4,
    "campus": 4,
    "school-cup": 4,
    "prize-night": 4,
    "club": 4,
    "club3": 3,
    "club2": 2,
}


@dataclass(frozen=True)
class Announced:
    """What is announced to the players; by default no one scores and the hand goes on."""

    points: dict[Seat, int] = field(default_factory=dict)
    warning: bool = False
    hand_ends: bool = False
    deal_passes: bool = False
    may_be_waived: bool = False
    irregular: bool = True
    """Is it an irregularity at all?"""


HAND_GOES_ON = Announced()
NO_IRREGULARITY = Announced(irregular=False)
WARNED = Announced(warning=True)
SAME_DEALER_AGAIN = Announced(hand_ends=True)
DEAL_FORFEITED = Announced(hand_ends=True, deal_passes=True)


def penalty(points: dict[Seat, int]) -> Announced:
    """The hand is over, and these points replace its score."""
    return Announced(points=points, hand_ends=True, deal_passes=True)


def waivable(points: dict[Seat, int]) -> Announced:
    """The same, but the opponents may waive or reduce it."""
    return Announced(points=points, hand_ends=True, deal_passes=True, may_be_waived=True)


def announced(rules: HouseRules, facts: Incident) -> Announced:
    """Our referee's answer, without the words."""
    return without_words(ruling(rules, facts))


def without_words(ruled: Ruling) -> Announced:
    """The consequences of a ruling, without the words."""
    irregular = ruled.remedy is not Remedy.NONE
    return Announced(
        dict(ruled.points), ruled.warning, ruled.hand_ends, ruled.deal_passes, ruled.may_be_waived, irregular
    )


# --- the naive referee -------------------------------------------------------------------------------------------


def naive(sheet: str, facts: Incident, reading: str = "either side") -> Announced:
    """The sheets' answers one by one, without options.

    `reading` is whose lone hand makes an offense cost four, if the sheet says that a lone hand does.
    """
    offender, maker = facts.offender, facts.maker
    assert offender is not None
    assert maker is not None
    if facts.irregularity is NO_CUT_OFFERED and sheet not in ("club", "club3", "club2"):
        return NO_IRREGULARITY
    if facts.irregularity in MISDEALS:
        if sheet in ("club", "club3", "club2") and facts.up_card_shown:
            return DEAL_FORFEITED
        return SAME_DEALER_AGAIN
    if sheet in ("club", "club3", "club2"):
        dear = facts.alone and naive_costs_more(sheet, offender, maker, reading)
        scored = dict.fromkeys(naive_wronged_side(sheet, offender, maker), 4 if dear else 2)
        return penalty(scored) if facts.irregularity is FAILURE_TO_DISCARD else waivable(scored)
    if facts.irregularity in (OUT_OF_TURN, FAILURE_TO_DISCARD):
        return HAND_GOES_ON
    if facts.corrected and (sheet == "round-robin" or (sheet == "standard" and not facts.called)):
        return HAND_GOES_ON
    if sheet in ("round-robin", "standard") and facts.alone and naive_costs_more(sheet, offender, maker, reading):
        return penalty(dict.fromkeys(naive_wronged_side(sheet, offender, maker), 4))
    if sheet == "school-cup" and facts.earlier_warnings == 0:
        return WARNED
    return penalty(dict.fromkeys(naive_wronged_side(sheet, offender, maker), 2))


def naive_wronged_side(sheet: str, offender: Seat, maker: Seat) -> tuple[Seat, ...]:
    """Who scores when this seat offends."""
    if sheet == "club2":
        return (S,) if offender is N else (N,)
    if sheet == "club3":
        if offender is not maker:
            return (maker,)
        return {N: (E, S), E: (N, S), S: (N, E)}[maker]
    return (E, W) if offender in (N, S) else (N, S)


def naive_costs_more(sheet: str, offender: Seat, maker: Seat, reading: str) -> bool:
    """Does a lone hand make this offense cost more?"""
    if reading == "either side":
        return True
    if sheet in ("club3", "club2"):
        offender_was_alone = offender is maker
    elif maker in (N, S):
        offender_was_alone = offender in (N, S)
    else:
        offender_was_alone = offender in (E, W)
    return offender_was_alone if reading == "by the lone side" else not offender_was_alone


def every_incident(seats: tuple[Seat, ...], kind: Irregularity) -> Iterator[Incident]:
    """Every report of one irregularity; the dealer is named even if it shouldn't matter."""
    yes_no = (False, True)
    for offender, maker in product(seats, seats):
        innocent = next(seat for seat in seats if seat is not offender)
        for alone, corrected, called, warnings, up_card_shown in product(yes_no, yes_no, yes_no, range(3), yes_no):
            yield Incident(
                irregularity=kind,
                offender=offender,
                maker=maker,
                dealer=innocent if kind in (RENEGE, OUT_OF_TURN) else offender,
                alone=alone,
                corrected=corrected,
                called=called,
                earlier_warnings=warnings,
                up_card_shown=up_card_shown,
            )


@cache
def every_ruling(rules: HouseRules, kind: Irregularity) -> list[tuple[Incident, Ruling]]:
    """Every report of an irregularity with its ruling."""
    seats = {4: (N, E, S, W), 3: (N, E, S), 2: (N, S)}[rules.players]
    return [(facts, ruling(rules, facts)) for facts in every_incident(seats, kind)]


@pytest.mark.parametrize("kind", Irregularity, ids=str)
@pytest.mark.parametrize("sheet", PLAYERS)
def test_the_referee_agrees_with_a_naive_one(sheet: str, kind: Irregularity) -> None:
    """For every sheet and every report of an incident, both give the same ruling."""
    rulings = every_ruling(preset(sheet), kind)
    assert len(rulings) == PLAYERS[sheet] ** 2 * 2 * 2 * 2 * 3 * 2
    for facts, ruled in rulings:
        assert without_words(ruled) == naive(sheet, facts), facts


READINGS: Final = {
    "either side": RenegeAlone.EITHER_SIDE,
    "by the lone side": RenegeAlone.BY_THE_LONE_SIDE,
    "against the lone side": RenegeAlone.AGAINST_THE_LONE_SIDE,
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("kind", [RENEGE, OUT_OF_TURN, FAILURE_TO_DISCARD], ids=str)
@pytest.mark.parametrize("sheet", ["round-robin", "club", "club3", "club2"])
def test_each_reading_of_a_lone_renege_agrees_with_a_naive_referee(
    sheet: str, kind: Irregularity, reading: str
) -> None:
    """If a lone hand costs four, each of the three readings of whose it must be matches a naive referee."""
    for facts, ruled in every_ruling(replace(preset(sheet), renege_alone=READINGS[reading]), kind):
        assert without_words(ruled) == naive(sheet, facts, reading), facts


# --- round robin -------------------------------------------------------------------------------------------------


def test_round_robin_renege_gives_the_other_team_two() -> None:
    """Round robin: an uncorrected renege costs two."""
    facts = Incident(irregularity=RENEGE, offender=N, maker=E)
    assert announced(preset("round-robin"), facts) == penalty({E: 2, W: 2})


def test_round_robin_renege_against_a_lone_hand_costs_four() -> None:
    """Round robin: four when the other side plays alone."""
    facts = Incident(irregularity=RENEGE, offender=W, maker=S, alone=True)
    assert announced(preset("round-robin"), facts) == penalty({N: 4, S: 4})


def test_round_robin_renege_by_the_lone_hand_costs_four_too() -> None:
    """Round robin: we read it as four on any lone hand, whichever side offends."""
    facts = Incident(irregularity=RENEGE, offender=S, maker=S, alone=True)
    assert announced(preset("round-robin"), facts) == penalty({E: 4, W: 4})


def test_round_robin_against_the_lone_side_its_renege_costs_two() -> None:
    """Round robin, another reading: four only for a renege against a lone hand."""
    rules = replace(preset("round-robin"), renege_alone=RenegeAlone.AGAINST_THE_LONE_SIDE)
    against = Incident(irregularity=RENEGE, offender=W, maker=S, alone=True)
    assert announced(rules, against) == penalty({N: 4, S: 4})
    assert announced(rules, replace(against, offender=S)) == penalty({E: 2, W: 2})
    assert announced(rules, replace(against, alone=False)) == penalty({N: 2, S: 2})


def test_round_robin_by_the_lone_side_its_renege_costs_four() -> None:
    """Round robin, a third reading: four only for a renege by the lone side."""
    rules = replace(preset("round-robin"), renege_alone=RenegeAlone.BY_THE_LONE_SIDE)
    by_the_loner = Incident(irregularity=RENEGE, offender=S, maker=S, alone=True)
    assert announced(rules, by_the_loner) == penalty({E: 4, W: 4})
    assert announced(rules, replace(by_the_loner, offender=W)) == penalty({N: 2, S: 2})
    assert announced(rules, replace(by_the_loner, alone=False)) == penalty({E: 2, W: 2})


def test_round_robin_corrected_renege_is_free() -> None:
    """Round robin: corrected before the hand is over, a renege costs nothing and the hand goes on."""
    facts = Incident(irregularity=RENEGE, offender=N, maker=E, corrected=True)
    assert announced(preset("round-robin"), facts) == HAND_GOES_ON


def test_round_robin_corrected_renege_is_free_even_after_a_call() -> None:
    """Round robin: a correction counts even if an opponent asked for it, and on lone hands."""
    facts = Incident(irregularity=RENEGE, offender=N, maker=E, alone=True, corrected=True, called=True)
    assert announced(preset("round-robin"), facts) == HAND_GOES_ON


def test_round_robin_gives_no_warnings() -> None:
    """Round robin: the first renege already costs two."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=E, earlier_warnings=0)
    assert announced(preset("round-robin"), facts) == penalty({N: 2, S: 2})


def test_round_robin_play_out_of_turn_is_taken_back() -> None:
    """Round robin: the sheet is silent, so the card goes back and no side scores."""
    facts = Incident(irregularity=OUT_OF_TURN, offender=E, maker=N, alone=True)
    assert announced(preset("round-robin"), facts) == HAND_GOES_ON


def test_round_robin_misdeal_is_dealt_again_by_the_same_dealer() -> None:
    """Round robin: a wrong count ends the hand, and the same dealer deals again."""
    facts = Incident(irregularity=WRONG_CARD_COUNT, dealer=N, up_card_shown=True)
    assert announced(preset("round-robin"), facts) == SAME_DEALER_AGAIN


@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "prize-night"])
@pytest.mark.parametrize("up_card_shown", [False, True])
def test_four_sheets_have_no_cut_that_could_be_missing(sheet: str, up_card_shown: bool) -> None:
    """Round robin, campus, school cup, prize night: no cut is due before a deal, so its absence changes nothing."""
    ruled = ruling(preset(sheet), Incident(irregularity=NO_CUT_OFFERED, dealer=N, up_card_shown=up_card_shown))
    assert without_words(ruled) == NO_IRREGULARITY
    assert cite(ruled, preset(sheet)) == "No cut is offered before a deal."
    assert ruled.as_json()["remedy"] == "none"


# --- campus ------------------------------------------------------------------------------------------------------


def test_campus_renege_costs_two() -> None:
    """Campus: two by default."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=N)
    assert announced(preset("campus"), facts) == penalty({N: 2, S: 2})


def test_campus_renege_costs_two_alone_as_well() -> None:
    """Campus: the default is flat."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=N, alone=True)
    assert announced(preset("campus"), facts) == penalty({N: 2, S: 2})


def test_campus_corrected_renege_still_costs_two() -> None:
    """Campus: no correction is free unless a sheet says so."""
    facts = Incident(irregularity=RENEGE, offender=N, maker=N, corrected=True)
    assert announced(preset("campus"), facts) == penalty({E: 2, W: 2})


def test_campus_table_waits_for_the_discard() -> None:
    """Campus: a dealer who forgot the discard makes it, and no side scores."""
    facts = Incident(irregularity=FAILURE_TO_DISCARD, dealer=S, maker=E, alone=True)
    assert announced(preset("campus"), facts) == HAND_GOES_ON


def test_campus_misdeal_is_dealt_again_by_the_same_dealer() -> None:
    """Campus: the same dealer deals again, before and after the up-card."""
    for up_card_shown in (False, True):
        facts = Incident(irregularity=WRONG_CARD_COUNT, dealer=S, up_card_shown=up_card_shown)
        assert announced(preset("campus"), facts) == SAME_DEALER_AGAIN


def test_a_campus_table_with_a_cut_redeals_when_it_is_missing() -> None:
    """Campus with its own cut: only then can it be missing, and the same dealer deals again."""
    rules = replace(preset("campus"), deal_cut=Cut.LEFT)
    for up_card_shown in (False, True):
        facts = Incident(irregularity=NO_CUT_OFFERED, dealer=S, up_card_shown=up_card_shown)
        assert announced(rules, facts) == SAME_DEALER_AGAIN


# --- school cup --------------------------------------------------------------------------------------------------


def test_school_cup_first_renege_is_a_warning_and_the_play_stands() -> None:
    """School cup: the first renege of a player costs nothing and the hand goes on."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=N)
    assert announced(preset("school-cup"), facts) == WARNED


def test_school_cup_first_renege_is_a_warning_on_lone_hands_too() -> None:
    """School cup: the warning comes first, alone or not, corrected or not."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=E, alone=True, corrected=True)
    assert announced(preset("school-cup"), facts) == WARNED


def test_school_cup_second_renege_gives_the_opponents_two() -> None:
    """School cup: after the warning two points, which we give to the opponents."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=N, earlier_warnings=1)
    assert announced(preset("school-cup"), facts) == penalty({N: 2, S: 2})


def test_school_cup_second_renege_costs_two_even_alone() -> None:
    """School cup: lone hands cost no more."""
    facts = Incident(irregularity=RENEGE, offender=N, maker=N, alone=True, earlier_warnings=1)
    assert announced(preset("school-cup"), facts) == penalty({E: 2, W: 2})


def test_school_cup_third_renege_costs_two_again() -> None:
    """School cup: there is only ever one warning."""
    facts = Incident(irregularity=RENEGE, offender=W, maker=N, earlier_warnings=2)
    assert announced(preset("school-cup"), facts) == penalty({N: 2, S: 2})


def test_school_cup_play_out_of_turn_is_no_warning() -> None:
    """School cup: warnings are for reneges; a card out of turn is just taken back."""
    facts = Incident(irregularity=OUT_OF_TURN, offender=W, maker=N)
    assert announced(preset("school-cup"), facts) == HAND_GOES_ON


# --- prize night -------------------------------------------------------------------------------------------------


def test_prize_night_renege_costs_two_alone_or_not() -> None:
    """Prize night: two by default, flat."""
    for alone in (False, True):
        facts = Incident(irregularity=RENEGE, offender=S, maker=W, alone=alone)
        assert announced(preset("prize-night"), facts) == penalty({E: 2, W: 2})


def test_prize_night_penalty_cannot_be_waived() -> None:
    """Prize night: the sheet gives the opponents no choice."""
    facts = Incident(irregularity=RENEGE, offender=S, maker=W)
    assert not announced(preset("prize-night"), facts).may_be_waived


def test_prize_night_table_waits_for_the_discard() -> None:
    """Prize night: a forgotten discard is made later."""
    facts = Incident(irregularity=FAILURE_TO_DISCARD, offender=E, maker=N)
    assert announced(preset("prize-night"), facts) == HAND_GOES_ON


def test_prize_night_misdeal_stays_with_the_dealer() -> None:
    """Prize night: wrong counts are dealt again by the same dealer."""
    facts = Incident(irregularity=WRONG_CARD_COUNT, dealer=W)
    assert announced(preset("prize-night"), facts) == SAME_DEALER_AGAIN


# --- club --------------------------------------------------------------------------------------------------------


def test_club_renege_forfeits_the_hand_for_two() -> None:
    """Club: two to the opponents, who may waive it."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=N)
    assert announced(preset("club"), facts) == waivable({N: 2, S: 2})


def test_club_renege_costs_four_when_the_hand_was_called_alone() -> None:
    """Club: four on a lone hand, and a correction does not help."""
    facts = Incident(irregularity=RENEGE, offender=N, maker=N, alone=True, corrected=True)
    assert announced(preset("club"), facts) == waivable({E: 4, W: 4})


def test_club_play_out_of_turn_is_punished_like_a_renege() -> None:
    """Club: out of turn costs two, or four alone, and may also be waived."""
    facts = Incident(irregularity=OUT_OF_TURN, offender=W, maker=W)
    assert announced(preset("club"), facts) == waivable({N: 2, S: 2})
    assert announced(preset("club"), replace(facts, alone=True)) == waivable({N: 4, S: 4})


def test_club_failure_to_discard_costs_the_dealer_two() -> None:
    """Club: the dealer's opponents score two, and this penalty may not be waived."""
    facts = Incident(irregularity=FAILURE_TO_DISCARD, dealer=S, maker=W)
    assert announced(preset("club"), facts) == penalty({E: 2, W: 2})


def test_club_failure_to_discard_costs_four_on_a_lone_hand() -> None:
    """Club: four if the hand was called alone, by either side."""
    facts = Incident(irregularity=FAILURE_TO_DISCARD, dealer=E, maker=N, alone=True)
    assert announced(preset("club"), facts) == penalty({N: 4, S: 4})


def test_club_error_before_the_up_card_shows_is_dealt_again() -> None:
    """Club: the dealer may deal again as long as the deal isn't complete."""
    for kind in MISDEALS:
        facts = Incident(irregularity=kind, dealer=N, up_card_shown=False)
        assert announced(preset("club"), facts) == SAME_DEALER_AGAIN


def test_club_misdeal_after_the_up_card_shows_loses_the_deal() -> None:
    """Club: without a cut or with wrong counts, a complete deal passes to the next player, without points."""
    for kind in MISDEALS:
        facts = Incident(irregularity=kind, dealer=N, up_card_shown=True)
        assert announced(preset("club"), facts) == DEAL_FORFEITED


@pytest.mark.parametrize(
    ("missing_cut", "says"),
    [
        (MissingCut.UNTIL_PLAYED, "A missing cut can be called until the hand has been played."),
        (MissingCut.BEFORE_THE_FIRST_CALL, "A missing cut can be called only before the first call."),
    ],
)
def test_club_ruling_on_a_missing_cut_says_until_when_it_can_be_called(missing_cut: MissingCut, says: str) -> None:
    """Club: the sheet sets no limit; it doesn't apply to wrong numbers of cards."""
    rules = replace(preset("club"), missing_cut=missing_cut)
    assert cite(ruling(rules, Incident(irregularity=NO_CUT_OFFERED)), rules).endswith(says)
    assert says not in cite(ruling(rules, Incident(irregularity=WRONG_CARD_COUNT)), rules)


# --- club, three- and two-handed ---------------------------------------------------------------------------------


def test_three_handed_club_maker_who_reneges_pays_each_defender() -> None:
    """Club for three: each defender scores two, or four when the hand was alone."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=E)
    assert announced(preset("club3"), facts) == waivable({N: 2, S: 2})
    assert announced(preset("club3"), replace(facts, alone=True)) == waivable({N: 4, S: 4})


def test_three_handed_club_defender_who_reneges_pays_only_the_maker() -> None:
    """Club for three: the other defender gets nothing."""
    facts = Incident(irregularity=RENEGE, offender=E, maker=S)
    assert announced(preset("club3"), facts) == waivable({S: 2})
    assert announced(preset("club3"), replace(facts, alone=True)) == waivable({S: 4})


def test_three_handed_club_defender_out_of_turn_pays_only_the_maker() -> None:
    """Club for three: out of turn counts as a renege here too."""
    facts = Incident(irregularity=OUT_OF_TURN, offender=N, maker=E, alone=True)
    assert announced(preset("club3"), facts) == waivable({E: 4})


def test_club3_dealer_who_makes_without_a_discard_pays_both() -> None:
    """Club for three: a dealer who is the maker pays each defender."""
    facts = Incident(irregularity=FAILURE_TO_DISCARD, dealer=N, maker=N)
    assert announced(preset("club3"), facts) == penalty({E: 2, S: 2})


def test_club3_defending_dealer_without_a_discard_pays_the_maker() -> None:
    """Club for three: a dealer who was ordered up is a defender, and pays the maker alone."""
    facts = Incident(irregularity=FAILURE_TO_DISCARD, dealer=N, maker=S, alone=True)
    assert announced(preset("club3"), facts) == penalty({S: 4})


def test_two_handed_club_renege_pays_the_other_player() -> None:
    """Club for two: the opponent of the offender scores two, or four alone."""
    rules = preset("club2")
    assert announced(rules, Incident(irregularity=RENEGE, offender=N, maker=N)) == waivable({S: 2})
    assert announced(rules, Incident(irregularity=RENEGE, offender=S, maker=N, alone=True)) == waivable({N: 4})


def test_two_handed_club_misdeal_passes_the_deal() -> None:
    """Club for two: a completed misdeal loses the deal as with four."""
    facts = Incident(irregularity=WRONG_CARD_COUNT, dealer=S)
    assert announced(preset("club2"), facts) == DEAL_FORFEITED


# --- reports that can't be ruled on ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sheet", "facts", "path"),
    [
        ("campus", Incident(irregularity=RENEGE, maker=N), "offender"),
        ("club", Incident(irregularity=OUT_OF_TURN, maker=N), "offender"),
        ("club", Incident(irregularity=FAILURE_TO_DISCARD, maker=N), "dealer"),
        ("club3", Incident(irregularity=RENEGE, offender=E), "maker"),
        ("club3", Incident(irregularity=FAILURE_TO_DISCARD, dealer=E), "maker"),
    ],
)
def test_a_missing_fact_is_named(sheet: str, facts: Incident, path: str) -> None:
    """The referee doesn't guess, and says which fact is missing or wrong."""
    with pytest.raises(BadIncident) as refused:
        ruling(preset(sheet), facts)
    assert (refused.value.code, refused.value.path) == ("bad-incident", path)


@pytest.mark.parametrize("reading", [RenegeAlone.BY_THE_LONE_SIDE, RenegeAlone.AGAINST_THE_LONE_SIDE])
def test_where_one_sides_lone_hand_costs_more_the_maker_must_be_named(reading: RenegeAlone) -> None:
    """Round robin, with this reading: only on a lone hand the referee asks who made trump."""
    rules = replace(preset("round-robin"), renege_alone=reading)
    with pytest.raises(BadIncident, match="say who made trump") as refused:
        ruling(rules, Incident(irregularity=RENEGE, offender=N, alone=True))
    assert (refused.value.code, refused.value.path) == ("bad-incident", "maker")
    assert announced(rules, Incident(irregularity=RENEGE, offender=N)) == penalty({E: 2, W: 2})


@pytest.mark.parametrize(
    ("sheet", "facts"),
    [
        ("club3", Incident(irregularity=RENEGE, offender=W, maker=N)),
        ("club3", Incident(irregularity=RENEGE, offender=N, maker=W)),
        ("club2", Incident(irregularity=FAILURE_TO_DISCARD, dealer=E, maker=N)),
    ],
)
def test_an_empty_seat_cannot_offend(sheet: str, facts: Incident) -> None:
    """A seat that is empty at this number of players is refused."""
    with pytest.raises(BadSeat):
        ruling(preset(sheet), facts)


# --- options beyond the sheets -----------------------------------------------------------------------------------


def test_of_their_own_accord_a_correction_is_free() -> None:
    """If only a voluntary correction is free, one before any call costs nothing."""
    rules = replace(preset("campus"), correction=Correction.UNLESS_CALLED)
    facts = Incident(irregularity=RENEGE, offender=E, maker=N, corrected=True, called=False)
    assert announced(rules, facts) == HAND_GOES_ON


def test_of_their_own_accord_a_correction_after_a_call_is_too_late() -> None:
    """If only a voluntary correction is free, one after a call costs the full penalty."""
    rules = replace(preset("campus"), correction=Correction.UNLESS_CALLED)
    facts = Incident(irregularity=RENEGE, offender=E, maker=N, corrected=True, called=True)
    assert announced(rules, facts) == penalty({N: 2, S: 2})


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("correction", Correction, ids=str)
def test_out_of_turn_as_a_renege_is_corrected_like_one(correction: Correction, called: bool) -> None:
    """Never, only voluntary, or even when called: the same rule applies to a renege and to a card out of turn."""
    rules = replace(preset("campus"), out_of_turn=OutOfTurn.AS_RENEGE, correction=correction)
    free = {"never": False, "unless-called": not called, "even-when-called": True}[str(correction)]
    for kind in (RENEGE, OUT_OF_TURN):
        facts = Incident(irregularity=kind, offender=E, maker=N, corrected=True, called=called)
        assert announced(rules, facts) == (HAND_GOES_ON if free else penalty({N: 2, S: 2}))
        if free:
            assert cite(ruling(rules, facts), rules).count("A renege or a play out of turn c") == 1


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("correction", Correction, ids=str)
def test_a_card_taken_back_costs_nothing_under_any_correction(correction: Correction, called: bool) -> None:
    """A card out of turn goes back at no cost, corrected or not; the rule on reneges doesn't apply."""
    rules = replace(preset("campus"), correction=correction)
    for corrected in (False, True):
        facts = Incident(irregularity=OUT_OF_TURN, offender=E, maker=N, corrected=corrected, called=called)
        assert announced(rules, facts) == HAND_GOES_ON
        assert cite(ruling(rules, facts), rules) == "A card played out of turn is taken back."


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("correction", Correction, ids=str)
def test_an_uncorrected_renege_is_never_free(correction: Correction, called: bool) -> None:
    """No kind of correction helps a player who doesn't correct."""
    rules = replace(preset("campus"), correction=correction)
    facts = Incident(irregularity=RENEGE, offender=E, maker=N, corrected=False, called=called)
    assert announced(rules, facts) == penalty({N: 2, S: 2})


@pytest.mark.parametrize(
    ("warnings", "earlier", "expected"),
    [
        (0, 0, penalty({E: 2, W: 2})),
        (1, 0, WARNED),
        (1, 1, penalty({E: 2, W: 2})),
        (2, 0, WARNED),
        (2, 1, WARNED),
        (2, 2, penalty({E: 2, W: 2})),
        (2, 3, penalty({E: 2, W: 2})),
        (3, 2, WARNED),
        (3, 3, penalty({E: 2, W: 2})),
    ],
)
def test_as_many_reneges_are_warned_of_as_the_table_agreed(warnings: int, earlier: int, expected: Announced) -> None:
    """With two warnings the third renege is the first to cost anything."""
    rules = replace(preset("prize-night"), renege_warnings=warnings)
    facts = Incident(irregularity=RENEGE, offender=S, maker=E, earlier_warnings=earlier)
    assert announced(rules, facts) == expected


def test_a_free_correction_uses_up_no_warning() -> None:
    """A renege that was corrected in time doesn't count as one."""
    rules = replace(preset("round-robin"), renege_warnings=1)
    facts = Incident(irregularity=RENEGE, offender=S, maker=E, corrected=True)
    assert announced(rules, facts) == HAND_GOES_ON
    assert announced(rules, replace(facts, corrected=False)) == WARNED


def test_a_warning_has_nothing_to_waive() -> None:
    """The opponents may reduce a penalty, but a warning isn't one."""
    rules = replace(preset("club"), renege_warnings=1)
    facts = Incident(irregularity=RENEGE, offender=S, maker=E)
    assert announced(rules, facts) == WARNED
    assert announced(rules, replace(facts, earlier_warnings=1)) == waivable({E: 2, W: 2})


@pytest.mark.parametrize(("kind", "waived"), [(RENEGE, True), (OUT_OF_TURN, True), (FAILURE_TO_DISCARD, False)])
def test_a_penalty_that_does_not_end_the_hand_lets_play_go_on(kind: Irregularity, waived: bool) -> None:
    """The points are the same; neither the hand nor the deal moves on."""
    rules = replace(preset("club"), penalty_ends_hand=False)
    facts = Incident(irregularity=kind, offender=S, dealer=S, maker=E, alone=True)
    assert announced(rules, facts) == Announced(points={E: 4, W: 4}, may_be_waived=waived)


def test_a_misdeal_ends_the_hand_even_where_penalties_do_not() -> None:
    """Cards that were dealt wrong can't be played, whatever the rules on penalties."""
    rules = replace(preset("club"), penalty_ends_hand=False)
    assert announced(rules, Incident(irregularity=WRONG_CARD_COUNT)) == DEAL_FORFEITED


def test_out_of_turn_as_a_renege_is_warned_and_corrected_as_one() -> None:
    """ "As a renege" means the same in everything."""
    rules = replace(preset("school-cup"), out_of_turn=OutOfTurn.AS_RENEGE, correction=Correction.EVEN_WHEN_CALLED)
    facts = Incident(irregularity=OUT_OF_TURN, offender=W, maker=N)
    assert announced(rules, replace(facts, corrected=True, called=True)) == HAND_GOES_ON
    assert announced(rules, facts) == WARNED
    assert announced(rules, replace(facts, earlier_warnings=1)) == penalty({N: 2, S: 2})


@pytest.mark.parametrize(
    ("alone", "expected"), [(False, penalty({N: 1, S: 1})), (True, penalty({N: 3, S: 3}))], ids=["joint", "alone"]
)
def test_the_points_of_a_penalty_are_the_tables(alone: bool, expected: Announced) -> None:
    """Renege and failure to discard cost what the table agreed, with separate values for lone hands."""
    agreed = replace(
        preset("campus"),
        renege_points=1,
        renege_points_alone=3,
        failure_to_discard=FailureToDiscard.PENALTY,
    )
    for kind in (RENEGE, FAILURE_TO_DISCARD):
        facts = Incident(irregularity=kind, offender=E, maker=N, alone=alone)
        assert announced(agreed, facts) == expected


# --- the facts a referee asks for --------------------------------------------------------------------------------

FACTS_NEEDED: Final[list[tuple[str, Irregularity, tuple[str, ...]]]] = [
    ("round-robin", RENEGE, ("offender", "alone", "corrected")),
    ("campus", RENEGE, ("offender",)),
    ("school-cup", RENEGE, ("offender", "earlier_warnings")),
    ("prize-night", RENEGE, ("offender",)),
    ("club", RENEGE, ("offender", "alone")),
    ("club3", RENEGE, ("offender", "maker", "alone")),
    ("club2", RENEGE, ("offender", "alone")),
    ("round-robin", OUT_OF_TURN, ()),
    ("campus", OUT_OF_TURN, ()),
    ("school-cup", OUT_OF_TURN, ()),
    ("prize-night", OUT_OF_TURN, ()),
    ("club", OUT_OF_TURN, ("offender", "alone")),
    ("club3", OUT_OF_TURN, ("offender", "maker", "alone")),
    ("club2", OUT_OF_TURN, ("offender", "alone")),
    ("round-robin", FAILURE_TO_DISCARD, ()),
    ("campus", FAILURE_TO_DISCARD, ()),
    ("school-cup", FAILURE_TO_DISCARD, ()),
    ("prize-night", FAILURE_TO_DISCARD, ()),
    ("club", FAILURE_TO_DISCARD, ("dealer", "alone")),
    ("club3", FAILURE_TO_DISCARD, ("dealer", "maker", "alone")),
    ("club2", FAILURE_TO_DISCARD, ("dealer", "alone")),
    ("round-robin", NO_CUT_OFFERED, ()),
    ("campus", NO_CUT_OFFERED, ()),
    ("school-cup", NO_CUT_OFFERED, ()),
    ("prize-night", NO_CUT_OFFERED, ()),
    ("club", NO_CUT_OFFERED, ("up_card_shown",)),
    ("club3", NO_CUT_OFFERED, ("up_card_shown",)),
    ("club2", NO_CUT_OFFERED, ("up_card_shown",)),
    ("round-robin", WRONG_CARD_COUNT, ()),
    ("campus", WRONG_CARD_COUNT, ()),
    ("school-cup", WRONG_CARD_COUNT, ()),
    ("prize-night", WRONG_CARD_COUNT, ()),
    ("club", WRONG_CARD_COUNT, ("up_card_shown",)),
    ("club3", WRONG_CARD_COUNT, ("up_card_shown",)),
    ("club2", WRONG_CARD_COUNT, ("up_card_shown",)),
]

UNLESS_CALLED: Final = replace(preset("campus"), correction=Correction.UNLESS_CALLED)
TWO_WARNINGS: Final = replace(preset("prize-night"), renege_warnings=2)
LENIENT_SCHOOLS: Final = replace(preset("school-cup"), correction=Correction.UNLESS_CALLED, renege_points_alone=4)
LENIENT_THREE: Final = replace(preset("club3"), correction=Correction.UNLESS_CALLED, renege_warnings=1)
FLAT_CLUB: Final = replace(preset("club"), renege_points_alone=2, penalty_ends_hand=False)
STERN_ROUND_ROBIN: Final = replace(
    preset("round-robin"),
    out_of_turn=OutOfTurn.AS_RENEGE,
    failure_to_discard=FailureToDiscard.PENALTY,
    misdeal=Misdeal.DEAL_PASSES,
)
CUTTING_ROUND_ROBIN: Final = replace(STERN_ROUND_ROBIN, deal_cut=Cut.LEFT)
ONE_SIDED_ROUND_ROBIN: Final = replace(STERN_ROUND_ROBIN, renege_alone=RenegeAlone.AGAINST_THE_LONE_SIDE)
ONE_SIDED_THREE: Final = replace(preset("club3"), renege_alone=RenegeAlone.BY_THE_LONE_SIDE)

CASES_BEYOND_SHEETS: Final[dict[str, tuple[HouseRules, Irregularity]]] = {
    **{f"{sheet}, {kind}": (preset(sheet), kind) for sheet in PLAYERS for kind in Irregularity},
    "own accord, renege": (UNLESS_CALLED, RENEGE),
    "two warnings, renege": (TWO_WARNINGS, RENEGE),
    "lenient schools, renege": (LENIENT_SCHOOLS, RENEGE),
    "lenient three, renege": (LENIENT_THREE, RENEGE),
    "lenient three, out-of-turn": (LENIENT_THREE, OUT_OF_TURN),
    "flat club, renege": (FLAT_CLUB, RENEGE),
    "flat club, failure-to-discard": (FLAT_CLUB, FAILURE_TO_DISCARD),
    "stern round robin, out-of-turn": (STERN_ROUND_ROBIN, OUT_OF_TURN),
    "stern round robin, failure-to-discard": (STERN_ROUND_ROBIN, FAILURE_TO_DISCARD),
    "stern round robin, no-cut-offered": (STERN_ROUND_ROBIN, NO_CUT_OFFERED),
    "stern round robin, wrong-card-count": (STERN_ROUND_ROBIN, WRONG_CARD_COUNT),
    "cutting round robin, no-cut-offered": (CUTTING_ROUND_ROBIN, NO_CUT_OFFERED),
    "one-sided round robin, renege": (ONE_SIDED_ROUND_ROBIN, RENEGE),
    "one-sided round robin, out-of-turn": (ONE_SIDED_ROUND_ROBIN, OUT_OF_TURN),
    "one-sided round robin, failure-to-discard": (ONE_SIDED_ROUND_ROBIN, FAILURE_TO_DISCARD),
    "one-sided three, renege": (ONE_SIDED_THREE, RENEGE),
}
"""Every sheet with every irregularity, and tables with options that no sheet combines."""


@pytest.mark.parametrize(("sheet", "kind", "needed"), FACTS_NEEDED)
def test_a_referee_asks_for_these_facts(sheet: str, kind: Irregularity, needed: tuple[str, ...]) -> None:
    """Written by hand for every sheet and irregularity, in any order."""
    assert sorted(facts_needed(preset(sheet), kind)) == sorted(needed)


@pytest.mark.parametrize(
    ("case", "needed"),
    [
        ("own accord, renege", "offender corrected called"),
        ("two warnings, renege", "offender earlier_warnings"),
        ("lenient schools, renege", "offender alone corrected called earlier_warnings"),
        ("lenient three, renege", "offender maker alone corrected called earlier_warnings"),
        ("lenient three, out-of-turn", "offender maker alone corrected called earlier_warnings"),
        ("flat club, renege", "offender"),
        ("flat club, failure-to-discard", "dealer"),
        ("stern round robin, out-of-turn", "offender alone corrected"),
        ("stern round robin, failure-to-discard", "dealer alone"),
        ("stern round robin, no-cut-offered", ""),
        ("stern round robin, wrong-card-count", "up_card_shown"),
        ("cutting round robin, no-cut-offered", "up_card_shown"),
        ("one-sided round robin, renege", "offender maker alone corrected"),
        ("one-sided round robin, out-of-turn", "offender maker alone corrected"),
        ("one-sided round robin, failure-to-discard", "dealer maker alone"),
        ("one-sided three, renege", "offender maker alone"),
    ],
)
def test_beyond_the_sheets_a_referee_asks_for_these_facts(case: str, needed: str) -> None:
    """Written by hand for tables with their own options."""
    assert sorted(facts_needed(*CASES_BEYOND_SHEETS[case])) == sorted(needed.split())


@pytest.mark.unmeasured
@pytest.mark.parametrize("case", CASES_BEYOND_SHEETS)
def test_leaving_out_an_unneeded_fact_never_changes_the_ruling(case: str) -> None:
    """With only the facts it asks for, the referee gives the same ruling in the same words."""
    rules, kind = CASES_BEYOND_SHEETS[case]
    needed = facts_needed(rules, kind)
    short: dict[tuple[object, ...], Ruling] = {}
    for facts, ruled in every_ruling(rules, kind):
        answers = tuple(getattr(facts, name) for name in needed)
        if answers not in short:
            short[answers] = ruling(rules, _only(facts, {"irregularity", *needed}))
        assert ruled == short[answers], facts


@pytest.mark.unmeasured
@pytest.mark.parametrize("case", CASES_BEYOND_SHEETS)
def test_every_fact_that_is_asked_for_matters(case: str) -> None:
    """For each fact on the list, some incident can't be ruled on, or has another ruling, without it."""
    rules, kind = CASES_BEYOND_SHEETS[case]
    needed = {"irregularity", *facts_needed(rules, kind)}
    for fact in needed - {"irregularity"}:
        assert any(
            _ruled_otherwise(rules, ruled, _only(facts, needed - {fact})) for facts, ruled in every_ruling(rules, kind)
        ), fact


def _only(facts: Incident, names: set[str]) -> Incident:
    return Incident(**{field.name: getattr(facts, field.name) for field in fields(facts) if field.name in names})


def _ruled_otherwise(rules: HouseRules, ruled: Ruling, fewer: Incident) -> bool:
    try:
        return announced(rules, fewer) != without_words(ruled)
    except BadIncident:
        return True
