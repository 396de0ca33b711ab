"""`leftbower tournament standings | audit`: rank the entrants, and measure how fair the draw is."""

from dataclasses import asdict
from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.cli.tournament.options import EventFile, Json, Upto
from leftbower.cli.tournament.pairing import print_seating_options
from leftbower.errors import BadUsage
from leftbower.i18n import signed
from leftbower.tournament.formats.odd_numbers import seating_options
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.audit import audit_event, audit_to_json, describe_audit
from leftbower.tournament.scoring.standings import pool_standings, standings as rank, tie_reasons
from leftbower.tournament.text.display import (
    describe_extra_leaders,
    format_fraction,
    school_standings,
    standing_to_json,
)
from leftbower.tournament.text.duration import estimate_duration


def standings(
    files: Annotated[list[str], typer.Argument(help="The event file; several files are added up.", metavar="files")],
    teams: Annotated[bool, typer.Option("--teams", help="Rank teams instead of schools.")] = False,
    upto: Upto = 0,
    json: Json = False,
) -> None:
    """Rank all entrants, with the tie-break that decided each place."""
    events = [open_ledger(file, upto).event for file in files]
    if len(events) > 1:
        _pooled(events, as_json=json)
    elif events[0].plan.stage.definition.by_school and not teams:
        _schools(events[0], as_json=json)
    else:
        _ranked(events[0], as_json=json)


def _ranked(event: Event, *, as_json: bool) -> None:
    lines = rank(event)
    if as_json:
        print_json([standing_to_json(event, line) for line in lines])
        return
    width = max([len(event.entrants[line.entrant].name) for line in lines] + [4])
    print(f"{'':>3}  {'name':<{width}}  {'won':>5} {'games':>5} {'points':>6} {'diff':>5} {'loners':>6}  decided by")
    for line in lines:
        own, name = line.tally, event.entrants[line.entrant].name
        matches, difference = format_fraction(own.matches), signed(own.difference, 0)
        numbers = f"{matches:>5} {own.games:>5} {own.points:>6} {difference:>5} {own.loners:>6}"
        print(f"{line.place:>3}  {name:<{width}}  {numbers}  {line.decided_by}")
    for reason in (*tie_reasons(event, lines), *describe_extra_leaders(event)):
        print(f"  {reason}.")


def _schools(event: Event, *, as_json: bool) -> None:
    table = school_standings(event)
    totals = [points.total for points in table]
    lines = [
        {
            "place": totals.index(points.total) + 1,
            "entrant": points.school,
            "decided_by": "level" if totals.count(points.total) > 1 else "event-points",
            "points": str(points.total),
            "won": str(points.won),
            "participation": str(points.participation),
            "matches": str(points.matches),
        }
        for points in table
    ]
    if as_json:
        print_json(lines)
        return
    for line, points in zip(lines, table, strict=True):
        parts = f"{format_fraction(points.won)} from match-ups, {format_fraction(points.participation)} for taking part"
        print(f"{line['place']:>3}  {points.school}  {format_fraction(points.total)} points: {parts}")


def _pooled(events: list[Event], *, as_json: bool) -> None:
    lines = pool_standings(events)
    if as_json:
        print_json(
            [
                {
                    "place": line.place,
                    "entrant": name,
                    "decided_by": line.decided_by,
                    "because": line.because,
                    "matches": str(line.tally.matches),
                    "games": line.tally.games,
                    "points": line.tally.points,
                    "loners": line.tally.loners,
                }
                for name, line in lines
            ]
        )
        return
    width = max(len(name) for name, _ in lines)
    for name, line in lines:
        numbers = f"{format_fraction(line.tally.matches):>5} won {line.tally.points:>6} points"
        print(f"{line.place:>3}  {name:<{width}}  {numbers}  {line.decided_by}")


def audit(
    file: EventFile,
    start: Annotated[str, typer.Option(help="When play starts or resumes, like 19:00.", show_default=False)] = "",
    upto: Upto = 0,
    json: Json = False,
) -> None:
    """Show how fair the draw is, and when the event will end.

    Counts how often each two players were partners or opponents, who sat at which table and who sat out. Lists the
    options if the number of players doesn't fit, and estimates the time left.
    """
    event = open_ledger(file, upto).event
    report = audit_event(event)
    estimate = estimate_duration(event) if len(event.drawable_entrants()) >= 4 or event.rounds else None
    if json:
        more = {"seconds_left": estimate.seconds if estimate else None}
        options = [asdict(option) for option in seating_options(event)]
        print_json(audit_to_json(report, event.names) | more | {"seating_options": options})
        return
    for sentence in describe_audit(report, event.names):
        print(sentence)
    print_seating_options(event)
    if estimate:
        print(_ends(estimate.rounds, estimate.seconds, start))


def _ends(rounds: int, seconds: int, start: str) -> str:
    """The time left, and with `start` the time of the end."""
    minutes = round(seconds / 60 / 5) * 5
    duration = f"{rounds} round{'s' * (rounds != 1)} to play, about {minutes // 60} h {minutes % 60:02d} min"
    if not start:
        return duration + "."
    hour, _, minute = start.partition(":")
    if not (hour.isdigit() and minute.isdigit() and int(hour) < 24 and int(minute) < 60):
        raise BadUsage("write the time as 19:00", path="start")
    end = (int(hour) * 60 + int(minute) + minutes) % (24 * 60)
    return f"{duration}; ends at about {end // 60}:{end % 60:02d}."
