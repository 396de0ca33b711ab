"""The rule book: cards, seats, the rule set that drives everything, points, rulings, and the card in English."""

from leftbower.rules.announcements import announce, cite
from leftbower.rules.calling import Call, has_natural_trump, may_pass, open_calls
from leftbower.rules.card import RuleCard, as_html, as_markdown, as_text, highlights, rule_card
from leftbower.rules.cards import DECK, UNKNOWN, Card, Face, Rank, Suit, Unknown, parse_cards, parse_faces
from leftbower.rules.clauses import clause_text
from leftbower.rules.diff import Difference, diff
from leftbower.rules.formats import fingerprint, from_json, from_link, from_toml, to_json, to_link, to_toml
from leftbower.rules.house import HouseRules, Side, options
from leftbower.rules.options import Option
from leftbower.rules.referee import Incident, Irregularity, Remedy, Ruling, facts_needed, ruling
from leftbower.rules.scoring import Outcome, Points, points
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import Mark, Preset, Reading, base_preset, find_preset, mark, preset, presets
from leftbower.rules.tricks import playable, ranking, strength, winning_card

__all__ = [
    "DECK",
    "UNKNOWN",
    "Call",
    "Card",
    "Difference",
    "Face",
    "HouseRules",
    "Incident",
    "Irregularity",
    "Mark",
    "Option",
    "Outcome",
    "Points",
    "Preset",
    "Rank",
    "Reading",
    "Remedy",
    "RuleCard",
    "Ruling",
    "Seat",
    "Side",
    "Suit",
    "Unknown",
    "announce",
    "as_html",
    "as_markdown",
    "as_text",
    "base_preset",
    "cite",
    "clause_text",
    "diff",
    "facts_needed",
    "find_preset",
    "fingerprint",
    "from_json",
    "from_link",
    "from_toml",
    "has_natural_trump",
    "highlights",
    "mark",
    "may_pass",
    "open_calls",
    "options",
    "parse_cards",
    "parse_faces",
    "playable",
    "points",
    "preset",
    "presets",
    "ranking",
    "rule_card",
    "ruling",
    "strength",
    "to_json",
    "to_link",
    "to_toml",
    "winning_card",
]
