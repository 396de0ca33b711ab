"""EGN: recorded games replay to their score, planted errors are found at their card, bad input is refused."""

import contextlib
import copy
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from leftbower.engine import Bidding, Bury, DefendAlone, DefendTogether, Discarding, Playing, Reason, Scored
from leftbower.errors import BadEgn, EncodedDeal, LeftbowerError, TooLarge, UnsupportedRules
from leftbower.notation import ReplayedGame, hand_line, parse_hand_line, read_egn
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat, winning_card
from leftbower.rules.choices import FarmersHand, FirstLead, GameEnds, LoneDefense as Defense, NobodyCalls

Plain = dict[str, Any]


# The recorded games of shared/egn


@pytest.fixture(scope="module")
def manifest(shared: Path) -> dict[str, tuple[int, str]]:
    """The number of deals of each recorded game, and the score or error of its replay."""
    _, *rows = (shared / "egn" / "MANIFEST.tsv").read_text().splitlines()
    return {file: (int(deals), result) for file, _, deals, result in (row.split("\t") for row in rows)}


def test_every_recorded_game_is_in_the_manifest(shared: Path, manifest: dict[str, tuple[int, str]]) -> None:
    """Every game in the folder is listed, and every listed game is there."""
    assert sorted(manifest) == sorted(file.name for file in (shared / "egn").glob("*.egn"))


def test_every_recorded_game_replays_as_the_manifest_says(shared: Path, manifest: dict[str, tuple[int, str]]) -> None:
    """A correct game has all its hands and its score; a wrong one has its error code."""
    results = {}
    for file, (deals, result) in manifest.items():
        game = read_egn((shared / "egn" / file).read_text())
        results[file] = (
            (deals, game.fault.error.code) if game.fault else (len(game.hands), "-".join(map(str, game.scores)))
        )
        assert game.fault is None or result == game.fault.error.code
    assert results == manifest


@pytest.mark.parametrize(
    ("file", "deal", "trick", "seat", "card"),
    [
        # Clubs led by E; S throws the queen of diamonds, and has the nine and the ace of clubs for tricks 4 and 5.
        ("conversion_examples_-_test.egn", 1, 1, "S", "Qd"),
        ("conversion_examples_-_test_annotated.egn", 1, 1, "S", "Qd"),
        # Diamonds are trump and clubs led by E; N trumps with the ten, and leads the king of clubs to trick 5.
        ("validation_examples_-_egn_m_20260529_01_(5).egn", 2, 1, "N", "Td"),
    ],
)
def test_the_planted_reneges_are_found_at_their_card(
    shared: Path, file: str, deal: int, trick: int, seat: str, card: str
) -> None:
    """The fault names deal, trick, player and card of the first renege, as found by hand."""
    fault = read_egn((shared / "egn" / file).read_text()).fault
    assert fault is not None
    assert fault.error.code == "must-follow-suit"
    assert fault.error.path == f"deal {deal}, trick {trick}"
    assert (fault.hand, fault.trick, fault.seat, fault.card) == (deal, trick, Seat(seat), Card.parse(card))


def reneges(hand: Scored, tricks: list[list[str]]) -> Iterator[tuple[int, Seat, str, list[list[str]]]]:
    """Every swap of two cards of one player that makes a renege and changes no trick's winner."""
    assert hand.contract is not None
    trump, active = hand.contract.trump, [seat for seat in Seat if not hand.cards[seat.index]]
    for (a, early), (b, late) in combinations(enumerate(hand.tricks), 2):
        led = early.cards[0].suit_under(trump)
        for seat in set(active) - {early.leader}:
            at_a, at_b = ((active.index(seat) - active.index(trick.leader)) % len(active) for trick in (early, late))
            due, other = early.cards[at_a], late.cards[at_b]
            planted = copy.deepcopy(tricks)
            planted[a][at_a], planted[b][at_b] = str(other), str(due)
            followed = all(
                winning_card(list(map(Card.parse, planted[n])), trump) is winning_card(hand.tricks[n].cards, trump)
                for n in (a, b)
            )
            if due.suit_under(trump) is led is not other.suit_under(trump) and followed:
                yield a + 1, seat, str(other), planted


@pytest.mark.unmeasured
def test_a_renege_planted_in_a_recorded_game_is_found(shared: Path, manifest: dict[str, tuple[int, str]]) -> None:
    """Hands are collected from the tricks, so a card that doesn't follow is a renege if the suit is played later."""
    planted_lines: set[str] = set()
    planted = 0
    for file in sorted(file for file, (_, result) in manifest.items() if result[0].isdigit()):
        text = (shared / "egn" / file).read_text()
        plain = json.loads(text)
        for egn_deal, hand in zip(plain["deals"], read_egn(text).hands, strict=True):
            if hand_line(hand) in planted_lines:
                continue
            planted_lines.add(hand_line(hand))
            for trick, seat, card, tricks in reneges(hand, egn_deal["phases"][1]["tricks"]):
                play = egn_deal["phases"][1] | {"tricks": tricks}
                wrong = plain | {"deals": [egn_deal | {"phases": [egn_deal["phases"][0], play]}]}
                replayed = read_egn(json.dumps(wrong))
                assert replayed.fault is not None
                assert replayed.fault.error.code == "must-follow-suit"
                assert where(replayed) == (f"deal 1, trick {trick}", 1, trick, str(seat), card)
                planted += 1
    assert planted > 500


def test_only_one_recorded_game_goes_on_after_its_end(shared: Path, manifest: dict[str, tuple[int, str]]) -> None:
    """The only oddities in real games are deals after the target, and one deal that stops."""
    warned = {file: read_egn((shared / "egn" / file).read_text()).warnings for file in manifest}
    assert {file: warnings for file, warnings in warned.items() if warnings} == {
        "validation_examples_-_July_4th_Pairs_Finals.egn": (
            "deal 10: the game was over already, at 6-10",
            "deal 11: the game was over already, at 7-10",
        ),
        "validation_examples_-_egn_m_20260529_01_(5).egn": (
            "deal 1: it stops before the hand is over, and scores nothing",
        ),
    }


@pytest.mark.unmeasured
def test_every_hand_of_a_recorded_game_has_a_hand_line(shared: Path, manifest: dict[str, tuple[int, str]]) -> None:
    """A state read from EGN is like any other: its line parses back to it."""
    for file in manifest:
        for hand in read_egn((shared / "egn" / file).read_text()).hands:
            assert parse_hand_line(hand_line(hand)) == hand


# Small documents

MARCH = "As Kh Qs 9d / Jd Th 9h 9s / Ac Qc Kc Jc / Ad Kd Ah Qd / Jh Ks Tc Qh"
"""N deals, 9h is up, S orders: hearts. E leads; N and S take all five. N discarded the ten of spades."""
LONER = "As Kh Qs / Jd Th 9s / Ac Qc Jc / Ad Kd Qd / Tc Qh Ks"
"""The same with S alone, N sitting out: W takes the last."""
SWEEP = "Js 9s Ts / Jc 9d 9c / As Td Tc / Ks Qd Qc / Qs Kd Kc"
"""N deals, 9h is turned down, E names spades alone and takes all five."""
LOST = "9s As Ks / Ad Qh 9d / Ac Kc 9c / Ah Kh Td / Kd Qs Tc"
"""N deals, 9h is turned down, E names spades alone and takes nothing."""
HEARTS = ("Pass", "Order")
SPADES = ("Pass", "Pass", "Pass", "Pass", "s")


def deal(tricks: str = MARCH, calls: tuple[str, ...] = HEARTS, *, dealer: int = 0, **bidding: object) -> Plain:
    """One deal of a document, nine of hearts up."""
    played = [trick.split() for trick in tricks.split(" / ")] if tricks else []
    return {
        "dealNumber": 0,
        "initialState": {"dealer": dealer, "upCard": "9h"},
        "phases": [
            {"phaseNumber": 0, "type": "EUCHRE_BIDDING", "calls": list(calls)} | bidding,
            {"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": played},
        ],
    }


def document(*deals: object, ruleset: Plain | None = None, version: str = "1.4", **metadata: object) -> Plain:
    """A whole document."""
    return {
        "fileType": "Euchre Game Notation",
        "version": version,
        "metadata": {
            "players": ["a", "b", "c", "d"],
            "initialScore": [0, 0],
            "ruleset": {} if ruleset is None else ruleset,
        }
        | metadata,
        "deals": list(deals),
    }


def read(*deals: object, **more: Any) -> ReplayedGame:
    """The replay of such a document."""
    return read_egn(json.dumps(document(*deals, **more)))


def right(*deals: object, **more: Any) -> ReplayedGame:
    """The replay of a document without errors or oddities."""
    game = read(*deals, **more)
    assert (game.fault, game.warnings, game.unfinished) == (None, (), None)
    assert len(game.hands) == len(deals)
    return game


def faulty(*deals: object, code: str, **more: Any) -> ReplayedGame:
    """The replay of a document with this error."""
    game = read(*deals, **more)
    assert game.fault is not None
    assert game.fault.error.code == code
    return game


def where(game: ReplayedGame) -> tuple[str, int | None, int | None, str, str]:
    """The path of a fault, with deal, trick, player and card."""
    assert game.fault is not None
    fault = game.fault
    return fault.error.path, fault.hand, fault.trick, str(fault.seat), str(fault.card)


def test_players_0_and_2_score_first() -> None:
    """EGN players 0 to 3 sit at N, E, S and W, and the score of 0 and 2 comes first."""
    game = right(deal())
    assert game.scores == (2, 0)
    assert game.hands[0].reason is Reason.MARCH
    assert game.hands[0].hand.deal.dealer is Seat.N
    assert right(deal(SWEEP, SPADES, isAlone=True)).scores == (0, 4)


def test_a_game_begins_at_its_initial_score() -> None:
    """Part of a game starts at the score in the file."""
    assert right(deal(), initialScore=[3, 7]).scores == (5, 7)
    assert right(deal(), initialScore=[3, 7]).hands[0].hand.scores == (3, 7)


def test_cards_not_seen_in_a_trick_stay_unknown() -> None:
    """Every seat was dealt what it played; the dealer's discard is unknown."""
    dealt = right(deal()).hands[0].hand.deal
    assert list(map(str, dealt.hands[1])) == ["As", "9s", "Jc", "Qd", "Ks"]
    assert list(map(str, dealt.hands[0])) == ["9d", "Kc", "Ah", "Jh", "??"]
    assert right(deal(LONER, isAlone=True)).hands[0].hand.deal.hands[0] == (UNKNOWN,) * 5


def buried(game: ReplayedGame) -> object:
    """The discard of the first hand."""
    return next(act.card for act in game.hands[0].actions if isinstance(act, Bury))


def test_a_discard_that_is_told_is_buried() -> None:
    """The dealer was dealt the discard, so the hand is completely known."""
    game = right(deal(discard="Ts"))
    assert buried(game) is Card.parse("Ts")
    assert list(map(str, game.hands[0].hand.deal.hands[0])) == ["Ts", "9d", "Kc", "Ah", "Jh"]
    assert buried(right(deal(discard="Xx"))) is UNKNOWN
    assert buried(right(deal(discard=None))) is UNKNOWN


EAST = "Jh 9s 9c 9h / Ah Ks Js 9d / Kh Tc Ac Kc / As Qs Kd Ts / Ad Jc Qd Td"
"""N deals, 9h is up, E orders and takes all five; the up-card is the only trump of N."""


def test_a_dealer_who_played_five_other_cards_buried_the_up_card() -> None:
    """Five cards without the up-card leave only the up-card as the discard."""
    tricks = EAST.replace("9h", "Qc")
    assert buried(right(deal(tricks, ("Order",)))) is Card.parse("9h")
    assert buried(right(deal(tricks, ("Order",), discard="9h"))) is Card.parse("9h")


def test_a_dealer_who_reneges_with_the_up_card_in_hand_is_found() -> None:
    """The up-card was played later, so it wasn't the discard; and the hand up to there is a fold of the actions."""
    assert right(deal(EAST, ("Order",))).scores == (0, 2)
    tricks = EAST.replace("9h", "??").replace("9d", "9h").replace("??", "9d")
    game = faulty(deal(tricks, ("Order",)), code="must-follow-suit")
    assert where(game) == ("deal 1, trick 1", 1, 1, "N", "9d")
    assert game.unfinished is not None
    assert parse_hand_line(hand_line(game.unfinished)) == game.unfinished


def test_a_discard_that_was_played_or_never_held_is_found_at_its_card() -> None:
    """A discard is out of play for all players, and no player plays six cards."""
    game = faulty(deal(discard="Kc"), code="card-not-held")
    assert where(game) == ("deal 1, trick 3", 1, 3, "N", "Kc")
    game = faulty(deal(discard="Qc"), code="card-not-held")
    assert where(game) == ("deal 1, trick 3", 1, 3, "W", "Qc")
    six = "As Kh Qs 9d / Jd Th Jh 9s / Kc Jc Ac Qc / Ad Kd Ah Qd / Td Ks Tc Qh"
    game = faulty(deal(six, discard="Ts"), code="card-not-held")
    assert where(game) == ("deal 1, trick 5", 1, 5, "N", "Td")
    game = faulty(deal(EAST.replace("9h", "Qc"), ("Order",), discard="Th"), code="must-follow-suit")
    assert where(game) == ("deal 1, trick 1", 1, 1, "N", "Qc")


def test_a_discard_without_an_order_is_ignored() -> None:
    """There was no discard, although the file has one."""
    game = read(deal(SWEEP, SPADES, isAlone=True, discard="9d"))
    assert (game.scores, game.fault) == ((0, 4), None)
    assert game.warnings == ("deal 1: a discard is recorded, though no player ordered up; it is ignored",)


HANDS = ["Jh Ah Kc 9d Ts", "As Ks 9s Qd Jc", "Jd Kh Ac Tc Ad", "Qh Th Qs Kd Qc"]
"""The hands of N, E, S and W in the march."""


def listing(hands: list[str], tricks: str = MARCH, calls: tuple[str, ...] = HEARTS, **bidding: object) -> Plain:
    """A deal that lists hands."""
    egn_deal = deal(tricks, calls)
    egn_deal["phases"][0] |= bidding
    egn_deal["initialState"]["playerCards"] = [hand.split() for hand in hands]
    return egn_deal


def test_hands_that_are_listed_are_dealt() -> None:
    """With all hands recorded, the discard follows from five tricks."""
    for hands in (HANDS, HANDS[:1], ["", *HANDS[1:3], ""], ["Kc Xx", "As Xs Jx"], [HANDS[0].replace("Jh", "R")]):
        assert right(listing(hands)).scores == (2, 0)
    game = right(listing(HANDS))
    assert [" ".join(map(str, hand)) for hand in game.hands[0].hand.deal.hands] == HANDS
    assert buried(game) is Card.parse("Ts")
    assert right(listing(HANDS, discard="Ts")).hands == game.hands


def test_a_card_that_is_not_in_a_listed_hand_is_found() -> None:
    """A player who plays a card that another player, or no player, was dealt is found at that card."""
    game = faulty(listing(["", "", "Jd Kh Ac Tc 9c"]), code="card-not-held")
    assert where(game) == ("deal 1, trick 4", 1, 4, "S", "Ad")
    game = faulty(listing(["", "", "", "Qh Th Qs Kc Kd"]), code="card-not-held")
    assert where(game) == ("deal 1, trick 3", 1, 3, "W", "Qc")
    game = faulty(listing([HANDS[0].replace("Kc", "Td")], discard="Ts"), code="card-not-held")
    assert where(game) == ("deal 1, trick 3", 1, 3, "N", "Kc")
    game = faulty(listing(HANDS, discard="Td"), code="card-not-held")
    assert where(game) == ("deal 1", 1, None, "N", "Td")


def test_hands_that_cannot_have_been_dealt_are_refused() -> None:
    """A duplicate card, the up-card in a hand, six cards: the deal is named, and nothing of it is replayed."""
    for hand in ("9c 9c", "9h Ts", "9c Td Js Tc Ac Ad"):
        game = faulty(deal(), listing(["", hand]), code="bad-deal")
        assert where(game) == ("deal 2", 2, None, "None", "None")
        assert (game.scores, len(game.hands), game.unfinished) == ((2, 0), 1, None)
    assert where(faulty(listing(["Zz"]), code="bad-card"))[0] == "deal 1, playerCards"
    assert where(faulty(deal(discard="B"), code="bad-card"))[0] == "deal 1, discard"
    assert where(faulty(listing(["", "", "", "", ""]), code="bad-egn"))[0] == "deal 1, playerCards"


def test_cards_may_be_written_as_the_format_allows() -> None:
    """Bowers as R and L, nines as N, suits in capitals or as symbols."""
    tricks = MARCH.replace("Jh", "R").replace("Jd", "L").replace("9s", "NS").replace("Tc", "10♣").replace("Ad", "A♦")
    assert right(deal(tricks)).hands == right(deal()).hands


@pytest.mark.parametrize("card", ["Xx", "Xc", "Jx", "At", "B", "8c", "@", "zzz"])
def test_a_played_card_that_is_none_ends_the_replay_there(card: str) -> None:
    """The plays before it are kept."""
    game = faulty(deal(MARCH.replace("Ac Qc", f"Ac {card}")), code="bad-card")
    assert where(game) == ("deal 1, trick 3", 1, 3, "W", "None")
    assert isinstance(game.unfinished, Playing)
    assert (len(game.unfinished.tricks), game.unfinished.trick) == (2, (Card.parse("Ac"),))


def test_a_card_played_twice_or_never_dealt_is_found() -> None:
    """The second appearance of a card is wrong, and so is an up-card that was turned down."""
    game = faulty(deal(MARCH.replace("Ad Kd", "Ad Qs")), code="card-not-held")
    assert where(game) == ("deal 1, trick 4", 1, 4, "W", "Qs")
    game = faulty(deal(SWEEP.replace("Kd Kc", "9h Kc"), SPADES, isAlone=True), code="card-not-held")
    assert where(game) == ("deal 1, trick 5", 1, 5, "S", "9h")


@pytest.mark.parametrize(
    ("tricks", "trick"),
    [
        (MARCH.replace("Qs 9d", "Qs"), 1),
        (MARCH.replace("Qs 9d", "Qs 9d 9h"), 1),
        (MARCH.replace("As Kh Qs 9d", ""), 1),
        (MARCH.replace("Ks Tc Qh", "Ks Tc Qh 9c"), 5),
    ],
)
def test_a_trick_has_a_card_of_every_active_player(tricks: str, trick: int) -> None:
    """Too few or too many cards are an error of that trick, not of the players after it."""
    assert where(faulty(deal(tricks), code="bad-egn"))[:3] == (f"deal 1, trick {trick}", 1, trick)


def test_nothing_is_played_after_five_tricks() -> None:
    """The hand counts all the same."""
    game = faulty(deal(MARCH + " / 9c Td Js Ts"), code="hand-is-over")
    assert where(game) == ("deal 1, trick 6", 1, 6, "N", "9c")
    assert (game.scores, len(game.hands), game.unfinished) == ((2, 0), 1, None)


# Calls, alone, defending alone


def test_a_call_that_is_not_allowed_is_found_before_the_play() -> None:
    """The suit turned down, a suit in round one, a call after trump is made."""
    game = faulty(deal(SWEEP, ("Pass",) * 4 + ("h",)), code="suit-turned-down")
    assert where(game) == ("deal 1", 1, None, "E", "None")
    assert isinstance(game.unfinished, Bidding)
    assert where(faulty(deal(calls=("Pass", "h")), code="not-now"))[3] == "S"
    game = faulty(deal(calls=("Pass", "Order", "Pass")), code="not-your-turn")
    assert where(game)[3] == "W"
    assert isinstance(game.unfinished, Discarding)
    faulty(deal(SWEEP, (*SPADES, "Pass")), code="not-your-turn")
    assert where(faulty(deal("", ("Pass",) * 9), code="hand-is-over"))[3] == "E"


@pytest.mark.parametrize("call", ["n", "x", "pass", "", 3, None, ["Pass"]])
def test_an_unknown_call_is_refused(call: object) -> None:
    """No trump and unknown calls can't be replayed."""
    egn_deal = deal()
    egn_deal["phases"][0]["calls"] = ["Pass", call]
    assert where(faulty(egn_deal, code="bad-egn"))[0] == "deal 1, calls"


def test_a_hand_that_is_passed_out_scores_nothing() -> None:
    """Even if the file says that the dealer is stuck, which is then an oddity."""
    game = read(deal("", ("Pass",) * 8), deal(dealer=1))
    assert game.warnings[0] == "deal 1: it is passed out, though the file says that the dealer is stuck"
    assert game.hands[0].reason is Reason.PASSED_OUT
    assert right(deal("", ("Pass",) * 8), ruleset={"std": False}).scores == (0, 0)
    assert where(faulty(deal(MARCH, ("Pass",) * 8), code="bad-egn"))[0] == "deal 1, trick 1"


def test_alone_is_said_with_the_call() -> None:
    """The partner sits out, and the call says so; in 1.0 the play can say it instead."""
    game = right(deal(LONER, isAlone=True))
    assert (game.scores, game.hands[0].reason) == ((1, 0), Reason.MADE_IT)
    late = deal(LONER)
    late["phases"][1]["isAlone"] = True
    assert right(late).hands == game.hands
    assert right(deal(LOST, SPADES, isAlone=True)).scores == (2, 0)


def test_a_defender_may_stand_alone_where_the_rules_say_so() -> None:
    """Two play, a euchre scores four; the defender asked second can be the one."""
    rules = {"defend_alone": True}
    south = "9s As / Ad 9d / Ac 9c / Ah Td / Kd Tc"
    game = right(deal(south, SPADES, isAlone=True, aloneDefender=2), ruleset=rules)
    assert game.scores == (4, 0)
    assert DefendAlone(Seat.S) in game.hands[0].actions
    north = "9s Ks / Kc 9c / Kh 9d / Qs Td / Qh Tc"
    game = right(deal(north, SPADES, isAlone=True, aloneDefender=0), ruleset=rules)
    assert game.scores == (4, 0)
    assert game.hands[0].actions[5:7] == (DefendTogether(Seat.S), DefendAlone(Seat.N))
    assert right(deal(LOST, SPADES, isAlone=True), ruleset=rules).scores == (2, 0)
    assert right(deal(LOST, SPADES, isAlone=True, aloneDefender=-1), ruleset=rules).scores == (2, 0)


def test_a_lone_defender_means_nothing_where_the_rules_have_none() -> None:
    """The field counts only against a lone maker, and if the rules allow it."""
    assert right(deal(LOST, SPADES, isAlone=True, aloneDefender=2)).scores == (2, 0)
    assert right(deal(aloneDefender=1), ruleset={"defend_alone": True}).scores == (2, 0)


def test_a_lone_defender_is_not_of_the_makers() -> None:
    """The maker's partner cannot defend."""
    game = faulty(deal(LOST, SPADES, isAlone=True, aloneDefender=3), code="bad-egn", ruleset={"defend_alone": True})
    assert where(game) == ("deal 1, aloneDefender", 1, None, "W", "None")


# The rules


@pytest.mark.parametrize(
    ("ruleset", "rules"),
    [
        ({}, {}),
        ({"std": True, "min_rank": 9, "num_players": 4, "joker": False, "num_deals": 0}, {}),
        ({"winning_score": 15}, {"target": 15}),
        ({"num_deals": 8}, {"game_ends": GameEnds.AFTER_8_HANDS}),
        ({"num_deals": 12, "winning_score": 0}, {"game_ends": GameEnds.AFTER_12_HANDS}),
        ({"canadian": True}, {"partner_orders_alone": True}),
        ({"loner_lead": "LEFT_OF_DEALER"}, {"first_lead": FirstLead.DEALERS_LEFT}),
        ({"loner_lead": "LEFT_OF_LONER"}, {"first_lead": FirstLead.LONERS_LEFT}),
        ({"loner_march_score": 5}, {"march_points_alone": 5}),
        ({"loner_euchred_score": 4}, {"euchre_points_alone": 4}),
        ({"defend_alone": True}, {"defend_alone": Defense.AGAINST_A_LONER}),
        ({"farmers": True}, {"farmers_hand": FarmersHand.SWAP}),
    ],
)
def test_every_rule_that_an_option_expresses_is_that_option(ruleset: Plain, rules: Plain) -> None:
    """The rules of the file become a rule set of its own, in which a hand can be passed out."""
    assert right(ruleset=ruleset).rules == HouseRules(nobody_calls=NobodyCalls.PASS_OUT, **rules)


@pytest.mark.parametrize(
    ("ruleset", "named"),
    [
        ({"min_rank": 7}, "min_rank = 7"),
        ({"num_players": 3}, "num_players = 3"),
        ({"partners_best": True}, "partners_best = true"),
        ({"go_under": True}, "go_under = true"),
        ({"joker": True}, "joker = true"),
        ({"allow_no_trump": True}, "allow_no_trump = true"),
        ({"fast_break": True}, "fast_break = true"),
        ({"four_trick_tokens": True}, "four_trick_tokens = true"),
        ({"winning_score": 0}, "winning_score = 0"),
        ({"winning_score": 50}, "winning_score = 50"),
        ({"num_deals": 10}, "num_deals = 10"),
        ({"num_deals": 8, "winning_score": 10}, "num_deals = 8"),
        ({"loner_march_score": 0}, "loner_march_score = 0"),
        ({"loner_euchred_score": 1}, "loner_euchred_score = 1"),
    ],
)
def test_a_rule_that_no_option_expresses_is_refused_by_name(ruleset: Plain, named: str) -> None:
    """Otherwise hands would be played or scored wrong."""
    with pytest.raises(UnsupportedRules, match=rf"^ruleset: leftbower doesn't support {named}"):
        read(deal(), ruleset=ruleset)


def test_the_rules_are_those_the_hands_are_played_under() -> None:
    """Points, leads and forced lone hands follow the file."""
    march, euchre = {"loner_march_score": 5}, {"loner_euchred_score": 4}
    assert right(deal(SWEEP, SPADES, isAlone=True), ruleset=march).scores == (0, 5)
    assert right(deal(LOST, SPADES, isAlone=True), ruleset=euchre).scores == (4, 0)
    faulty(deal(), code="must-go-alone", ruleset={"canadian": True})
    assert right(deal(LONER, isAlone=True), ruleset={"canadian": True}).scores == (1, 0)
    assert right(deal(), ruleset={"farmers": True}).scores == (2, 0)
    left = SWEEP.replace("Js 9s Ts / Jc 9d 9c", "9d 9c Js / Jc 9s Ts")
    assert right(deal(left, SPADES, isAlone=True), ruleset={"loner_lead": "LEFT_OF_LONER"}).scores == (0, 4)


def test_exchanged_cards_are_refused_by_name() -> None:
    """The file doesn't say by which rule they were exchanged; an empty list means none were."""
    exchange = {"receiver": 1, "cards": ["9c", "Td", "Js"]}
    game = faulty(deal(), deal(dealer=1, cardExchanges=[exchange]), code="unsupported-rules", ruleset={"farmers": True})
    assert (where(game)[0], game.scores) == ("deal 2, cardExchanges", (2, 0))
    assert right(deal(cardExchanges=[])).scores == (2, 0)


# Games


def test_deals_after_the_target_replay_with_a_warning() -> None:
    """The score goes on, and every extra deal is named."""
    game = read(deal(), deal(EAST, ("Order",)), deal(), initialScore=[8, 0])
    assert (game.scores, len(game.hands), game.fault) == ((12, 2), 3, None)
    assert [warning for warning in game.warnings if "over" in warning] == [
        "deal 2: the game was over already, at 10-0",
        "deal 3: the game was over already, at 10-2",
    ]


def test_deals_after_the_last_of_a_fixed_number_replay_with_a_warning() -> None:
    """Passed-out hands count."""
    passed = [deal("", ("Pass",) * 8, dealer=number % 4) for number in range(9)]
    game = read(*passed, ruleset={"num_deals": 8, "std": False}, initialScore=[11, 0])
    assert game.warnings == ("deal 9: the game was over already, at 11-0",)


def test_a_dealer_out_of_order_replays_with_a_warning() -> None:
    """The deal passes to the left."""
    game = read(deal(), deal(dealer=0))
    assert (game.scores, game.fault) == ((4, 0), None)
    assert game.warnings == ("deal 2: N deals out of order; it is the deal of E",)


def test_a_first_lead_against_the_rules_is_a_warning() -> None:
    """1.0 repeats who led first; the rules take precedence."""
    egn_deal = deal()
    egn_deal["phases"][1]["initialLead"] = 1
    assert right(egn_deal).scores == (2, 0)
    egn_deal["phases"][1]["initialLead"] = 2
    game = read(egn_deal)
    assert (game.scores, game.warnings) == ((2, 0), ("deal 1: S is said to lead first, but by the rules E does",))


def test_another_final_score_is_a_warning() -> None:
    """The deals decide; there is no warning for a game that has an error anyway."""
    assert right(deal(), finalScore=[2, 0]).scores == (2, 0)
    game = read(deal(), finalScore=[10, 3])
    assert game.scores == (2, 0)
    assert game.warnings == ("the file ends at 10-3, but its deals add up to 2-0",)
    assert faulty(deal(discard="Kc"), code="card-not-held", finalScore=[10, 3]).warnings == ()


@pytest.mark.parametrize(
    ("egn_deal", "phase"),
    [
        (deal("", ()), Bidding),
        (deal("", ("Pass",) * 5), Bidding),
        (deal("", HEARTS), Playing),
        (deal("As Kh Qs 9d / Jd Th"), Playing),
        (deal("As Kh Qs 9d / Jd Th 9h 9s"), Playing),
        (listing(HANDS, "As Kh Qs 9d / Jd Th"), Playing),
        (deal() | {"phases": []}, Bidding),
    ],
)
def test_a_last_deal_that_stops_is_unfinished(egn_deal: Plain, phase: type[object]) -> None:
    """It scores nothing, and isn't an error."""
    game = read(deal(), egn_deal)
    assert (game.scores, len(game.hands), game.fault) == ((2, 0), 1, None)
    assert isinstance(game.unfinished, phase)
    assert game.warnings[-1] == "deal 2: it stops before the hand is over, and scores nothing"
    egn_deal["phases"][1:] = [phase | {"tricks": [*phase["tricks"], [], []]} for phase in egn_deal["phases"][1:]]
    assert read(deal(), egn_deal) == game


def test_a_deal_that_stops_in_the_middle_scores_nothing() -> None:
    """It may have been redealt, so any player may deal next."""
    game = read(deal("", ("Pass",)), deal(dealer=0))
    assert (game.scores, len(game.hands), game.fault, game.unfinished) == ((2, 0), 1, None, None)
    assert game.warnings == ("deal 1: it stops before the hand is over, and scores nothing",)
    assert faulty(deal("", ("Pass",)), {}, code="bad-egn").unfinished is None


def test_alternative_lines_and_annotations_are_passed_over() -> None:
    """They are analysis, right or wrong."""
    egn_deal = deal(callAnnotations={"0": ["[!]"]}) | {"alternativeLines": [{"branchIndex": 9, "phases": "nonsense"}]}
    egn_deal["phases"][1] |= {"playAnnotations": {"3": ["[?]"]}}
    assert right(egn_deal).scores == (2, 0)


# Versions


def test_the_names_of_1_0_are_read() -> None:
    """Before 1.1 names were written with underscores, and deals had their kitty."""
    egn_deal = listing(HANDS)
    egn_deal["initialState"]["player_cards"] = egn_deal["initialState"].pop("playerCards")
    egn_deal["initialState"]["kitty"] = ["", "", ""]
    egn_deal["phases"][0]["calls_annotations"] = egn_deal["phases"][1]["tricks_annotations"] = {}
    old = document(egn_deal, version="1.0.0", matchId="m") | {
        "timings": {},
        "views": [],
        "videoUrl": "",
        "viewSwitches": [],
    }
    game = read_egn("\ufeff" + json.dumps(old))
    assert (game.hands, game.warnings) == (right(listing(HANDS)).hands, ())


@pytest.mark.parametrize("version", ["1.0", "1.0.0", "1.1.0", "1.2", "1.3.1", "1.4", "1.4.7"])
def test_versions_1_0_to_1_4_are_read(version: str) -> None:
    """With or without a third number."""
    assert right(deal(), version=version).scores == (2, 0)


def test_a_later_version_is_read_and_its_unknown_names_listed() -> None:
    """Unknown names anywhere, including phases."""
    egn_deal = deal(mood="tense") | {"weather": "fair"}
    egn_deal["initialState"]["table"] = egn_deal["phases"][1]["clock"] = 1
    egn_deal["phases"].append({"type": "KITTY_TALK", "words": []})
    late = document(egn_deal, version="1.12", ruleset={"new_rule": True}, venue="hall") | {"extra\n": None, "more\n": 1}
    game = read_egn(json.dumps(late))
    assert (game.scores, game.fault) == ((2, 0), None)
    assert game.warnings == (
        "not understood: version 1.12, which may say more than 1.4 does",
        "not understood: 'more\\n'",
        "not understood: 'venue'",
        "not understood: 'new_rule'",
        "deal 1: not understood: 'weather'",
        "deal 1: not understood: 'table'",
        "deal 1: not understood: 'mood'",
        "deal 1: not understood: 'clock'",
        "deal 1: not understood: 'KITTY_TALK'",
    )


@pytest.mark.parametrize("version", ["2.0", "0.9", "1", "1.", "1.x", "1.4.1.1", "", "1.٤", 1.4, None])
def test_other_versions_are_refused(version: object) -> None:
    """Only 1.x can be read."""
    plain = document(deal()) | {"version": version}
    with pytest.raises(BadEgn, match=r"^version: "):
        read_egn(json.dumps(plain))


def test_encoded_deals_are_refused_by_name() -> None:
    """Wherever the first of them is."""
    with pytest.raises(EncodedDeal, match=r"^deal 2: this deal is encoded") as refused:
        read(deal(), "MBAAqrs_", {})
    assert refused.value.code == "encoded-deal"


# Bad input


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", "line 1, column 1"),
        ("not JSON", "line 1, column 1"),
        (json.dumps(document(deal()), indent=1)[:202], "line 19, column 4"),
        pytest.param("9" * 5000, "", id="digits"),
        pytest.param("[" * 1_000_000, "", id="brackets"),
        ("[]", ""),
        ("null", ""),
        ("{}", "fileType"),
        ('{"fileType": "Chess"}', "fileType"),
        ('{"fileType": "Euchre Game Notation"}', "version"),
        ('{"fileType": "Euchre Game Notation", "version": "1.4"}', "metadata"),
    ],
)
def test_what_is_not_egn_is_refused_in_one_sentence(text: str, path: str) -> None:
    """With a code and a path, whatever it is."""
    with pytest.raises(BadEgn) as refused:
        read_egn(text)
    assert refused.value.code == "bad-egn"
    assert refused.value.path == path


def test_ten_megabytes_of_noise_are_too_large() -> None:
    """And so are more deals than the format allows."""
    with pytest.raises(TooLarge):
        read_egn("\x00\ud800[" * 3_500_000)
    with pytest.raises(TooLarge, match=r"^deals: "):
        read(*[{}] * 101)


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({"ruleset": []}, "ruleset"),
        ({"ruleset": {"canadian": "no"}}, "canadian"),
        ({"ruleset": {"canadian": None}}, "canadian"),
        ({"ruleset": {"joker": 1}}, "joker"),
        ({"ruleset": {"winning_score": True}}, "winning_score"),
        ({"ruleset": {"loner_lead": "NOBODY"}}, "loner_lead"),
        ({"initialScore": None}, "initialScore"),
        ({"initialScore": [0]}, "initialScore"),
        ({"initialScore": [0, -1]}, "initialScore"),
        ({"initialScore": [0, 1000]}, "initialScore"),
        ({"initialScore": [0, True]}, "initialScore"),
        ({"finalScore": "10-2"}, "finalScore"),
    ],
)
def test_a_head_of_the_wrong_kind_is_refused_with_its_path(metadata: Plain, path: str) -> None:
    """Nothing can be replayed without it."""
    with pytest.raises(BadEgn) as refused:
        read(deal(), **metadata)
    assert refused.value.path == path


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        (7, ""),
        ({}, "initialState"),
        (deal() | {"initialState": []}, "initialState"),
        (deal() | {"initialState": {"upCard": "9h"}}, "dealer"),
        (deal(dealer=4), "dealer"),
        (deal(dealer=-1), "dealer"),
        (deal() | {"initialState": {"dealer": 0}}, "upCard"),
        (deal() | {"phases": {}}, "phases"),
        (deal() | {"phases": [1]}, "phases"),
        (deal() | {"phases": [{}]}, "type"),
        (deal() | {"phases": deal()["phases"] * 2}, "phases"),
        (deal(isAlone="yes"), "isAlone"),
        (deal(aloneDefender=7), "aloneDefender"),
        (deal(discard=9), "discard"),
        (deal(cardExchanges=1), "cardExchanges"),
        (deal() | {"phases": [{"type": "TRICK_PLAY", "tricks": [["9c", 1]]}]}, "tricks"),
        (deal() | {"phases": [{"type": "TRICK_PLAY", "tricks": ["9c"]}]}, "tricks"),
        (deal() | {"phases": [{"type": "TRICK_PLAY", "initialLead": 4}]}, "initialLead"),
    ],
)
def test_a_deal_of_the_wrong_kind_ends_the_replay_with_its_path(wrong: object, path: str) -> None:
    """The deals before it are kept."""
    game = faulty(deal(), wrong, deal(), code="bad-egn")
    assert where(game)[:2] == (f"deal 2, {path}" if path else "deal 2", 2)
    assert (game.scores, len(game.hands), game.unfinished) == ((2, 0), 1, None)


@pytest.mark.parametrize("up_card", ["", "Xx", "R", "8h", "9"])
def test_the_up_card_must_be_told(up_card: str) -> None:
    """Without it, the suit that was ordered is unknown."""
    faulty(deal() | {"initialState": {"dealer": 0, "upCard": up_card}}, code="bad-card")


WHOLE = document(
    listing(HANDS, discard="Ts"),
    deal(LONER, dealer=1, isAlone=True),
    deal(LOST, SPADES, isAlone=True, aloneDefender=-1),
    ruleset={"std": True, "canadian": False, "defend_alone": True, "winning_score": 10, "loner_lead": "LEFT_OF_DEALER"},
    finalScore=[5, 0],
)
ODD_VALUES: list[object] = [
    None,
    True,
    False,
    0,
    -1,
    3,
    2.5,
    10**30,
    "",
    "Xx",
    "9c",
    "Order",
    "R",
    "\x1b[2J",
    [],
    [[]],
    {},
    {"a": 1},
]


def paths(plain: object, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every value in a document."""
    inside = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [path for key, inner in inside for path in ((*prefix, key), *paths(inner, (*prefix, key)))]


def mutate(plain: Any, path: tuple[Any, ...], value: object) -> None:
    """Change or delete the value at a path, if the path still exists."""
    *parents, last = path
    with contextlib.suppress(LookupError, TypeError):  # an earlier change removed the path
        for step in parents:
            plain = plain[step]
        if value == "delete":
            del plain[last]
        else:
            plain[last] = value


def check(text: str) -> None:
    """A text is read, or refused with an error that has a code and one printable sentence."""
    try:
        game = read_egn(text)
    except LeftbowerError as error:
        fault: LeftbowerError | None = error
    else:
        fault = game.fault.error if game.fault else None
        assert all(isinstance(hand, Scored) for hand in game.hands)
        assert all(warning.isprintable() for warning in game.warnings)
    assert fault is None or (fault.code != "error" and str(fault).isprintable())


@given(
    st.lists(st.tuples(st.sampled_from(paths(WHOLE)), st.sampled_from([*ODD_VALUES, "delete"])), min_size=1, max_size=3)
)
def test_a_document_with_anything_changed_in_it_is_read_or_refused(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    """Whatever is deleted or changed, no other exception is raised."""
    plain = copy.deepcopy(WHOLE)
    for path, value in changes:
        mutate(plain, path, value)
    check(json.dumps(plain))


@given(st.data())
def test_a_cut_or_noisy_document_is_read_or_refused(data: st.DataObject) -> None:
    """A truncated text, or one with letters changed."""
    text = json.dumps(WHOLE)
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    check(text[:begin])
    check(text[:begin] + data.draw(st.text(max_size=5)) + text[end:])
