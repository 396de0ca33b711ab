"""Nine lessons, from `lessons.toml`: each has a position as a hand line, a text, a question and replies to answers.

Rules are quoted from the rule card. Tests check the right answers with the engine where only one suit may be played,
and with the coach where there is a choice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop, holds_texts, read_texts
from leftbower.rules import HouseRules, clause_text, to_link
from leftbower.rules.choices import Claims, ThrowIns

LESSON_RULES: Final = HouseRules(claims=Claims.OFF, throw_ins=ThrowIns.OFF)
"""The usual rules without claims and throw-ins."""
REFUSED_REPLY: Final = gettext_noop("You can’t do that here. Try something else.")
_HAND_LINE_PREFIX: Final = f"{{{to_link(LESSON_RULES)}}} "


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A position seen from South, a question, and a reply to each answer."""

    title: str
    text: str
    question: str
    line: str
    """The position as a hand line without its rules."""
    right: Mapping[str, str]
    """Replies to the right answers, by token."""
    wrong: Mapping[str, str] = field(default_factory=dict)
    """Replies to the other legal answers, by token."""
    refused_reply: str = ""
    """Replaces `REFUSED_REPLY` as the reply to an illegal answer."""
    continuation: str = ""
    """Tokens of the actions after a right answer."""

    @property
    def position(self) -> str:
        """The hand line with its rules."""
        return _HAND_LINE_PREFIX + self.line


@holds_texts
@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons in order, in the reader's language."""
    return tuple(_translated(**lesson) for lesson in read_texts("leftbower.web.learn", "lessons.toml")["lesson"])


def _translated(
    *,
    text: str,
    right: dict[str, str],
    wrong: Mapping[str, str] = MappingProxyType({}),
    rules: Sequence[str] = (),
    line: str,
    continuation: str = "",
    **texts: str,
) -> Lesson:
    return Lesson(
        text=_(text, rules=clause_text(LESSON_RULES, *rules)) if rules else _(text),
        right={token: _(reply) for token, reply in right.items()},
        wrong={token: _(reply) for token, reply in wrong.items()},
        line=line,
        continuation=continuation,
        **{name: _(value) for name, value in texts.items()},
    )
