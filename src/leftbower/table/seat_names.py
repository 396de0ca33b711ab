"""Names at a table: the same for every viewer, and no two that look alike."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import ascii_uppercase
from typing import Final
from unicodedata import combining, normalize

from leftbower.i18n import gettext as _
from leftbower.rules.seats import Seat
from leftbower.table.state import Occupant, SeatedBot, SeatedPerson, Seats

BOT_NAMES: Final[Mapping[Seat, tuple[str, ...]]] = {
    Seat.N: ("Nora", "Nell", "Nate", "Nina"),
    Seat.E: ("Ellis", "Edie", "Earl", "Etta"),
    Seat.S: ("Sam", "Stella", "Silas", "Sadie"),
    Seat.W: ("Wade", "Willa", "Walt", "Wanda"),
}
"""The names of a bot by its seat: the first one that no person at the table has."""
_LOOKALIKES: Final = str.maketrans("авекмнорстухіјѕѵαβεικνορτυχ0l1|", "abekmhopctyxijsvabeikvoptyxoiii")
"""Letters and digits that look like Latin letters, after case folding; an l looks like a capital i."""


def seat_names(seats: Seats, names: Mapping[str, str]) -> dict[Seat, str]:
    """The name of every taken seat, by the names of people; a bot's name differs from all people's."""
    named = {
        seat: names.get(occupant.id) or _("Someone")
        for seat, occupant in seats.items()
        if isinstance(occupant, SeatedPerson)
    }
    taken = frozenset(map(name_key, named.values()))
    bots = {seat: _bot_name(seat, seats[seat], taken) for seat in seats if seat not in named}
    return named | bots


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name if it looks like none of the others, or with the first letter after it that makes it differ."""
    keys = frozenset(map(name_key, taken))
    wanted = (name, *(f"{name} {letter}." for letter in ascii_uppercase[1:]))
    return next((variant for variant in wanted if name_key(variant) not in keys), name)


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """What is left of a name for a quick look: without case, accents, spaces, marks and foreign twins of letters."""
    plain = "".join(letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    key = "".join(letter for letter in plain.translate(_LOOKALIKES) if letter.isalnum())
    return key or name


def _bot_name(seat: Seat, bot: Occupant, taken: frozenset[str]) -> str:
    if isinstance(bot, SeatedBot) and bot.stands_for:
        return _("Bot for %(name)s", name=bot.stands_for)
    return next(name for name in BOT_NAMES[seat] if name_key(name) not in taken)
