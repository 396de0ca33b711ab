"""What the forms of the desk tell an event, each as the facts it takes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from leftbower.errors import BadEntry, BadRequest, BadScore, NoScore
from leftbower.rules.referee import Incident
from leftbower.server.names import tidy
from leftbower.tournament import (
    ClockHeld,
    ClockSet,
    Closed,
    DirectorCame,
    Event,
    EventFact,
    Fined,
    HandTold,
    Listed,
    LotsDrawn,
    Marked,
    Money,
    NoShow,
    PaidIn,
    PaperRead,
    Paused,
    Place,
    Presence,
    Published,
    Renamed,
    Reopened,
    Resumed,
    Score,
    ScoreRuled,
    Substituted,
    cents,
    chosen,
    correcting,
    draw_facts,
    entering,
    from_csv,
    going_on,
    named,
    pasted,
    paying_out,
    seating_bots,
    shuffled,
    spelling,
    teaming,
    writing_down,
)
from leftbower.web.event_live import number
from leftbower.web.refereeing import incident_of

Form = Mapping[str, str]
Step = Callable[[Event, dict[str, str], str], Iterable[EventFact]]
"""An event, a form, and a seed for lots become facts."""
AT_TABLES: Final = frozenset({"score", "stand", "correct", "paper", "incident", "came"})
"""What is about one table, and refused when that table has moved on."""
OF_HELPERS: Final = AT_TABLES - {"incident"}
"""What a helper is asked about at all; `asks_as` has the last word."""
WEIGHTY: Final = frozenset({"draw", "redraw", "final", "close", "lots"})
"""What is refused when anything at the desk has changed since the page was made."""

SLOW: Final = WEIGHTY | {"enter", "team", "mark", "pay"}
"""What may take a while, as it is about everybody: a worker does it."""


def place_of(form: Form) -> Place:
    """The table that a form is about."""
    return number(dict(form), "r"), number(dict(form), "t")


def _enter(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    text = form.get("names", "")
    singles = event.plan.stage.singles
    heads = text.lstrip("\ufeff \n\r").split("\n", 1)[0].casefold().replace('"', "")
    is_csv = any(sign in heads for sign in ",;") and heads.split(",")[0].split(";")[0].strip() in _HEADS
    found = (from_csv if is_csv else pasted)(text, singles=singles)
    school = tidy(form.get("school", ""))
    listed = [_tidied(one, school) for one in found]
    facts: list[EventFact] = list(entering(event, listed, single=form.get("single") == "yes"))
    if not facts:
        raise BadEntry("there is nobody to enter")
    return facts


_HEADS: Final = ("name", "team", "names", "player", "player 1", "player1", "first", "school", "club")


def _tidied(one: Listed, school: str) -> Listed:
    """Names as others may read them: nothing in them moves the cursor or hides."""
    return Listed(name=tidy(one.name), players=tuple(map(tidy, one.players)), school=tidy(one.school) or school)


def _bots(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return seating_bots(event, number(form, "bots"))


def _team(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return list(teaming(event))


def _mark(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Everybody who is ticked: here, late, absent, gone, or paid."""
    what, whom = form.get("what", ""), form.get("who", "").split()
    everybody = [one.id for one in event.entrants.values() if not one.house] if whom == ["all"] else whom
    if not everybody:
        raise BadEntry("tick somebody first")
    if what == "paid":
        return [
            PaidIn(what=Money.FEE, cents=one.owes, entrant=one.id) for one in map(event.entrant, everybody) if one.owes
        ]
    presence = chosen(Presence, what, "mark")
    return [Marked(entrant=one, presence=presence) for one in everybody if event.entrant(one).presence is not presence]


def _money(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    amount, what = cents(form.get("amount", "")), form.get("what", "")
    if what == "gift":
        return [PaidIn(what=Money.GIFT, cents=amount)]
    entrant = event.find(form.get("who", "")).id
    if what == "fined":
        return [Fined(entrant=entrant, cents=amount, why=_why(form))]
    if what in ("fee", "refund"):
        return [PaidIn(what=Money(what), cents=amount, entrant=entrant)]
    raise BadRequest("money is paid in, given back, given or owed", place="what")


def _rename(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    told = _tidied(named(form.get("name", ""), singles=event.plan.stage.singles), "")
    return [Renamed(entrant=form.get("who", ""), name=told.name, players=told.players)]


def _substitute(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    player = tidy(form.get("player", ""))
    away = event.find(player)
    name = next((one for one in away.players if one.casefold() == player.casefold()), away.name)
    credit = event.find(form["credit"]).id if form.get("credit", "").strip() else ""
    rounds = spelling.rounds(form.get("rounds", ""))
    return [Substituted(entrant=away.id, player=name, by=tidy(form.get("by", "")), rounds=rounds, credit=credit)]


def _draw(event: Event, form: dict[str, str], seed: str) -> Iterable[EventFact]:
    return draw_facts(event, seed)


def _redraw(event: Event, form: dict[str, str], seed: str) -> Iterable[EventFact]:
    return draw_facts(event, seed, redraw=True, why=_why(form))


def score_of(form: dict[str, str]) -> Score:
    """A score as the desk types it: 10-6, or 10-6 8-10 10-9; or who did not come."""
    if absent := form.get("absent", "").split():
        return NoShow(absent=tuple(absent))
    games = form.get("games", "").replace(",", " ").split()
    if not games:
        raise BadScore("write the score as 10-6, North and South first")
    return spelling.score(
        games, (), (), form.get("loners", "").replace(",", " ").split(), stopped=form.get("stopped") == "yes"
    )


def _score(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return [writing_down(event, *place_of(form), score_of(form), _why(form))]


def _stand(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """What one side told is so, says the desk."""
    round_, table = place_of(form)
    sheet = event.sheets.get((round_, table))
    if sheet is None:
        raise NoScore("nothing was told that could be ruled on")
    return [ScoreRuled(round=round_, table=table, score=sheet.score, why=_why(form))]


def _correct(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return [correcting(event, *place_of(form), score_of(form), _why(form))]


def _paper(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    round_, table = place_of(form)
    return [PaperRead(round=round_, table=table, score=score_of(form))]


def _incident(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """What was ruled goes into the tally of its table, whoever keeps it."""
    round_, table = place_of(form)
    kept = event.hall.tallies.get((round_, table))
    side = kept.keeper if kept else event.seating(round_, table).labels[0]
    return [HandTold(round=round_, table=table, side=side, hand=Incident.from_json(incident_of(form)))]


def _came(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    round_, table = place_of(form)
    return [DirectorCame(round=round_, table=table)]


def _clock(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    match form.get("clock"):
        case "set":
            return [ClockSet(seconds=60 * number(form, "minutes"))]
        case "off":
            return [ClockSet(seconds=0)]
        case "hold":
            return [ClockHeld(held=True)]
        case "go":
            return [ClockHeld(held=False)]
    raise BadRequest("a clock is set, stopped, started or taken away", place="clock")


def _course(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    why = _why(form)
    facts: dict[str, EventFact] = {
        "pause": Paused(why=why),
        "resume": Resumed(),
        "close": Closed(),
        "reopen": Reopened(why=why),
    }
    return [facts[form["do"]]]


def _lots(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return [LotsDrawn(order=shuffled(form.get("who", "").split(), seed), seed=seed)]


def _final(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return [going_on(event, number(form, "top"), best_of=number(form, "best_of"))]


def _pay(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return list(paying_out(event))


def _publish(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    return [Published(page=form.get("page") == "yes", standings=form.get("standings") == "yes")]


def _why(form: Form) -> str:
    return tidy(form.get("why", ""))[:140]


STEPS: Final[Mapping[str, Step]] = {
    "enter": _enter,
    "bots": _bots,
    "team": _team,
    "mark": _mark,
    "money": _money,
    "rename": _rename,
    "substitute": _substitute,
    "draw": _draw,
    "redraw": _redraw,
    "score": _score,
    "stand": _stand,
    "correct": _correct,
    "paper": _paper,
    "incident": _incident,
    "came": _came,
    "clock": _clock,
    "pause": _course,
    "resume": _course,
    "close": _course,
    "reopen": _course,
    "lots": _lots,
    "final": _final,
    "pay": _pay,
    "publish": _publish,
}
