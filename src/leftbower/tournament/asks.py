"""What can be asked of an event now, and by whom: for pages and prompts. `allow` has the last word."""

from collections.abc import Iterator
from dataclasses import dataclass

from leftbower.tournament.model import Disputed, Event, Proposed, Settled
from leftbower.tournament.pairing import is_over


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Something that can be asked."""

    what: str
    """enter, pair, propose, confirm, dispute, rule, score, correct, close, reopen, pause, resume or pay."""
    round: int = 0
    table: int = 0
    side: str = ""


def asks(event: Event, entrant: str = "") -> tuple[Ask, ...]:
    """Everything the desk, or an entrant, can ask for now."""
    return tuple(_of_player(event, entrant) if entrant else _of_desk(event))


def _of_player(event: Event, entrant: str) -> Iterator[Ask]:
    """Scores of the own tables, for the own side."""
    if event.closed or event.paused or event.paid_out:
        return
    for one in event.rounds:
        seating = one.table_of(entrant)
        side = seating.side_of(entrant) if seating else None
        if seating is None or side is None:
            continue
        label = seating.labels[side]
        for what in _answers(event, one.number, seating.table, label):
            yield Ask(what=what, round=one.number, table=seating.table, side=label)


def _answers(event: Event, round: int, table: int, label: str) -> tuple[str, ...]:
    match event.sheets.get((round, table)):
        case None:
            return ("propose",)
        case Proposed(side=side):
            return ("propose",) if side == label else ("propose", "confirm", "dispute")
        case _:
            return ()


def _of_desk(event: Event) -> Iterator[Ask]:
    if event.paid_out:
        yield Ask(what="pay")
        return
    if event.closed:
        yield from (Ask(what="reopen"), Ask(what="pay"))
    elif event.paused:
        yield Ask(what="resume")
    else:
        yield from (Ask(what="enter"), Ask(what="pause"))
        waiting = event.open_tables()
        if not any(map(event.begun_at, waiting)):
            yield Ask(what="close")
        if not waiting and not is_over(event):
            yield Ask(what="pair")
    if not event.paused:
        yield from _scores(event)


def _scores(event: Event) -> Iterator[Ask]:
    for one in event.rounds:
        for seating in one.tables:
            sheet = event.sheets.get((one.number, seating.table))
            if isinstance(sheet, Settled):
                yield Ask(what="correct", round=one.number, table=seating.table)
            elif not event.closed:
                yield Ask(what="score", round=one.number, table=seating.table)
                if isinstance(sheet, Proposed | Disputed):
                    yield Ask(what="rule", round=one.number, table=seating.table)
