"""What a player is to the program: somebody who is shown a view and answers with one of its legal actions."""

from random import Random
from typing import Protocol

from leftbower.engine import (
    Act,
    Action,
    Agree,
    Bury,
    CallOut,
    Disagree,
    GoAlone,
    Name,
    Order,
    Phase,
    Play,
    Ready,
    Settle,
    View,
)
from leftbower.rules.choices import AloneSaid
from leftbower.rules.referee import Irregularity
from leftbower.rules.tricks import playable


class Player(Protocol):
    """One who plays. It keeps nothing between two acts: all it may know is in the view."""

    @property
    def name(self) -> str:
        """What it is called, with whatever changes how it plays."""

    def act(self, view: View, chance: Random) -> Action:
        """One of the viewer's legal actions, when it is the viewer's turn or the viewer is asked.

        What is left to chance comes from `chance`, which is handed in, so that every game can be played again.
        """

    def remark(self, view: View, chance: Random) -> Action | None:
        """Something to say though nobody asked (a call, a claim), or nothing; offered to everybody after each act."""


class RandomPlayer:
    """The floor: any proper act, each as likely, and never a word that was not asked for."""

    name = "random"
    talks = False

    def act(self, view: View, chance: Random) -> Action:
        """Any of them."""
        return chance.choice(proper(view))

    def remark(self, view: View, chance: Random) -> Action | None:
        """Nothing."""
        return None


def proper(view: View) -> tuple[Action, ...]:
    """What an honest viewer may do now when asked: at a strict table every act, at an honor table no offense.

    Answers where the viewer is asked for one; else what moves the hand on. A misdealt hand is called, and a late bury
    comes before anything else. Where the maker is asked about alone, it is not said before.
    """
    misdealt = tuple(action for action in view.legal if _calls_a_wrong_count(action))
    if misdealt:
        return misdealt
    owed = tuple(action for action in view.legal if isinstance(action, Bury))
    if owed:
        return owed
    answers = tuple(action for action in view.legal if isinstance(action, Agree | Disagree | Settle | Ready))
    if answers:
        return answers
    doing = tuple(action for action in view.legal if isinstance(action, Act) and not _said_beside(view, action))
    if view.phase is not Phase.PLAYING or view.made is None:
        return doing
    led = view.trick[0].suit_under(view.made.trump) if view.trick else None
    fits = playable(view.cards, led, view.made.trump)
    return tuple(action for action in doing if not isinstance(action, Play) or action.card in fits)


def _calls_a_wrong_count(action: Action) -> bool:
    return isinstance(action, CallOut) and action.irregularity is Irregularity.WRONG_CARD_COUNT


def _said_beside(view: View, action: Action) -> bool:
    """Is this alone, said with the call or after it, where the maker is asked about it in between?"""
    if view.rules.alone_said is not AloneSaid.BEFORE_THE_LEAD:
        return False
    alone = isinstance(action, GoAlone) and view.phase is not Phase.DECIDING_ALONE
    return alone or (isinstance(action, Order | Name) and action.alone)
