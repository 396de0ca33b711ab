"""The command line `python -m benchmarks`; commands import their code when they run."""

import typer

from benchmarks.commands import engine, hall, ismcts, kernel, pages, pairing, pictures, schedules, server

app = typer.Typer(
    help="Benchmarks, many of them against an independent engine or server.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command(epilog=server.EXAMPLES)(server.server)
app.command(epilog=pages.EXAMPLES)(pages.pages)
app.command(epilog=hall.EXAMPLES)(hall.hall)
app.command(epilog="Example:  python -m benchmarks pictures --out pictures --size phone --size desktop")(
    pictures.pictures
)
app.command(epilog="Example:  python -m benchmarks engine --rounds 5")(engine.engine)
app.command(epilog="Example:  python -m benchmarks kernel --rounds 5")(kernel.kernel)
app.command(epilog="Example:  python -m benchmarks ismcts expert --pairs 100 --processes 2")(ismcts.ismcts)
app.command(epilog="Example:  python -m benchmarks schedules 13")(schedules.schedules)
app.command(epilog="Example:  python -m benchmarks pairing --teams 200 --rounds 9")(pairing.pairing)
