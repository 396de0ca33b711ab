"""The hand line, good and bad: its meaning, and one clear error with its path if it can't be parsed."""

import pytest

from leftbower.engine import (
    AskingDefenders,
    Bidding,
    Bury,
    DefendAlone,
    DefendTogether,
    Discarding,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Playing,
    Scored,
    ShowFarmersHand,
    State,
    view,
)
from leftbower.errors import LeftbowerError
from leftbower.notation import (
    hand_line,
    name_rules,
    parse_hand_line,
    parse_token,
    replay_hand_line,
    to_token,
    view_line,
)
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat, Suit, parse_cards, preset, to_link

N, E, S, W = Seat
SUITED = "N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
"""North's hearts take every trick."""
DESIGN = "{club 9-6} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h ! | KcTcJc 9c9h9s"
"""The example from the design document."""


def error_of(line: str) -> LeftbowerError:
    """The only error of a wrong line."""
    with pytest.raises(LeftbowerError) as refusal:
        parse_hand_line(line)
    return refusal.value


# Good lines


@pytest.mark.parametrize(
    "line",
    [
        f"W Th {SUITED}",
        f"W Th {SUITED} | p o",
        f"W Th {SUITED} | o! -Ts | JhTcTh Jd",
        f"W Th {SUITED} | p p p p p p p s!",
        f"{{club}} W Th {SUITED} | o -Ts ! | JhTcTh JdJcJs AhQcQs KhKcKs QhAcAs",
        f"{{club 9-6}} W Th {SUITED} | o -Ts & | JhTc9dTh",
        "{club3 4-0-9} S Th N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd D:QsKsAs | p o -9d & -QsKsAs | JhTcTh",
        "{club2} S Th N:JhJdAhKhQh S:TdQdKdAdAc D:QsKsAs | p o -Ac ! | JhTh",
        "W Th N:?????????? E:TcJcQcKc?? S:?????????? W:?????????? | o -?? | JhTc9d??"[:-2],
        "{club3} S Th N:?????????? E:TcJcQcKcAc S:?????????? D:?????? | p p o -?? & -??????",
    ],
)
def test_a_canonical_line_is_written_as_it_was_read(line: str) -> None:
    """Text to state to text, character by character."""
    assert hand_line(parse_hand_line(line)) == line


def test_the_example_of_the_design_is_a_hand() -> None:
    """Club rules at 9 to 6, East deals, South names hearts alone; all three cards of the second trick are there."""
    replayed = replay_hand_line(DESIGN)
    state = replayed.state
    assert state.hand.rules == preset("club")
    assert state.hand.scores == (9, 6)
    assert state.hand.deal.dealer is E
    assert state.hand.deal.up_card is Card.parse("Td")
    assert isinstance(state, Playing)
    assert (state.contract.maker, state.contract.trump, state.contract.alone) == (S, Suit.HEARTS, True)
    assert state.active == (E, S, W)


def test_words_may_stand_far_apart_and_seats_be_spelled_out() -> None:
    """Spaces and the order of the hands don't matter; the line is then written in its usual form."""
    loose = "  {campus}  west   T♥  W:TsJsQsKsAs S:9dTdQdKdAd E:TcJcQcKcAc N:JhJdAhKhQh  |  p  |"
    assert hand_line(parse_hand_line(loose)) == f"{{campus}} W Th {SUITED} | p"


def test_rules_without_a_name_are_written_as_a_link() -> None:
    """The default rules need no head at 0-0, and their link otherwise."""
    plain = HouseRules()
    assert name_rules(preset("club3")) == "club3"
    assert name_rules(plain) == to_link(plain)
    line = f"{{{to_link(plain)} 3-0}} W Th {SUITED}"
    assert parse_hand_line(line).hand.scores == (3, 0)
    assert hand_line(parse_hand_line(line)) == line
    assert parse_hand_line(f"{{{to_link(plain)}}} W Th {SUITED}") == parse_hand_line(f"W Th {SUITED}")


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Pass(W), "p"),
        (Order(W), "o"),
        (Order(W, True), "o!"),
        (Name(W, Suit.HEARTS), "h"),
        (Name(W, Suit.CLUBS, True), "c!"),
        (Bury(W, Card.parse("9s")), "-9s"),
        (Bury(W, UNKNOWN), "-??"),
        (GoAlone(W), "!"),
        (GoTogether(W), "&"),
        (LayAway(W, parse_cards("9s9hTc")), "-Tc9h9s"),
        (LayAway(W, (UNKNOWN, *parse_cards("9sTc"))), "-Tc9s??"),
        (DefendAlone(W), "W!"),
        (DefendTogether(W), "W&"),
        (ShowFarmersHand(W, parse_cards("9s9hTc")), "~Tc9h9s"),
        (KeepHand(W), "."),
    ],
)
def test_every_act_has_a_word(action: object, text: str) -> None:
    """And the token parses to the same act."""
    assert to_token(action) == text  # type: ignore[arg-type]
    assert parse_token(text, W) == action


def test_a_played_card_is_a_word_of_its_own() -> None:
    """In a line it is part of its trick's token."""
    assert to_token(Play(W, Card.parse("9s"))) == "9s"


def test_a_defender_is_named() -> None:
    """The seat is the one in the token, not the one to act."""
    assert parse_token("E!", W) == DefendAlone(E)
    assert parse_token("E&", W) == DefendTogether(E)


# The line of a view


def test_the_line_of_a_view_has_only_what_the_viewer_knows() -> None:
    """The dealer knows the discard; the others see their own cards and what was on the table."""
    state = parse_hand_line(f"W Th {SUITED} | o -Ts | JhTc9dTh Jd")
    back = "??????????"
    assert view_line(view(state, W)) == f"W Th N:{back} E:{back} S:{back} W:TsJsQsKsAs | o -Ts | JhTc9dTh Jd"
    assert view_line(view(state, E)) == f"W Th N:{back} E:TcJcQcKcAc S:{back} W:{back} | o -?? | JhTc9dTh Jd"
    assert view_line(view(state, None)) == f"W Th N:{back} E:{back} S:{back} W:{back} | o -?? | JhTc9dTh Jd"


def test_the_line_of_a_view_shows_the_dummy_to_the_maker_only() -> None:
    """club3: North took it and laid three away."""
    rest = "N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd D:QsKsAs | o -9d & -QsKsAs"
    state = parse_hand_line(f"{{club3}} S Th {rest}")
    back = "??????????"
    assert view_line(view(state, N)) == f"{{club3}} S Th N:JhJdAhKhQh E:{back} S:{back} D:QsKsAs | o -?? & -QsKsAs"
    assert view_line(view(state, S)) == f"{{club3}} S Th N:{back} E:{back} S:9dTdQdKdAd D:?????? | o -9d & -??????"


# Bad lines: the head or the deal can't be read

BAD = {
    "": "bad-hand-line",
    "W": "bad-hand-line",
    "W Th": "bad-deal",
    f"X Th {SUITED}": "bad-seat",
    f"W 1h {SUITED}": "bad-card",
    f"W ?? {SUITED}": "bad-card",
    f"W Thh {SUITED}": "bad-card",
    f"W Th {SUITED} X:9c9h9s": "bad-hand-line",
    f"W Th {SUITED} N:9c9h9s": "bad-hand-line",
    f"W Th {SUITED} N:": "bad-hand-line",
    f"W Th {SUITED} 9c": "bad-hand-line",
    "W Th N:JhJdAhKhQ E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs": "bad-card",
    "W Th N:JhJdAhKhZz E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs": "bad-card",
    "W Th N:JhJdAhKhJh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs": "bad-deal",
    "W Th N:JhJdAhKhTh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs": "bad-deal",
    "W Th N:JhJdAhKh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs": "bad-deal",
    "W Th N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd": "bad-deal",
    f"{{club3}} W Th {SUITED}": "bad-deal",
    f"{{}} W Th {SUITED}": "bad-hand-line",
    f"{{ }} W Th {SUITED}": "bad-hand-line",
    f"{{nobody}} W Th {SUITED}": "unknown-rules",
    f"{{lb2-AAAA}} W Th {SUITED}": "bad-link",
    f"{{club 1-2 3-4}} W Th {SUITED}": "bad-hand-line",
    f"{{club 1}} W Th {SUITED}": "bad-hand-line",
    f"{{club 1-2-3}} W Th {SUITED}": "bad-hand-line",
    f"{{club a-b}} W Th {SUITED}": "bad-hand-line",
    f"{{club 1--2}} W Th {SUITED}": "bad-hand-line",
    f"{{club 1-1000}} W Th {SUITED}": "bad-hand-line",
    f"{{club W Th {SUITED}": "bad-hand-line",
    f"W Th {SUITED} | o -Ts | Jh | Tc": "bad-hand-line",
    "||": "bad-hand-line",
    "{club}": "bad-hand-line",
}


@pytest.mark.parametrize("line", BAD)
def test_a_line_that_cannot_be_read_raises_one_named_error(line: str) -> None:
    """The right error code, and a one-line message."""
    with pytest.raises(LeftbowerError) as refusal:
        replay_hand_line(line)
    assert refusal.value.code == BAD[line]
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("line", [line for line in BAD if "Th" in line])
def test_the_error_says_where_it_is(line: str) -> None:
    """A column, the head, or the deal as a whole."""
    with pytest.raises(LeftbowerError) as refusal:
        replay_hand_line(line)
    assert refusal.value.path


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (f"X Th {SUITED}", "column 1"),
        (f"W 1h {SUITED}", "column 3"),
        ("W Th N:JhJdAhKhZz E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs", "column 6"),
        (f"{{club}} W Th {SUITED} | p x", "column 69"),
        (f"{{club 1}} W Th {SUITED}", "head"),
    ],
)
def test_columns_are_counted_from_one_over_the_whole_line(line: str, path: str) -> None:
    """The head counts too."""
    assert error_of(line).path == path


@pytest.mark.parametrize(
    "noise",
    ["x" * 10_000_000, "| " * 5_000_000, "{club} " * 1_000_000, "\0" * 10_000_000],
    ids=["letters", "bars", "heads", "zeros"],
)
def test_ten_megabytes_of_noise_are_refused_at_once(noise: str) -> None:
    """By their length, before anything is read."""
    assert error_of(noise).code == "too-large"


@pytest.mark.parametrize("text", ["\x00\x1b[31m", "W Th \u202e", "{\u2028}", "🂡 🂮", "W Th N:🂡🂮🂡🂮🂡"])
def test_what_an_error_quotes_cannot_move_the_cursor(text: str) -> None:
    """Unprintable characters are shown as a printable one."""
    assert str(error_of(text)).isprintable()


# Bad lines: everything legal before the error is kept


@pytest.mark.parametrize(
    ("rest", "code", "legal_actions_count", "seat"),
    [
        ("p x", "bad-hand-line", 1, E),
        ("p Jh", "bad-hand-line", 1, E),
        ("p pp", "bad-hand-line", 1, E),
        ("p p!", "bad-hand-line", 1, E),
        ("p o!!", "bad-hand-line", 1, E),
        ("p !!", "bad-hand-line", 1, E),
        ("p &&", "bad-hand-line", 1, E),
        ("p &!", "bad-hand-line", 1, E),
        ("p .!", "bad-hand-line", 1, E),
        ("p X!", "bad-hand-line", 1, E),
        ("p N?", "bad-hand-line", 1, E),
        ("p h", "not-now", 1, E),
        ("p !", "not-now", 1, E),
        ("p .", "not-now", 1, E),
        ("p ~9c9d9h9sTc", "not-now", 1, E),
        ("p E!", "not-now", 1, E),
        ("p W!", "not-your-turn", 1, E),
        ("p -", "bad-hand-line", 1, E),
        ("p ~", "bad-hand-line", 1, E),
        ("p ~9c9", "bad-card", 1, E),
        ("p ~????", "bad-card", 1, E),
        ("p o -", "bad-hand-line", 2, W),
        ("p o -xx", "bad-card", 2, W),
        ("p o -9d", "card-not-held", 2, W),
        ("p o -??", "card-not-held", 2, W),
        ("p o -TsJsQs", "not-now", 2, W),
        ("p p p p h", "suit-turned-down", 4, N),
        ("p p p p p p p p", "dealer-is-stuck", 7, W),
        ("o -Ts p", "not-now", 2, N),
    ],
)
def test_a_wrong_call_ends_the_replay_at_the_last_legal_state(
    rest: str, code: str, legal_actions_count: int, seat: Seat
) -> None:
    """The acts before it stay; the fault has the seat to act and the column."""
    line = f"W Th {SUITED} | {rest}"
    replayed = replay_hand_line(line)
    assert replayed.fault is not None
    assert (replayed.fault.error.code, replayed.fault.seat) == (code, seat)
    assert (replayed.fault.trick, replayed.fault.card) == (None, None)
    assert replayed.fault.error.path == f"column {line.rindex(rest.rsplit(maxsplit=1)[-1]) + 1}"
    assert len(replayed.state.actions) == legal_actions_count
    assert error_of(line).code == code


@pytest.mark.parametrize(
    ("tricks", "code", "legal_cards", "trick", "seat", "card"),
    [
        ("9d", "card-not-held", 0, 1, N, "9d"),
        ("Jh9d", "card-not-held", 1, 1, E, "9d"),
        ("JhTc9dTs", "card-not-held", 3, 1, W, "Ts"),
        ("JhTc9dJs", "must-follow-suit", 3, 1, W, "Js"),
        ("JhTc9dTh JdZz", "bad-card", 5, 2, E, None),
        ("JhTc9dTh Jd??", "bad-card", 5, 2, E, None),
        ("JhTc9dTh Jd9", "bad-card", 5, 2, E, None),
        ("JhTc9d Jd", "bad-hand-line", 3, 1, W, "9d"),
        ("JhTc9dThJd Jc", "bad-hand-line", 5, 1, E, "Jd"),
        ("JhTc9dTh JdJcTdJs AhQcQdQs KhKcKdKs QhAcAdAs 9c", "hand-is-over", 20, 6, None, "9c"),
    ],
)
def test_a_wrong_card_ends_the_replay_at_the_last_legal_state(
    tricks: str, code: str, legal_cards: int, trick: int, seat: Seat | None, card: str | None
) -> None:
    """The fault has the trick, the seat and the card."""
    replayed = replay_hand_line(f"W Th {SUITED} | o -Ts | {tricks}")
    fault = replayed.fault
    assert fault is not None
    assert (fault.error.code, fault.trick, fault.seat) == (code, trick, seat)
    assert fault.card is (Card.parse(card) if card else None)
    assert sum(isinstance(action, Play) for action in replayed.state.actions) == legal_cards
    assert fault.error.path.startswith("column ")
    assert hand_line(replayed.state).startswith(f"W Th {SUITED} | o -Ts")


def test_cards_cannot_be_played_before_the_play() -> None:
    """The tricks of a line whose calls aren't finished."""
    replayed = replay_hand_line(f"W Th {SUITED} | p | Jh")
    assert isinstance(replayed.state, Bidding)
    assert replayed.fault is not None
    assert (replayed.fault.error.code, replayed.fault.trick, replayed.fault.seat) == ("not-now", 1, E)


def test_nothing_can_be_said_when_the_hand_is_over() -> None:
    """A hand passed out has no more calls, and no tricks."""
    out = "{round-robin} W Th " + SUITED + " | p p p p p p p p"
    for more in (" p", " | Jh"):
        replayed = replay_hand_line(out + more)
        assert isinstance(replayed.state, Scored)
        assert replayed.fault is not None
        assert (replayed.fault.error.code, replayed.fault.seat) == ("hand-is-over", None)


def test_a_word_of_no_letters_is_no_word() -> None:
    """It is refused with an error code, not by an IndexError."""
    with pytest.raises(LeftbowerError) as refusal:
        parse_token("", N)
    assert refusal.value.code == "bad-hand-line"


# Unknown cards


def unknown(rest: str) -> State:
    return parse_hand_line("W Th N:?????????? E:TcJcQcKcAc S:?????????? W:?????????? " + rest)


def test_an_unknown_card_may_be_any_unlocated_one() -> None:
    """North can lead anything except East's cards and the up-card, which West has taken."""
    led = unknown("| o -??")
    assert isinstance(led, Playing)
    cards = {str(action.card) for action in view(led, N).legal if isinstance(action, Play)}
    assert not cards & {"Tc", "Jc", "Qc", "Kc", "Ac", "Th"}
    assert len(cards) == 24 - 6


def test_a_card_shown_into_the_kitty_is_in_no_hand() -> None:
    """After a farmer's swap the three cards shown are in the kitty; no unknown card can be one of them."""
    rules = HouseRules(farmers_hand="swap")  # type: ignore[arg-type]
    line = f"{{{to_link(rules)}}} W Th N:9c9d9hKsQs E:?????????? S:?????????? W:?????????? | ~9c9d9h p o -??"
    assert error_of(line + " | KsJs9c").code == "card-not-held"
    assert error_of(line + " | 9c").code == "card-not-held"


def test_an_unknown_burial_may_have_been_the_up_card() -> None:
    """If the rules allow it, the dealer may or may not still hold the up-card."""
    buried = unknown("| o -??")
    assert buried.cards[W.index] == (UNKNOWN,) * 5
    must_stay = parse_hand_line("{prize-night} W Th N:?????????? E:TcJcQcKcAc S:?????????? W:?????????? | o -??")
    assert Card.parse("Th") in must_stay.cards[W.index]
    assert isinstance(unknown("| o"), Discarding)
    assert isinstance(unknown("| o -9s | JhTc9dTh"), Playing)


def test_a_known_card_that_follows_binds_the_unknown_ones() -> None:
    """East holds clubs: unknown cards must follow too."""
    state = parse_hand_line("W Th N:?????????? E:TcJcQc???? S:?????????? W:?????????? | p o -?? | 9c")
    assert isinstance(state, Playing)
    suits = {action.card.suit for action in view(state, E).legal if isinstance(action, Play)}
    assert suits == {Suit.CLUBS}


def test_defenders_are_asked_in_a_line() -> None:
    """The token names the speaker."""
    rules = HouseRules(defend_alone="always")  # type: ignore[arg-type]
    state = parse_hand_line(f"{{{to_link(rules)}}} W Th {SUITED} | o -Ts E&")
    assert isinstance(state, AskingDefenders)
    assert state.to_act is W
