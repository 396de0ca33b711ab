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
    list[str] | None, typer.Argument(help="Each game as 10-6: North and South, then East and West.", metavar="games")
]
HandsOf = Annotated[
    list[str] | None,
    typer.Option("--hands", help="A game hand by hand: maker and tricks, ! alone, p passed out.", show_default=False),
]
Absent = Annotated[
    list[str] | None, typer.Option("--absent", help="A side that did not come: NS or EW.", show_default=False)
]
Loners = Annotated[list[str] | None, typer.Option("--loners", help="Loners of a seat, as N=1.", show_default=False)]
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
        str, typer.Option(help="The side that tells it: NS or EW; the desk if left out.", show_default=False)
    ] = "",
    confirm: Annotated[bool, typer.Option("--confirm", help="This side confirms what the other told.")] = False,
    dispute: Annotated[bool, typer.Option("--dispute", help="This side disputes what the other told.")] = False,
    why: Annotated[str, typer.Option(help="Why it is disputed, or ruled so.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Enter the score of a table.

    The desk's word stands at once. What a side tells stands when the other side confirms it; if that one disputes it,
    the desk decides by entering the score. Hands: N3 means North made it with three tricks, E5! alone with all
    five, S2 was euchred, p passed out, ^renege:E the ruling on East's renege, ^renege:E:N with North as the maker where
    the penalty depends on it. Warnings are counted from the hands before; a renege that is only a warning is followed
    by the score of its hand.
    """
    ledger = open_ledger(file)
    reported = None
    if not (confirm or dispute):
        reported = parse_score(games or (), hands or (), absent or (), loners or (), stopped=stopped)
    elif games or hands or absent or loners or not side or (confirm and dispute):
        raise BadUsage("a side confirms or disputes, and tells no score with it: --side EW --confirm", path="score")
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
    print(f"{tables_left} table{'s' * (tables_left != 1)} still to come in round {number}.")
