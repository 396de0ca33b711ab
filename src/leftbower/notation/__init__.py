"""Notation: the hand line, the record, EGN, and the JSON codec."""

from leftbower.notation.codec import (
    action_from_json as action_from_json,
    action_to_json as action_to_json,
    actions_to_json as actions_to_json,
    docket_to_json as docket_to_json,
    error_to_json as error_to_json,
    fact_from_json as fact_from_json,
    fact_to_json as fact_to_json,
    private_to_json as private_to_json,
    shared_to_json as shared_to_json,
    tricks_to_json as tricks_to_json,
    view_from_json as view_from_json,
    view_to_json as view_to_json,
)
from leftbower.notation.describe import (
    compass_name as compass_name,
    describe as describe,
    describe_choice as describe_choice,
    describe_hand as describe_hand,
    describe_result as describe_result,
    describe_scores as describe_scores,
    describe_trick as describe_trick,
    format_cards as format_cards,
)
from leftbower.notation.egn.reader import read_egn as read_egn
from leftbower.notation.handline import (
    hand_line as hand_line,
    name_rules as name_rules,
    parse_hand_line as parse_hand_line,
    replay_hand_line as replay_hand_line,
    view_line as view_line,
)
from leftbower.notation.record import (
    Record as Record,
    RecordChain as RecordChain,
    RecordedPlayer as RecordedPlayer,
    dumps as dumps,
    end_to_json as end_to_json,
    loads as loads,
    player_to_json as player_to_json,
    read_record as read_record,
)
from leftbower.notation.replay import Fault as Fault, ReplayedGame as ReplayedGame, ReplayedHand as ReplayedHand
from leftbower.notation.tokens import parse_token as parse_token, to_token as to_token
