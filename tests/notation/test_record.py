"""The record, good and bad: everything legal before an error is kept, and one error says what is wrong and where."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from leftbower.engine import (
    Bidding,
    Bury,
    Deal,
    Draw,
    Fact,
    InGame,
    InHand,
    Match,
    MatchOver,
    Order,
    Pass,
    Play,
    Playing,
    ToDeal,
    ToDraw,
    acts,
    advance_match,
    draw_dealer,
    new_match,
)
from leftbower.errors import LeftbowerError
from leftbower.notation import Record, RecordChain, RecordedPlayer, dumps, loads, read_record
from leftbower.rules import Card, HouseRules, Seat, parse_cards, preset, to_json

N, E, S, W = Seat


# A short match: North holds the five top hearts in every hand and marches alone, so a game takes three hands


def deal_for(dealer: Seat) -> Deal:
    return Deal(
        dealer=dealer,
        hands=tuple(map(parse_cards, ("JhJdAhKhQh", "TcJcQcKcAc", "9dTdQdKdAd", "TsJsQsKsAs"))),  # type: ignore[arg-type]
        up_card=Card.parse("Th"),
    )


def next_fact(match: Match) -> Fact:
    if isinstance(match, ToDraw):
        rules = match.rules
        deck = sorted(rules.deck, key=lambda card: str(card) != "Js")
        return draw_dealer(rules, shuffler=S, deck=deck)
    assert isinstance(match, InGame)
    game = match.game
    if isinstance(game, ToDeal):
        return deal_for(game.dealer)
    if isinstance(game.hand, Bidding):
        return Order(N, True) if game.hand.to_act is N else Pass(game.hand.to_act)
    return acts(game.hand)[-1 if isinstance(game.hand, Playing) else 0]


def played(rules: HouseRules) -> Record:
    """A match in which North and South win every game."""
    match: Match = new_match(rules)
    facts: list[Fact] = []
    while not isinstance(match, MatchOver):
        facts.append(next_fact(match))
        match = advance_match(match, facts[-1])
    return Record(
        rules=rules,
        facts=tuple(facts),
        players={N: RecordedPlayer(name="Zoë"), E: RecordedPlayer(name="b", kind="bot")},
    )


CAMPUS = replace(preset("campus"), best_of=1)
WHOLE = played(CAMPUS)
LINES = dumps(WHOLE).splitlines()
"""Header, draw, then deals and acts, and the end."""


def text_of(lines: Iterable[str]) -> str:
    return "".join(line + "\n" for line in lines)


def changed(number: int, **fields: object) -> str:
    """The text of the whole match with some fields of one line changed."""
    line = json.loads(LINES[number]) | fields
    return text_of([*LINES[:number], json.dumps(line), *LINES[number + 1 :]])


def error_of(text: str) -> LeftbowerError:
    with pytest.raises(LeftbowerError) as refusal:
        loads(text)
    return refusal.value


# Good records


def test_a_whole_match_is_read_back() -> None:
    """Three hands of four points each; the last line has score, wins and reason."""
    assert loads(text_of(LINES)) == WHOLE
    record, replayed = read_record(text_of(LINES))
    assert record == WHOLE
    assert (replayed.scores, replayed.fault, replayed.unfinished, len(replayed.hands)) == ((12, 0), None, None, 3)
    assert json.loads(LINES[-1]) == {"end": {"scores": [12, 0], "wins": [1, 0], "reason": "target-reached"}}
    assert json.loads(LINES[0])["players"] == {"N": {"name": "Zoë", "kind": "human"}, "E": {"name": "b", "kind": "bot"}}


def test_empty_lines_do_not_matter() -> None:
    """Nor do the kind of line ending and a missing last one."""
    assert loads("\r\n\r\n".join(LINES)) == WHOLE
    assert loads("\n \n" + text_of(LINES)) == WHOLE


def test_a_version_of_a_bot_is_kept() -> None:
    """And left out if there is none."""
    record = replace(WHOLE, players={S: RecordedPlayer(name="expert", kind="bot", version="2.1")})
    assert json.loads(dumps(record).splitlines()[0])["players"] == {
        "S": {"name": "expert", "kind": "bot", "version": "2.1"}
    }
    assert loads(dumps(record)) == record


def test_a_deal_carries_its_seal() -> None:
    """Whatever it contains; it is kept unchanged, and only draws and deals have one."""
    deal_index = next(number for number, fact in enumerate(WHOLE.facts) if isinstance(fact, Deal))
    sealed = replace(WHOLE, seals={deal_index: {"root": "5f", "opened": [1, 2]}})
    lines = dumps(sealed).splitlines()
    assert json.loads(lines[deal_index + 1])["seal"] == {"root": "5f", "opened": [1, 2]}
    assert [number for number, line in enumerate(lines) if "seal" in json.loads(line)] == [deal_index + 1]
    assert loads(text_of(lines)) == sealed
    fault = fault_of(changed(deal_index + 1, seal="broken"), deal_index + 2)
    assert (fault.error.code, fault.error.path) == ("bad-record", f"line {deal_index + 2}, seal")


CHAIN = RecordChain(table="4f1c", match=2, root="ab" * 32, last="cd" * 32)
CHAINED = replace(
    WHOLE,
    chain=CHAIN,
    players={N: RecordedPlayer(name="Zoë", commitment="5f", salt="a0"), S: RecordedPlayer(name="", commitment="6e")},
)


def test_a_sealed_match_has_its_roots_in_the_first_line_and_the_last() -> None:
    """Kept unchanged; players have commitments and salts, except those who were erased."""
    header, *_, last = map(json.loads, dumps(CHAINED).splitlines())
    assert (header["table"], header["match"], header["root"]) == ("4f1c", 2, "ab" * 32)
    assert header["players"]["N"] == {"name": "Zoë", "kind": "human", "commitment": "5f", "salt": "a0"}
    assert header["players"]["S"] == {"name": "", "kind": "human", "commitment": "6e"}
    assert last == json.loads(LINES[-1]) | {"root": "cd" * 32}
    assert loads(dumps(CHAINED)) == CHAINED


def test_a_sealed_match_that_goes_on_ends_with_the_link_so_far() -> None:
    half = replace(CHAINED, facts=WHOLE.facts[:9])
    lines = dumps(half).splitlines()
    assert json.loads(lines[-1]) == {"so_far": {"link": "cd" * 32}}
    record, replayed = read_record(dumps(half))
    assert record == replace(half, chain=replace(CHAIN, last=""))
    assert replayed.fault is not None
    assert str(replayed.fault.error) == f"after line {len(lines)}: the record stops before the match is over"


@pytest.mark.parametrize("change", [{"root": None}, {"table": 7}, {"match": "2"}])
def test_a_header_with_a_part_of_a_chain_is_refused(change: dict[str, Any]) -> None:
    header, *rest = dumps(CHAINED).splitlines()
    error = error_of(text_of([json.dumps(json.loads(header) | change), *rest]))
    assert (error.code, error.path) == ("bad-record", "line 1")


def test_a_final_root_goes_with_a_match_root_and_only_with_one() -> None:
    *lines, last = dumps(CHAINED).splitlines()
    for text in (text_of([*lines, LINES[-1]]), text_of([*LINES[:-1], last]), changed(len(LINES) - 1, root=7)):
        error = error_of(text)
        assert (error.code, error.path) == ("bad-record", f"line {len(LINES)}")


def test_a_match_that_is_being_played_has_no_last_line() -> None:
    """It is read as far as it goes."""
    half = replace(WHOLE, facts=WHOLE.facts[:9])
    assert "end" not in json.loads(dumps(half).splitlines()[-1])
    record, replayed = read_record(dumps(half))
    assert (record, replayed.scores) == (half, (0, 0))


@pytest.mark.parametrize("name", ["Zoë", "\u2028", "a\x85b", "tab\there", "new\nline", "\x1c", "🂡", '"quoted"', ""])
def test_any_name_survives(name: str) -> None:
    """Even one with a character that some programs treat as a line break."""
    record = replace(WHOLE, players={S: RecordedPlayer(name=name)})
    assert loads(dumps(record)) == record


@pytest.mark.parametrize("drawn", ["each-game", "each-match"])
def test_a_new_game_begins_at_nothing(drawn: str) -> None:
    """With or without a draw between the games of a match."""
    rules = replace(preset("campus"), dealer_draw=drawn)  # type: ignore[arg-type]
    record, replayed = read_record(dumps(played(rules)))
    match = record.fold()
    assert isinstance(match, MatchOver)
    assert match.wins == (2, 0)
    assert replayed.scores == match.last.scores == (12, 0)


def test_a_tie_is_the_reason_of_a_level_end() -> None:
    """Eight passed-out hands."""
    rules = replace(preset("round-robin"), game_ends="after-8-hands")  # type: ignore[arg-type]
    match: Match = new_match(rules)
    facts: list[Fact] = []
    while not isinstance(match, MatchOver):
        hand = match.game.hand if isinstance(match, InGame) and isinstance(match.game, InHand) else None
        facts.append(Pass(hand.to_act) if hand else next_fact(match))
        match = advance_match(match, facts[-1])
    lines = dumps(Record(rules=rules, facts=tuple(facts))).splitlines()
    assert json.loads(lines[-1]) == {"end": {"scores": [0, 0], "wins": [0, 0], "reason": "tie"}}
    record, replayed = read_record(text_of(lines))
    assert isinstance(record.fold(), MatchOver)
    assert [hand.reason.value for hand in replayed.hands] == ["passed-out"] * 8


def test_a_game_of_eight_hands_ends_for_that_reason() -> None:
    """Not because a target was reached."""
    rules = replace(preset("campus"), best_of=1, game_ends="after-8-hands")  # type: ignore[arg-type]
    lines = dumps(played(rules)).splitlines()
    assert json.loads(lines[-1])["end"]["reason"] == "hands-played"
    assert loads(text_of(lines)).rules == rules


# Cut short


@pytest.mark.parametrize("length", [1, 2, 3, 4, 10, len(LINES) - 2, len(LINES) - 1])
def test_a_record_cut_after_a_line_keeps_what_there_was(length: int) -> None:
    """The only error is that it stops; every fact before is kept, and so is the state of the hand."""
    record, replayed = read_record(text_of(LINES[:length]))
    assert record.facts == WHOLE.facts[: length - 1]
    assert replayed.fault is not None
    assert replayed.fault.error.code == "bad-record"
    assert replayed.fault.error.path == f"after line {length}"
    assert error_of(text_of(LINES[:length])).code == "bad-record"


def test_a_record_cut_in_the_middle_of_a_line_keeps_the_lines_before() -> None:
    """The error names the cut line and its trick."""
    number = first(Play, 7)
    record, replayed = read_record(text_of(LINES[:number]) + LINES[number][:20])
    assert record.facts == WHOLE.facts[: number - 1]
    assert replayed.fault is not None
    assert (replayed.fault.error.code, replayed.fault.error.path) == ("bad-json", f"line {number + 1}")
    assert (replayed.fault.hand, replayed.fault.trick, replayed.fault.card) == (1, 3, None)
    assert isinstance(replayed.unfinished, Playing)
    assert replayed.fault.seat is replayed.unfinished.to_act


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_a_record_cut_anywhere_keeps_the_lines_before(share: float) -> None:
    """Whatever part of the text is left after the header."""
    text = text_of(LINES)
    left = text[: len(LINES[0]) + 2 + int(share * (len(text) - len(LINES[0]) - 4))]
    record, replayed = read_record(left)
    assert record.facts == WHOLE.facts[: left.count("\n") - 1]
    assert replayed.fault is not None
    assert replayed.fault.error.code in ("bad-json", "bad-record")


# Wrong headers


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "bad-record"),
        ("\n\n", "bad-record"),
        ("not json", "bad-json"),
        ("[1, 2]", "bad-json"),
        ("null", "bad-json"),
        ("{}", "bad-record"),
        ({"format": "pgn"}, "bad-record"),
        ({"version": 2}, "bad-record"),
        ({"version": "1"}, "bad-record"),
        ({"version": None}, "bad-record"),
        ({"version": True}, "bad-record"),
        ({"rules": None}, "bad-record"),
        ({"rules": "club"}, "bad-record"),
        ({"rules": {"tarrget": 10}}, "unknown-option"),
        ({"rules": {"target": 1000}}, "bad-option"),
        ({"rules": {"target": [10]}}, "bad-option"),
        ({"rules": to_json(preset("club")) | {"players": 3, "defend_alone": "always"}}, "impossible-rules"),
        ({"players": []}, "bad-record"),
        ({"players": {"X": {"name": "a"}}}, "bad-seat"),
        ({"players": {"N": "a"}}, "bad-record"),
        ({"players": {"N": {}}}, "bad-record"),
        ({"players": {"N": {"name": "a", "age": 7}}}, "bad-record"),
        ({"players": {"N": {"name": 7}}}, "bad-record"),
        ({"players": {"N": {"name": "a", "kind": None}}}, "bad-record"),
    ],
)
def test_a_wrong_header_raises_one_named_error(header: Any, code: str) -> None:
    """Nothing can be replayed without rules; the path is the first line."""
    text = changed(0, **header) if isinstance(header, dict) else text_of([header, *LINES[1:]]) if header else header
    if header == "\n\n":
        text = header
    error = error_of(text)
    assert error.code == code
    assert error.path.startswith("line 1")
    with pytest.raises(LeftbowerError):
        read_record(text)


def test_a_newer_version_is_named() -> None:
    """So that people update instead of suspecting the file."""
    assert error_of(changed(0, version=2)).message == "this leftbower reads version 1, not 2"


# Wrong facts


def fault_of(text: str, line: int) -> Any:
    """The fault at a line, with every fact before it kept."""
    record, replayed = read_record(text)
    assert replayed.fault is not None
    assert record.facts == WHOLE.facts[: line - 2]
    assert replayed.fault.error.path.startswith(f"line {line}")
    return replayed.fault


def test_an_unknown_act_ends_the_replay() -> None:
    """Line 4 is the first call."""
    fault = fault_of(changed(3, act="dance"), 4)
    assert (fault.error.code, fault.hand, fault.trick) == ("bad-record", 1, None)


def test_an_act_out_of_turn_ends_the_replay() -> None:
    """The fault says whose turn it was."""
    fault = fault_of(changed(3, seat="S"), 4)
    assert (fault.error.code, fault.hand, fault.seat) == ("not-your-turn", 1, _first_seat())


def _first_seat() -> Seat:
    deal = WHOLE.facts[1]
    assert isinstance(deal, Deal)
    return deal.dealer.left


def first(kind: type, number: int = 0) -> int:
    """The index of the line with the first fact of a kind."""
    return [line for line, fact in enumerate(WHOLE.facts, 1) if isinstance(fact, kind)][number]


def test_a_wrong_card_ends_the_replay_at_its_trick() -> None:
    """Hand, trick, seat and card of the fault."""
    number = first(Play, 4)
    fact = WHOLE.facts[number - 1]
    assert isinstance(fact, Play)
    fault = fault_of(changed(number, card="9c"), number + 1)
    assert (fault.error.code, fault.hand, fault.trick) == ("card-not-held", 1, 2)
    assert (fault.seat, fault.card) == (fact.seat, Card.parse("9c"))


def test_a_burial_of_a_card_not_held_ends_the_replay() -> None:
    """Before the play there is no trick to name."""
    number = first(Bury)
    fault = fault_of(changed(number, card="9c"), number + 1)
    assert (fault.error.code, fault.trick, fault.card) == ("card-not-held", None, None)


def test_a_duplicated_card_in_a_deal_ends_the_replay() -> None:
    """The deal is refused, and no hand starts."""
    hands = json.loads(LINES[2])["hands"] | {"S": "JhTdQdKdAd"}
    fault = fault_of(changed(2, hands=hands), 3)
    assert (fault.error.code, fault.hand, fault.seat) == ("bad-deal", 1, None)
    assert "Jh was dealt twice" in fault.error.message


def test_a_deal_by_the_wrong_dealer_ends_the_replay() -> None:
    """The second hand is dealt by the next player."""
    number = first(Deal, 1)
    dealer = json.loads(LINES[number])["dealer"]
    fault = fault_of(changed(number, dealer="N" if dealer != "N" else "E"), number + 1)
    assert (fault.error.code, fault.hand) == ("not-the-dealer", 2)


def test_a_draw_in_the_middle_of_a_game_ends_the_replay() -> None:
    """One draw is enough."""
    text = text_of([*LINES[:3], LINES[1], *LINES[3:]])
    assert fault_of(text, 4).error.code == "still-playing"


def test_a_record_without_its_draw_ends_at_once() -> None:
    """Without a dealer there is no deal."""
    record, replayed = read_record(text_of([LINES[0], *LINES[2:]]))
    assert record.facts == ()
    assert replayed.fault is not None
    assert replayed.fault.error.code == "nothing-drawn"


@pytest.mark.parametrize(
    "fields",
    [
        {"dealer": "N"},
        {"cards": "9cJs"},
        {"cards": "9c9c9cJs"},
        {"cards": "9c"},
        {"cards": ""},
        {"cards": "JsJh"},
        {"shuffler": "N"},
    ],
)
def test_a_draw_that_does_not_choose_its_dealer_is_refused(fields: dict[str, object]) -> None:
    """The cards turned, from the shuffler's left, must end with the jack that picks the dealer; here West."""
    assert json.loads(LINES[1]) == {"fact": "draw", "shuffler": "S", "cards": "Js", "dealer": "W"}
    fault = fault_of(changed(1, **fields), 2)
    assert fault.hand is None


def test_a_dealer_who_is_not_at_the_table_is_refused() -> None:
    """Three play, and West is an empty seat."""
    rules = to_json(preset("club3"))
    record, replayed = read_record(changed(0, rules=rules))
    assert record.facts == ()
    assert replayed.fault is not None
    assert replayed.fault.error.code == "bad-seat"


@pytest.mark.parametrize(
    ("line", "code"), [("nonsense", "bad-json"), ("[]", "bad-json"), ("{}", "bad-record"), ('{"a": ', "bad-json")]
)
def test_nonsense_between_the_facts_ends_the_replay(line: str, code: str) -> None:
    """Everything before is kept."""
    fault = fault_of(text_of([*LINES[:6], line, *LINES[6:]]), 7)
    assert (fault.error.code, fault.card) == (code, None)


# The end


@pytest.mark.parametrize(
    "end",
    [
        {"scores": [10, 0], "wins": [1, 0], "reason": "target-reached"},
        {"scores": [12, 0], "wins": [0, 1], "reason": "target-reached"},
        {"scores": [12, 0], "wins": [1, 0], "reason": "hands-played"},
        {"scores": [12, 0], "wins": [1, 0]},
        {"scores": [12, 0], "wins": [1, 0], "reason": "target-reached", "prize": 1},
        [12, 0],
        None,
    ],
)
def test_an_end_that_lies_is_refused(end: object) -> None:
    """The message says what the facts add up to; all facts are kept."""
    text = text_of([*LINES[:-1], json.dumps({"end": end})])
    record, replayed = read_record(text)
    assert record == WHOLE
    assert replayed.fault is not None
    assert (replayed.fault.error.code, replayed.fault.error.path) == ("bad-record", f"line {len(LINES)}")
    assert "[12, 0]" in replayed.fault.error.message
    assert replayed.scores == (12, 0)


def test_an_end_too_soon_is_refused() -> None:
    """The match wasn't over."""
    record, replayed = read_record(text_of([*LINES[:5], LINES[-1]]))
    assert record.facts == WHOLE.facts[:4]
    assert replayed.fault is not None
    assert (replayed.fault.error.code, replayed.fault.error.path) == ("bad-record", "line 6")


@pytest.mark.parametrize("more", ['{"fact": "act", "act": "pass", "seat": "N"}', LINES[-1], "nonsense"])
def test_nothing_comes_after_the_end(more: str) -> None:
    """Neither a fact nor another end nor garbage."""
    error = error_of(text_of([*LINES, more]))
    assert error.code in ("bad-record", "bad-json")
    assert error.path == f"line {len(LINES) + 1}"


def test_a_fact_after_the_match_is_over_is_refused() -> None:
    """Even if the end is missing."""
    text = text_of([*LINES[:-1], LINES[3]])
    assert fault_of(text, len(LINES)).error.code == "match-is-over"


# Noise


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "noise",
    [
        "x" * 10_000_000,
        "[" * 10_000_000,
        '{"a":' * 2_000_000,
        "\n" * 10_000_000,
        "9" * 10_000_000,
        '"' + "\\" * 10_000_000,
        "{}\n" * 3_000_000,
        "\0" * 10_000_000,
    ],
    ids=["letters", "brackets", "braces", "lines", "digits", "backslashes", "objects", "zeros"],
)
def test_ten_megabytes_of_noise_are_one_named_error(noise: str) -> None:
    """In the header, and after a good one."""
    assert error_of(noise).code in ("bad-json", "bad-record", "too-large")
    error = error_of(LINES[0] + "\n" + noise)
    assert error.code in ("bad-json", "bad-record", "too-large")
    assert len(str(error)) < 300


@pytest.mark.parametrize("depth", [100, 900, 950, 970, 980, 990, 1000, 100_000])
def test_nested_nonsense_is_one_named_error(depth: int) -> None:
    """However deep."""
    nested = "[" * depth + "]" * depth
    for text in (LINES[0].replace('"version": 1', f'"version": {nested}'), f'{{"fact": {nested}}}'):
        assert error_of(text).code in ("bad-json", "bad-record")
    assert error_of(LINES[0] + f'\n{{"fact": {nested}}}').code in ("bad-json", "bad-record")


def test_a_draw_is_checked_against_the_sheet() -> None:
    """prize-night: a red jack doesn't pick the dealer."""
    rules = replace(preset("prize-night"), best_of=1)
    lines = dumps(played(rules)).splitlines()
    red = json.loads(lines[1]) | {"cards": "Jh"}
    _, replayed = read_record(text_of([lines[0], json.dumps(red), *lines[2:]]))
    assert replayed.fault is not None
    assert replayed.fault.error.path.startswith("line 2")


def test_the_draws_of_a_record_are_facts() -> None:
    """The first fact of a match is the draw for its first dealer."""
    draw = WHOLE.facts[0]
    assert isinstance(draw, Draw)
    assert (draw.shuffler, draw.cards, draw.dealer) == (S, parse_cards("Js"), W)
