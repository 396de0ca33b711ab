"""`leftbower tournament standings | audit`: who stands where and why, and whether the draw was fair."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.output import print_json
from leftbower.cli.tournament_options import EventFile, Json
from leftbower.errors import BadUsage

if TYPE_CHECKING:
    from leftbower.tournament import Event

Upto = Annotated[
    int, typer.Option("--upto", help="As it was after so many lines of the ledger.", show_default=False, min=0)
]


def standings(
    files: Annotated[list[str], typer.Argument(help="The event; several evenings are added up.", metavar="files")],
    teams: Annotated[bool, typer.Option("--teams", help="Teams, even where schools compete.")] = False,
    upto: Upto = 0,
    json: Json = False,
) -> None:
    """Rank everybody, and say what decided each place."""
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import Format

    events = [open_ledger(file, upto).event for file in files]
    if len(events) > 1:
        _pooled(events, as_json=json)
    elif events[0].plan.stage.format is Format.SCHOOLS and not teams:
        _schools(events[0], as_json=json)
    else:
        _ranked(events[0], as_json=json)


def _ranked(event: "Event", *, as_json: bool) -> None:
    from leftbower.tournament import circles, counters, fraction, standing_as_json
    from leftbower.tournament import standings as rank

    lines = rank(event)
    if as_json:
        print_json([standing_as_json(event, one) for one in lines])
        return
    width = max([len(event.entrants[one.entrant].name) for one in lines] + [4])
    print(f"{'':>3}  {'name':<{width}}  {'won':>5} {'games':>5} {'points':>6} {'diff':>5} {'loners':>6}  decided by")
    for one in lines:
        own, name = one.tally, event.entrants[one.entrant].name
        numbers = f"{fraction(own.matches):>5} {own.games:>5} {own.points:>6} {own.difference:>+5} {own.loners:>6}"
        print(f"{one.place:>3}  {name:<{width}}  {numbers}  {one.decided_by}")
    reasons = dict.fromkeys(one.because for one in lines if one.because and one.decided_by not in ("matches", "points"))
    for reason in (*reasons, *circles(event), *counters(event)):
        print(f"  {reason}.")


def _schools(event: "Event", *, as_json: bool) -> None:
    from leftbower.tournament import fraction, schools

    table = schools(event)
    totals = [one.total for one in table]
    lines = [
        {
            "place": totals.index(one.total) + 1,
            "entrant": one.school,
            "decided_by": "level" if totals.count(one.total) > 1 else "event-points",
            "points": str(one.total),
            "won": str(one.won),
            "participation": str(one.participation),
            "matches": str(one.matches),
        }
        for one in table
    ]
    if as_json:
        print_json(lines)
        return
    for line, one in zip(lines, table, strict=True):
        parts = f"{fraction(one.won)} from match-ups, {fraction(one.participation)} for taking part"
        print(f"{line['place']:>3}  {one.school}  {fraction(one.total)} points: {parts}")


def _pooled(events: "list[Event]", *, as_json: bool) -> None:
    from leftbower.tournament import fraction, pooled

    lines = pooled(events)
    if as_json:
        print_json(
            [
                {
                    "place": one.place,
                    "entrant": name,
                    "decided_by": one.decided_by,
                    "because": one.because,
                    "matches": str(one.tally.matches),
                    "games": one.tally.games,
                    "points": one.tally.points,
                    "loners": one.tally.loners,
                }
                for name, one in lines
            ]
        )
        return
    width = max(len(name) for name, _ in lines)
    for name, one in lines:
        numbers = f"{fraction(one.tally.matches):>5} won {one.tally.points:>6} points"
        print(f"{one.place:>3}  {name:<{width}}  {numbers}  {one.decided_by}")


def audit(
    file: EventFile,
    start: Annotated[str, typer.Option(help="When it begins or goes on, as 19:00.", show_default=False)] = "",
    upto: Upto = 0,
    json: Json = False,
) -> None:
    """Say how fair the draw is, and when the evening ends.

    Counts how often everybody partnered and opposed everybody, sat at each table and sat out; says what can be done
    where numbers do not fit, and how long it will take.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import audit as audited
    from leftbower.tournament import estimate, offers
    from leftbower.tournament.audit import as_json, as_words

    event = open_ledger(file, upto).event
    drawn = {who for one in event.rounds for seating in one.tables for who in seating.entrants}
    drawn |= {who for one in event.rounds for who in one.byes}
    found = audited(event.rounds, [one for one in event.entrants if one in drawn], singles=event.plan.stage.singles)
    names = {who: one.name for who, one in event.entrants.items()}
    left = estimate(event) if len(event.field()) >= 4 or event.rounds else None
    if json:
        more = {"seconds_left": left.seconds if left else None}
        fits = [{"what": one.what, "how_many": one.how_many, "cost": one.cost} for one in offers(event)]
        print_json(as_json(found, names) | more | {"offers": fits})
        return
    for sentence in as_words(found, names):
        print(sentence)
    for one in offers(event):
        print(f"Numbers do not fit; {one.what}: {one.cost}.")
    if left:
        print(_ends(left.rounds, left.seconds, start))


def _ends(rounds: int, seconds: int, start: str) -> str:
    """How long it takes, and until when."""
    minutes = round(seconds / 60 / 5) * 5
    told = f"{rounds} round{'s' * (rounds != 1)} to play, about {minutes // 60} h {minutes % 60:02d} min"
    if not start:
        return told + "."
    hour, _, minute = start.partition(":")
    if not (hour.isdigit() and minute.isdigit() and int(hour) < 24 and int(minute) < 60):
        raise BadUsage("write the time as 19:00", place="start")
    end = (int(hour) * 60 + int(minute) + minutes) % (24 * 60)
    return f"{told}: it ends at about {end // 60}:{end % 60:02d}."
