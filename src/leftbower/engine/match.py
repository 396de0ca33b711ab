"""A match as a fold of games: the draw for the first dealer, games won, and when it is over."""

from dataclasses import dataclass

from leftbower.engine.actions import Action
from leftbower.engine.deal import Deal, Draw, check_draw
from leftbower.engine.game import GameOver, InHand, ToDeal, Warnings, advance_game, new_game
from leftbower.errors import MatchIsOver, NothingDrawn, StillPlaying
from leftbower.rules.choices import DealerDraw, WarningsLast
from leftbower.rules.house import HouseRules, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDraw:
    """The first dealer of the next game has to be drawn."""

    rules: HouseRules
    wins: tuple[int, ...]
    """Games won by each side so far, in the order of `HouseRules.sides`."""
    warnings: Warnings = (0, 0, 0, 0)
    """Warnings carried over from earlier games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InGame:
    rules: HouseRules
    wins: tuple[int, ...]
    game: ToDeal | InHand


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver:
    rules: HouseRules
    wins: tuple[int, ...]
    winner: Side | None
    """None if its only game was a tie."""
    last: GameOver


Match = ToDraw | InGame | MatchOver
Fact = Draw | Deal | Action
"""Input that moves a match forward."""


def new_match(rules: HouseRules) -> ToDraw:
    return ToDraw(rules=rules, wins=(0,) * len(rules.sides))


def advance_match(match: Match, fact: Fact) -> Match:
    """The match after a draw, a deal or an action."""
    match match:
        case ToDraw():
            if not isinstance(fact, Draw):
                raise NothingDrawn("draw the first dealer first", state=match)
            check_draw(match.rules, fact)
            return InGame(
                rules=match.rules, wins=match.wins, game=new_game(match.rules, fact.dealer, warnings=match.warnings)
            )
        case InGame():
            if isinstance(fact, Draw):
                raise StillPlaying("finish this game first", state=match)
            game = advance_game(match.game, fact)
            if isinstance(game, GameOver):
                return _count_game(match, game)
            return InGame(rules=match.rules, wins=match.wins, game=game)
        case _:
            raise MatchIsOver("the match is over", state=match)


def is_match_decided(best_of: int, wins: tuple[int, ...]) -> bool:
    """Has a side won more than half of the games?"""
    return max(wins) > best_of // 2


def _ahead(rules: HouseRules, wins: tuple[int, ...], winners: Side | None) -> Side | None:
    """Of the winners of the last game, those with the most games."""
    most = [seat for side, won in zip(rules.sides, wins, strict=True) if won == max(wins) for seat in side]
    return winners and tuple(seat for seat in winners if seat in most)


def _count_game(match: InGame, game: GameOver) -> Match:
    """Add a finished game."""
    rules = match.rules
    winners = game.winner or ()
    wins = tuple(won + (side[0] in winners) for side, won in zip(rules.sides, match.wins, strict=True))
    if rules.best_of == 1 or is_match_decided(rules.best_of, wins):
        return MatchOver(rules=rules, wins=wins, winner=_ahead(rules, wins, game.winner), last=game)
    warnings = game.warnings if rules.warnings_last is WarningsLast.MATCH else (0, 0, 0, 0)
    if rules.dealer_draw is DealerDraw.EACH_MATCH:
        return InGame(rules=rules, wins=wins, game=new_game(rules, game.dealer, warnings=warnings))
    return ToDraw(rules=rules, wins=wins, warnings=warnings)
