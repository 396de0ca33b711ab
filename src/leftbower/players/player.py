"""The player interface: a `View` in, one of its legal actions out."""

from random import Random
from typing import Protocol

from leftbower.engine import Phase, View, actions
from leftbower.rules import Irregularity, playable
from leftbower.rules.choices import GoingAlone


class Player(Protocol):
    """A stateless player: everything it may know is in the view."""

    @property
    def name(self) -> str:
        """Its name, including every setting that changes how it plays."""

    def act(self, view: View, rng: Random) -> actions.Action:
        """One of the viewer's legal actions, when it is the viewer's turn.

        Randomness comes only from `rng`, so every game can be replayed.
        """

    def remark(self, view: View, rng: Random) -> actions.Action | None:
        """An unprompted call or claim, or None; every seat is asked after each action."""


class RandomPlayer:
    """The lower bound: a uniformly random proper action, and no remarks."""

    name = "random"
    talks = False

    def act(self, view: View, rng: Random) -> actions.Action:
        return rng.choice(proper_actions(view))

    def remark(self, view: View, rng: Random) -> actions.Action | None:
        return None


def proper_actions(view: View) -> tuple[actions.Action, ...]:
    """Actions of an honest player: at a strict table every act, at an honor table no offense.

    These are answers if one is due, otherwise acts that move the hand forward. A misdeal is called, and a late discard
    comes before anything else. If the maker decides about going alone after the call, it isn't said with the call.
    """
    misdealt = tuple(action for action in view.legal if _calls_a_wrong_count(action))
    if misdealt:
        return misdealt
    late_buries = tuple(action for action in view.legal if isinstance(action, actions.Bury))
    if late_buries:
        return late_buries
    answers = tuple(
        action
        for action in view.legal
        if isinstance(action, actions.Agree | actions.Disagree | actions.Settle | actions.Ready)
    )
    if answers:
        return answers
    doing = tuple(action for action in view.legal if isinstance(action, actions.Act) and not _said_beside(view, action))
    if view.phase is not Phase.PLAYING or view.contract is None:
        return doing
    led = view.trick[0].suit_under(view.contract.trump) if view.trick else None
    fits = playable(view.cards, led, view.contract.trump)
    return tuple(action for action in doing if not isinstance(action, actions.Play) or action.card in fits)


def _calls_a_wrong_count(action: actions.Action) -> bool:
    return isinstance(action, actions.CallOut) and action.irregularity is Irregularity.WRONG_CARD_COUNT


def _said_beside(view: View, action: actions.Action) -> bool:
    """Is this going alone, said with or after the call, although the maker decides about it in between?"""
    if view.rules.going_alone is not GoingAlone.BEFORE_THE_LEAD:
        return False
    alone = isinstance(action, actions.GoAlone) and view.phase is not Phase.DECIDING_ALONE
    return alone or (isinstance(action, actions.Order | actions.Name) and action.alone)
