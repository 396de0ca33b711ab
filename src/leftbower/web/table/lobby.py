"""View model of a table between matches: seats, rules, changes, results and the viewer's options."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.engine.match import MatchOver
from leftbower.i18n import N_, gettext as _, ngettext
from leftbower.rules.card import highlights
from leftbower.rules.diff import diff
from leftbower.rules.formats import to_link
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import base_preset
from leftbower.server.live.tables import join_code, listed_people
from leftbower.table import (
    TIME_ALLOWANCES,
    Agreement,
    SeatedBot,
    SeatedPerson,
    Table,
    TimeControl,
    seat_names,
)
from leftbower.web.table.endings.hand_end import SIDES
from leftbower.web.table.endings.match_end import MatchEnd, match_end
from leftbower.web.table.match_results import MatchResult, match_results
from leftbower.web.table.seat_names import own_name, seat_positions
from leftbower.web.table.text import bot_text, rules_title

_MAX_EARLIER_MATCHES: Final = 5
"""Earlier matches shown in the lobby; the page of all hands lists the rest."""
_MAX_RULE_CHANGES: Final = 6
"""Rule changes shown in the lobby; another sheet can change dozens."""
_DIRECTIONS: Final = {Seat.N: N_("North"), Seat.E: N_("East"), Seat.S: N_("South"), Seat.W: N_("West")}
BOT_LEVELS: Final = {"novice": N_("Novice"), "regular": N_("Regular"), "expert": N_("Expert")}
_PLACES: Final = {"bottom": "s", "left": "w", "top": "n", "right": "e"}
_CLOCKS: Final = {
    TimeControl.OFF: N_("No clock."),
    TimeControl.RELAXED: N_("Relaxed clock: %(seconds)g seconds per move, plus %(bank)g for the match."),
    TimeControl.QUICK: N_("Quick clock: %(seconds)g seconds per move, plus %(bank)g for the match."),
}

TEMPERS: Final = {"cautious": N_("cautious"), "even": N_("even"), "bold": N_("bold")}
CLOCKS: Final = {TimeControl.OFF: N_("none"), TimeControl.RELAXED: N_("relaxed"), TimeControl.QUICK: N_("quick")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbySeat:
    seat: str
    direction: str
    place: str
    """Where it is on the page, as a compass letter: the viewer sits south."""
    side: str
    """The CSS class of its side's color."""
    name: str
    person: str
    level: str
    bot_level: str
    """The bot's level as in commands; empty for a person."""
    has_agreed: bool
    is_you: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyViewModel:
    title: str
    sheet: str
    address: str
    code: str
    """A short code to say aloud: `KX4 7PN`."""
    seats: tuple[LobbySeat, ...]
    rules_link: str
    differences: tuple[str, ...]
    """How these rules differ from their sheet."""
    highlights: tuple[str, ...]
    """How the sheet differs from the usual rules."""
    event_url: str
    """The player's page of the event; empty at other tables."""
    is_host: bool
    is_seated: bool
    own_name: str
    """The name under which the viewer would sit down; empty if they have given none."""
    may_agree: bool
    agree_command: str
    """The command by which the viewer agrees: `agree` or `rematch`."""
    start_label: str
    """What the button to start will do."""
    free_seats: int
    may_fill: bool
    """May the viewer start with bots in the free seats?"""
    swap: tuple[LobbySeat, ...]
    """Two seats that the host may swap for other partners."""
    levels: Mapping[str, str]
    message: str
    over: MatchEnd | None
    """The match that is over."""
    changes: tuple[str, ...]
    """What the host has changed since the viewer agreed or played."""
    rules_changed: bool
    """Did the rules change, and not just the clock?"""
    agreement_text: str
    """Whether the viewer has to agree again."""
    earlier: tuple[MatchResult, ...]
    """The latest earlier matches that the viewer played."""
    has_more_matches: bool
    """Are there more than those in `earlier`?"""


def lobby_view_model(table: Table, person: str | None, names: Mapping[str, str], address: str) -> LobbyViewModel:
    is_over = isinstance(table.match, MatchOver)
    is_host = person is not None and table.host == person
    seats = _lobby_seats(table, person, names)
    ready = table.rematch if is_over else table.agreed
    is_seated = person is not None and table.seat_of(person) is not None
    agreement, code = _last_agreement(table, person), join_code(address.rpartition("/")[2])
    free_seats = sum(not seat.name for seat in seats)
    changes = _changes(table, agreement)
    earlier = match_results(table, person, names, exclude=table.match_number if is_over else 0)
    return LobbyViewModel(
        title=table.title or _("Euchre table"),
        sheet=rules_title(table.rules),
        address=address,
        code=f"{code[:3]} {code[3:]}",
        seats=seats,
        rules_link=to_link(table.rules),
        differences=_differences(table.rules),
        highlights=highlights(table.rules),
        event_url=f"/e/{table.event.partition('/')[0]}/me" if table.event else "",
        is_host=is_host,
        is_seated=is_seated,
        own_name=own_name(names, person),
        may_agree=is_seated and person not in ready and not table.event,
        agree_command="rematch" if is_over else "agree",
        start_label=_start_label(table, person, ready),
        free_seats=free_seats,
        may_fill=is_host and is_seated and bool(free_seats) and not table.event,
        swap=tuple(seat for seat in seats if seat.place in "nw" and seat.name) if is_host and len(seats) == 4 else (),
        levels=BOT_LEVELS,
        message=_lobby_message(table, person, is_seated=is_seated, is_over=is_over),
        over=match_end(table, person, names),
        changes=changes,
        rules_changed=agreement is not None and agreement.rules != table.rules,
        agreement_text=_agreement_text(table, person, ready) if changes else "",
        earlier=earlier[:_MAX_EARLIER_MATCHES],
        has_more_matches=len(earlier) > _MAX_EARLIER_MATCHES,
    )


def _lobby_seats(table: Table, person: str | None, names: Mapping[str, str]) -> tuple[LobbySeat, ...]:
    own = table.seat_of(person) if person is not None else None
    ready = table.rematch if isinstance(table.match, MatchOver) else table.agreed
    by_seat, positions = seat_names(table.seats, names), seat_positions(table.rules, own)
    sides = sorted(table.rules.sides, key=lambda side: next(iter(positions)) not in side)
    css_classes = {seat: css_class for css_class, side in zip(SIDES, sides, strict=False) for seat in side}
    return tuple(
        _lobby_seat(table, seat, person, by_seat.get(seat, ""), ready, place=_PLACES[position], side=css_classes[seat])
        for seat, position in sorted(positions.items(), key=lambda item: table.rules.seats.index(item[0]))
    )


def _lobby_seat(
    table: Table, seat: Seat, person: str | None, name: str, ready: frozenset[str], *, place: str, side: str
) -> LobbySeat:
    occupant = table.seats.get(seat)
    occupant_id = occupant.id if isinstance(occupant, SeatedPerson) else ""
    bot_level = occupant.level if isinstance(occupant, SeatedBot) else ""
    return LobbySeat(
        seat=str(seat),
        direction=_(_DIRECTIONS[seat]),
        place=place,
        side=side,
        name=name,
        person=occupant_id,
        level=bot_text(bot_level) if bot_level else "",
        bot_level=bot_level,
        has_agreed=bool(occupant_id) and occupant_id in ready,
        is_you=bool(occupant_id) and occupant_id == person,
    )


def _start_label(table: Table, person: str | None, ready: frozenset[str]) -> str:
    if isinstance(table.match, MatchOver):
        return _("Play again")
    return _("Ready: start the game") if table.full and table.people - ready <= {person} else _("Ready")


def _differences(rules: HouseRules) -> tuple[str, ...]:
    base = base_preset(rules)
    return tuple(difference.our_words for difference in diff(rules, base.rules)) if base else ()


def _changes(table: Table, agreement: Agreement | None) -> tuple[str, ...]:
    if agreement is None:
        return ()
    changed = [difference.our_words for difference in diff(table.rules, agreement.rules)]
    hidden = max(0, len(changed) - _MAX_RULE_CHANGES)
    more = [ngettext("And %(num)d more.", "And %(num)d more.", hidden)] if hidden else []
    clock = [_clock_text(table.clock)] if table.clock is not agreement.clock else []
    return (*clock, *changed[:_MAX_RULE_CHANGES], *more)


def _last_agreement(table: Table, person: str | None) -> Agreement | None:
    """The rules and clock that the viewer last agreed to or played by; None for the host, who makes the changes."""
    if person is None or person == table.host:
        return None
    if isinstance(table.match, MatchOver) and person in table.last_players:
        return table.agreements.get(person, Agreement(table.match.rules, table.clock))
    return table.agreements.get(person)


def _agreement_text(table: Table, person: str | None, ready: frozenset[str]) -> str:
    if person in ready:
        return _("You’re still ready. Don’t like the change? Leave the table.")
    return _("Check the change, then get ready again.") if person in table.agreements else ""


def _clock_text(clock: TimeControl) -> str:
    allowed = TIME_ALLOWANCES.get(clock)
    if allowed is None:
        return _(_CLOCKS[clock])
    return _(_CLOCKS[clock], seconds=allowed.per_decision, bank=allowed.bank)


def _lobby_message(table: Table, person: str | None, *, is_seated: bool, is_over: bool) -> str:
    if is_over:
        return _("The match is over.")
    if table.event:
        return _forfeit_text(table, person) if table.closed else _("The match starts when everyone is here.")
    if not is_seated:
        return _("All seats are taken. You can watch.") if table.full else _("Pick a seat.")
    return _("All seats are taken. Press Ready.") if table.full else _("Some seats are still open.")


def _forfeit_text(table: Table, person: str | None) -> str:
    """Of a match that was never begun: who came had agreed to it."""
    if not table.agreed:
        return _("No one came in time.")
    own = table.seat_of(person) if person is not None else None
    mates = [table.seats.get(seat) for seat in (table.rules.side_of(own) if own else ())]
    came = any(isinstance(mate, SeatedPerson) and mate.id in table.agreed for mate in mates)
    return _("You won: they didn't show up.") if came else _("One side didn't show up in time.")


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
