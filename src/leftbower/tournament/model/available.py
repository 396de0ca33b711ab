"""Commands available now, for pages and prompts. Only a hint: `validate` decides."""

from collections.abc import Iterator
from dataclasses import dataclass

from leftbower.tournament.formats.pairing import is_stage_finished
from leftbower.tournament.model.state import Disputed, Event, Proposed, Settled


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableCommand:
    name: str
    """enter, pair, propose, confirm, dispute, rule, score, correct, close, reopen, pause, resume or pay."""
    round: int = 0
    table: int = 0
    side: str = ""


def available_commands(event: Event, entrant: str = "") -> tuple[AvailableCommand, ...]:
    """Commands for the desk, or for one entrant."""
    return tuple(_player_commands(event, entrant) if entrant else _desk_commands(event))


def _player_commands(event: Event, entrant: str) -> Iterator[AvailableCommand]:
    """Score commands for the entrant's side at its tables."""
    if event.closed or event.paused or event.paid_out:
        return
    for round_ in event.rounds:
        seating = round_.seating_of(entrant)
        side = seating.side_of(entrant) if seating else None
        if seating is None or side is None:
            continue
        label = seating.labels[side]
        for name in _score_commands_of_side(event, round_.number, seating.table, label):
            yield AvailableCommand(name=name, round=round_.number, table=seating.table, side=label)


def _score_commands_of_side(event: Event, round: int, table: int, label: str) -> tuple[str, ...]:
    match event.score_states.get((round, table)):
        case None:
            return ("propose",)
        case Proposed(side=side):
            return ("propose",) if side == label else ("propose", "confirm", "dispute")
        case _:
            return ()


def _desk_commands(event: Event) -> Iterator[AvailableCommand]:
    if event.paid_out:
        yield AvailableCommand(name="pay")
        return
    if event.closed:
        yield from (AvailableCommand(name="reopen"), AvailableCommand(name="pay"))
    elif event.paused:
        yield AvailableCommand(name="resume")
    else:
        yield from (AvailableCommand(name="enter"), AvailableCommand(name="pause"))
        waiting = event.open_tables()
        if not any(map(event.table_started, waiting)):
            yield AvailableCommand(name="close")
        if not waiting and not is_stage_finished(event):
            yield AvailableCommand(name="pair")
    if not event.paused:
        yield from _score_commands_of_desk(event)


def _score_commands_of_desk(event: Event) -> Iterator[AvailableCommand]:
    for round_ in event.rounds:
        for seating in round_.tables:
            sheet = event.score_states.get((round_.number, seating.table))
            if isinstance(sheet, Settled):
                yield AvailableCommand(name="correct", round=round_.number, table=seating.table)
            elif not event.closed:
                yield AvailableCommand(name="score", round=round_.number, table=seating.table)
                if isinstance(sheet, Proposed | Disputed):
                    yield AvailableCommand(name="rule", round=round_.number, table=seating.table)
