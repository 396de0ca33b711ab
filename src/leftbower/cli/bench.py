"""`leftbower bench`: proofs and measurements, many of them against what is not ours."""

import typer

from leftbower.cli import (
    bench_bots,
    bench_desk,
    bench_engine,
    bench_events,
    bench_kernel,
    bench_pages,
    bench_pictures,
    bench_server,
    bench_shuffles,
)

app = typer.Typer(help="Proofs and measurements, against an engine that is not ours.", no_args_is_help=True)
app.command(epilog=bench_server.EXAMPLES)(bench_server.server)
app.command(epilog=bench_pages.EXAMPLES)(bench_pages.pages)
app.command(epilog=bench_desk.EXAMPLES)(bench_desk.desk)
app.command(epilog=bench_pictures.EXAMPLES)(bench_pictures.pictures)
app.command(epilog="Example:  leftbower bench oracle --hands 2000")(bench_engine.oracle)
app.command(epilog="Example:  leftbower bench schedule 13")(bench_events.schedule)
app.command(epilog="Example:  leftbower bench pairing --teams 200 --rounds 9")(bench_events.pairing)
app.command(epilog="Example:  leftbower bench engine --rounds 5")(bench_engine.engine)
app.command(epilog="Example:  leftbower bench exact --positions 500")(bench_kernel.exact)
app.command(epilog="Example:  leftbower bench peeking --positions 400 --processes 2")(bench_kernel.peeking)
app.command(epilog="Example:  leftbower bench behaviour regular;  leftbower bench behaviour --confirm again.toml")(
    bench_bots.behaviour
)
app.command(epilog="Example:  leftbower bench kernel --rounds 5")(bench_kernel.kernel)
app.command(epilog="Example:  leftbower bench ismcts expert --pairs 100 --processes 2")(bench_bots.ismcts)
app.command(epilog="Example:  leftbower bench shuffles --decks 100000 --seed 7")(bench_shuffles.shuffles)
