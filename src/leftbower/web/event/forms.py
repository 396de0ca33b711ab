"""Commands of the desk: each converts a form's fields to facts of the event."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from leftbower.errors import BadEntry, BadRequest, BadScore, NeedsPartners, NoScore
from leftbower.rules.referee import Incident
from leftbower.server.http.form_data import parse_number
from leftbower.server.people.sanitize import strip_invisible
from leftbower.tournament.hall.facts import (
    DirectorArrived,
    HandReported,
    PaperScoreEntered,
    RoundClockPaused,
    RoundClockSet,
    VisibilityChanged,
)
from leftbower.tournament.model.commands import (
    add_bots,
    add_entrants,
    correct_score,
    iter_draw_facts,
    pay_out,
    record_score,
    start_final,
    team_up,
)
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import (
    EntrantFined,
    EntrantRenamed,
    EntrantStruck,
    EventClosed,
    EventFact,
    EventPaused,
    EventReopened,
    EventResumed,
    PaymentKind,
    PaymentRecorded,
    PresenceMarked,
    ScoreRuled,
    Substituted,
    TieDrawn,
)
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.scores import NoShow, Score
from leftbower.tournament.scoring.shuffle import seeded_shuffle
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.text import parse
from leftbower.tournament.text.csv import ListedEntrant, parse_csv, parse_entrant, parse_pasted
from leftbower.tournament.text.parse import parse_cents, parse_choice
from leftbower.web.event.entry.commands import accept_sign_ups, change_plan, change_sign_up, delete_entrants
from leftbower.web.event.referee_wizard import parse_incident

Form = Mapping[str, str]
CommandBuilder = Callable[[Event, dict[str, str], str], Iterable[EventFact]]
"""Builds facts from an event, a form and a random seed."""
TABLE_COMMANDS: Final = frozenset({"score", "stand", "correct", "paper", "incident", "arrived"})
"""Commands about one table; refused as stale if that table has changed."""
HELPER_COMMANDS: Final = TABLE_COMMANDS - {"incident"}
"""Commands that a helper's form may send; the event checks the role again."""
EVENT_WIDE_COMMANDS: Final = frozenset({"draw", "redraw", "final", "close", "lots", "plan"})
"""Commands about the whole event; refused as stale if anything at the desk has changed."""

SLOW_COMMANDS: Final = EVENT_WIDE_COMMANDS | {"enter", "team", "mark", "pay"}
"""Commands that process all entrants; they run in a worker."""


def parse_table_key(form: Form) -> TableKey:
    return parse_number(dict(form), "round"), parse_number(dict(form), "table")


def enter(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    text = form.get("names", "")
    singles = event.plan.stage.singles
    header = re.split("[,;\t]", text.lstrip("\ufeff \n\r").split("\n", 1)[0].casefold().replace('"', ""))
    is_csv = len(header) > 1 and header[0].strip() in _CSV_HEADERS
    parsed = (parse_csv if is_csv else parse_pasted)(text, singles=singles)
    school = strip_invisible(form.get("school", ""))
    listed = [_clean_listed(listed_entrant, school) for listed_entrant in parsed]
    if not listed:
        raise BadEntry("enter at least one name", path="names")
    if singles:
        return list(add_entrants(event, listed))
    return list(_enter_teams(event, listed, _partners(form), seed))


def _partners(form: Form) -> str:
    return "wait" if form.get("single") == "yes" else form.get("partners", "")


def _enter_teams(event: Event, listed: Sequence[ListedEntrant], partners: str, seed: str) -> Iterable[EventFact]:
    """Enter teams; `partners` says what to do with the names of single players, else NeedsPartners asks."""
    teams = [entry for entry in listed if entry.players or partners == "team"]
    singles = [entry for entry in listed if entry not in teams]
    if singles and partners not in _PARTNERS:
        names = join_names([entry.name for entry in singles[:_MAX_NAMES_ASKED]])
        raise NeedsPartners("no partner is listed for %(names)s", path="names", names=names)
    if partners == "lot":
        by_name = {entry.name: entry for entry in singles}
        singles = [by_name[name] for name in seeded_shuffle(by_name, seed)]
    paired = len(singles) // 2 * 2 if partners in ("lot", "listed") else 0
    for first, second in zip(singles[:paired:2], singles[1:paired:2], strict=True):
        players = (first.name, second.name)
        teams.append(ListedEntrant(name=" & ".join(players), players=players, school=first.school))
    yield from add_entrants(event, teams)
    yield from add_entrants(event, singles[paired:], single=True, offset=len(teams))


_PARTNERS: Final = ("lot", "listed", "wait", "team")
"""Pair single players by lot or as listed, let them wait for a partner, or enter each name as a team."""
_MAX_NAMES_ASKED: Final = 6


_CSV_HEADERS: Final = ("name", "team", "names", "player", "player 1", "player1", "first", "school", "club")


def _clean_listed(listed: ListedEntrant, school: str) -> ListedEntrant:
    """Remove control and invisible characters from the names."""
    return ListedEntrant(
        name=strip_invisible(listed.name),
        players=tuple(map(strip_invisible, listed.players)),
        school=strip_invisible(listed.school) or school,
    )


def _mark(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Mark the ticked entrants as present, late, absent, gone or paid."""
    mark, marked = form.get("what", ""), form.get("who", "").split()
    if marked == ["all"]:
        absent = {EntrantPresence.ABSENT, EntrantPresence.WITHDRAWN} if mark != "paid" else set()
        everyone = (entrant for entrant in event.entrants.values() if not entrant.house_player)
        marked = [entrant.id for entrant in everyone if entrant.presence not in absent]
    entrants = marked
    if not entrants:
        raise BadEntry("select at least one entrant")
    if mark == "waived":
        return [
            PaymentRecorded(kind=PaymentKind.WAIVER, cents=entrant.owes, entrant=entrant.id)
            for entrant in map(event.entrant, entrants)
            if entrant.owes
        ]
    if mark == "paid":
        return [
            PaymentRecorded(kind=PaymentKind.FEE, cents=entrant.owes, entrant=entrant.id)
            for entrant in map(event.entrant, entrants)
            if entrant.owes
        ]
    if mark == "delete":
        return delete_entrants(event, {"who": " ".join(entrants)}, seed)
    presence = parse_choice(EntrantPresence, mark, "mark")
    return [
        PresenceMarked(entrant=entrant, presence=presence)
        for entrant in entrants
        if event.entrant(entrant).presence is not presence
    ]


def _strike(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    is_struck = form["command"] == "strike"
    return [EntrantStruck(entrant=form.get("who", ""), struck=is_struck, why=_reason(form))]


def _money(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    amount, kind = parse_cents(form.get("amount", "")), form.get("what", "")
    if kind == "gift":
        return [PaymentRecorded(kind=PaymentKind.GIFT, cents=amount)]
    entrant = event.find(form.get("who", "")).id
    if kind == "fined":
        return [EntrantFined(entrant=entrant, cents=amount, why=_reason(form))]
    if kind in ("fee", "refund"):
        return [PaymentRecorded(kind=PaymentKind(kind), cents=amount, entrant=entrant)]
    raise BadRequest("choose fee, refund, gift or fine", path="what")


def _rename(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    listed = _clean_listed(parse_entrant(form.get("name", ""), singles=event.plan.stage.singles), "")
    return [EntrantRenamed(entrant=form.get("who", ""), name=listed.name, players=listed.players)]


def _substitute(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    player = strip_invisible(form.get("player", ""))
    entrant = event.find(player)
    name = next(
        (player_name for player_name in entrant.players if player_name.casefold() == player.casefold()), entrant.name
    )
    credit = event.find(form["credit"]).id if form.get("credit", "").strip() else ""
    rounds = parse.parse_rounds(form.get("rounds", ""))
    return [
        Substituted(
            entrant=entrant.id,
            player=name,
            substitute=strip_invisible(form.get("by", "")),
            rounds=rounds,
            credit=credit,
        )
    ]


def parse_score(form: dict[str, str]) -> Score:
    """A score as typed at the desk: 10-6, or 10-6 8-10 10-9; or the absent sides."""
    if absent := form.get("absent", "").split():
        return NoShow(absent=tuple(absent))
    games = form.get("games", "").replace(",", " ").split()
    if not games:
        raise BadScore("write the score as 10-6, North and South first")
    return parse.parse_score(
        games, (), (), form.get("loners", "").replace(",", " ").split(), stopped=form.get("stopped") == "yes"
    )


def _stand(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Settle the score that one side reported."""
    round_, table = parse_table_key(form)
    score_state = event.score_states.get((round_, table))
    if score_state is None:
        raise NoScore("this table has no score yet")
    return [ScoreRuled(round=round_, table=table, score=score_state.score, why=_reason(form))]


def _paper(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    round_, table = parse_table_key(form)
    return [PaperScoreEntered(round=round_, table=table, score=parse_score(form))]


def _incident(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Add a ruling to the table's tally, on behalf of its scorer."""
    round_, table = parse_table_key(form)
    tally = event.hall.tallies.get((round_, table))
    side = tally.scorer if tally else event.seating(round_, table).labels[0]
    return [HandReported(round=round_, table=table, side=side, hand=Incident.from_json(parse_incident(form)))]


def _director_arrived(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    round_, table = parse_table_key(form)
    return [DirectorArrived(round=round_, table=table)]


def _clock(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    match form.get("clock"):
        case "set":
            return [RoundClockSet(seconds=60 * parse_number(form, "minutes"))]
        case "off":
            return [RoundClockSet(seconds=0)]
        case "hold":
            return [RoundClockPaused(paused=True)]
        case "go":
            return [RoundClockPaused(paused=False)]
    raise BadRequest("choose set, stop, start or remove", path="clock")


def _change_status(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    why = _reason(form)
    facts: dict[str, EventFact] = {
        "pause": EventPaused(why=why),
        "resume": EventResumed(),
        "close": EventClosed(),
        "reopen": EventReopened(why=why),
    }
    return [facts[form["command"]]]


def _publish(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return [VisibilityChanged(public_page=form.get("page") == "yes", show_standings=form.get("standings") == "yes")]


def _reason(form: Form) -> str:
    return strip_invisible(form.get("why", ""))[:140]


COMMANDS: Final[Mapping[str, CommandBuilder]] = {
    "enter": enter,
    "bots": lambda event, form, seed: add_bots(event, parse_number(form, "bots")),
    "team": lambda event, form, seed: team_up(event),
    "mark": _mark,
    "money": _money,
    "strike": _strike,
    "unstrike": _strike,
    "rename": _rename,
    "substitute": _substitute,
    "draw": lambda event, form, seed: iter_draw_facts(event, seed),
    "redraw": lambda event, form, seed: iter_draw_facts(event, seed, redraw=True, why=_reason(form)),
    "score": lambda event, form, seed: [record_score(event, *parse_table_key(form), parse_score(form), _reason(form))],
    "stand": _stand,
    "correct": lambda event, form, seed: [
        correct_score(event, *parse_table_key(form), parse_score(form), _reason(form))
    ],
    "paper": _paper,
    "incident": _incident,
    "arrived": _director_arrived,
    "clock": _clock,
    "pause": _change_status,
    "resume": _change_status,
    "close": _change_status,
    "reopen": _change_status,
    "lots": lambda event, form, seed: [TieDrawn(order=seeded_shuffle(form.get("who", "").split(), seed), seed=seed)],
    "final": lambda event, form, seed: [
        start_final(event, parse_number(form, "top"), best_of=parse_number(form, "best_of"))
    ],
    "pay": lambda event, form, seed: pay_out(event),
    "plan": change_plan,
    "delete": delete_entrants,
    "sign-up": change_sign_up,
    "accept": accept_sign_ups,
    "publish": _publish,
}
