"""`leftbower tournament draw | final | course`: lots, the next stage, and pausing or closing an event."""

import secrets
from typing import Annotated, Final

import typer

from leftbower.cli.output import print_json
from leftbower.cli.tournament_options import By, EventFile, Json
from leftbower.errors import BadUsage


def draw(
    file: EventFile,
    names: Annotated[list[str], typer.Argument(help="Those who are level.", metavar="names")],
    seed: Annotated[str, typer.Option(help="Draw lots from this; from chance if left out.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Draw lots between entrants who are level, and record it."""
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import LotsDrawn, shuffled

    ledger = open_ledger(file)
    lot = seed or secrets.token_hex(8)
    order = shuffled([ledger.event.find(name).id for name in names], lot)
    event = ledger.write(LotsDrawn(order=order, seed=lot), by=by)
    drawn = [event.entrants[one].name for one in order]
    if json:
        print_json({"order": drawn, "seed": lot})
    else:
        print(f"By lot: {', then '.join(drawn)}.")


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
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import Format, chosen, going_on

    ledger = open_ledger(file)
    way = chosen(Format, format, "format") if format else None
    event = ledger.write(going_on(ledger.event, top, format=way, best_of=best_of, rounds=rounds), by=by)
    stage = event.stage
    names = [event.entrants[one].name for one in stage.entrants]
    if json:
        print_json({"format": str(stage.format), "best_of": best_of, "entrants": names})
    else:
        print(f"A {stage.format} of {top}, best of {best_of}: {', '.join(names)}.")
        print(f"Draw it with: leftbower tournament pair {file}")


_COURSES: Final = ("pause", "resume", "close", "reopen")


def course(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="pause, resume, close or reopen.")],
    why: Annotated[str, typer.Option(help="The reason.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Pause an event, go on with it, close it, or open it again.

    Prizes are paid when it is closed; it can be opened again until something is paid.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import Closed, EventFact, Paused, Reopened, Resumed

    if what not in _COURSES:
        raise BadUsage(f"say one of {', '.join(_COURSES)}", place="course")
    facts: dict[str, EventFact] = {
        "pause": Paused(why=why),
        "resume": Resumed(),
        "close": Closed(),
        "reopen": Reopened(why=why),
    }
    event = open_ledger(file).write(facts[what], by=by)
    if json:
        print_json({"paused": event.paused, "closed": event.closed})
    else:
        print(f"{event.plan.title} is {'closed' if event.closed else 'paused' if event.paused else 'open'}.")
