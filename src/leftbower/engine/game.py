"""A game as a fold of hands: who deals, the score, and when it is over."""

from dataclasses import dataclass

from leftbower.engine.actions import Action
from leftbower.engine.deal import Deal
from leftbower.engine.hand import apply, start
from leftbower.engine.honor import count_warnings
from leftbower.engine.states import OpenState, Reason, Scored
from leftbower.errors import GameIsOver, NothingDealt, NotTheDealer, StillPlaying
from leftbower.rules import HouseRules, Points, Seat, Side
from leftbower.rules.scoring import winners

Scores = tuple[int, ...]
"""The score of each side, in the order of `HouseRules.sides`."""
Warnings = tuple[int, int, int, int]
"""Warnings of each seat, by seat index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDeal:
    rules: HouseRules
    dealer: Seat
    scores: Scores
    hands: int
    """Hands counted so far."""
    warnings: Warnings = (0, 0, 0, 0)
    """Warnings of each seat in this game, or in the match if the rules carry them over."""
    last: Scored | None = None
    """The previous hand; None before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand:
    rules: HouseRules
    hands: int
    hand: OpenState

    @property
    def scores(self) -> Scores:
        return self.hand.hand.scores

    @property
    def dealer(self) -> Seat:
        return self.hand.hand.deal.dealer


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver:
    rules: HouseRules
    dealer: Seat
    """Who would deal next."""
    scores: Scores
    hands: int
    winner: Side | None
    """None for a tie. With three players, several can win together if the rules say so."""
    warnings: Warnings
    last: Scored


Game = ToDeal | InHand | GameOver


def new_game(
    rules: HouseRules, dealer: Seat, scores: Scores | None = None, warnings: Warnings = (0, 0, 0, 0)
) -> ToDeal:
    rules.side_of(dealer)
    return ToDeal(rules=rules, dealer=dealer, scores=scores or (0,) * len(rules.sides), hands=0, warnings=warnings)


def advance_game(game: Game, fact: Deal | Action) -> Game:
    """The game after a deal or an action."""
    match game:
        case ToDeal():
            if not isinstance(fact, Deal):
                raise NothingDealt("the hand isn't dealt yet", state=game)
            return _start_hand(game, fact)
        case InHand():
            if isinstance(fact, Deal):
                raise StillPlaying("finish this hand first", state=game)
            hand = apply(game.hand, fact)
            if isinstance(hand, Scored):
                return _count_hand(game, hand)
            return InHand(rules=game.rules, hands=game.hands, hand=hand)
        case _:
            raise GameIsOver("the game is over", state=game)


def add_points(rules: HouseRules, scores: Scores, points: Points) -> Scores:
    """The scores after a hand. Both partners are listed with the points of their side, which count once."""
    return tuple(score + points.get(side[0], 0) for side, score in zip(rules.sides, scores, strict=True))


def winner(rules: HouseRules, scores: Scores, hands: int, maker: Seat | None = None) -> Side | None:
    """The side that has won at this score, or None.

    With three players, two can reach the target on one hand. Then the rules decide, and `maker` is the maker who scored
    on it.
    """
    if rules.fixed_hands is None:
        return winners(rules, scores, maker)
    leaders = [side for side, score in zip(rules.sides, scores, strict=True) if score == max(scores)]
    return leaders[0] if hands >= rules.fixed_hands and len(leaders) == 1 else None


def may_end_tied(rules: HouseRules, hands: int) -> bool:
    """Does the game end after this many hands even if it is tied? A match of several games needs a winner."""
    return rules.best_of == 1 and rules.fixed_hands is not None and hands >= rules.fixed_hands


def _start_hand(game: ToDeal, deal: Deal) -> InHand:
    if deal.dealer is not game.dealer:
        raise NotTheDealer("it's %(dealer)s's deal, not %(other)s's", state=game, dealer=game.dealer, other=deal.dealer)
    hand = start(game.rules, deal, game.scores, game.warnings, game.hands)
    return InHand(rules=game.rules, hands=game.hands, hand=hand)


def _count_hand(game: InHand, hand: Scored) -> Game:
    """Add the points of a finished hand."""
    rules = game.rules
    scores = add_points(rules, game.scores, hand.points)
    warnings = _warnings(hand)
    if hand.reason in (Reason.FARMERS_REDEAL, Reason.MISDEAL):
        return ToDeal(rules=rules, dealer=game.dealer, scores=scores, hands=game.hands, warnings=warnings, last=hand)
    hands, dealer = game.hands + 1, rules.left_of(game.dealer)
    won = winner(rules, scores, hands, _scoring_maker(hand))
    if won is not None or may_end_tied(rules, hands):
        return GameOver(
            rules=rules, dealer=dealer, scores=scores, hands=hands, winner=won, warnings=warnings, last=hand
        )
    return ToDeal(rules=rules, dealer=dealer, scores=scores, hands=hands, warnings=warnings, last=hand)


def _scoring_maker(hand: Scored) -> Seat | None:
    """The maker if the maker scored: only then can the maker reach the target on this hand."""
    maker = hand.contract.maker if hand.contract else None
    return maker if maker in hand.points else None


def _warnings(hand: Scored) -> Warnings:
    north, east, south, west = (hand.hand.warnings[seat.index] + count_warnings(hand.docket, seat) for seat in Seat)
    return north, east, south, west
