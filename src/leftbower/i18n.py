"""Translatable texts: gettext, with English as the source language.

A text is a whole sentence or label with `%(name)s` for its values, so that a translator sees all of it and can order
it freely. `make messages` gathers the texts of each area of the program in a catalog template, `locale/AREA.pot`. The
process has one language: per-viewer languages would need a context variable, and the language in the keys of caches.
"""

import tomllib
from gettext import NullTranslations
from importlib.resources import files
from typing import Any, Final, Protocol, TypeVar


class _Cached(Protocol):
    def cache_clear(self) -> None: ...


C = TypeVar("C", bound=_Cached)

_active: Final = [NullTranslations()]
_caches_of_texts: Final[list[_Cached]] = []


def install(translations: NullTranslations) -> NullTranslations:
    """Use these translations from now on, and clear the caches of texts; return the previous ones."""
    previous, _active[0] = _active[0], translations
    for cached in _caches_of_texts:
        cached.cache_clear()
    return previous


def holds_texts(function: C) -> C:
    """Decorate a cached function whose results hold texts, so that `install` clears its cache."""
    _caches_of_texts.append(function)
    return function


def gettext(message: str, /, **values: object) -> str:
    """The text in the reader's language; a text with values is a `%` pattern."""
    text = _active[0].gettext(message)
    return text % values if values else text


def ngettext(singular: str, plural: str, num: int, /, **values: object) -> str:
    """The text for a number, which it can show as `%(num)d`."""
    return _active[0].ngettext(singular, plural, num) % {"num": num, **values}


def pgettext(context: str, message: str, /, **values: object) -> str:
    """A text that needs its context to be translated, such as a single word."""
    text = _active[0].pgettext(context, message)
    return text % values if values else text


def gettext_noop(message: str) -> str:
    """Mark the text of a constant; `gettext` translates it where it is used."""
    return message


N_: Final = gettext_noop
"""The short name, as in other projects with gettext."""


def read_texts(package: str, name: str) -> dict[str, Any]:
    """The TOML file with texts of a package, which are translated where they are used."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def signed(number: float, digits: int = 2) -> str:
    """`+0.50`, `−0.50`: the minus is U+2212 wherever people read it."""
    text = f"{number:+.{digits}f}"
    return text.replace("-", "−") if float(text) else f"+{text[1:]}"
