"""The coach: values against every layout there is, reasons worked by hand, and nothing that the viewer may not know."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from random import Random

import pytest

from honor_table import LIED, SECOND, THIRD, table
from leftbower.engine import (
    Action,
    Agree,
    CallOut,
    Claim,
    Deal,
    Disagree,
    Name,
    Order,
    Pass,
    Phase,
    Scored,
    Settle,
    State,
    Terms,
    ThrowIn,
    View,
    acts,
    apply,
    deal_hand,
    legal_actions,
    start,
    view,
)
from leftbower.errors import HandIsOver, NothingToSolve, NotYourTurn
from leftbower.kernel import Batch, Position
from leftbower.notation import name_rules, parse_hand_line, to_token, view_line
from leftbower.players.coach.advice import Advice, ValuedChoice
from leftbower.players.coach.coach import DEFAULT_LAYOUTS, MAX_LISTED_DISCARDS, advise
from leftbower.players.player import proper_actions
from leftbower.rules import Card, HouseRules, Rank, Seat, Suit, preset
from leftbower.rules.choices import GoingAlone, Supervision

N, E, S, W = Seat

ENDING = "{club} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Qc & | 9dAdQd9h KcJcAcKd ThKsTsJh"
"""Hearts are trump and North, who has A♥ 9♠ and one trick, needs both of the others.

East led a trump, and no one else followed: East may hold any of J♦ K♥ Q♥. West has no diamond, South no club. Where
East has J♦ all is lost whatever North does. Only North has called, so every layout is as likely.
"""


def seat_view(line: str, seat: Seat | None = None) -> View:
    state = parse_hand_line(line)
    assert not isinstance(state, Scored)
    return view(state, seat or state.to_act)


def advice(line: str, seat: Seat | None = None, layouts: int = DEFAULT_LAYOUTS) -> Advice:
    return advise(seat_view(line, seat), layouts=layouts, rng=Random(1))


def reason_of(advice: Advice, begins: str) -> str:
    """The only reason that begins so."""
    [reason] = [reason for reason in advice.reasons if reason.startswith(begins)]
    return reason


def words(found: Advice) -> list[str]:
    return [to_token(choice.action) for choice in found.choices]


Hands = dict[Seat, tuple[Card, ...]]


@cache
def every_layout() -> tuple[Hands, ...]:
    """All that the others may hold in `ENDING`, by the voids they have shown and by nothing of ours."""
    known = "Ah 9s 9d Ad Qd 9h Kc Jc Ac Kd Th Ks Ts Jh"
    out = [card for card in preset("campus").deck if str(card) not in known.split()]
    trumps = {card for card in out if card.suit_under(Suit.HEARTS) is Suit.HEARTS}
    lacking = {
        S: trumps | {card for card in out if card.suit is Suit.CLUBS},
        W: trumps | {card for card in out if card.suit is Suit.DIAMONDS},
    }

    def held(seat: Seat, cards: list[Card]) -> Iterator[tuple[Card, ...]]:
        yield from combinations([card for card in cards if card not in lacking.get(seat, ())], 2)

    return tuple(
        {E: east, S: south, W: west}
        for east in held(E, out)
        for south in held(S, [card for card in out if card not in east])
        for west in held(W, [card for card in out if card not in east + south])
    )


def exact(card: str) -> float:
    """In which part of all layouts North's side is euchred after this card."""
    positions = [
        Position(
            trump=Suit.HEARTS,
            hands=((Card.parse("Ah"), Card.parse("9s")), hands[E], hands[S], hands[W]),
            table=(None,) * 4,
            leader=0,
            makers_tricks=1,
        )
        for hands in every_layout()
    ]
    outcomes = Batch(positions).card_outcomes([Card.parse(card)])
    return list(outcomes).count(0) / len(outcomes)


def part(layouts: list[bool]) -> float:
    return sum(layouts) / len(layouts)


@pytest.mark.parametrize("card", ["Ah", "9s"])
def test_the_values_are_those_of_every_layout_that_fits(card: str) -> None:
    """Euchred they lose two points, else they win one; the mean over all layouts is within the error that is told."""
    found = next(choice for choice in advice(ENDING, layouts=4000).choices if to_token(choice.action) == card)
    euchred = exact(card)
    assert found.points.error is not None
    assert found.points.error == pytest.approx(3 * (euchred * (1 - euchred) / 4000) ** 0.5, rel=0.1)
    assert abs(found.points.mean - (1 - 3 * euchred)) < 4 * found.points.error
    assert found.shares is not None
    assert found.points.mean == pytest.approx(found.shares.made_it - 2 * found.shares.euchre)


def test_the_choice_turns_on_the_card_that_decides_it() -> None:
    """Where East has J♦ the ace is no better than the nine; nothing else explains as much."""
    reason = reason_of(advice(ENDING, layouts=4000), "It comes down to")
    share = part([Card.parse("Jd") in hands[E] for hands in every_layout()])
    assert re.sub(r"\d+%", "…%", reason).startswith(
        "It comes down to the J♦. If East has it (…% of the time), A♥ beats 9♠ by +0.00 points, otherwise by +0."
    )
    assert abs(percent(reason)[0] - 100 * share) < 3


def percent(reason: str) -> list[int]:
    return [int(found) for found in re.findall(r"(\d+)%", reason)]


def test_what_becomes_of_the_trick_is_counted() -> None:
    """Only J♦ beats the ace. The nine East trumps who has a trump and no spade, and A♠ J♠ Q♠ 10♠ beat it."""
    found = advice(ENDING, layouts=4000)
    jack = part([Card.parse("Jd") in hands[E] for hands in every_layout()])
    assert abs(percent(reason_of(found, "They can beat A♥ with a higher card"))[0] - 100 * jack) < 3
    trumped = part(
        [
            any(card.suit_under(Suit.HEARTS) is Suit.HEARTS for card in hands[E])
            and not any(card.suit is Suit.SPADES for card in hands[E])
            for hands in every_layout()
        ]
    )
    assert abs(percent(reason_of(found, "They can trump 9♠"))[0] - 100 * trumped) < 3


def test_the_outcomes_of_the_two_best_are_compared() -> None:
    reason = reason_of(advice(ENDING, layouts=4000), "The makers")
    shares = [100 - share for share in percent(reason)]
    assert reason.startswith("The makers just make it ")
    assert all(abs(share - 100 * exact(card)) < 3 for share, card in zip(shares, ("Ah", "9s"), strict=True))


def test_what_holds_for_both_cards_is_said_once() -> None:
    line = "{campus} S Jd N:9s9cTdKdKh E:9hKsKcQdQs S:ThTsTc9dQc W:AhQhAsAcAd | o -Tc | AhKh9hTh Qh"
    patterns = [re.sub(r"(10|[9JQKA])[♠♥♦♣]", "card", reason) for reason in advice(line, layouts=20).reasons]
    assert any("your partner can still win" in pattern for pattern in patterns)
    assert len(patterns) == len(set(patterns))


def test_a_sure_trick_is_a_reason_for_either_holder() -> None:
    """West lays the last card to East's ace: nothing can happen to it, nor to a trump on it."""
    found = advice("{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Js | 9dAdQd")
    sure = {reason for reason in found.reasons if "can’t beat" in reason}
    assert "They can’t beat your partner’s A♦ in this trick." in sure
    assert sure <= {"They can’t beat 9♥ in this trick.", "They can’t beat your partner’s A♦ in this trick."}


def test_a_partner_who_can_still_win_the_trick_is_a_reason() -> None:
    """East's ace lies above North's only club; South may have trumped it."""
    found = advice("{campus} N 9h N:AhJhJc9d9s E:AcThKhTcAd S:QsKsQdKdTd W:JsTsKc9cQc | p p p o -9s | AcKd9c", N)
    assert not any("can still win" in reason for reason in found.reasons)
    behind = advice("{campus} N 9h N:AhJhJc9d9s E:AcThKhTcAd S:QsKsQdKdTd W:JsTsKc9cQc | p p p o -9s | Ac", S)
    assert all("can still win the trick " in reason for reason in behind.reasons if reason.startswith("After "))
    assert any(reason.startswith("After ") for reason in behind.reasons)


def test_one_choice_is_no_choice() -> None:
    found = advice("{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Qc | 9d")
    assert found.reasons[0] == "You have no other choice."
    assert found.best is found.choices[0]


def test_cards_that_come_to_the_same_are_named_so() -> None:
    """North has both bowers left: in either order they take the last two tricks."""
    deal = "{campus} W 9h N:JhJdAsAcAd E:9sTs9cTdKh S:QsTcKcKdQd W:KsJsQc9dTh"
    found = advice(f"{deal} | o -9d | As9sQsKs Ac9cTcQc AdTdKdJs")
    assert found.reasons == (
        "Every choice comes to the same.",
        "They can’t beat J♥ in this trick.",
    )


def test_a_hidden_card_is_named_only_beyond_chance() -> None:
    """With a handful of layouts any card may seem to matter, and none is named."""
    assert not [reason for reason in advice(ENDING, layouts=6).reasons if reason.startswith("It comes down to")]


CALLS = "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc"


def test_calls_are_valued_as_the_best_bot_judges_them() -> None:
    """A pass has no error and no shares, because the play after it is unknown; every call has both."""
    found = advice(CALLS, layouts=300)
    assert sorted(words(found)) == ["o", "o!", "p"]
    for choice in found.choices:
        assert (choice.shares is None) == (choice.points.error is None) == (to_token(choice.action) == "p")
    assert reason_of(found, "As our best bot sees it, ")
    reason = reason_of(found, "With all cards face up, ordering it up is euchred")
    assert abs(sum(percent(reason)) - 100) <= 1
    assert reason_of(found, "It comes down to the J♦. If your partner has it")


def test_what_a_partner_has_for_the_call_is_counted() -> None:
    """North sees two of the bowers' four locations: J♦ alone is out, with South in 5 of 18 layouts."""
    reason = reason_of(advice(CALLS, layouts=4000), "Your partner has trump")
    assert abs(percent(reason)[1] - 100 * 5 / 18) < 3


def test_alone_and_together_are_weighed() -> None:
    """Five of the highest trumps take everything: four points are better than two, and a partner is not asked."""
    found = advice("{club} E Td N:JhJdAhKhQh E:9sAsJcKdTh S:9cAcKcKsQd W:AdJsQsTcTs | p p p p p p h")
    assert words(found) == ["!", "&"]
    assert found.best.points.mean == 4
    assert found.reasons == (
        "On average, going alone is worth 2.00 points more than playing with your partner.",
        "With all cards face up, going alone is euchred 0% of the time, made 0%, and takes all five 100%.",
    )


LONE = "E Td N:JhKhQhAsKs E:9sTsJcKdTh S:9cAcKcAhQd W:AdJsQsTcJd | p p p p p p h"


def test_at_nine_points_the_game_comes_before_points() -> None:
    """Alone is worth more points, but one is enough and together it is surer."""
    level, ahead = (advice(f"{{club {score}}} {LONE}") for score in ("0-0", "9-9"))
    assert words(level) == ["!", "&"]
    assert words(ahead) == ["&", "!"]
    assert ahead.best.points.mean < ahead.choices[1].points.mean
    assert ahead.reasons[0].startswith("At this score, playing with your partner wins more games than going alone: ")


def test_what_points_cannot_tell_apart_the_score_may() -> None:
    """With the left bower instead of the right alone and together are worth the same points, but not at nine all."""
    line = LONE.replace("N:JhKhQhAsKs", "N:JdAhQhAsKs").replace("AhQd W", "JhQd W").replace("TcJd", "TcKh")
    level, ahead = (advice(f"{{club {score}}} {line}") for score in ("0-0", "9-9"))
    assert level.reasons[0].startswith("It’s too close to call between ")
    assert ahead.reasons[0].startswith("At this score, playing with your partner wins more games than going alone: ")


def test_the_dealer_keeps_the_trumps() -> None:
    """West is ordered up with two small trumps: they are the last to go."""
    found = advice("{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsKcQc9cQh | o", layouts=300)
    assert {*words(found)[-2:]} == {"-9h", "-Qh"}
    assert len(found.choices) == 6


def test_of_the_threes_to_lay_away_the_best_five_are_listed() -> None:
    """Clubs go, hearts and the ace stay."""
    found = advice("{club3} S Th N:9h9sTsQsJs E:AhJhJdTcQc S:9dTdQdKdAd D:9cKsAs | p o -9d &", layouts=100)
    assert len(found.choices) == MAX_LISTED_DISCARDS
    assert words(found)[0] == "-9cTcQc"


@pytest.mark.parametrize(("farmers", "token"), [("redeal", "~9cTc9d9sTs"), ("swap", "~9cTc9d")])
def test_a_farmers_hand_is_shown_for_better_cards(farmers: str, token: str) -> None:
    """North has nines and tens, or three of them and nothing much: what comes instead is better on the average."""
    rules = HouseRules(farmers_hand=farmers)  # type: ignore[arg-type]
    rest = "9s Ts" if farmers == "redeal" else "Jd Qd"
    hand = (*map(Card.parse, ["9c", "Tc", "9d"]), *map(Card.parse, rest.split()))
    up_card = Card.parse("Ah")
    others = Random(1).sample([card for card in rules.deck if card not in (*hand, up_card)], 15)
    east, south, west = (tuple(others[index : index + 5]) for index in (0, 5, 10))
    deal = Deal(dealer=W, hands=(hand, east, south, west), up_card=up_card)
    found = advise(view(start(rules, deal), N), layouts=600, rng=Random(1))
    assert words(found)[0] == token
    assert "." in words(found)
    assert found.reasons[0].startswith("On average, showing a farmer’s hand is worth ")


def agreed(proposal: str, layouts: int = 200) -> Advice:
    """West's advice when North, who has one trick of three and cannot win both others, proposes this."""
    state = apply(parse_hand_line(ENDING), ThrowIn(N, int(proposal)) if proposal else Claim(N))
    return advise(view(state, W), layouts=layouts, rng=Random(1))


def test_a_defender_agrees_only_to_more_than_play_brings() -> None:
    """West sees that North asks for a euchre: two points for nothing. A made hand West plays out, and a claim too."""
    assert isinstance(agreed("2").best.action, Agree)
    assert agreed("2").best.points.error == 0.0
    assert isinstance(agreed("3").best.action, Disagree)
    assert isinstance(agreed("").best.action, Disagree)


def test_who_claims_against_the_makers_claims_a_euchre() -> None:
    """If East's claim is agreed to, the makers stay without a trick."""
    claimed = apply(parse_hand_line(ENDING.removesuffix(" ThKsTsJh")), Claim(E))
    found = advise(view(claimed, N), layouts=100, rng=Random(1))
    conceded = next(choice for choice in found.choices if isinstance(choice.action, Agree))
    assert conceded.points.mean == -2
    assert isinstance(found.best.action, Disagree)


def test_the_whole_penalty_comes_before_less() -> None:
    """East's renege is proven: North, alone, may have four points, or less, or play on."""
    words = f"{LIED} {SECOND} {THIRD} N^E1renege"
    found = advise(view(table("club", words, alone=True), N), layouts=100, rng=Random(1))
    points = {choice.action: choice.points.mean for choice in found.choices}
    assert points[Settle(N, Terms.FULL)] == 4
    assert [points[Settle(N, Terms.FEWER, fewer)] for fewer in (1, 2, 3)] == [1, 2, 3]
    assert Settle(N, Terms.CORRECT) in points


def test_only_the_player_to_act_is_advised() -> None:
    for seat in (E, S, W):
        with pytest.raises(NotYourTurn, match=f"nothing to advise {seat}"):
            advice(CALLS, seat)
    with pytest.raises(NotYourTurn, match="a spectator"):
        advise(view(parse_hand_line(CALLS), None), rng=Random(1))


def test_a_hand_that_is_over_needs_no_advice() -> None:
    over = parse_hand_line(
        "{round-robin 3-4} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc "
        "| p p p p p p s | JhKhThQh TsJsQsAs JcKsAhKc 9s9cQcKd AcAdTcTd"
    )
    with pytest.raises(HandIsOver):
        advise(view(over, N), rng=Random(1))


def test_a_viewer_whose_cards_are_unknown_cannot_be_advised() -> None:
    with pytest.raises(NothingToSolve, match="some of N's cards are unknown"):
        advice(CALLS.replace("9d9s E", "9d?? E"))


def walk(rules: HouseRules, seed: int) -> Iterator[State]:
    """The states of a hand played at random, with remarks; farmer's hands are dealt where they count."""
    rng = Random(seed)
    deck = rng.sample(rules.deck, len(rules.deck))
    if rules.farmers_hand.value != "off":
        deck.sort(key=lambda card: card.rank in (Rank.NINE, Rank.TEN), reverse=True)
        deck[10:] = rng.sample(deck[10:], len(deck) - 10)
    state: State = start(rules, deal_hand(rules, dealer=rng.choice(rules.seats), deck=deck))
    while not isinstance(state, Scored):
        yield state
        can = legal_actions(state)
        quiet: tuple[Action, ...] = (
            acts(state) or tuple(action for action in can if not isinstance(action, CallOut)) or can
        )
        calm = quiet[:1] if rng.random() < 0.4 else quiet
        state = apply(state, rng.choice(calm if rng.random() < 0.85 else can))


def tables() -> Iterator[HouseRules]:
    """Every sheet, strict and on honor, and house rules in which every phase comes up."""
    for name in ("round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2"):
        for supervision in ("strict", "honor"):
            yield replace(preset(name), supervision=supervision)  # type: ignore[arg-type]
    for farmers in ("swap", "redeal"):
        yield HouseRules(farmers_hand=farmers, defend_alone="always", going_alone="before-the-lead")  # type: ignore[arg-type]


def check(found: ValuedChoice) -> None:
    assert 0 <= found.chance.mean <= 1
    if found.shares is not None:
        assert found.shares.euchre + found.shares.made_it + found.shares.march == pytest.approx(1)
        assert found.points.error is not None


def test_every_phase_of_every_game_is_advised_by_the_view_alone() -> None:
    """All proper choices are listed, the likeliest winner first, and again the same for the line a viewer may write."""
    phases = set()
    for seed, rules in enumerate((*tables(), *tables())):
        for state in walk(rules, seed):
            for seat in rules.seats:
                viewer = view(state, seat)
                try:
                    found = advise(viewer, layouts=12, rng=Random(1))
                except NotYourTurn:
                    continue
                phases.add(viewer.phase)
                listed = {choice.action for choice in found.choices}
                beside = {action for action in viewer.legal if isinstance(action, Order | Name) and action.alone}
                listed -= beside if rules.players == 4 and rules.going_alone is GoingAlone.BEFORE_THE_LEAD else set()
                assert listed <= set(proper_actions(viewer))
                assert len(listed) == min(len(proper_actions(viewer)), MAX_LISTED_DISCARDS) or listed == set(
                    proper_actions(viewer)
                )
                chances = [round(choice.chance.mean, 9) for choice in found.choices]
                assert chances == sorted(chances, reverse=True)
                assert found.reasons
                for choice in found.choices:
                    check(choice)
                if not viewer.exposed:  # a line does not say which cards were laid open
                    assert view(parse_hand_line(view_line(viewer)), seat) == viewer
    assert phases == set(Phase) - {Phase.SCORED, Phase.FACE_DOWN}


def test_club_maker_is_advised_on_alone_with_the_call() -> None:
    """Both bowers, ace and king with an ace beside them: the choice beside the call comes first."""
    line = "{club} W Qh N:JhJdAhKhAs E:?????????? S:?????????? W:??????????"
    found = advise(view(parse_hand_line(line), N), layouts=100, rng=Random(1))
    assert found.best.action == Order(N, alone=True)
    assert {choice.action for choice in found.choices} == {Pass(N), Order(N), Order(N, alone=True)}


def test_nothing_is_advised_about_a_misdeal_or_cards_face_down() -> None:
    """A wrong number of cards has to be called, and cards face down cannot be judged."""
    rules = replace(preset("club"), supervision=Supervision.HONOR)
    head = f"{{{name_rules(rules)}}} W"
    cards = "N:JhAhAsAcAd E:9sTs9cTdKh S:QsTcKc9dQd W:KsJsQcJd"
    with pytest.raises(NothingToSolve, match="call the misdeal"):
        advise(view(parse_hand_line(f"{head} 9h {cards}"), N), rng=Random(1))
    with pytest.raises(NothingToSolve, match="turned"):
        advise(view(parse_hand_line(f"{head}? 9h {cards}Kd"), W), rng=Random(1))
