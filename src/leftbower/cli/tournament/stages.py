"""`leftbower tournament draw-tie | final | status`: break ties, start a stage, pause or close."""

import secrets
from typing import Annotated

import typer

from leftbower.cli.common.output import print_result
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.cli.tournament.options import By, EventFile, Json
from leftbower.errors import BadUsage
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.commands import start_final
from leftbower.tournament.model.facts import EventClosed, EventFact, EventPaused, EventReopened, EventResumed, TieDrawn
from leftbower.tournament.scoring.shuffle import seeded_shuffle
from leftbower.tournament.text.parse import parse_choice


def draw_tie(
    file: EventFile,
    names: Annotated[list[str], typer.Argument(help="The tied entrants.", metavar="names")],
    seed: Annotated[str, typer.Option(help="The seed of the draw; by default random.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Break a tie by a random draw, and record it."""
    ledger = open_ledger(file)
    chosen_seed = seed or secrets.token_hex(8)
    order = seeded_shuffle([ledger.event.find(name).id for name in names], chosen_seed)
    event = ledger.write(TieDrawn(order=order, seed=chosen_seed), by=by)
    drawn = [event.entrants[entrant].name for entrant in order]
    print_result({"order": drawn, "seed": chosen_seed}, f"Drawn: {', then '.join(drawn)}.", as_json=json)


def final(
    file: EventFile,
    top: Annotated[int, typer.Option(help="How many advance.", min=2)] = 4,
    format: Annotated[str, typer.Option(help="The format of the final.", show_default=False)] = "",
    best_of: Annotated[int, typer.Option(help="Games in a match.")] = 3,
    rounds: Annotated[int, typer.Option(help="Number of rounds; 0 for the full schedule.")] = 0,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Start a final with the top of the standings.

    By default teams play a knockout and single players a progressive final.
    """
    ledger = open_ledger(file)
    chosen_format = parse_choice(Format, format, "format") if format else None
    event = ledger.write(start_final(ledger.event, top, format=chosen_format, best_of=best_of, rounds=rounds), by=by)
    stage = event.stage
    names = [event.entrants[entrant].name for entrant in stage.entrants]
    print_result(
        {"format": str(stage.format), "best_of": best_of, "entrants": names},
        f"A {stage.format} of {top}, best of {best_of}: {', '.join(names)}.",
        f"Next: leftbower tournament pair {file}",
        as_json=json,
    )


def status(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="pause, resume, close or reopen.")],
    why: Annotated[str, typer.Option(help="The reason.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Pause, resume, close or reopen an event.

    Pay prizes after closing. A closed event can be reopened until a prize is paid.
    """
    facts: dict[str, EventFact] = {
        "pause": EventPaused(why=why),
        "resume": EventResumed(),
        "close": EventClosed(),
        "reopen": EventReopened(why=why),
    }
    if what not in facts:
        raise BadUsage("choose one of %(words)s", path="status", words=", ".join(facts))
    event = open_ledger(file).write(facts[what], by=by)
    state = "closed" if event.closed else "paused" if event.paused else "open"
    print_result({"paused": event.paused, "closed": event.closed}, f"{event.plan.title} is {state}.", as_json=json)
