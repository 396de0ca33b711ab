"""`leftbower tournament score | correct`: report, confirm, dispute, rule on and correct scores."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.cli.tournament.options import By, EventFile, Json
from leftbower.errors import BadUsage
from leftbower.tournament.model.commands import correct_score, record_score
from leftbower.tournament.model.facts import EventFact, ScoreConfirmed, ScoreDisputed, ScoreProposed
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.results import table_results
from leftbower.tournament.scoring.scores import Score
from leftbower.tournament.text.display import format_score
from leftbower.tournament.text.parse import parse_score

Round = Annotated[int, typer.Argument(help="The round.", min=1)]
Table = Annotated[int, typer.Argument(help="The table.", min=1)]
Games = Annotated[
    list[str] | None, typer.Argument(help="Each game, like 10-6: North and South first.", metavar="games")
]
HandsOf = Annotated[
    list[str] | None,
    typer.Option("--hands", help="A game by its hands, like 'N3 E5! S2 p'; see above.", show_default=False),
]
Absent = Annotated[
    list[str] | None, typer.Option("--absent", help="A side that didn't show up: NS or EW.", show_default=False)
]
Loners = Annotated[list[str] | None, typer.Option("--loners", help="Loners of a seat, like N=1.", show_default=False)]
Stopped = Annotated[bool, typer.Option("--stopped", help="The clock stopped the last game.")]


def score(
    file: EventFile,
    round: Round,
    table: Table,
    games: Games = None,
    hands: HandsOf = None,
    absent: Absent = None,
    loners: Loners = None,
    stopped: Stopped = False,
    side: Annotated[
        str, typer.Option(help="The side that reports it: NS or EW; by default the desk.", show_default=False)
    ] = "",
    confirm: Annotated[bool, typer.Option("--confirm", help="This side confirms the other side's report.")] = False,
    dispute: Annotated[bool, typer.Option("--dispute", help="This side disputes the other side's report.")] = False,
    why: Annotated[str, typer.Option(help="The reason for a dispute or a ruling.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Enter the score of a table.

    A score from the desk counts at once. A score from one side counts when the other side confirms it; if they dispute
    it, the desk decides by entering the score. In --hands, N3 means that North called and took three tricks, E5! that
    East went alone and took all five, S2 that South was euchred, and p that all passed. ^renege:E is a penalty for
    East's renege; write ^renege:E:N, with the maker, if the penalty depends on who called. Earlier warnings are counted
    from the hands before; after a renege that is only a warning, write the score of the hand as well.
    """
    ledger = open_ledger(file)
    reported = None
    if not (confirm or dispute):
        reported = parse_score(games or (), hands or (), absent or (), loners or (), stopped=stopped)
    elif games or hands or absent or loners or not side or (confirm and dispute):
        raise BadUsage("a side confirms or disputes without a score: --side EW --confirm", path="score")
    fact = _fact(ledger.event, (round, table), reported, side.upper(), confirm=confirm, why=why)
    _say(ledger.write(fact, by=by), round, table, as_json=json)


def _fact(
    event: Event, key: tuple[int, int], reported: Score | None, side: str, *, confirm: bool, why: str
) -> EventFact:
    number, table = key
    if reported is None:
        if confirm:
            return ScoreConfirmed(round=number, table=table, side=side)
        return ScoreDisputed(round=number, table=table, side=side, why=why)
    if side:
        return ScoreProposed(round=number, table=table, side=side, score=reported)
    return record_score(event, number, table, reported, why)


def correct(
    file: EventFile,
    round: Round,
    table: Table,
    why: Annotated[str, typer.Option(help="What was wrong.")],
    games: Games = None,
    hands: HandsOf = None,
    absent: Absent = None,
    loners: Loners = None,
    stopped: Stopped = False,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Correct a score.

    The old score stays in the ledger, with who corrected it, when and why.
    """
    ledger = open_ledger(file)
    new = parse_score(games or (), hands or (), absent or (), loners or (), stopped=stopped)
    _say(ledger.write(correct_score(ledger.event, round, table, new, why), by=by), round, table, as_json=json)


def _say(event: Event, number: int, table: int, *, as_json: bool) -> None:
    seating = event.seating(number, table)
    sheet = event.score_states[number, table]
    score_text = format_score(event, seating, sheet.score)
    state = type(sheet).__name__.lower()
    if as_json:
        results = dict(zip(seating.labels, map(str, table_results(event, number, seating)), strict=True))
        print_json({"round": number, "table": table, "state": state, "score": score_text, "results": results})
        return
    sides = " v. ".join(
        " & ".join(event.entrants[entrant].name for entrant in seating.entrants_on(side))
        for side in range(len(seating.sides))
    )
    print(f"Round {number}, table {table}: {sides}, {score_text}, {state}.")
    tables_left = sum(key[0] == number for key in event.open_tables())
    print(f"{tables_left} table{'s' * (tables_left != 1)} left in round {number}.")
