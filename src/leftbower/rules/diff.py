"""The differences between two rule sets, in words."""

from dataclasses import dataclass

from leftbower.i18n import gettext
from leftbower.rules.clauses import sentence
from leftbower.rules.house import HouseRules, options


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One option on which two tables differ."""

    option: str
    question: str
    ours: object
    theirs: object
    our_words: str
    their_words: str

    def as_json(self) -> dict[str, object]:
        """The difference for `--json`."""
        return {
            "option": self.option,
            "question": self.question,
            "values": [self.ours, self.theirs],
            "words": [self.our_words, self.their_words],
        }


def diff(ours: HouseRules, theirs: HouseRules) -> tuple[Difference, ...]:
    """Every option on which two rule sets differ, including their sheets; empty if they are equal."""
    return tuple(
        Difference(
            option=name,
            question=gettext(option.question),
            ours=option.domain.write(getattr(ours, name)),
            theirs=option.domain.write(getattr(theirs, name)),
            our_words=sentence(ours, name),
            their_words=sentence(theirs, name),
        )
        for name, option in options().items()
        if getattr(ours, name) != getattr(theirs, name)
    )
