"""Validation of hall facts: reported hands, director calls, the clock, joining."""

from leftbower.errors import BadEntry, BadScore, LinkInUse, NotYourTable, RoundIsOn, ScoreStands, show
from leftbower.tournament.hall import facts
from leftbower.tournament.hall.state import add_hand, is_match_over
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Event, Proposed
from leftbower.tournament.scoring.scores import check_hand, hand_results

MAX_CLOCK_SECONDS = 24 * 3600
MAX_TALLY_HANDS = 200
"""Limit of reported hands per match."""


def validate_hall(event: Event, fact: facts.HallFact) -> None:
    """Raise if the fact is not allowed now."""
    match fact:
        case facts.HandReported() | facts.ReportWithdrawn() | facts.ScorerChanged():
            _check_tally(event, fact)
        case facts.DirectorCalled():
            event.check_open()
            _check_side(event.seating(*fact.key), fact.side)
            if fact.key in event.hall.calls:
                raise RoundIsOn("the director is on the way", path=f"table {fact.table}")
        case facts.DirectorArrived():
            if fact.key not in event.hall.calls:
                raise RoundIsOn("this table did not call the director", path=f"table {fact.table}")
        case facts.RoundClockSet():
            event.check_running()
            if not 0 <= fact.seconds <= MAX_CLOCK_SECONDS:
                raise BadEntry("the clock can run for one day at most", path="clock")
        case facts.RoundClockPaused():
            event.check_running()
            if event.hall.clock is None or (event.hall.clock.running_since is None) is fact.paused:
                if fact.paused:
                    raise BadEntry("no clock is running", path="clock")
                raise BadEntry("no clock is stopped", path="clock")
        case facts.PlayerJoined():
            _check_joined(event, fact)
        case facts.RejoinAllowed():
            event.check_open()
            if (fact.entrant, fact.chair) not in event.hall.people:
                raise BadEntry("no player has used this link yet; make a new link instead")
            if event.hall.may_rejoin((fact.entrant, fact.chair)):
                raise BadEntry("this player can already join from another device")
        case facts.TableOpened():
            event.check_running()
            event.seating(*fact.key)
        case facts.VisibilityChanged():
            pass
        case _:
            raise AssertionError("papers are scores")


def _check_joined(event: Event, fact: facts.PlayerJoined) -> None:
    """The first to join gets the chair, one chair per person; another device needs the desk's permission."""
    entrant, chair = event.entrant(fact.entrant), (fact.entrant, fact.chair)
    if entrant.house_player or not 0 <= fact.chair <= (0 if event.plan.stage.singles else 1) or not fact.person:
        raise BadEntry("%(name)s has no such player", name=show(entrant.name))
    if event.hall.people.get(chair, fact.person) != fact.person and not event.hall.may_rejoin(chair):
        raise LinkInUse("this link is already used on another device; ask the desk to move it")
    for other, person in event.hall.people.items():
        if person == fact.person and other != chair:
            name = event.entrant(other[0]).player_name(bool(other[1]))
            raise LinkInUse("this browser already plays for %(name)s; use another device", name=name)


def _check_tally(event: Event, fact: facts.HandReported | facts.ReportWithdrawn | facts.ScorerChanged) -> None:
    event.check_running()
    key, seating = fact.key, event.seating(*fact.key)
    path = f"round {fact.round}, table {fact.table}"
    _check_side(seating, fact.side)
    sheet, tally = event.score_states.get(key), event.hall.tallies.get(key)
    if isinstance(fact, facts.ReportWithdrawn) and isinstance(sheet, Proposed):
        if sheet.side != fact.side:
            raise NotYourTable("%(side)s reported this score; confirm or dispute it", path=path, side=sheet.side)
        return
    if sheet is not None:
        raise ScoreStands("this table already has a score", path=path)
    match fact:
        case facts.ScorerChanged():
            if tally is not None and tally.scorer == fact.side:
                raise ScoreStands("%(side)s already keeps score", path=path, side=fact.side)
        case facts.ReportWithdrawn() if tally is None or not tally.games:
            raise BadScore("there is no hand to remove", path=path)
        case _ if tally is not None and tally.scorer != fact.side:
            raise NotYourTable("%(side)s keeps score at this table", path=path, side=tally.scorer)
        case facts.HandReported():
            rules, games = event.rules_of(seating), tally.games if tally else ()
            best_of = event.best_of_at(fact.round, seating)
            if is_match_over(rules, best_of, games):
                raise BadScore("the match is over; report the final score", path=path)
            if sum(len(game.hands) for game in games) >= MAX_TALLY_HANDS:
                raise BadScore("a match has at most %(limit)s hands", path=path, limit=MAX_TALLY_HANDS)
            check_hand(rules, fact.hand)
            hand_results(rules, add_hand(rules, best_of, games, fact.hand))


def _check_side(seating: Seating, side: str) -> None:
    if side not in seating.labels:
        raise NotYourTable(
            "the sides here are %(sides)s, not %(side)s", sides=" and ".join(seating.labels), side=show(side)
        )
