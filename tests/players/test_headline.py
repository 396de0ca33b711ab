"""The coach's headline: each claim is checked against the full deal and against what the player has seen, naively."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import pytest

from leftbower.engine import (
    Bury,
    GoAlone,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Scored,
    State,
    View,
    acts,
    apply,
    deal_hand,
    legal_actions,
    start,
    view,
)
from leftbower.errors import NothingToSolve, NotYourTurn
from leftbower.notation import describe_choice, parse_hand_line
from leftbower.players.coach.advice import Advice
from leftbower.players.coach.coach import advise
from leftbower.players.player import proper_actions
from leftbower.rules import Card, HouseRules, Rank, Seat, Suit, preset
from leftbower.rules.choices import Supervision

SHEETS = ("round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2")
NUMBERS = ("no", "one", "two", "three", "four", "five")


@dataclass(frozen=True)
class Position:
    """An advice with the whole deal, which the coach did not see."""

    state: State
    view: View
    advice: Advice

    @property
    def headline(self) -> str:
        return self.advice.headline

    @property
    def me(self) -> Seat:
        return self.advice.seat

    @property
    def card(self) -> Card:
        action = self.advice.best.action
        assert isinstance(action, Play | Bury)
        assert isinstance(action.card, Card)
        return action.card

    @property
    def trump(self) -> Suit:
        assert self.view.contract is not None
        return self.view.contract.trump

    @property
    def hand(self) -> list[Card]:
        return [card for card in self.view.cards if isinstance(card, Card)]

    @property
    def legal(self) -> list[Card]:
        return [action.card for action in proper_actions(self.view) if isinstance(action, Play)]

    @property
    def friends(self) -> set[Seat]:
        """The players on my side of this hand, me included."""
        assert self.view.contract is not None
        maker = self.view.contract.maker
        makers = {maker, maker.partner} if self.view.rules.players == 4 else {maker}
        side = makers if self.me in makers else set(Seat) - makers
        return side & set(self.view.active)

    @property
    def later(self) -> list[Seat]:
        return [seat for seat in self.view.active if seat is not self.me and seat not in self.view.seats]

    def beats(self, card: Card, other: Card, led: Suit) -> bool:
        return power(card, self.trump, led) > power(other, self.trump, led)

    def winner(self, table: tuple[Card, ...]) -> int:
        led = table[0].suit_under(self.trump)
        return max(range(len(table)), key=lambda index: power(table[index], self.trump, led))

    @property
    def winning_before(self) -> Seat:
        return self.view.seats[self.winner(self.view.trick)]

    @property
    def winning_after(self) -> Seat:
        return (*self.view.seats, self.me)[self.winner((*self.view.trick, self.card))]

    def takes(self, card: Card) -> bool:
        return self.winner((*self.view.trick, card)) == len(self.view.trick)

    def may_have(self, seat: Seat) -> set[Card]:
        """What this player may hold by what has been seen: at a strict table no suit that was not followed."""
        visible = {*self.hand, *self.view.trick, *self.view.buried, *self.view.laid_away}
        visible |= {card for trick in self.view.tricks for card in trick.cards}
        ordered = any(isinstance(action, Order) for action in self.view.actions)
        if not ordered or seat is not self.view.dealer:
            visible.add(self.view.up_card)
        void: set[Suit] = set()
        for trick in (*self.view.tricks, None):
            cards, seats = (trick.cards, trick.seats) if trick else (self.view.trick, self.view.seats)
            for card, player in zip(cards, seats, strict=True):
                if player is seat and card.suit_under(self.trump) is not cards[0].suit_under(self.trump):
                    void.add(cards[0].suit_under(self.trump))
        if self.view.rules.supervision is Supervision.HONOR:
            void = set()
        return {
            card for card in self.view.rules.deck if card not in visible and card.suit_under(self.trump) not in void
        }

    def has(self, seat: Seat) -> set[Card]:
        return {card for card in self.state.cards[seat.index] if isinstance(card, Card)}

    def none_holds(self, seats: list[Seat], fits: Callable[[Card], bool]) -> bool:
        """Not in the deal, and not in any that the player could imagine."""
        is_plain = not self.view.exposed and not self.view.taken_back
        return not any(
            fits(card) for seat in seats for card in self.has(seat) | (self.may_have(seat) if is_plain else set())
        )

    @property
    def is_safe(self) -> bool:
        """Is the trick with my side, and can no opponent beat it?"""
        table = (*self.view.trick, self.card)
        top, led = table[self.winner(table)], table[0].suit_under(self.trump)
        opponents = [seat for seat in self.later if seat not in self.friends]
        return self.winning_after in self.friends and self.none_holds(
            opponents, lambda card: self.beats(card, top, led)
        )

    @property
    def side_tricks(self) -> int:
        return sum(trick.winner in self.friends for trick in self.view.tricks)

    def trumps(self, suit: Suit, *, with_up_card: bool = False) -> list[Card]:
        cards = [*self.hand, self.view.up_card] if with_up_card else self.hand
        return [card for card in cards if card.suit_under(suit) is suit]

    @property
    def called(self) -> tuple[Suit, list[Card]]:
        """The suit of the best call, and the trump the caller would have."""
        action = self.advice.best.action
        if isinstance(action, Name):
            return action.suit, self.trumps(action.suit)
        if self.view.contract is not None:
            return self.trump, self.trumps(self.trump)
        suit = self.view.up_card.suit
        return suit, self.trumps(suit, with_up_card=self.view.dealer is self.me)


def power(card: Card, trump: Suit, led: Suit) -> int:
    """The order of the cards, written down once more."""
    ranks = "9TJQKA"
    if card.suit is trump and card.rank is Rank.JACK:
        return 40
    if card.suit is trump.sister and card.rank is Rank.JACK:
        return 30
    if card.suit is trump:
        return 20 + ranks.index(str(card.rank))
    return ranks.index(str(card.rank)) if card.suit is led else -1


def height(card: Card, trump: Suit) -> int:
    return power(card, trump, card.suit_under(trump))


def lowest(position: Position, cards: list[Card]) -> bool:
    return height(position.card, position.trump) == min(height(card, position.trump) for card in cards)


def is_trump(position: Position) -> bool:
    return position.card.suit_under(position.trump) is position.trump


def strengths_are_true(position: Position, *parts: str) -> bool:
    """`three trump with the right and an ace`: counted by hand."""
    text = parts[0]
    suit, trumps = position.called
    bowers = {card.suit for card in trumps if card.rank is Rank.JACK}
    aces = sum(card.rank is Rank.ACE and card.suit is not suit for card in position.hand)
    count = re.search(r"(\w+) trump\b", text)
    right = {"both bowers": {suit, suit.sister}, "the right": {suit}, "the left": {suit.sister}}
    return (
        (count is None or NUMBERS.index(count[1]) == min(len(trumps), 5))
        and all(bowers == expected for words, expected in right.items() if words in text)
        and ("an ace" not in text or aces == 1)
        and all(NUMBERS.index(found) == aces for found in re.findall(r"(\w+) aces", text))
    )


def takes_low(position: Position) -> bool:
    return position.is_safe and lowest(position, [card for card in position.legal if position.takes(card)])


def only_of_suit(position: Position, noun: str) -> bool:
    suit = position.card.suit_under(position.trump)
    return (
        suit.name.lower() == f"{noun}s"
        and [card for card in position.hand if card.suit_under(position.trump) is suit] == [position.card]
        and any(card.suit_under(position.trump) is position.trump for card in position.hand)
    )


def third_trick(position: Position, end: str) -> bool:
    assert position.view.contract is not None
    is_maker = position.view.contract.maker in position.friends
    return position.side_tricks == 2 and position.is_safe and is_maker == (end == "you’ve made it")


def partner_can_win(position: Position) -> bool:
    return any(seat in position.friends for seat in position.later)


def is_their_deal(position: Position) -> bool:
    return position.view.dealer not in position.view.rules.side_of(position.me)


def euchred_mostly(position: Position) -> bool:
    call = next(choice for choice in position.advice.choices if isinstance(choice.action, Order | Name))
    return call.shares is not None and call.shares.euchre > 0.5


def alone_is_rare(position: Position) -> bool:
    [alone] = [choice for choice in position.advice.choices if isinstance(choice.action, GoAlone)]
    return alone.shares is not None and alone.shares.march < 0.25


def wins_for_fewer_points(position: Position) -> bool:
    best, *others = position.advice.choices
    return any(
        best.points.mean < other.points.mean and best.chance.mean >= other.chance.mean + 0.005 for other in others
    )


CLAIMS: dict[str, Callable[..., bool]] = {
    r"Your partner has this trick": lambda p: p.winning_before in p.friends - {p.me} and p.is_safe,
    r"Your partner is winning so far": lambda p: p.winning_before is p.winning_after in p.friends - {p.me},
    r"You can’t win this one": lambda p: not any(map(p.takes, p.legal)) and p.winning_before not in p.friends,
    r"but your partner might|Leave this one to your partner": partner_can_win,
    r"Leave this one|Let them have this one": lambda p: any(map(p.takes, p.legal)) and not p.takes(p.card),
    r"Let them have this one": lambda p: p.winning_after not in p.friends,
    r"(?:throw|[Pp]lay) your lowest": lambda p: lowest(p, p.legal),
    r"your only (club|diamond|heart|spade)": only_of_suit,
    r"they can’t beat|is enough|high enough": lambda p: p.is_safe,
    r"is enough|high enough": takes_low,
    r"^Trump it low": lambda p: p.card.rank not in (Rank.JACK, Rank.ACE),
    r"^Trump it": lambda p: is_trump(p) and p.view.trick[0].suit_under(p.trump) is not p.trump and p.takes(p.card),
    r"^(?:Take it|Go over)": lambda p: p.takes(p.card) and p.view.trick,
    r"^Go over them": lambda p: p.winning_before not in p.friends,
    r"[gG]o over your partner": lambda p: p.winning_before in p.friends and p.takes(p.card),
    r"^You have to go over": lambda p: all(map(p.takes, p.legal)),
    r"that’s three, and (you’ve made it|they’re euchred)": third_trick,
    r"^Lead": lambda p: not p.view.trick,
    r"[lL]ead trump|^Lead the right": is_trump,
    r"^Lead the right": lambda p: p.card.is_right_bower(p.trump),
    r"pull their trump|pull theirs": lambda p: any(
        card.suit_under(p.trump) is p.trump
        for seat in set(p.view.active) - p.friends
        for card in p.may_have(seat) | p.has(seat)
    ),
    r"while you hold the right": lambda p: Card(Rank.JACK, p.trump) in set(p.hand) - {p.card},
    r"^Your partner called it": lambda p: p.view.contract.maker in p.friends - {p.me},
    r"only trump can beat it": lambda p: (
        not is_trump(p)
        and p.none_holds(
            [seat for seat in p.later if seat not in p.friends],
            lambda card: (
                card.suit_under(p.trump) is p.card.suit
                and power(card, p.trump, p.card.suit) > power(p.card, p.trump, p.card.suit)
            ),
        )
    ),
    r"last card": lambda p: p.hand == [p.card],
    r"the only card you can play": lambda p: p.legal == [p.card],
    r"(?:you have|you’d have) (.* (?:trump|bowers|right|left|aces?).*)\.$": strengths_are_true,
    r"your partner gets the right": lambda p: p.view.dealer is p.me.partner and p.view.up_card.rank is Rank.JACK,
    r"you’d put the right in their hand": lambda p: is_their_deal(p) and p.view.up_card.rank is Rank.JACK,
    r"you’d hand them a trump": is_their_deal,
    r"you’d have no trump": lambda p: not p.called[1],
    r"you’d have just one trump": lambda p: len(p.called[1]) == 1,
    r"two trump without a bower": lambda p: len(p.called[1]) == 2 and all(c.rank is not Rank.JACK for c in p.called[1]),
    r"you don’t have three trump in any suit": lambda p: all(
        len(p.trumps(suit)) < 3 for suit in set(Suit) - {p.view.up_card.suit}
    ),
    r"you’d be euchred more often": euchred_mostly,
    r"the dealer turned down (\w+)": lambda p, suit: p.view.up_card.suit.name.lower() == suit and is_their_deal(p),
    r"^Call next, (\w+)": lambda p, suit: p.view.up_card.suit.sister.name.lower() == suit,
    r"^You have to call": lambda p: not any(isinstance(action, Pass) for action in p.view.legal),
    r"alone you’d seldom": alone_is_rare,
    r"At this score": wins_for_fewer_points,
    r"Discard your lowest card": lambda p: lowest(
        p, [a.card for a in p.view.legal if isinstance(a, Bury) and isinstance(a.card, Card)]
    ),
    r"and keep your trump": lambda p: not {*p.advice.best.action.cards} & {*p.trumps(p.trump)},
    r"would bring you less|should bring you more|should do better|should do worse": lambda p: (
        p.advice.choices[0].points.mean > p.advice.choices[1].points.mean
    ),
}
"""What a headline says, and when that is true."""


def walk(rules: HouseRules, seed: int) -> Iterator[State]:
    """The states of a hand played at random, with some remarks; it passes less often than chance would."""
    rng = Random(seed)
    deck = rng.sample(rules.deck, len(rules.deck))
    if rules.farmers_hand.value != "off":
        deck.sort(key=lambda card: card.rank in (Rank.NINE, Rank.TEN), reverse=True)
        deck[10:] = rng.sample(deck[10:], len(deck) - 10)
    scores = tuple(rng.choice((0, 4, 8, 9)) for _ in rules.sides)
    state: State = start(rules, deal_hand(rules, dealer=rng.choice(rules.seats), deck=deck), scores=scores)
    while not isinstance(state, Scored):
        yield state
        can = legal_actions(state)
        state = apply(state, rng.choice(acts(state) or can if rng.random() < 0.9 else can))


@cache
def positions() -> tuple[Position, ...]:
    """Advice in the states of random hands under every sheet, strict and on honor, and with a farmer's hand."""
    tables = [preset(name) for name in SHEETS]
    tables += [replace(rules, supervision="honor") for rules in tables]  # type: ignore[arg-type]
    tables += [HouseRules(farmers_hand=farmers, defend_alone="always") for farmers in ("swap", "redeal")]  # type: ignore[arg-type]
    found = []
    for seed in range(192):
        for state in walk(tables[seed % len(tables)], seed):
            for seat in state.hand.rules.seats:
                viewer = view(state, seat)
                try:
                    found.append(Position(state, viewer, advise(viewer, layouts=16, rng=Random(1))))
                except (NotYourTurn, NothingToSolve):
                    continue
    return tuple(found)


def test_every_claim_of_a_headline_is_true() -> None:
    """At least forty kinds of claims come up, so that none passes because it was never made."""
    claims: Counter[str] = Counter()
    for position in positions():
        for pattern, is_true in CLAIMS.items():
            found = re.search(pattern, position.headline)
            if found:
                claims[pattern] += 1
                assert is_true(position, *found.groups()), (pattern, position.headline, position.view)
    assert len(claims) >= 40, set(CLAIMS) - set(claims)


def test_every_reason_in_a_headline_is_a_claim_that_is_checked() -> None:
    for position in positions():
        if ":" in position.headline:
            assert any(re.search(pattern, position.headline) for pattern in CLAIMS), position.headline


def words_of(label: str) -> str:
    """The words of a button as a partner says them: `With my partner` is `with your partner`."""
    words = label.removeprefix("Play ").replace(", alone", " and go alone").replace("my ", "your ").lower()
    return re.sub(r"^(discard|show) ", "", words)


def test_the_words_on_the_buttons_are_the_words_in_the_headline() -> None:
    for position in positions():
        rules, dealer = position.view.rules, position.view.dealer
        label = describe_choice(position.advice.best.action, rules, dealer=dealer)
        assert words_of(label) in position.headline.lower(), (label, position.headline)
        if label.startswith(("Discard ", "Show ")):
            assert position.headline.startswith(label.split()[0])


def test_a_headline_names_the_best_legal_action() -> None:
    for position in positions():
        best, headline = position.advice.best, position.headline
        action = best.action
        assert action in position.view.legal
        assert best.chance.mean >= max(choice.chance.mean for choice in position.advice.choices) - 1e-9
        match action:
            case Play() | Bury():
                assert re.findall(r"(?:10|[9JQKA])[♣♦♥♠]", headline) == [position.card.pretty]
            case LayAway():
                assert all(isinstance(card, Card) and card.pretty in headline for card in action.cards)
            case Order():
                take = "Pick it up" if position.view.dealer is position.me else "Order it up"
                assert headline.startswith(take)
                assert ("go alone" in headline) == action.alone
            case Name():
                assert action.suit.name.lower() in headline
                assert ("go alone" in headline) == action.alone
            case _:
                pass


def test_no_sentence_comes_twice_and_numbers_are_written_one_way() -> None:
    for position in positions():
        sentences = [position.headline, *position.advice.reasons]
        assert len({*sentences}) == len(sentences)
        for sentence in sentences:
            assert re.fullmatch(r"[A-Z0-9].*\.", sentence), sentence
            assert "%(" not in sentence
            assert not re.search(r"\s%|-\d|\{|\}", sentence), sentence


def test_of_cards_that_come_to_the_same_the_lowest_is_thrown() -> None:
    for position in positions():
        best, *others = position.advice.choices
        if isinstance(best.action, Play) and position.view.trick:
            same = [
                other.action.card
                for other in others
                if isinstance(other.action, Play)
                and (round(other.chance.mean, 9), other.points.mean) == (round(best.chance.mean, 9), best.points.mean)
            ]
            assert lowest(position, [position.card, *same])


@pytest.mark.parametrize(
    ("line", "headline"),
    [
        ("{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc", "Pass: you’d hand them a trump, the 9♥."),
        ("{campus} S 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | p", "Pass."),
        ("{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o", "Discard the 10♠."),
        (
            "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Js",
            "Lead the right, the J♥, and pull their trump.",
        ),
        (
            "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Js | 9dAdQd",
            "Your partner has this trick: throw the 10♠, your only spade.",
        ),
        (
            "{campus} N 9h N:AhJhJc9d9s E:AcThKhTcAd S:QsKsQdKdTd W:JsTsKc9cQc | p p p o -9s | Ac",
            "You can’t win this one, but your partner might: throw your lowest, the 10♦.",
        ),
        (
            "{campus} N 9h N:AhJhJc9d9s E:AcThKhTcAd S:QsKsQdKdTd W:JsTsKc9cQc | p p p o -9s | AcKd9c",
            "Play the J♣: it’s the only card you can play.",
        ),
        (
            "{campus} W 9h N:JhJdAsAcAd E:9sTs9cTdKh S:QsTcKcKdQd W:KsJsQc9dTh | o -9d | As9sQsKs Ac9cTcQc",
            "Lead the J♥: that’s three, and you’ve made it.",
        ),
        (
            "{club} E Td N:JhJdAhKhQh E:9sAsJcKdTh S:9cAcKcKsQd W:AdJsQsTcTs | p p p p p p h",
            "Go alone: you have five trump with both bowers.",
        ),
        (
            "{club 9-9} E Td N:JhKhQhAsKs E:9sTsJcKdTh S:9cAcKcAhQd W:AdJsQsTcJd | p p p p p p h",
            "Play with your partner. At this score, that wins more games.",
        ),
        (
            "{club3} S Th N:9h9sTsQsJs E:AhJhJdTcQc S:9dTdQdKdAd D:9cKsAs | p o -9d &",
            "Discard 9♣ 10♣ Q♣ and keep your trump.",
        ),
        (
            "{campus} E Jd N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs",
            "Pass: you’d put the right in their hand.",
        ),
        ("{campus} N Jd N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p", "Pass: you’d have just one trump."),
    ],
)
def test_a_good_partner_speaks_first(line: str, headline: str) -> None:
    state = parse_hand_line(line)
    assert not isinstance(state, Scored)
    assert advise(view(state, state.to_act), layouts=300, rng=Random(1)).headline == headline
