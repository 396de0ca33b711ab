"""The printouts of an event, one function each."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from leftbower.errors import NothingToPair
from leftbower.i18n import gettext as _, gettext_noop, ngettext, signed
from leftbower.printing.blocks import (
    Block,
    BulletList,
    CardGrid,
    CutOutCard,
    Grid,
    Picture,
    Printout,
    ScoreSheet,
    Tent,
    Text,
)
from leftbower.printing.bracket_svg import bracket_svg
from leftbower.rules import HouseRules, rule_card
from leftbower.rules.card import Section
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.audit import audit_event, describe_audit
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.scoring.standings import join_names, standings, tie_reasons
from leftbower.tournament.text import display
from leftbower.tournament.text.bracket_picture import last_bracket
from leftbower.tournament.text.parse import format_dollars

_SIDE_NAMES: Final = {
    "NS": gettext_noop("North & South"),
    "EW": gettext_noop("East & West"),
    "N": gettext_noop("North"),
    "E": gettext_noop("East"),
    "S": gettext_noop("South"),
    "W": gettext_noop("West"),
}
MAX_ROUNDS_ON_SMALL_CARD: Final = 26
"""A card with more rounds gets its own page."""


def player_cards(event: Event) -> Printout:
    """One card per entrant: round, table, seat, partner, opponents."""
    rounds = _rounds(event)
    cards = tuple(
        _card(event, entrant)
        for entrant in sorted(event.entrants.values(), key=lambda entrant: entrant.number)
        if not entrant.house_player
    )
    return _printout(event, _("Player cards"), CardGrid(cards=cards, long=len(rounds) > MAX_ROUNDS_ON_SMALL_CARD))


def _card(event: Event, entrant: Entrant) -> CutOutCard:
    team = not event.plan.stage.singles
    columns = (_("Seats"), _("Opponents"), _("Score")) if team else (_("Seat"), _("Partner"), _("Opponents"))
    rows = tuple(_card_row(event, round_, entrant, team=team) for round_ in event.rounds)
    number = _("Number %(number)d", number=entrant.number) if entrant.number else ""
    below = " · ".join(filter(None, (event.plan.title, number, entrant.school)))
    widths = (0, 0, 0, 5, 2 if team else 6)
    grid = Grid(head=(_("Round"), _("Table"), *columns), rows=rows, number_columns=(0, 1), widths=widths)
    return CutOutCard(heading=entrant.name, subtitle=below, grid=grid)


def _card_row(event: Event, round_: Round, entrant: Entrant, *, team: bool) -> tuple[str, ...]:
    seating = round_.seating_of(entrant.id)
    if seating is None:
        return (str(round_.number), "–", _("bye") if entrant.id in round_.byes else "–", "", "")
    side = seating.side_of(entrant.id)
    assert side is not None
    others = [player for other in range(len(seating.sides)) if other != side for player in seating.entrants_on(other)]
    opponents = " & ".join(event.entrants[player].name for player in others)
    if team:
        return (str(round_.number), str(seating.table), "–".join(seating.labels[side]), opponents, "")
    seat = next(str(seat) for seat, player in seating.seats.items() if player == entrant.id)
    partner = next(
        (event.entrants[player].name for player in seating.entrants_on(side) if player != entrant.id), _("no partner")
    )
    return (str(round_.number), str(seating.table), seat, partner, opponents)


def table_tents(event: Event) -> Printout:
    """One tent per table."""
    last_table = max(seating.table for round_ in _rounds(event) for seating in round_.tables)
    tents = (Tent(big=str(number), above=_("Table"), below=event.plan.title) for number in range(1, last_table + 1))
    return _printout(event, _("Table tents"), *tents)


def score_sheets(event: Event) -> Printout:
    """One sheet per table of unfinished rounds."""
    sheets = (
        _score_sheet(event, round_, seating)
        for round_ in _rounds(event)
        for seating in round_.tables
        if event.settled_score(round_.number, seating.table) is None
    )
    return _printout(event, _("Score sheets"), *sheets)


def _score_sheet(event: Event, round_: Round, seating: Seating) -> ScoreSheet:
    rules = event.rules_of(seating)
    games = event.best_of(round_.stage) if len(seating.seats) == 4 else 1
    labels = [_(_SIDE_NAMES[label]) for label in seating.labels]
    sides = tuple(zip(labels, display.side_names(event, round_.number, seating), strict=True))
    numbers = range(1, games + 1)
    return ScoreSheet(
        heading=_("Round %(round)d · Table %(table)d", round=round_.number, table=seating.table),
        sides=sides,
        games=tuple(_("Game %(game)d", game=number) for number in numbers) if games > 1 else (_("Score"),),
        loners=_("Loners"),
        target=_target(rules, games),
        note=event.plan.title,
        signatures=tuple(_("Signed, %(side)s", side=label) for label in labels),
    )


def _target(rules: HouseRules, best_of: int) -> str:
    if rules.fixed_hands:
        if best_of > 1:
            return _(
                "Best of %(games)d games of %(hands)d hands. Tally here, write the result below.",
                games=best_of,
                hands=rules.fixed_hands,
            )
        return ngettext(
            "%(num)d hand. Tally here, write the result below.",
            "%(num)d hands. Tally here, write the result below.",
            rules.fixed_hands,
        )
    if best_of > 1:
        return _(
            "Best of %(games)d games to %(target)d points. Tally here, write the result below.",
            games=best_of,
            target=rules.target,
        )
    return _("To %(target)d points. Tally here, write the result below.", target=rules.target)


def master_chart(event: Event) -> Printout:
    """All rounds and tables, with the scores so far."""
    return _printout(event, _("All rounds"), *(_round_grid(event, round_) for round_ in _rounds(event)))


def _round_grid(event: Event, round_: Round) -> Grid:
    rows = tuple(_table_row(event, round_, seating) for seating in round_.tables)
    heading = _("Round %(round)d", round=round_.number)
    if round_.byes:
        byes = join_names([event.entrants[entrant].name for entrant in round_.byes])
        heading = _("Round %(round)d · sitting out: %(names)s", round=round_.number, names=byes)
    head = (_("Table"), _("North & South"), _("East & West"), _("Score"))
    return Grid(heading=heading, head=head, rows=rows, number_columns=(0,), widths=(0, 4, 4, 2))


def _table_row(event: Event, round_: Round, seating: Seating) -> tuple[str, ...]:
    score = event.settled_score(round_.number, seating.table)
    sides = display.side_names(event, round_.number, seating)
    if len(sides) == 3:
        sides = (display.join_opponents((sides[0], sides[2])), _("%(name)s (three-handed)", name=sides[1]))
    return (str(seating.table), *sides, display.format_score(event, seating, score) if score is not None else "")


def rules_card(event: Event) -> Printout:
    """The complete rules of the event."""
    card = rule_card(event.rules)
    listings = (_section(section) for section in card.sections)
    return Printout(
        title=card.title,
        subtitle=card.about,
        blocks=(*listings, Text(text=_("Rules %(fingerprint)s", fingerprint=card.fingerprint))),
    )


def _section(section: Section) -> BulletList:
    lines = tuple(" ".join((line.text, *(f"[{note}]" for note in line.notes))) for line in section.lines)
    silent = tuple(_("%(rule)s (not on the sheet)", rule=line.text) for line in section.silent)
    return BulletList(heading=section.heading, items=lines + silent)


def standings_sheet(event: Event) -> Printout:
    """The standings, with the tie-break that decided each place."""
    lines = standings(event)
    head = ("", _("Name"), _("Won"), _("Games"), _("Points"), "+/–", _("Loners"), _("Decided by"))
    rows = tuple(
        (
            str(line.place),
            event.entrants[line.entrant].name,
            display.format_fraction(line.tally.matches),
            str(line.tally.games),
            str(line.tally.points),
            signed(line.tally.difference, 0),
            str(line.tally.loners),
            _(_DECIDED_BY[line.decided_by]),
        )
        for line in lines
    )
    grid = Grid(
        head=head, rows=rows, keep_together=False, number_columns=(0, 2, 3, 4, 5, 6), widths=(0, 1, 0, 0, 0, 0, 0, 0)
    )
    reasons = tie_reasons(event, lines)
    ties = (BulletList(heading=_("How ties were broken"), items=reasons),) if reasons else ()
    extra_leaders = display.describe_extra_leaders(event)
    best = (BulletList(heading=_("Other leaders"), items=extra_leaders),) if extra_leaders else ()
    return _printout(event, _("Standings"), *_schools(event), grid, *best, *ties)


_DECIDED_BY: Final = {
    TieBreak.BRACKET.value: gettext_noop("bracket"),
    TieBreak.MATCHES.value: gettext_noop("matches"),
    TieBreak.GAMES.value: gettext_noop("games"),
    TieBreak.POINTS.value: gettext_noop("points"),
    TieBreak.DIFFERENCE.value: gettext_noop("point difference"),
    TieBreak.HEAD_TO_HEAD.value: gettext_noop("head to head"),
    TieBreak.AMONG_TIED.value: gettext_noop("matches among the tied"),
    TieBreak.OPPONENTS.value: gettext_noop("opponents' matches"),
    TieBreak.LONERS.value: gettext_noop("loners"),
    TieBreak.DRAW.value: gettext_noop("random draw"),
    "level": gettext_noop("tied"),
    "stage": gettext_noop("stage"),
    "alone": gettext_noop("only entry"),
}
"""Texts of `Standing.decided_by`, to be translated."""


def _schools(event: Event) -> Iterator[Grid]:
    if event.plan.stage.definition.by_school:
        rows = tuple(
            (points.school, *map(display.format_fraction, (points.won, points.participation, points.total)))
            for points in display.school_standings(event)
        )
        head = (_("School"), _("Match-ups"), _("For entering"), _("Points"))
        yield Grid(heading=_("Schools"), head=head, rows=rows, number_columns=(1, 2, 3))


def payout_sheet(event: Event) -> Printout:
    """The prizes, with a line to sign for each."""
    paid = payouts(event)
    rows = tuple(
        (event.entrants[prize.entrant].name, prize.reason, format_dollars(prize.cents), "") for prize in paid.prizes
    )
    total = (_("Total"), "", format_dollars(paid.pool), "")
    head = (_("Name"), _("For"), _("Amount"), _("Received"))
    grid = Grid(head=head, rows=(*rows, total), keep_together=False, number_columns=(2,), widths=(3, 2, 0, 2))
    pot = Text(text=_("In the pot: %(amount)s", amount=format_dollars(event.pot)))
    return _printout(event, _("Prizes"), pot, grid)


def audit_sheet(event: Event) -> Printout:
    """The fairness audit of the draw."""
    _rounds(event)
    report = audit_event(event)
    met, tables = report.meetings, defaultdict[str, list[str]](list)
    for (entrant, table), count in sorted(met.tables.items()):
        tables[entrant].append(f"{table}×{count}")
    rows = tuple(
        (name, str(met.played[entrant]), str(met.byes[entrant]), " ".join(tables[entrant]))
        for entrant, name in event.names.items()
        if met.played[entrant] or met.byes[entrant]
    )
    head = (_("Name"), _("Played"), _("Byes"), _("Tables"))
    grid = Grid(head=head, rows=rows, keep_together=False, number_columns=(1, 2), widths=(2, 0, 0, 3))
    sentences = (Text(text=sentence) for sentence in describe_audit(report, event.names))
    return _printout(event, _("Fairness check"), *sentences, grid)


def bracket_sheet(event: Event) -> Printout:
    """The bracket of the last stage that has one."""
    picture = last_bracket(event)
    if picture is None:
        return _printout(event, _("Bracket"), Text(text=_("This event has no bracket.")))
    title = _("Bracket of %(event)s", event=event.plan.title)
    return _printout(event, _("Bracket"), Picture(svg=bracket_svg(picture, title)))


PRINTOUTS: Final[Mapping[str, Callable[[Event], Printout]]] = {
    "cards": player_cards,
    "tents": table_tents,
    "sheets": score_sheets,
    "chart": master_chart,
    "rules": rules_card,
    "standings": standings_sheet,
    "payouts": payout_sheet,
    "audit": audit_sheet,
    "bracket": bracket_sheet,
}


def _rounds(event: Event) -> tuple[Round, ...]:
    if not event.rounds:
        raise NothingToPair("draw a round first; there is nothing to print yet")
    return event.rounds


def _printout(event: Event, subtitle: str, *blocks: Block) -> Printout:
    return Printout(title=event.plan.title, subtitle=subtitle, blocks=blocks)
