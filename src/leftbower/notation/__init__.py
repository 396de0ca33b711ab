"""Notation: the hand line, the record, EGN, and the one JSON codec."""

from leftbower.notation.codec import (
    action_from_json,
    action_to_json,
    alike_to_json,
    docket_to_json,
    error_to_json,
    fact_from_json,
    fact_to_json,
    held_to_json,
    said_to_json,
    tricks_to_json,
    view_from_json,
    view_to_json,
)
from leftbower.notation.egn import read_egn
from leftbower.notation.handline import hand_line, name_rules, parse_hand_line, replay_hand_line, view_line
from leftbower.notation.record import Chained, Player, Record, dumps, end_to_json, loads, player_to_json, read_record
from leftbower.notation.replayed import Fault, ReplayedGame, ReplayedHand
from leftbower.notation.telling import compass, offer, pretty, tell, tell_hand, tell_score, tell_scores, tell_trick
from leftbower.notation.words import read_word, word

__all__ = [
    "Chained",
    "Fault",
    "Player",
    "Record",
    "ReplayedGame",
    "ReplayedHand",
    "action_from_json",
    "action_to_json",
    "alike_to_json",
    "compass",
    "docket_to_json",
    "dumps",
    "end_to_json",
    "error_to_json",
    "fact_from_json",
    "fact_to_json",
    "hand_line",
    "held_to_json",
    "loads",
    "name_rules",
    "offer",
    "parse_hand_line",
    "player_to_json",
    "pretty",
    "read_egn",
    "read_record",
    "read_word",
    "replay_hand_line",
    "said_to_json",
    "tell",
    "tell_hand",
    "tell_score",
    "tell_scores",
    "tell_trick",
    "tricks_to_json",
    "view_from_json",
    "view_line",
    "view_to_json",
    "word",
]
