"""Every cell of the sheets' table, written by hand: the value in each sheet, and whether the sheet states it.

The rows are our reading of the five sheets, one row for each fact of each cell, and never computed. Marks: S the sheet
states it, r the sheet speaks and we interpret, d the sheet is silent and the default applies.
"""

from typing import Final

import pytest

from leftbower.errors import BadSeat
from leftbower.rules import Seat, Suit, find_preset, mark, options, preset, presets, to_json

pytestmark = pytest.mark.unmeasured

Cell = tuple[str, str, object, str]
"""Sheet, option, the value as in TOML, and the mark."""

N, E, S, W = Seat.N, Seat.E, Seat.S, Seat.W

CELLS: Final[list[Cell]] = [
    # Common to all five: four seats (the club's other games are below)
    ("round-robin", "players", 4, "S"),
    ("campus", "players", 4, "S"),
    ("school-cup", "players", 4, "S"),
    ("prize-night", "players", 4, "S"),
    ("club", "players", 4, "S"),
    # Target score
    ("round-robin", "target", 10, "S"),
    ("campus", "target", 10, "S"),
    ("school-cup", "target", 10, "S"),
    ("prize-night", "target", 10, "d"),
    ("club", "target", 10, "S"),
    ("round-robin", "win_by", 1, "d"),
    ("campus", "win_by", 1, "d"),
    ("school-cup", "win_by", 1, "S"),
    ("prize-night", "win_by", 1, "d"),
    ("club", "win_by", 1, "d"),
    # Games in a match
    ("round-robin", "best_of", 1, "S"),
    ("campus", "best_of", 3, "S"),
    ("school-cup", "best_of", 3, "r"),
    ("prize-night", "best_of", 1, "d"),
    ("club", "best_of", 1, "d"),
    # First dealer
    ("round-robin", "first_dealer", "first-jack", "S"),
    ("campus", "first_dealer", "first-jack", "d"),
    ("school-cup", "first_dealer", "first-jack", "S"),
    ("prize-night", "first_dealer", "first-black-jack", "S"),
    ("club", "first_dealer", "first-jack", "S"),
    ("round-robin", "dealer_draw", "each-game", "d"),
    ("campus", "dealer_draw", "each-game", "d"),
    ("school-cup", "dealer_draw", "each-game", "d"),
    ("prize-night", "dealer_draw", "each-game", "d"),
    ("club", "dealer_draw", "each-game", "S"),
    # Cut when choosing the dealer
    ("round-robin", "draw_cut", "none", "d"),
    ("campus", "draw_cut", "none", "d"),
    ("school-cup", "draw_cut", "none", "d"),
    ("prize-night", "draw_cut", "left", "S"),
    ("club", "draw_cut", "none", "d"),
    # The deal passes to the left
    ("round-robin", "deal_passes", "left", "S"),
    ("campus", "deal_passes", "left", "d"),
    ("school-cup", "deal_passes", "left", "S"),
    ("prize-night", "deal_passes", "left", "d"),
    ("club", "deal_passes", "left", "S"),
    # Cut before each deal
    ("round-robin", "deal_cut", "none", "d"),
    ("campus", "deal_cut", "none", "d"),
    ("school-cup", "deal_cut", "none", "d"),
    ("prize-night", "deal_cut", "none", "d"),
    ("club", "deal_cut", "right", "S"),
    # Deal pattern
    ("round-robin", "deal_pattern", "ones", "S"),
    ("campus", "deal_pattern", "two-three", "d"),
    ("school-cup", "deal_pattern", "bundles", "S"),
    ("prize-night", "deal_pattern", "either-order", "S"),
    ("club", "deal_pattern", "bundles", "S"),
    # Misdeal
    ("round-robin", "misdeal", "same-dealer", "d"),
    ("campus", "misdeal", "same-dealer", "d"),
    ("school-cup", "misdeal", "same-dealer", "d"),
    ("prize-night", "misdeal", "same-dealer", "d"),
    ("club", "misdeal", "deal-passes", "S"),
    # Until when a missing cut can be called
    ("round-robin", "missing_cut", "until-played", "d"),
    ("campus", "missing_cut", "until-played", "d"),
    ("school-cup", "missing_cut", "until-played", "d"),
    ("prize-night", "missing_cut", "until-played", "d"),
    ("club", "missing_cut", "until-played", "d"),
    # A dealer who calls in round one needs a natural trump
    ("round-robin", "natural_trump", True, "S"),
    ("campus", "natural_trump", False, "d"),
    ("school-cup", "natural_trump", False, "d"),
    ("prize-night", "natural_trump", False, "d"),
    ("club", "natural_trump", False, "d"),
    # The dealer's partner, ordering up, must play alone
    ("round-robin", "partner_orders_alone", True, "S"),
    ("campus", "partner_orders_alone", False, "S"),
    ("school-cup", "partner_orders_alone", False, "S"),
    ("prize-night", "partner_orders_alone", False, "S"),
    ("club", "partner_orders_alone", False, "S"),
    # The dealer takes the up-card, then discards
    ("round-robin", "bury", "after-taking", "S"),
    ("campus", "bury", "after-taking", "S"),
    ("school-cup", "bury", "before-taking", "S"),
    ("prize-night", "bury", "after-taking", "S"),
    ("club", "bury", "after-taking", "S"),
    # The up-card may be the discard
    ("round-robin", "may_bury_up_card", False, "S"),
    ("campus", "may_bury_up_card", True, "r"),
    ("school-cup", "may_bury_up_card", False, "S"),
    ("prize-night", "may_bury_up_card", False, "S"),
    ("club", "may_bury_up_card", True, "r"),
    # No call in round two
    ("round-robin", "nobody_calls", "pass-out", "S"),
    ("campus", "nobody_calls", "stick-the-dealer", "S"),
    ("school-cup", "nobody_calls", "stick-the-dealer", "S"),
    ("prize-night", "nobody_calls", "stick-the-dealer", "S"),
    ("club", "nobody_calls", "stick-the-dealer", "S"),
    # Bottoms, or farmer's hand
    ("round-robin", "farmers_hand", "off", "d"),
    ("campus", "farmers_hand", "off", "d"),
    ("school-cup", "farmers_hand", "off", "S"),
    ("prize-night", "farmers_hand", "off", "d"),
    ("club", "farmers_hand", "off", "d"),
    # Alone is declared
    ("round-robin", "going_alone", "with-the-call", "S"),
    ("campus", "going_alone", "with-the-call", "S"),
    ("school-cup", "going_alone", "with-the-call", "d"),
    ("prize-night", "going_alone", "with-the-call", "S"),
    ("club", "going_alone", "before-the-lead", "S"),
    # First lead
    ("round-robin", "first_lead", "dealers-left", "S"),
    ("campus", "first_lead", "dealers-left", "d"),
    ("school-cup", "first_lead", "dealers-left", "d"),
    ("prize-night", "first_lead", "dealers-left", "S"),
    ("club", "first_lead", "dealers-left", "S"),
    # Makers: three or four tricks, five tricks
    ("round-robin", "made_points", 1, "S"),
    ("campus", "made_points", 1, "S"),
    ("school-cup", "made_points", 1, "S"),
    ("prize-night", "made_points", 1, "S"),
    ("club", "made_points", 1, "S"),
    ("round-robin", "march_points", 2, "S"),
    ("campus", "march_points", 2, "S"),
    ("school-cup", "march_points", 2, "S"),
    ("prize-night", "march_points", 2, "S"),
    ("club", "march_points", 2, "S"),
    # Alone: three or four tricks, five tricks
    ("round-robin", "made_points_alone", 1, "S"),
    ("campus", "made_points_alone", 1, "S"),
    ("school-cup", "made_points_alone", 1, "S"),
    ("prize-night", "made_points_alone", 1, "S"),
    ("club", "made_points_alone", 1, "S"),
    ("round-robin", "march_points_alone", 4, "S"),
    ("campus", "march_points_alone", 4, "S"),
    ("school-cup", "march_points_alone", 4, "S"),
    ("prize-night", "march_points_alone", 4, "S"),
    ("club", "march_points_alone", 4, "S"),
    # Euchre
    ("round-robin", "euchre_points", 2, "S"),
    ("campus", "euchre_points", 2, "S"),
    ("school-cup", "euchre_points", 2, "S"),
    ("prize-night", "euchre_points", 2, "S"),
    ("club", "euchre_points", 2, "S"),
    # Euchre of a lone maker
    ("round-robin", "euchre_points_alone", 2, "r"),
    ("campus", "euchre_points_alone", 2, "r"),
    ("school-cup", "euchre_points_alone", 2, "S"),
    ("prize-night", "euchre_points_alone", 2, "S"),
    ("club", "euchre_points_alone", 4, "S"),
    # Renege
    ("round-robin", "renege_points", 2, "S"),
    ("campus", "renege_points", 2, "d"),
    ("school-cup", "renege_points", 2, "r"),
    ("prize-night", "renege_points", 2, "d"),
    ("club", "renege_points", 2, "S"),
    ("round-robin", "renege_points_alone", 4, "r"),
    ("campus", "renege_points_alone", 2, "d"),
    ("school-cup", "renege_points_alone", 2, "r"),
    ("prize-night", "renege_points_alone", 2, "d"),
    ("club", "renege_points_alone", 4, "S"),
    ("round-robin", "renege_alone", "either-side", "r"),
    ("campus", "renege_alone", "either-side", "d"),
    ("school-cup", "renege_alone", "either-side", "d"),
    ("prize-night", "renege_alone", "either-side", "d"),
    ("club", "renege_alone", "either-side", "S"),
    ("round-robin", "renege_warnings", 0, "d"),
    ("campus", "renege_warnings", 0, "d"),
    ("school-cup", "renege_warnings", 1, "S"),
    ("prize-night", "renege_warnings", 0, "d"),
    ("club", "renege_warnings", 0, "d"),
    ("round-robin", "warnings_for", "player", "d"),
    ("campus", "warnings_for", "player", "d"),
    ("school-cup", "warnings_for", "player", "r"),
    ("prize-night", "warnings_for", "player", "d"),
    ("club", "warnings_for", "player", "d"),
    ("round-robin", "warnings_last", "game", "d"),
    ("campus", "warnings_last", "game", "d"),
    ("school-cup", "warnings_last", "game", "d"),
    ("prize-night", "warnings_last", "game", "d"),
    ("club", "warnings_last", "game", "d"),
    ("round-robin", "correction", "even-when-called", "S"),
    ("campus", "correction", "never", "d"),
    ("school-cup", "correction", "never", "d"),
    ("prize-night", "correction", "never", "d"),
    ("club", "correction", "never", "d"),
    # Play out of turn
    ("round-robin", "out_of_turn", "taken-back", "d"),
    ("campus", "out_of_turn", "taken-back", "d"),
    ("school-cup", "out_of_turn", "taken-back", "d"),
    ("prize-night", "out_of_turn", "taken-back", "d"),
    ("club", "out_of_turn", "as-renege", "S"),
    # Opponents may waive or lessen
    ("round-robin", "waiver", False, "d"),
    ("campus", "waiver", False, "d"),
    ("school-cup", "waiver", False, "d"),
    ("prize-night", "waiver", False, "d"),
    ("club", "waiver", True, "S"),
    # The dealer fails to discard
    ("round-robin", "failure_to_discard", "table-waits", "d"),
    ("campus", "failure_to_discard", "table-waits", "d"),
    ("school-cup", "failure_to_discard", "table-waits", "d"),
    ("prize-night", "failure_to_discard", "table-waits", "d"),
    ("club", "failure_to_discard", "penalty", "S"),
    # A penalty ends the hand
    ("round-robin", "penalty_ends_hand", True, "d"),
    ("campus", "penalty_ends_hand", True, "d"),
    ("school-cup", "penalty_ends_hand", True, "d"),
    ("prize-night", "penalty_ends_hand", True, "d"),
    ("club", "penalty_ends_hand", True, "S"),
    # Looking back at tricks
    ("round-robin", "looking_back", "nobody", "d"),
    ("campus", "looking_back", "nobody", "d"),
    ("school-cup", "looking_back", "trick-winner", "S"),
    ("prize-night", "looking_back", "nobody", "d"),
    ("club", "looking_back", "nobody", "d"),
    ("round-robin", "disputes_open_tricks", False, "d"),
    ("campus", "disputes_open_tricks", False, "d"),
    ("school-cup", "disputes_open_tricks", True, "S"),
    ("prize-night", "disputes_open_tricks", False, "d"),
    ("club", "disputes_open_tricks", False, "d"),
    # Laying down certain winners
    ("round-robin", "claims", "on-lead", "d"),
    ("campus", "claims", "off", "r"),
    ("school-cup", "claims", "on-lead", "S"),
    ("prize-night", "claims", "off", "r"),
    ("club", "claims", "on-lead", "S"),
    ("round-robin", "claim_consent", "all-agree", "d"),
    ("campus", "claim_consent", "all-agree", "d"),
    ("school-cup", "claim_consent", "not-needed", "S"),
    ("prize-night", "claim_consent", "all-agree", "d"),
    ("club", "claim_consent", "all-agree", "S"),
    # Throw-in
    ("round-robin", "throw_ins", "by-agreement", "d"),
    ("campus", "throw_ins", "off", "r"),
    ("school-cup", "throw_ins", "encouraged", "S"),
    ("prize-night", "throw_ins", "off", "r"),
    ("club", "throw_ins", "by-agreement", "S"),
    # Deviations
    ("round-robin", "deviations", "host-decides", "d"),
    ("campus", "deviations", "everyone-agrees", "S"),
    ("school-cup", "deviations", "host-decides", "d"),
    ("prize-night", "deviations", "host-decides", "d"),
    ("club", "deviations", "host-decides", "d"),
    # Score kept with
    ("round-robin", "score_keeping", "any-way", "d"),
    ("campus", "score_keeping", "any-way", "d"),
    ("school-cup", "score_keeping", "fours-and-sixes", "S"),
    ("prize-night", "score_keeping", "any-way", "d"),
    ("club", "score_keeping", "any-way", "d"),
    # Event
    ("round-robin", "event", "round-robin", "S"),
    ("campus", "event", "none", "d"),
    ("school-cup", "event", "school-groups", "S"),
    ("prize-night", "event", "none", "d"),
    ("club", "event", "none", "d"),
    ("round-robin", "event_points", 0, "d"),
    ("campus", "event_points", 0, "d"),
    ("school-cup", "event_points", 20, "S"),
    ("prize-night", "event_points", 0, "d"),
    ("club", "event_points", 0, "d"),
    ("round-robin", "participation", "none", "d"),
    ("campus", "participation", "none", "d"),
    ("school-cup", "participation", "tenth-per-team", "r"),
    ("prize-night", "participation", "none", "d"),
    ("club", "participation", "none", "d"),
    ("round-robin", "co_ed", False, "d"),
    ("campus", "co_ed", False, "d"),
    ("school-cup", "co_ed", True, "S"),
    ("prize-night", "co_ed", False, "d"),
    ("club", "co_ed", False, "d"),
    ("round-robin", "gift_cards", [], "d"),
    ("campus", "gift_cards", [], "d"),
    ("school-cup", "gift_cards", [], "d"),
    ("prize-night", "gift_cards", [75, 50, 25], "S"),
    ("club", "gift_cards", [], "d"),
]

SHEETS: Final = ("round-robin", "campus", "school-cup", "prize-night", "club")

STANDARD: Final[dict[str, object]] = {
    "players": 4,
    "supervision": "strict",
    "deviations": "host-decides",
    "target": 10,
    "win_by": 1,
    "game_ends": "at-target",
    "tie_at_target": "play-on",
    "best_of": 1,
    "score_keeping": "any-way",
    "first_dealer": "first-jack",
    "dealer_draw": "each-game",
    "draw_cut": "none",
    "deal_passes": "left",
    "deal_cut": "none",
    "deal_pattern": "two-three",
    "misdeal": "same-dealer",
    "missing_cut": "until-played",
    "farmers_hand": "off",
    "natural_trump": False,
    "partner_orders_alone": False,
    "bury": "after-taking",
    "may_bury_up_card": True,
    "nobody_calls": "stick-the-dealer",
    "going_alone": "with-the-call",
    "defend_alone": "off",
    "first_lead": "dealers-left",
    "made_points": 1,
    "march_points": 2,
    "made_points_alone": 1,
    "march_points_alone": 4,
    "euchre_points": 2,
    "euchre_points_alone": 2,
    "looking_back": "everyone",
    "disputes_open_tricks": True,
    "claims": "on-lead",
    "claim_consent": "all-agree",
    "judge_claims": False,
    "throw_ins": "by-agreement",
    "renege_points": 2,
    "renege_points_alone": 4,
    "renege_alone": "either-side",
    "renege_warnings": 0,
    "warnings_for": "player",
    "warnings_last": "game",
    "correction": "unless-called",
    "out_of_turn": "taken-back",
    "failure_to_discard": "table-waits",
    "waiver": False,
    "penalty_ends_hand": True,
    "wrong_call_points": 0,
}
"""Standard states every rule of the game; only an event's options are left to their defaults."""

ON_TOP: Final[dict[str, object]] = {
    "supervision": "strict",
    "game_ends": "at-target",
    "tie_at_target": "play-on",
    "defend_alone": "off",
    "judge_claims": False,
    "wrong_call_points": 0,
}
"""Options that no sheet mentions: they are ours, silent everywhere, and at their default."""

READINGS: Final[dict[str, set[str]]] = {
    "round-robin": {"euchre_points_alone", "renege_points_alone", "renege_alone"},
    "campus": {"may_bury_up_card", "euchre_points_alone", "claims", "throw_ins"},
    "school-cup": {"best_of", "warnings_for", "renege_points", "renege_points_alone", "participation"},
    "prize-night": {"claims", "throw_ins"},
    # The club states its throw-in and its failure to discard; we interpret who "all" are, and when it is complete.
    "club": {"may_bury_up_card", "throw_ins", "failure_to_discard"},
}

WHOLE_DECK: Final = "9c Tc Jc Qc Kc Ac 9d Td Jd Qd Kd Ad 9h Th Jh Qh Kh Ah 9s Ts Js Qs Ks As"
NO_NINES: Final = "Tc Jc Qc Kc Ac Td Jd Qd Kd Ad Th Jh Qh Kh Ah Ts Js Qs Ks As"

DEALS: Final = [
    # preset, cards, each hand, dummy, kitty, which card is turned up
    ("standard", 24, 4, 0, 4, 21),
    ("round-robin", 24, 4, 0, 4, 21),
    ("campus", 24, 4, 0, 4, 21),
    ("school-cup", 24, 4, 0, 4, 21),
    ("prize-night", 24, 4, 0, 4, 21),
    ("club", 24, 4, 0, 4, 21),
    ("club3", 24, 3, 3, 6, 19),
    ("club2", 20, 2, 3, 7, 14),
]

SUIT_SIZES: Final = [
    # preset, trump, how many clubs, diamonds, hearts and spades there are once it is made
    ("standard", "c", (7, 6, 6, 5)),
    ("standard", "d", (6, 7, 5, 6)),
    ("standard", "h", (6, 5, 7, 6)),
    ("standard", "s", (5, 6, 6, 7)),
    ("round-robin", "c", (7, 6, 6, 5)),
    ("round-robin", "d", (6, 7, 5, 6)),
    ("round-robin", "h", (6, 5, 7, 6)),
    ("round-robin", "s", (5, 6, 6, 7)),
    ("campus", "c", (7, 6, 6, 5)),
    ("campus", "d", (6, 7, 5, 6)),
    ("campus", "h", (6, 5, 7, 6)),
    ("campus", "s", (5, 6, 6, 7)),
    ("school-cup", "c", (7, 6, 6, 5)),
    ("school-cup", "d", (6, 7, 5, 6)),
    ("school-cup", "h", (6, 5, 7, 6)),
    ("school-cup", "s", (5, 6, 6, 7)),
    ("prize-night", "c", (7, 6, 6, 5)),
    ("prize-night", "d", (6, 7, 5, 6)),
    ("prize-night", "h", (6, 5, 7, 6)),
    ("prize-night", "s", (5, 6, 6, 7)),
    ("club", "c", (7, 6, 6, 5)),
    ("club", "d", (6, 7, 5, 6)),
    ("club", "h", (6, 5, 7, 6)),
    ("club", "s", (5, 6, 6, 7)),
    ("club3", "c", (7, 6, 6, 5)),
    ("club3", "d", (6, 7, 5, 6)),
    ("club3", "h", (6, 5, 7, 6)),
    ("club3", "s", (5, 6, 6, 7)),
    ("club2", "c", (6, 5, 5, 4)),
    ("club2", "d", (5, 6, 4, 5)),
    ("club2", "h", (5, 4, 6, 5)),
    ("club2", "s", (4, 5, 5, 6)),
]

NEIGHBORS: Final = [
    # preset, seat, its left neighbor, its side, its opponents
    ("standard", N, E, {N, S}, {E, W}),
    ("standard", E, S, {E, W}, {N, S}),
    ("standard", S, W, {N, S}, {E, W}),
    ("standard", W, N, {E, W}, {N, S}),
    ("round-robin", N, E, {N, S}, {E, W}),
    ("round-robin", E, S, {E, W}, {N, S}),
    ("round-robin", S, W, {N, S}, {E, W}),
    ("round-robin", W, N, {E, W}, {N, S}),
    ("campus", N, E, {N, S}, {E, W}),
    ("campus", E, S, {E, W}, {N, S}),
    ("campus", S, W, {N, S}, {E, W}),
    ("campus", W, N, {E, W}, {N, S}),
    ("school-cup", N, E, {N, S}, {E, W}),
    ("school-cup", E, S, {E, W}, {N, S}),
    ("school-cup", S, W, {N, S}, {E, W}),
    ("school-cup", W, N, {E, W}, {N, S}),
    ("prize-night", N, E, {N, S}, {E, W}),
    ("prize-night", E, S, {E, W}, {N, S}),
    ("prize-night", S, W, {N, S}, {E, W}),
    ("prize-night", W, N, {E, W}, {N, S}),
    ("club", N, E, {N, S}, {E, W}),
    ("club", E, S, {E, W}, {N, S}),
    ("club", S, W, {N, S}, {E, W}),
    ("club", W, N, {E, W}, {N, S}),
    ("club3", N, E, {N}, {E, S}),
    ("club3", E, S, {E}, {N, S}),
    ("club3", S, N, {S}, {N, E}),
    ("club2", N, S, {N}, {S}),
    ("club2", S, N, {S}, {N}),
]


def _name(cell: Cell) -> str:
    sheet, option, value, where = cell
    return f"{sheet}: {option} = {value} ({where})"


@pytest.mark.parametrize(("sheet", "option", "value", "where"), CELLS, ids=map(_name, CELLS))
def test_a_sheet_plays_what_its_cell_says(sheet: str, option: str, value: object, where: str) -> None:
    """A preset has the value of its cell, of the same type, and the mark of the cell."""
    played = to_json(preset(sheet))[option]
    assert (type(played), played) == (type(value), value)
    assert find_preset(sheet).mark(option).value == where
    assert mark(preset(sheet), option).value == where


@pytest.mark.parametrize("option", ON_TOP)
@pytest.mark.parametrize("sheet", SHEETS)
def test_options_beyond_the_sheets_are_silent_defaults(sheet: str, option: str) -> None:
    """If no sheet mentions it, every preset uses the default and says so."""
    played = to_json(preset(sheet))[option]
    assert (type(played), played) == (type(ON_TOP[option]), ON_TOP[option])
    assert find_preset(sheet).mark(option).value == "d"


def test_every_option_of_every_sheet_has_exactly_one_cell() -> None:
    """No option is missing or listed twice: each has one row per sheet, or is one of our own."""
    cells = sorted((sheet, option) for sheet, option, _, _ in CELLS)
    expected = sorted((sheet, option) for sheet in SHEETS for option in set(options()) - {"sheet"} - set(ON_TOP))
    assert cells == expected
    assert set(ON_TOP) < set(options())


def test_a_silent_cell_plays_the_default() -> None:
    """If a sheet is silent, the value is the default of a table without a sheet."""
    defaults: dict[str, object] = {}
    for _, option, value, where in CELLS:
        if where == "d":
            assert defaults.setdefault(option, value) == value
            assert options()[option].domain.write(options()[option].default) == value


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_preset_names_the_sheet_it_comes_from(sheet: str) -> None:
    """The option `sheet` of a preset is the name of its sheet."""
    assert to_json(preset(sheet))["sheet"] == sheet


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_is_read_exactly_where_the_table_says_so(sheet: str) -> None:
    """Every interpretation has the gist of the sheet and our reading, and nothing else does."""
    readings = find_preset(sheet).readings
    assert set(readings) == READINGS[sheet]
    assert all(reading.says and reading.means for reading in readings.values())


@pytest.mark.parametrize("option", [option for option in options() if option != "sheet"])
def test_standard_plays_and_states_what_its_cell_says(option: str) -> None:
    """A cell of Standard is stated; without a cell, it plays the default and says so."""
    default = options()[option].domain.write(options()[option].default)
    expected = STANDARD.get(option, default)
    played = to_json(preset("standard"))[option]
    assert (type(played), played) == (type(expected), expected)
    assert mark(preset("standard"), option).value == ("S" if option in STANDARD else "d")


def test_the_presets_are_standard_the_five_sheets_and_the_clubs_two_other_games() -> None:
    """Eight presets, in the order in which the table lists their sheets."""
    names = ["standard", "round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2"]
    assert [sheet_preset.name for sheet_preset in presets()] == names


@pytest.mark.parametrize(("name", "players"), [("club3", 3), ("club2", 2)])
def test_the_clubs_other_games_are_the_club_with_other_seats(name: str, players: int) -> None:
    """Three- and two-handed, the club plays every option as with four, and its sheet states the number of players."""
    for sheet, option, value, where in CELLS:
        if sheet == "club" and option != "players":
            assert to_json(preset(name))[option] == value, option
            assert find_preset(name).mark(option).value == where, option
    for option, value in ON_TOP.items():
        assert to_json(preset(name))[option] == value, option
        assert find_preset(name).mark(option).value == "d", option
    assert to_json(preset(name))["sheet"] == "club"
    assert to_json(preset(name))["players"] == players
    assert find_preset(name).mark("players").value == "S"
    assert preset("club", players=players) == preset(name)


@pytest.mark.parametrize(("name", "cards", "hands", "dummy", "kitty", "turned_up"), DEALS)
def test_the_deal_leaves_the_kitty_its_sheet_has(
    name: str, cards: int, hands: int, dummy: int, kitty: int, turned_up: int
) -> None:
    """Five cards to each hand, three to a dummy if there are no partners, and the next card is turned up."""
    rules = preset(name)
    assert (len(rules.deck), len(rules.seats), rules.dummy_size, rules.kitty_size) == (cards, hands, dummy, kitty)
    assert len(rules.deck) - rules.kitty_size + 1 == turned_up


@pytest.mark.parametrize(
    ("name", "deck"),
    [
        ("standard", WHOLE_DECK),
        ("round-robin", WHOLE_DECK),
        ("campus", WHOLE_DECK),
        ("school-cup", WHOLE_DECK),
        ("prize-night", WHOLE_DECK),
        ("club", WHOLE_DECK),
        ("club3", WHOLE_DECK),
        ("club2", NO_NINES),
    ],
)
def test_the_deck_is_nine_to_ace_and_two_players_drop_the_nines(name: str, deck: str) -> None:
    """Every card of the deck, once."""
    assert sorted(map(str, preset(name).deck)) == sorted(deck.split())


@pytest.mark.parametrize(("name", "trump", "sizes"), SUIT_SIZES)
def test_trump_gains_the_left_bower_and_its_sister_suit_loses_it(
    name: str, trump: str, sizes: tuple[int, int, int, int]
) -> None:
    """Seven trumps, five next, six and six cross; without nines six, four, five and five."""
    suits = [card.suit_under(Suit.parse(trump)) for card in preset(name).deck]
    assert tuple(suits.count(Suit.parse(suit)) for suit in "cdhs") == sizes


@pytest.mark.parametrize(("name", "seat", "left", "together", "against"), NEIGHBORS)
def test_everyone_knows_the_next_player_the_partner_and_the_opponents(
    name: str, seat: Seat, left: Seat, together: set[Seat], against: set[Seat]
) -> None:
    """Play goes clockwise; partners sit opposite when four play, and there are none when fewer do."""
    rules = preset(name)
    assert rules.left_of(seat) is left
    assert set(rules.side_of(seat)) == together
    assert len(rules.side_of(seat)) == len(together)
    assert set(rules.opponents_of(seat)) == against
    assert len(rules.opponents_of(seat)) == len(against)


@pytest.mark.parametrize(
    ("name", "seats", "sides"),
    [
        ("standard", (N, E, S, W), ((N, S), (E, W))),
        ("round-robin", (N, E, S, W), ((N, S), (E, W))),
        ("campus", (N, E, S, W), ((N, S), (E, W))),
        ("school-cup", (N, E, S, W), ((N, S), (E, W))),
        ("prize-night", (N, E, S, W), ((N, S), (E, W))),
        ("club", (N, E, S, W), ((N, S), (E, W))),
        ("club3", (N, E, S), ((N,), (E,), (S,))),
        ("club2", (N, S), ((N,), (S,))),
    ],
)
def test_who_sits_where_and_who_scores_together(
    name: str, seats: tuple[Seat, ...], sides: tuple[tuple[Seat, ...], ...]
) -> None:
    """Four play in two partnerships; three or two play each for themselves."""
    assert preset(name).seats == seats
    assert preset(name).sides == sides


@pytest.mark.parametrize(("name", "seat"), [("club3", W), ("club2", E), ("club2", W)])
def test_an_empty_seat_is_refused(name: str, seat: Seat) -> None:
    """Asking about an empty seat is refused by name."""
    for method in (preset(name).left_of, preset(name).side_of, preset(name).opponents_of):
        with pytest.raises(BadSeat):
            method(seat)
