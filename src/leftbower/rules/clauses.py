"""A rule set in plain English, clause by clause: the only place where rules become sentences.

`clauses.toml` has every sentence with the conditions under which it is on the card. A clause names the options it
states, so that the card can give the source of each, a diff can quote both sides, and a ruling can cite its rule. It
states as few options as possible: what a sheet says and what it leaves to us are separate clauses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from leftbower.i18n import gettext as _, holds_texts, ngettext, read_texts
from leftbower.rules.choices import Choice
from leftbower.rules.house import HouseRules, options
from leftbower.rules.options import Group
from leftbower.rules.scoring import LONE_DEFENSE_POINTS


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or two of the rules, and the options they state; none if every table plays it that way."""

    text: str
    options: tuple[str, ...] = ()
    common: str = ""
    """The name of a rule that all sheets play, by which a preset can say that its own sheet doesn't state it."""
    ours: bool = False
    """Is it our reading, which no sheet states?"""


@holds_texts
@lru_cache
def sections(rules: HouseRules) -> tuple[tuple[str, tuple[Clause, ...]], ...]:
    """All rules in reading order: each heading with its clauses."""
    values = _values(rules)
    written = (
        (_(group), tuple(entry.clause(values) for entry in _entries(group) if entry.applies_to(rules)))
        for group in Group
    )
    return tuple((heading, clauses) for heading, clauses in written if clauses)


def clause_text(rules: HouseRules, *options: str) -> str:
    """What the rules say about these options, in the order of the card."""
    values, wanted = _values(rules), set(options)
    stating = (entry for group in Group for entry in _entries(group) if not wanted.isdisjoint(entry.states))
    return " ".join(entry.clause(values).text for entry in stating if entry.applies_to(rules))


def sentence(rules: HouseRules, option: str) -> str:
    """What the rules say about one option, even if the card needs no clause for it."""
    return clause_text(rules, option) or _(_sentence_without_clause(rules, option))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A clause of `clauses.toml`, which explains the fields."""

    text: str
    singular: str = ""
    count: str = ""
    when: Mapping[str, object] = field(default_factory=dict)
    states: Sequence[str] = ()
    common: str = ""
    ours: bool = False

    def applies_to(self, rules: HouseRules) -> bool:
        return all(_matches(getattr(rules, name), wanted) for name, wanted in self.when.items())

    def clause(self, values: Mapping[str, Any]) -> Clause:
        if self.singular:
            text = ngettext(self.singular, self.text, values[self.count], **values)
        else:
            text = _(self.text) % values
        return Clause(text, tuple(self.states), self.common, self.ours)


def _values(rules: HouseRules) -> dict[str, Any]:
    """The values that stand in texts."""
    # Translators: an amount of money, in a list of prizes.
    prizes = ", ".join(_("$%(amount)d", amount=amount) for amount in rules.gift_cards)
    numbers = {name: getattr(rules, name) for name in options()}
    return numbers | {"gift_cards": prizes, "lone_defense_points": LONE_DEFENSE_POINTS}


def _matches(value: object, wanted: object) -> bool:
    """Is it the value that a condition wants, or one of them? True wants any value but 0 and an empty list."""
    if isinstance(wanted, bool):
        return bool(value) is wanted
    plain = str(value) if isinstance(value, Choice) else value
    return plain in wanted if isinstance(wanted, list) else plain == wanted


@cache
def _page() -> dict[str, Any]:
    return read_texts("leftbower.rules", "clauses.toml")


@cache
def _entries(group: Group) -> tuple[_Entry, ...]:
    return tuple(_Entry(**entry) for entry in _page()[group.name.lower()])


def _sentence_without_clause(rules: HouseRules, option: str) -> str:
    """The sentence for an option without a clause."""
    sentence: str = _page()["start"][str(rules.sheet)] if option == "sheet" else _page()["otherwise"][option]
    return sentence
