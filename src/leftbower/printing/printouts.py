"""The printouts of an event, each made from the event as it stands."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from leftbower.errors import NothingToPair
from leftbower.printing.sheets import Card, Cards, Grid, Listing, Printout, ScoreSheet, Tent, Text
from leftbower.rules import rule_card
from leftbower.rules.card import Section
from leftbower.rules.house import HouseRules
from leftbower.tournament import (
    Entrant,
    Event,
    Format,
    Round,
    Seating,
    audit,
    circles,
    counters,
    fraction,
    payouts,
    schools,
    score_in_words,
    seats,
    standings,
)
from leftbower.tournament.audit import as_words

_COMPASS: Final = {"N": "North", "E": "East", "S": "South", "W": "West"}
LONG: Final = 26
"""A card with more rounds has a page of its own."""


def player_cards(event: Event) -> Printout:
    """A card for each entrant: round, table, seat, partner, opponents."""
    drawn = _drawn(event)
    cards = tuple(
        _card(event, one) for one in sorted(event.entrants.values(), key=lambda one: one.number) if not one.house
    )
    return _printout(event, "Player cards", Cards(cards=cards, long=len(drawn) > LONG))


def _card(event: Event, one: Entrant) -> Card:
    team = not event.plan.stage.singles
    head = (
        ("Round", "Table", "Seats", "Opponents", "Score")
        if team
        else ("Round", "Table", "Seat", "Partner", "Opponents")
    )
    rows = tuple(_line(event, drawn, one, team=team) for drawn in event.rounds)
    number = f"Number {one.number}" if one.number else ""
    below = " · ".join(filter(None, (event.plan.title, number, one.school)))
    return Card(
        heading=one.name,
        below=below,
        grid=Grid(head=head, rows=rows, numbers=(0, 1), widths=(0, 0, 0, 5, 2 if team else 6)),
    )


def _line(event: Event, drawn: Round, one: Entrant, *, team: bool) -> tuple[str, ...]:
    seating = drawn.table_of(one.id)
    if seating is None:
        return (str(drawn.number), "–", "bye" if one.id in drawn.byes else "–", "", "")
    side = seating.side_of(one.id)
    assert side is not None
    others = [who for other in range(len(seating.sides)) if other != side for who in seating.on(other)]
    opponents = " & ".join(event.entrants[who].name for who in others)
    if team:
        return (str(drawn.number), str(seating.table), "–".join(seating.labels[side]), opponents, "")
    seat = next(str(seat) for seat, who in seating.seats.items() if who == one.id)
    partner = next((event.entrants[who].name for who in seating.on(side) if who != one.id), "alone")
    return (str(drawn.number), str(seating.table), seat, partner, opponents)


def table_tents(event: Event) -> Printout:
    """A tent for each table."""
    most = max(seating.table for one in _drawn(event) for seating in one.tables)
    tents = (Tent(big=str(at), above="Table", below=event.plan.title) for at in range(1, most + 1))
    return _printout(event, "Table tents", *tents)


def score_sheets(event: Event) -> Printout:
    """A sheet for each table of the rounds that are not over."""
    sheets = (
        _score_sheet(event, one, seating)
        for one in _drawn(event)
        for seating in one.tables
        if event.settled(one.number, seating.table) is None
    )
    return _printout(event, "Score sheets", *sheets)


def _score_sheet(event: Event, one: Round, seating: Seating) -> ScoreSheet:
    sitting = seats(event, one.number, seating)
    rules = event.rules_of(seating)
    games = event.best_of(one.stage) if len(seating.seats) == 4 else 1
    sides = tuple((_side(label), " & ".join(dict.fromkeys(sitting[at] for at in label))) for label in seating.labels)
    return ScoreSheet(
        heading=f"Round {one.number} · Table {seating.table}",
        sides=sides,
        games=games,
        target=_target(rules, games),
        note=event.plan.title,
    )


def _side(label: str) -> str:
    return " & ".join(_COMPASS[seat] for seat in label)


def _target(rules: HouseRules, best_of: int) -> str:
    game = f"{rules.fixed_hands} hands" if rules.fixed_hands else f"to {rules.target} points"
    return game.capitalize() if best_of == 1 else f"Best of {best_of} games, {game}"


def master_chart(event: Event) -> Printout:
    """Every round with every table, and the scores that are there."""
    return _printout(event, "Master chart", *(_round(event, one) for one in _drawn(event)))


def _round(event: Event, one: Round) -> Grid:
    rows = tuple(_seated(event, one, seating) for seating in one.tables)
    byes = ", ".join(event.entrants[who].name for who in one.byes)
    heading = f"Round {one.number}" + (f" · sitting out: {byes}" if byes else "")
    head = ("Table", "North & South", "East & West", "Score")
    return Grid(heading=heading, head=head, rows=rows, numbers=(0,), widths=(0, 4, 4, 2))


def _seated(event: Event, one: Round, seating: Seating) -> tuple[str, ...]:
    sitting = seats(event, one.number, seating)
    score = event.settled(one.number, seating.table)
    sides = [" & ".join(dict.fromkeys(sitting[at] for at in label)) for label in seating.labels]
    if len(sides) == 3:
        sides = [f"{sides[0]} v. {sides[2]}", f"{sides[1]} (three-handed)"]
    return (str(seating.table), *sides, score_in_words(event, seating, score) if score is not None else "")


def rules_card(event: Event) -> Printout:
    """The rules of the event, complete enough to hand to strangers."""
    card = rule_card(event.rules)
    listings = (_section(one) for one in card.sections)
    return Printout(title=card.title, below=card.about, blocks=(*listings, Text(words=f"Rules {card.fingerprint}")))


def _section(one: Section) -> Listing:
    said = tuple(" ".join((line.text, *(f"[{note}]" for note in line.notes))) for line in one.lines)
    return Listing(heading=one.heading, items=said + tuple(f"{line.text} (not on the sheet)" for line in one.silent))


def standings_sheet(event: Event) -> Printout:
    """Everybody in order, and what decided the places."""
    lines = standings(event)
    head = ("", "Name", "Won", "Games", "Points", "+/–", "Loners", "Decided by")
    rows = tuple(
        (
            str(one.place),
            event.entrants[one.entrant].name,
            fraction(one.tally.matches),
            str(one.tally.games),
            str(one.tally.points),
            f"{one.tally.difference:+d}",
            str(one.tally.loners),
            one.decided_by,
        )
        for one in lines
    )
    grid = Grid(head=head, rows=rows, together=False, numbers=(0, 2, 3, 4, 5, 6), widths=(0, 1, 0, 0, 0, 0, 0, 0))
    told = dict.fromkeys(one.because for one in lines if one.because and one.decided_by not in ("matches", "points"))
    reasons = tuple(f"{reason}." for reason in (*told, *circles(event)))
    ties = (Listing(heading="How ties were broken", items=reasons),) if reasons else ()
    counted = tuple(f"{one}." for one in counters(event))
    best = (Listing(heading="Also counted", items=counted),) if counted else ()
    return _printout(event, "Standings", *_schools(event), grid, *best, *ties)


def _schools(event: Event) -> Iterator[Grid]:
    if event.plan.stage.format is Format.SCHOOLS:
        rows = tuple(
            (one.school, fraction(one.won), fraction(one.participation), fraction(one.total)) for one in schools(event)
        )
        head = ("School", "Match-ups", "Taking part", "Points")
        yield Grid(heading="Schools", head=head, rows=rows, numbers=(1, 2, 3))


def payout_sheet(event: Event) -> Printout:
    """Who gets what, with a line to sign."""
    found = payouts(event)
    rows = tuple((event.entrants[one.entrant].name, one.what, _dollars(one.cents), "") for one in found.prizes)
    total = ("In all", "", _dollars(found.pool), "")
    grid = Grid(
        head=("Name", "For", "Amount", "Received"),
        rows=(*rows, total),
        together=False,
        numbers=(2,),
        widths=(3, 2, 0, 2),
    )
    return _printout(event, "Payouts", Text(words=f"In the pot: {_dollars(event.pot)}."), grid)


def _dollars(cents: int) -> str:
    return f"${cents // 100}.{cents % 100:02d}"


def audit_sheet(event: Event) -> Printout:
    """How fair the draw is, for whoever wants to check."""
    drawn = _drawn(event)
    who = [entrant for entrant in event.entrants if any(one.table_of(entrant) or entrant in one.byes for one in drawn)]
    found = audit(drawn, who, singles=event.plan.stage.singles)
    names = {entrant: one.name for entrant, one in event.entrants.items()}
    tables: dict[str, list[str]] = {entrant: [] for entrant in who}
    for (entrant, table), count in sorted(found.met.tables.items()):
        tables[entrant].append(f"{table}×{count}")
    rows = tuple(
        (names[entrant], str(found.met.played[entrant]), str(found.met.byes[entrant]), " ".join(tables[entrant]))
        for entrant in who
    )
    grid = Grid(
        head=("Name", "Played", "Byes", "Tables"), rows=rows, together=False, numbers=(1, 2), widths=(2, 0, 0, 3)
    )
    return _printout(event, "Fairness audit", *(Text(words=one) for one in as_words(found, names)), grid)


PRINTOUTS: Final[Mapping[str, Callable[[Event], Printout]]] = {
    "cards": player_cards,
    "tents": table_tents,
    "sheets": score_sheets,
    "chart": master_chart,
    "rules": rules_card,
    "standings": standings_sheet,
    "payouts": payout_sheet,
    "audit": audit_sheet,
}


def _drawn(event: Event) -> tuple[Round, ...]:
    if not event.rounds:
        raise NothingToPair("nothing is drawn yet, so there is nothing to print")
    return event.rounds


def _printout(event: Event, what: str, *blocks: "Text | Grid | Cards | Tent | ScoreSheet | Listing") -> Printout:
    return Printout(title=event.plan.title, below=what, blocks=blocks)
