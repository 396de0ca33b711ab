"""Options: a default, the question players ask, the possible values, its slot in links and its group."""

from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Any, Final, Protocol, TypeVar

from leftbower.errors import BadOption
from leftbower.i18n import gettext as _, gettext_noop
from leftbower.rules.choices import Choice

T = TypeVar("T")


class Group(StrEnum):
    """A heading for options, in reading order."""

    TABLE = gettext_noop("The table")
    DEAL = gettext_noop("Deal")
    BIDDING = gettext_noop("Bidding")
    ALONE = gettext_noop("Alone")
    PLAY = gettext_noop("Play")
    SCORING = gettext_noop("Scoring")
    IRREGULARITIES = gettext_noop("Irregularities")
    MATCH = gettext_noop("Game and match")
    EVENT = gettext_noop("Event")


class Domain(Protocol):
    """The possible values of an option: how to read, write and number them.

    The number of a value never changes, so a domain can get more values without changing a link.
    """

    def read(self, option: str, plain: object) -> object:
        """Parse a TOML or JSON value; raises BadOption."""

    def write(self, value: Any) -> object:
        """The value as TOML and JSON store it."""

    def to_number(self, value: Any) -> int: ...

    def from_number(self, option: str, number: int) -> object:
        """The value with this number in a link; raises BadOption if there is none."""


@dataclass(frozen=True, slots=True)
class OneOf:
    choices: type[Choice]

    def read(self, option: str, plain: object) -> Choice:
        for choice in self.choices:
            if plain is choice or plain == choice.value:
                return choice
        choices = _either([f'"{choice}"' for choice in self.choices])
        raise BadOption(option, plain, _("it must be %(choices)s", choices=choices))

    def write(self, value: Choice) -> str:
        return str(value)

    def to_number(self, value: Choice) -> int:
        return list(self.choices).index(value)

    def from_number(self, option: str, number: int) -> Choice:
        choices = list(self.choices)
        if number >= len(choices):
            raise BadOption(option, number, _("it has only %(count)s choices", count=len(choices)))
        return choices[number]


@dataclass(frozen=True, slots=True)
class YesNo:
    def read(self, option: str, plain: object) -> bool:
        if isinstance(plain, bool):
            return plain
        raise BadOption(option, plain, _("it must be true or false"))

    def write(self, value: bool) -> bool:
        return value

    def to_number(self, value: bool) -> int:
        return int(value)

    def from_number(self, option: str, number: int) -> bool:
        if number > 1:
            raise BadOption(option, number, _("it must be 1 for yes or 0 for no"))
        return bool(number)


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in a range, or one of a few."""

    allowed: range | tuple[int, ...]

    def read(self, option: str, plain: object) -> int:
        if isinstance(plain, int) and not isinstance(plain, bool) and plain in self.allowed:
            return plain
        raise BadOption(option, plain, self._reason())

    def write(self, value: int) -> int:
        return value

    def to_number(self, value: int) -> int:
        return value

    def from_number(self, option: str, number: int) -> int:
        return self.read(option, number)

    def _reason(self) -> str:
        if isinstance(self.allowed, range):
            least, most = self.allowed[0], self.allowed[-1]
            return _("it must be a whole number from %(least)s to %(most)s", least=least, most=most)
        return _("it must be %(choices)s", choices=_either([str(number) for number in self.allowed]))


@dataclass(frozen=True, slots=True)
class Amounts:
    """A short list of amounts in descending order; equal ones are fine."""

    most: int
    highest: int

    def read(self, option: str, plain: object) -> tuple[int, ...]:
        if not isinstance(plain, list | tuple) or len(plain) > self.most:
            raise BadOption(option, plain, _("it must be a list of at most %(most)s whole numbers", most=self.most))
        amount = Number(range(1, self.highest + 1))
        amounts = tuple(amount.read(option, item) for item in plain)
        if list(amounts) != sorted(amounts, reverse=True):
            raise BadOption(option, plain, _("a later place can't win more than an earlier one"))
        return amounts

    def write(self, value: tuple[int, ...]) -> list[int]:
        return list(value)

    def to_number(self, value: tuple[int, ...]) -> int:
        return sum(amount << index * _AMOUNT_BITS for index, amount in enumerate(value))

    def from_number(self, option: str, number: int) -> tuple[int, ...]:
        amounts = []
        while number:
            amounts.append(number & (1 << _AMOUNT_BITS) - 1)
            number >>= _AMOUNT_BITS
        return self.read(option, amounts)


_AMOUNT_BITS: Final = 10
"""Bits per amount in the number of a list; never changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice that a table can make."""

    name: str
    question: str
    default: Any
    domain: Domain
    slot: int
    """Its number in links; never changes and is never reused."""
    group: Group
    link_default: Any
    """The value that links leave out: the default when the slot was first used. It never changes either."""


def option(
    default: T, question: str, group: Group, domain: Domain | None = None, *, slot: int, link_default: T | None = None
) -> T:
    """A dataclass field that is an option. Enums and booleans know their own domain.

    If the default of a released option changes, `link_default` keeps the first one.
    """
    metadata = {
        "question": question,
        "domain": domain or _domain_of(default),
        "slot": slot,
        "group": group,
        "link_default": default if link_default is None else link_default,
    }
    return field(default=default, metadata=metadata)


def options_of(rule_set: Any) -> dict[str, Option]:
    """The options of a dataclass by name, in the order of declaration."""
    return {declared.name: _option(declared) for declared in fields(rule_set)}


def _domain_of(default: object) -> Domain:
    return OneOf(type(default)) if isinstance(default, Choice) else YesNo()


def _option(declared: Field[Any]) -> Option:
    return Option(name=declared.name, default=declared.default, **declared.metadata)


def _either(words: list[str]) -> str:
    if len(words) == 1:
        return words[0]
    return _("%(words)s or %(last)s", words=", ".join(words[:-1]), last=words[-1])
