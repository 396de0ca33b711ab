"""The enums behind the options that are a choice between words.

A link stores the index of a word in its list, so new words go at the end, and none is ever removed.
"""

from enum import Enum
from typing import cast


class Choice(Enum):
    """Base of all such options; the value is the spelling in files."""

    def __str__(self) -> str:
        return cast(str, self.value)


class Sheet(Choice):
    OWN = "own"
    ROUND_ROBIN = "round-robin"
    CAMPUS = "campus"
    SCHOOL_CUP = "school-cup"
    PRIZE_NIGHT = "prize-night"
    CLUB = "club"
    STANDARD = "standard"


class Supervision(Choice):
    STRICT = "strict"
    HONOR = "honor"


class Deviations(Choice):
    HOST_DECIDES = "host-decides"
    EVERYONE_AGREES = "everyone-agrees"


class GameEnds(Choice):
    AT_TARGET = "at-target"
    AFTER_8_HANDS = "after-8-hands"
    AFTER_12_HANDS = "after-12-hands"


class TieAtTarget(Choice):
    PLAY_ON = "play-on"
    ALL_WIN = "all-win"
    MAKER_FIRST = "maker-first"


class ScoreKeeping(Choice):
    ANY_WAY = "any-way"
    FOURS_AND_SIXES = "fours-and-sixes"


class FirstDealer(Choice):
    FIRST_JACK = "first-jack"
    FIRST_BLACK_JACK = "first-black-jack"


class DealerDraw(Choice):
    EACH_GAME = "each-game"
    EACH_MATCH = "each-match"


class Cut(Choice):
    NONE = "none"
    LEFT = "left"
    RIGHT = "right"


class DealPasses(Choice):
    LEFT = "left"


class DealPattern(Choice):
    TWO_THREE = "two-three"
    ONES = "ones"
    EITHER_ORDER = "either-order"
    BUNDLES = "bundles"


class Misdeal(Choice):
    SAME_DEALER = "same-dealer"
    DEAL_PASSES = "deal-passes"


class MissingCut(Choice):
    UNTIL_PLAYED = "until-played"
    BEFORE_THE_FIRST_CALL = "before-the-first-call"


class FarmersHand(Choice):
    OFF = "off"
    REDEAL = "redeal"
    SWAP = "swap"


class BuryOrder(Choice):
    AFTER_TAKING = "after-taking"
    BEFORE_TAKING = "before-taking"


class NobodyCalls(Choice):
    STICK_THE_DEALER = "stick-the-dealer"
    PASS_OUT = "pass-out"


class GoingAlone(Choice):
    WITH_THE_CALL = "with-the-call"
    BEFORE_THE_LEAD = "before-the-lead"


class LoneDefense(Choice):
    OFF = "off"
    AGAINST_A_LONER = "against-a-loner"
    ALWAYS = "always"


class FirstLead(Choice):
    DEALERS_LEFT = "dealers-left"
    LONERS_LEFT = "loners-left"


class LookingBack(Choice):
    NOBODY = "nobody"
    TRICK_WINNER = "trick-winner"
    EVERYONE = "everyone"


class Claims(Choice):
    ON_LEAD = "on-lead"
    OFF = "off"


class ClaimConsent(Choice):
    ALL_AGREE = "all-agree"
    NOT_NEEDED = "not-needed"


class ThrowIns(Choice):
    BY_AGREEMENT = "by-agreement"
    ENCOURAGED = "encouraged"
    OFF = "off"


class RenegeAlone(Choice):
    EITHER_SIDE = "either-side"
    BY_THE_LONE_SIDE = "by-the-lone-side"
    AGAINST_THE_LONE_SIDE = "against-the-lone-side"


class WarningsFor(Choice):
    PLAYER = "player"
    SIDE = "side"


class WarningsLast(Choice):
    GAME = "game"
    MATCH = "match"


class Correction(Choice):
    NEVER = "never"
    UNLESS_CALLED = "unless-called"
    EVEN_WHEN_CALLED = "even-when-called"


class OutOfTurn(Choice):
    TAKEN_BACK = "taken-back"
    AS_RENEGE = "as-renege"


class FailureToDiscard(Choice):
    TABLE_WAITS = "table-waits"
    PENALTY = "penalty"


class EventKind(Choice):
    NONE = "none"
    ROUND_ROBIN = "round-robin"
    SCHOOL_GROUPS = "school-groups"


class Participation(Choice):
    NONE = "none"
    TENTH_PER_TEAM = "tenth-per-team"
    SHARED_POOL = "shared-pool"
