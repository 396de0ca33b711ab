"""The command line `python -m proofs`; commands import their code when they run."""

import typer

from proofs.commands import behavior, crash, fuzz, oracle, positions, requests, shuffles, wire

app = typer.Typer(
    help="Tests that the engine is right, that bots and clients learn no secrets, and that servers lose nothing.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command(epilog="Example:  python -m proofs oracle --hands 2000")(oracle.oracle)
app.command(epilog="Example:  python -m proofs exact --positions 500")(positions.exact)
app.command(epilog="Example:  python -m proofs leak --positions 400 --processes 2")(positions.leak)
app.command(epilog="Example:  python -m proofs behavior regular;  python -m proofs behavior --confirm again.toml")(
    behavior.behavior
)
app.command(epilog="Example:  python -m proofs shuffles --decks 100000 --seed 7")(shuffles.shuffles)
app.command(epilog="Example:  python -m proofs crash --kills 20 --database postgresql")(crash.crash)
app.command("event-crash", epilog="Example:  python -m proofs event-crash --kills 20")(crash.event_crash)
app.command(epilog="Example:  python -m proofs processes --kills 5 --restarts 5")(crash.processes)
app.command(epilog="Example:  python -m proofs wire --hands 200")(wire.wire)
app.command(epilog="Example:  python -m proofs fuzz --target egn --target toml --seconds 60")(fuzz.fuzz)
app.command(epilog="Example:  python -m proofs requests --count 20000 --processes 2")(requests.requests)
