"""Options: a default, the question players ask about it, and the values it can have."""

from dataclasses import Field, dataclass, field, fields
from typing import Any, Protocol, TypeVar

from leftbower.errors import BadOption
from leftbower.rules.choices import Choice

T = TypeVar("T")


class Domain(Protocol):
    """The values an option can have: how one is read, written, and put into the bits of a link."""

    @property
    def bits(self) -> int: ...

    def read(self, option: str, plain: object) -> object:
        """The value that `plain` (as in TOML or JSON) stands for, or the BadOption that says why not."""

    def write(self, value: Any) -> object:
        """The value as TOML and JSON hold it."""

    def to_bits(self, value: Any) -> int: ...

    def from_bits(self, option: str, number: int) -> object: ...


@dataclass(frozen=True, slots=True)
class OneOf:
    """A choice between words."""

    choices: type[Choice]
    bits: int = 3

    def read(self, option: str, plain: object) -> Choice:
        for choice in self.choices:
            if plain is choice or plain == choice.value:
                return choice
        raise BadOption(option, plain, "it must be " + _either([f'"{choice}"' for choice in self.choices]))

    def write(self, value: Choice) -> str:
        return str(value)

    def to_bits(self, value: Choice) -> int:
        return list(self.choices).index(value)

    def from_bits(self, option: str, number: int) -> Choice:
        choices = list(self.choices)
        if number >= len(choices):
            raise BadOption(option, number, f"it has only {len(choices)} choices")
        return choices[number]


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no."""

    bits: int = 1

    def read(self, option: str, plain: object) -> bool:
        if isinstance(plain, bool):
            return plain
        raise BadOption(option, plain, "it must be true or false")

    def write(self, value: bool) -> bool:
        return value

    def to_bits(self, value: bool) -> int:
        return int(value)

    def from_bits(self, option: str, number: int) -> bool:
        return bool(number)


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number between two bounds, or one of a few."""

    allowed: range | tuple[int, ...]

    @property
    def bits(self) -> int:
        return max(self.allowed).bit_length()

    def read(self, option: str, plain: object) -> int:
        if isinstance(plain, int) and not isinstance(plain, bool) and plain in self.allowed:
            return plain
        raise BadOption(option, plain, f"it must be {self._words()}")

    def write(self, value: int) -> int:
        return value

    def to_bits(self, value: int) -> int:
        return value

    def from_bits(self, option: str, number: int) -> int:
        return self.read(option, number)

    def _words(self) -> str:
        if isinstance(self.allowed, range):
            return f"a whole number from {self.allowed[0]} to {self.allowed[-1]}"
        return _either([str(number) for number in self.allowed])


@dataclass(frozen=True, slots=True)
class Amounts:
    """A short list of amounts, none higher than the one before it."""

    most: int
    highest: int

    @property
    def bits(self) -> int:
        return self.most * self.highest.bit_length()

    def read(self, option: str, plain: object) -> tuple[int, ...]:
        if not isinstance(plain, list | tuple) or len(plain) > self.most:
            raise BadOption(option, plain, f"it must be a list of at most {self.most} whole numbers")
        amount = Number(range(1, self.highest + 1))
        amounts = tuple(amount.read(option, item) for item in plain)
        if list(amounts) != sorted(amounts, reverse=True):
            raise BadOption(option, plain, "a later place cannot win more than an earlier one")
        return amounts

    def write(self, value: tuple[int, ...]) -> list[int]:
        return list(value)

    def to_bits(self, value: tuple[int, ...]) -> int:
        return sum(amount << index * self.highest.bit_length() for index, amount in enumerate(value))

    def from_bits(self, option: str, number: int) -> tuple[int, ...]:
        width = self.highest.bit_length()
        amounts = [number >> index * width & (1 << width) - 1 for index in range(self.most)]
        while amounts and not amounts[-1]:
            amounts.pop()
        return self.read(option, amounts)


@dataclass(frozen=True, slots=True)
class Option:
    """One thing a table can choose."""

    name: str
    question: str
    default: Any
    domain: Domain


def option(default: T, question: str, domain: Domain | None = None) -> T:
    """A dataclass field that is an option; words and yes-or-no know their own domain."""
    return field(default=default, metadata={"question": question, "domain": domain or _domain_of(default)})


def options_of(rule_set: Any) -> dict[str, Option]:
    """The options declared by a dataclass, by name, in the order of declaration."""
    return {declared.name: _option(declared) for declared in fields(rule_set)}


def _domain_of(default: object) -> Domain:
    return OneOf(type(default)) if isinstance(default, Choice) else YesNo()


def _option(declared: Field[Any]) -> Option:
    return Option(declared.name, declared.metadata["question"], declared.default, declared.metadata["domain"])


def _either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
