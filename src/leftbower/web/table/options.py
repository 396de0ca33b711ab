"""The options of a table on its page: bots, clock, hints, watching and chat for the host, muting for everyone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import N_, gettext as _
from leftbower.server.live.tables import listed_people
from leftbower.table import SeatedBot, Table, TimeControl, seat_names

LEVELS: Final = {"novice": N_("Novice"), "regular": N_("Regular"), "expert": N_("Expert")}
TEMPERS: Final = {"cautious": N_("cautious"), "even": N_("even"), "bold": N_("bold")}
CLOCKS: Final = {TimeControl.OFF: N_("none"), TimeControl.RELAXED: N_("relaxed"), TimeControl.QUICK: N_("quick")}
_LEVEL_TEXTS: Final = {"novice": N_("novice bot"), "regular": N_("regular bot"), "expert": N_("expert bot")}
_TEMPER_TEXTS: Final = {
    "bold": {"novice": N_("bold novice bot"), "regular": N_("bold regular bot"), "expert": N_("bold expert bot")},
    "cautious": {
        "novice": N_("cautious novice bot"),
        "regular": N_("cautious regular bot"),
        "expert": N_("cautious expert bot"),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BotOption:
    seat: str
    name: str
    level: str
    temper: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MuteOption:
    person: str
    name: str
    is_muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    is_host: bool
    is_open: bool
    """May bots and clock be changed? Not during a match."""
    bots: tuple[BotOption, ...]
    clock: TimeControl
    hints: bool
    watching: bool
    typed_chat: bool
    people: tuple[MuteOption, ...]
    """The others at the table, whom the viewer can mute."""


def table_options(table: Table, person: str | None, names: Mapping[str, str]) -> TableOptions:
    """The options that a viewer sees."""
    by_seat = seat_names(table.seats, names)
    muted = {whom for muting, whom in table.muted if muting == person}
    others = sorted(listed_people(table) - {person or ""})
    return TableOptions(
        is_host=person is not None and person == table.host,
        is_open=table.gathering,
        bots=tuple(
            BotOption(seat=str(seat), name=by_seat[seat], level=level, temper=temper or "even")
            for seat, occupant in sorted(table.seats.items(), key=lambda item: item[0].index)
            if isinstance(occupant, SeatedBot)
            for level, _plus, temper in [occupant.level.partition("+")]
        ),
        clock=table.clock,
        hints=table.hints_allowed,
        watching=table.watching_allowed,
        typed_chat=table.free_chat,
        people=tuple(
            MuteOption(person=other, name=names.get(other) or _("Someone"), is_muted=other in muted)
            for other in others
            if person
        ),
    )


def bot_text(spec: str) -> str:
    """`bold expert bot` for `expert+bold`."""
    level, _plus, temper = spec.partition("+")
    texts = _TEMPER_TEXTS.get(temper, _LEVEL_TEXTS)
    return _(texts.get(level, spec))
