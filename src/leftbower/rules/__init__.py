"""Rules: cards, seats, house rules, points, rulings, and the rule card in English."""

from leftbower.rules.announcements import announce as announce, cite as cite
from leftbower.rules.calling import (
    Call as Call,
    has_natural_trump as has_natural_trump,
    may_pass as may_pass,
    open_calls as open_calls,
)
from leftbower.rules.card import (
    RuleCard as RuleCard,
    as_html as as_html,
    as_markdown as as_markdown,
    as_text as as_text,
    highlights as highlights,
    rule_card as rule_card,
)
from leftbower.rules.cards import (
    DECK as DECK,
    UNKNOWN as UNKNOWN,
    Card as Card,
    Face as Face,
    Rank as Rank,
    Suit as Suit,
    Unknown as Unknown,
    parse_cards as parse_cards,
    parse_faces as parse_faces,
)
from leftbower.rules.clauses import clause_text as clause_text
from leftbower.rules.diff import Difference as Difference, diff as diff
from leftbower.rules.formats import (
    fingerprint as fingerprint,
    from_json as from_json,
    from_link as from_link,
    from_toml as from_toml,
    to_json as to_json,
    to_link as to_link,
    to_toml as to_toml,
)
from leftbower.rules.house import HouseRules as HouseRules, Side as Side, options as options
from leftbower.rules.options import Option as Option
from leftbower.rules.referee import (
    Incident as Incident,
    Irregularity as Irregularity,
    Remedy as Remedy,
    Ruling as Ruling,
    facts_needed as facts_needed,
    ruling as ruling,
)
from leftbower.rules.scoring import Outcome as Outcome, Points as Points, points as points
from leftbower.rules.seats import Seat as Seat
from leftbower.rules.sheets import (
    Mark as Mark,
    Preset as Preset,
    Reading as Reading,
    base_preset as base_preset,
    find_preset as find_preset,
    mark as mark,
    preset as preset,
    presets as presets,
)
from leftbower.rules.tricks import (
    playable as playable,
    ranking as ranking,
    strength as strength,
    winning_card as winning_card,
)
