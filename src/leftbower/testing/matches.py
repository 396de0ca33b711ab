"""Strategies for matches as facts, played at random from the first draw to the end or to any point."""

from random import Random

from hypothesis import strategies as st

from leftbower.engine.deal import Deal, Draw, deal_hand, draw_dealer
from leftbower.engine.game import InHand
from leftbower.engine.match import Fact, InGame, Match, MatchOver, ToDraw, advance_match, new_match
from leftbower.rules.choices import Cut, DealPattern
from leftbower.rules.house import HouseRules
from leftbower.testing.house import house_rules
from leftbower.testing.states import choose_action


class Facts(tuple[Fact, ...]):
    """The facts of a match. It prints as their number and the last deal, for the same reason as `Walk`."""

    __slots__ = ()

    def __repr__(self) -> str:
        deals = [fact for fact in self if isinstance(fact, Deal)]
        return f"Facts({len(self)} of them, {len(deals)} deals, the last {deals[-1:]!r})"


@st.composite
def match_facts(
    draw: st.DrawFn, rules: HouseRules | None = None, *, finished: bool = False
) -> tuple[HouseRules, Facts]:
    """The rules and the facts of a match: all of them if `finished`, else any number of them from the start."""
    rules = draw(house_rules(best_of=draw(st.sampled_from([1, 3])))) if rules is None else rules
    rng = draw(st.randoms(use_true_random=True))
    match: Match = new_match(rules)
    facts: list[Fact] = []
    while not isinstance(match, MatchOver):
        facts.append(_next_fact(match, rng))
        match = advance_match(match, facts[-1])
    return rules, Facts(facts if finished else facts[: draw(st.integers(0, len(facts)))])


def _next_fact(match: ToDraw | InGame, rng: Random) -> Fact:
    rules = match.rules
    if isinstance(match, ToDraw):
        return _draw(rules, rng)
    if isinstance(match.game, InHand):
        return choose_action(match.game.hand, rng.randrange, passes=rng.randint(0, 2 * rules.players))
    return _deal(match.game.rules, match, rng)


def _draw(rules: HouseRules, rng: Random) -> Draw:
    return draw_dealer(
        rules,
        shuffler=rng.choice(rules.seats),
        deck=rng.sample(rules.deck, len(rules.deck)),
        cut=_cut(rules, rules.draw_cut, rng),
    )


def _deal(rules: HouseRules, match: InGame, rng: Random) -> Deal:
    choosing = rules.deal_pattern in (DealPattern.EITHER_ORDER, DealPattern.BUNDLES)
    return deal_hand(
        rules,
        dealer=match.game.dealer,
        deck=rng.sample(rules.deck, len(rules.deck)),
        cut=_cut(rules, rules.deal_cut, rng),
        packets=rng.choice([(2, 3), (3, 2)]) if choosing else None,
    )


def _cut(rules: HouseRules, offered: Cut, rng: Random) -> int:
    return 0 if offered is Cut.NONE else rng.randrange(len(rules.deck))
