"""Looking back at tricks under each rule set."""

from dataclasses import replace

from honor_table import ALL_FIVE, LIED, READY, SECOND, THIRD, TRUE, closing, say, settling, table
from leftbower.engine import CallOut, Phase, State, apply, looking_back, view
from leftbower.notation import hand_line, parse_hand_line
from leftbower.rules import HouseRules, Irregularity, Seat, preset, to_link
from leftbower.rules.choices import LookingBack, Supervision

N, E, S, W = Seat
DEAL = "E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h"


def after(rules: HouseRules, tricks: str) -> State:
    """The state of a strict table after these tricks; South made hearts trump."""
    return parse_hand_line(f"{{{to_link(rules)}}} {DEAL} | {tricks}")


def looks(state: State, seat: Seat | None) -> int:
    """The number of tricks a seat may look at."""
    return len(looking_back(view(state, seat)))


def test_school_cup_only_the_last_winner_looks_before_leading() -> None:
    """Until the next card is led; then no player may."""
    state = after(preset("school-cup"), "KcTcAcJc")
    winner = view(state, None).tricks[-1].winner
    assert [seat for seat in Seat if looks(state, seat)] == [winner]
    assert looks(state, None) == 0
    card = view(state, winner).cards[0]
    led = parse_hand_line(f"{hand_line(state)} {card}")
    assert not any(looks(led, seat) for seat in Seat)


def test_campus_no_player_looks_back() -> None:
    """The sheet is silent, and no player may."""
    assert not any(looks(after(preset("campus"), "KcTcAcJc"), seat) for seat in (*Seat, None))


def test_everyone_looks_where_a_table_says_so() -> None:
    """Until the next card is led, and only the last trick."""
    rules = replace(preset("campus"), looking_back=LookingBack.EVERYONE)
    assert [looks(after(rules, "KcTcAcJc"), seat) for seat in (*Seat, None)] == [1] * 5
    assert looks(after(rules, ""), N) == 0


def test_school_cup_a_disputed_renege_opens_all_tricks_to_everyone() -> None:
    """South led a club, and West, who held one, threw a spade; North and South may call it, and all may look back."""
    rules = replace(preset("school-cup"), supervision=Supervision.HONOR)
    state = parse_hand_line(f"{{{to_link(rules)}}} {DEAL} | S:Kc W:Ts N:Qc E:Jc")
    assert looks(state, W) == 0
    called = apply(state, CallOut(N, W, Irregularity.RENEGE, 1))
    assert [looks(called, seat) for seat in (*Seat, None)] == [1] * 5
    quiet = replace(rules, disputes_open_tricks=False)
    unopened = parse_hand_line(f"{{{to_link(quiet)}}} {DEAL} | S:Kc W:Ts N:Qc E:Jc N^W1renege")
    assert looks(unopened, E) == 0


def test_school_cup_tricks_stay_open_though_the_call_was_ruled_at_once() -> None:
    """East showed the withheld spade in trick 3, so South's call is proven at once; trick 4 is led all the same."""
    proven = table("school-cup", f"{LIED} {SECOND} {THIRD} S^E1renege")
    docket = view(proven, None).docket
    assert [(verdict.guilty, verdict.call.seat) for verdict in docket.verdicts] == [(True, S)]
    assert docket.calls == ()
    assert [looks(proven, seat) for seat in (*Seat, None)] == [3] * 5
    assert [looks(say(proven, "N:Jh"), seat) for seat in (*Seat, None)] == [3] * 5
    assert looking_back(view(proven, W)) == view(proven, W).tricks


def test_school_cup_a_late_call_opens_all_tricks_until_the_deal() -> None:
    """As long as calls are possible, and after the hand is scored; without a call the tricks stay face down."""
    over = table("school-cup", ALL_FIVE)
    assert [looks(over, seat) for seat in (*Seat, None)] == [1, 0, 0, 0, 0]
    called = closing(say(over, "N^E1renege"))
    assert [looks(called, seat) for seat in (*Seat, None)] == [5] * 5
    assert [looks(say(called, READY), seat) for seat in (*Seat, None)] == [5] * 5
    assert [looks(say(over, READY), seat) for seat in (*Seat, None)] == [0] * 5


def test_the_tricks_are_open_while_the_penalty_is_settled() -> None:
    """A club that opens the tricks too: North and South decide on the penalty."""
    called = table("club", f"{ALL_FIVE} N^E1renege", disputes_open_tricks=True)
    assert view(settling(called), W).phase is Phase.SETTLING
    assert [looks(called, seat) for seat in (*Seat, None)] == [5] * 5
    assert looks(table("club", f"{ALL_FIVE} N^E1renege"), N) == 0


def test_only_a_renege_opens_the_tricks() -> None:
    """East led to the second trick out of turn, and it was called."""
    state = table("school-cup", f"{TRUE} E:9c N^E2out-of-turn")
    assert [verdict.guilty for verdict in view(state, N).docket.verdicts] == [True]
    assert [looks(state, seat) for seat in (*Seat, None)] == [1, 0, 0, 0, 0]


def test_school_cup_the_winner_looks_back_while_a_throw_in_is_answered() -> None:
    """North, who took the trick and has not led, proposes to throw the hand in."""
    state = table("school-cup", f"{TRUE} N*5")
    assert view(state, N).phase is Phase.ANSWERING
    assert [looks(state, seat) for seat in (*Seat, None)] == [1, 0, 0, 0, 0]
