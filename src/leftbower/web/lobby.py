"""A table before a match, and after one: who sits where, by which rules, and what the viewer can do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.engine import MatchOver
from leftbower.rules.card import highlights
from leftbower.rules.diff import diff
from leftbower.rules.forms import to_link
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import basis
from leftbower.table import ALLOWANCES, Agreement, Bot, Clock, Person, Table, place_of
from leftbower.web.finished import Dealt, last_deal
from leftbower.web.match_results import MatchResult, match_results
from leftbower.web.naming import Called, places_round
from leftbower.web.words import rules_title, together

_EARLIER_SHOWN: Final = 5
"""Earlier matches in the lobby; the page of all hands lists the others."""
_CHANGES_SHOWN: Final = 6
"""Rule changes in the lobby; another sheet makes dozens of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chair:
    """One seat, taken or free."""

    seat: str
    where: str
    name: str
    person: str
    level: str
    agreed: bool
    is_you: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """What stands beside the seats."""

    title: str
    sheet: str
    address: str
    chairs: tuple[Chair, ...]
    link: str
    """The rules, as a link."""
    differences: tuple[str, ...]
    """Where these rules leave their sheet."""
    highlights: tuple[str, ...]
    """Where the sheet leaves what is usual."""
    event: str
    """The page on which somebody who plays here in an event has the next match; empty at other tables."""
    is_host: bool
    sits: bool
    may_agree: bool
    agree: str
    """The word by which the viewer agrees: the first time, or once more."""
    says: str
    won: str
    """Who won the match that is over."""
    dealt: tuple[Dealt, ...]
    """All hands of its last deal; in an event they are shown when the round is over."""
    changes: tuple[str, ...]
    """What the host has changed since the viewer agreed, or since the match that the viewer played."""
    rules_changed: bool
    """Is more changed than the clock?"""
    agreement: str
    """What that means for the viewer's agreement."""
    earlier: tuple[MatchResult, ...]
    """The latest of the matches before that one, if the viewer played them."""
    has_more: bool
    """Are there more of them than these?"""


def lobby(table: Table, person: str | None, names: Mapping[str, str], address: str) -> Lobby:
    """The lobby through the eyes of a person."""
    over = isinstance(table.match, MatchOver)
    said = table.again if over else table.agreed
    sits = person is not None and table.seat_of(person) is not None
    agreed = _agreed_to(table, person)
    changes = _changes(table, agreed)
    earlier = match_results(table, person, names, without=table.match_number if over else 0)
    return Lobby(
        title=table.title or "A table of euchre",
        sheet=rules_title(table.rules),
        address=address,
        chairs=tuple(_chair(table, seat, person, names, said) for seat in table.rules.places),
        link=to_link(table.rules),
        differences=_differences(table.rules),
        highlights=highlights(table.rules),
        event=f"/e/{table.event.partition('/')[0]}/me" if table.event else "",
        is_host=person is not None and table.host == person,
        sits=sits,
        may_agree=sits and person not in said and not table.event,
        agree="again" if over else "agree",
        says=_says(table, sits=sits, over=over),
        won=_won(table, person, names),
        dealt=() if table.event else last_deal(table, person, names),
        changes=changes,
        rules_changed=agreed is not None and agreed.rules != table.rules,
        agreement=_agreement(table, person, said) if changes else "",
        earlier=earlier[:_EARLIER_SHOWN],
        has_more=len(earlier) > _EARLIER_SHOWN,
    )


def _chair(table: Table, seat: Seat, person: str | None, names: Mapping[str, str], said: frozenset[str]) -> Chair:
    sitter = table.seats.get(seat)
    who = sitter.id if isinstance(sitter, Person) else ""
    bot = sitter.level if isinstance(sitter, Bot) else ""
    return Chair(
        seat=str(seat),
        where=seat.full_name,
        name=names.get(who, "") or ("Bot" if bot else "Somebody" if who else ""),
        person=who,
        level=bot,
        agreed=bool(who) and who in said,
        is_you=bool(who) and who == person,
    )


def _differences(rules: HouseRules) -> tuple[str, ...]:
    base = basis(rules)
    return tuple(one.our_words for one in diff(rules, base.rules)) if base else ()


def _changes(table: Table, agreed: Agreement | None) -> tuple[str, ...]:
    if agreed is None:
        return ()
    changed = [difference.our_words for difference in diff(table.rules, agreed.rules)]
    more = [f"And {len(changed) - _CHANGES_SHOWN} more."] if len(changed) > _CHANGES_SHOWN else []
    clock = [_clock(table.clock)] if table.clock is not agreed.clock else []
    return (*clock, *changed[:_CHANGES_SHOWN], *more)


def _agreed_to(table: Table, person: str | None) -> Agreement | None:
    """What the viewer agreed to last, or played by last; None for the host, who makes the changes."""
    if person is None or person == table.host:
        return None
    if isinstance(table.match, MatchOver) and person in table.played:
        return table.agreements.get(person, Agreement(table.match.rules, table.clock))
    return table.agreements.get(person)


def _agreement(table: Table, person: str | None, said: frozenset[str]) -> str:
    if person in said:
        return "You are still ready. If you do not want to play by these rules, leave the table."
    return "You have to agree again before the match begins." if person in table.agreements else ""


def _clock(clock: Clock) -> str:
    allowed = ALLOWANCES.get(clock)
    if allowed is None:
        return "No clock runs."
    return f"The clock is {clock}: {allowed.each:g} seconds for each decision, and {allowed.bank:g} more in the match."


def _says(table: Table, *, sits: bool, over: bool) -> str:
    if over:
        return "The match is over."
    if table.event:
        return "Nobody came in time." if table.closed else "The match begins when everybody is here."
    if not sits:
        return "Every seat is taken; you can watch." if table.full else "Choose a seat."
    return "Everybody sits; say when you are ready." if table.full else "Some seats are free."


def _won(table: Table, person: str | None, names: Mapping[str, str]) -> str:
    """Who won, by the names of those who sat there when it ended."""
    match = table.match
    if not isinstance(match, MatchOver):
        return ""
    if match.winner is None:
        return "A tie."
    seat = place_of(table, person)
    called = Called(table.sat, names, seat, places_round(match.rules, seat))
    who = together(match.winner, called)
    return f"{who} win!" if " and " in who or who == "You" else f"{who} wins!"
