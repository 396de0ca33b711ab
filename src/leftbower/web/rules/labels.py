"""Labels of the choices in the form of the rules page."""

from collections.abc import Mapping
from typing import Final

from leftbower.i18n import gettext, gettext_noop
from leftbower.rules import choices
from leftbower.rules.choices import Choice

_LABELS: Final[Mapping[Choice, str]] = {
    choices.Supervision.STRICT: gettext_noop("The table refuses them"),
    choices.Supervision.HONOR: gettext_noop("Players catch them"),
    choices.Deviations.HOST_DECIDES: gettext_noop("The host decides"),
    choices.Deviations.EVERYONE_AGREES: gettext_noop("Everyone agrees"),
    choices.GameEnds.AT_TARGET: gettext_noop("To a score"),
    choices.GameEnds.AFTER_8_HANDS: gettext_noop("8 hands"),
    choices.GameEnds.AFTER_12_HANDS: gettext_noop("12 hands"),
    choices.TieAtTarget.PLAY_ON: gettext_noop("Higher score, then play on"),
    choices.TieAtTarget.ALL_WIN: gettext_noop("Both win"),
    choices.TieAtTarget.MAKER_FIRST: gettext_noop("The maker wins"),
    choices.ScoreKeeping.ANY_WAY: gettext_noop("Any way you like"),
    choices.ScoreKeeping.FOURS_AND_SIXES: gettext_noop("With fours and sixes"),
    choices.FirstDealer.FIRST_JACK: gettext_noop("The first jack"),
    choices.FirstDealer.FIRST_BLACK_JACK: gettext_noop("The first black jack"),
    choices.DealerDraw.EACH_GAME: gettext_noop("For each game"),
    choices.DealerDraw.EACH_MATCH: gettext_noop("Once a match"),
    choices.Cut.NONE: gettext_noop("No one"),
    choices.Cut.LEFT: gettext_noop("The player on the left"),
    choices.Cut.RIGHT: gettext_noop("The player on the right"),
    choices.DealPasses.LEFT: gettext_noop("The next on the left"),
    choices.DealPattern.TWO_THREE: gettext_noop("Two, then three"),
    choices.DealPattern.ONES: gettext_noop("One"),
    choices.DealPattern.EITHER_ORDER: gettext_noop("Two and three, in either order"),
    choices.DealPattern.BUNDLES: gettext_noop("Two or three"),
    choices.Misdeal.SAME_DEALER: gettext_noop("Same dealer again"),
    choices.Misdeal.DEAL_PASSES: gettext_noop("The deal is lost"),
    choices.MissingCut.UNTIL_PLAYED: gettext_noop("Until the hand is played"),
    choices.MissingCut.BEFORE_THE_FIRST_CALL: gettext_noop("Before the first call"),
    choices.FarmersHand.OFF: gettext_noop("No"),
    choices.FarmersHand.REDEAL: gettext_noop("Redeal"),
    choices.FarmersHand.SWAP: gettext_noop("Swap three cards"),
    choices.BuryOrder.AFTER_TAKING: gettext_noop("Before discarding"),
    choices.BuryOrder.BEFORE_TAKING: gettext_noop("After discarding"),
    choices.NobodyCalls.STICK_THE_DEALER: gettext_noop("Stick the dealer"),
    choices.NobodyCalls.PASS_OUT: gettext_noop("The hand is passed out"),
    choices.GoingAlone.WITH_THE_CALL: gettext_noop("With the call"),
    choices.GoingAlone.BEFORE_THE_LEAD: gettext_noop("Before the first lead"),
    choices.LoneDefense.OFF: gettext_noop("No"),
    choices.LoneDefense.AGAINST_A_LONER: gettext_noop("Against a loner"),
    choices.LoneDefense.ALWAYS: gettext_noop("Always"),
    choices.FirstLead.DEALERS_LEFT: gettext_noop("Dealer's left"),
    choices.FirstLead.LONERS_LEFT: gettext_noop("Loner's left"),
    choices.LookingBack.NOBODY: gettext_noop("No one"),
    choices.LookingBack.TRICK_WINNER: gettext_noop("The winner of the trick"),
    choices.LookingBack.EVERYONE: gettext_noop("Everyone"),
    choices.Claims.ON_LEAD: gettext_noop("Yes"),
    choices.Claims.OFF: gettext_noop("No"),
    choices.ClaimConsent.ALL_AGREE: gettext_noop("Everyone must agree"),
    choices.ClaimConsent.NOT_NEEDED: gettext_noop("No"),
    choices.ThrowIns.BY_AGREEMENT: gettext_noop("If everyone agrees"),
    choices.ThrowIns.ENCOURAGED: gettext_noop("Yes, to save time"),
    choices.ThrowIns.OFF: gettext_noop("No"),
    choices.RenegeAlone.EITHER_SIDE: gettext_noop("No matter who reneges"),
    choices.RenegeAlone.BY_THE_LONE_SIDE: gettext_noop("If the loner reneges"),
    choices.RenegeAlone.AGAINST_THE_LONE_SIDE: gettext_noop("If a defender reneges"),
    choices.WarningsFor.PLAYER: gettext_noop("By player"),
    choices.WarningsFor.SIDE: gettext_noop("By side"),
    choices.WarningsLast.GAME: gettext_noop("One game"),
    choices.WarningsLast.MATCH: gettext_noop("The whole match"),
    choices.Correction.NEVER: gettext_noop("Never"),
    choices.Correction.UNLESS_CALLED: gettext_noop("Until it is called"),
    choices.Correction.EVEN_WHEN_CALLED: gettext_noop("Even when called"),
    choices.OutOfTurn.TAKEN_BACK: gettext_noop("The card is taken back"),
    choices.OutOfTurn.AS_RENEGE: gettext_noop("The same as a renege"),
    choices.FailureToDiscard.TABLE_WAITS: gettext_noop("The table waits"),
    choices.FailureToDiscard.PENALTY: gettext_noop("A penalty"),
    choices.EventKind.NONE: gettext_noop("No event"),
    choices.EventKind.ROUND_ROBIN: gettext_noop("Round robin"),
    choices.EventKind.SCHOOL_GROUPS: gettext_noop("School against school"),
    choices.Participation.NONE: gettext_noop("Nothing"),
    choices.Participation.TENTH_PER_TEAM: gettext_noop("A tenth of a point a team"),
    choices.Participation.SHARED_POOL: gettext_noop("A share of a tenth of the points"),
}


def choice_label(value: object) -> str:
    """The label of a value: a short answer to the option's question."""
    match value:
        case Choice():
            return gettext(_LABELS[value])
        case bool():
            return gettext("Yes") if value else gettext("No")
        case _:
            return str(value)
