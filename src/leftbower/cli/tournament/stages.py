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
    names: Annotated[list[str], typer.Argument(help="Those who are level.", metavar="names")],
    seed: Annotated[str, typer.Option(help="Draw lots from this; from chance if left out.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Draw lots between entrants who are level, and record it."""
    ledger = open_ledger(file)
    chosen_seed = seed or secrets.token_hex(8)
    order = seeded_shuffle([ledger.event.find(name).id for name in names], chosen_seed)
    event = ledger.write(TieDrawn(order=order, seed=chosen_seed), by=by)
    drawn = [event.entrants[entrant].name for entrant in order]
    print_result({"order": drawn, "seed": chosen_seed}, f"By lot: {', then '.join(drawn)}.", as_json=json)


def final(
    file: EventFile,
    top: Annotated[int, typer.Option(help="How many go on.", min=2)] = 4,
    format: Annotated[str, typer.Option(help="How they meet.", show_default=False)] = "",
    best_of: Annotated[int, typer.Option(help="Games to a match.")] = 3,
    rounds: Annotated[int, typer.Option(help="How many rounds; 0 for all there are.")] = 0,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Begin another stage with the best of the standings.

    Teams play a knockout where nothing is said, single players a progressive final.
    """
    ledger = open_ledger(file)
    chosen_format = parse_choice(Format, format, "format") if format else None
    event = ledger.write(start_final(ledger.event, top, format=chosen_format, best_of=best_of, rounds=rounds), by=by)
    stage = event.stage
    names = [event.entrants[entrant].name for entrant in stage.entrants]
    print_result(
        {"format": str(stage.format), "best_of": best_of, "entrants": names},
        f"A {stage.format} of {top}, best of {best_of}: {', '.join(names)}.",
        f"Draw it with: leftbower tournament pair {file}",
        as_json=json,
    )


def status(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="pause, resume, close or reopen.")],
    why: Annotated[str, typer.Option(help="The reason.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Pause an event, go on with it, close it, or open it again.

    Prizes are paid when it is closed; it can be opened again until something is paid.
    """
    facts: dict[str, EventFact] = {
        "pause": EventPaused(why=why),
        "resume": EventResumed(),
        "close": EventClosed(),
        "reopen": EventReopened(why=why),
    }
    if what not in facts:
        raise BadUsage(f"say one of {', '.join(facts)}", path="status")
    event = open_ledger(file).write(facts[what], by=by)
    state = "closed" if event.closed else "paused" if event.paused else "open"
    print_result({"paused": event.paused, "closed": event.closed}, f"{event.plan.title} is {state}.", as_json=json)
