"""`leftbower serve`: tables for people, programs and bots, over HTTP."""

from typing import Annotated, Final

import typer

EXAMPLES: Final = (
    "Examples:  leftbower serve;  leftbower serve --host 0.0.0.0 --port 8080 --database evening.db;  "
    "leftbower serve --database postgresql://localhost/leftbower --processes 4"
)


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 for any that is free.", show_default="8000")] = None,
    database: Annotated[
        str | None, typer.Option(help="A file, or postgresql://….", show_default="leftbower.db")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="How many serve, on PostgreSQL; SIGHUP replaces them.", show_default="1")
    ] = None,
    pace: Annotated[float | None, typer.Option(help="Seconds before a bot acts.", show_default="0.7")] = None,
    pause: Annotated[float | None, typer.Option(help="Seconds between two hands.", show_default="2.5")] = None,
    grace: Annotated[float | None, typer.Option(help="Seconds to wait for who drops out.", show_default="20")] = None,
    deserted: Annotated[float | None, typer.Option(help="Seconds until a table closes.", show_default="600")] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="Where browsers find it, as in https://euchre.example; for passkeys.", show_default=False),
    ] = None,
    certificate: Annotated[
        str | None, typer.Option(help="A PEM file, to serve HTTPS without a proxy.", show_default=False)
    ] = None,
    key: Annotated[str | None, typer.Option(help="The PEM file with its key.", show_default=False)] = None,
    proxy: Annotated[
        str | None,
        typer.Option(help="Whose forwarded headers are believed: an address or network.", show_default="none"),
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(help="Who reads /metrics: loopback, off, or a network.", show_default="loopback")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help="What is logged: debug, info, warning or error.", show_default="info")
    ] = None,
    settings: Annotated[
        str | None, typer.Option(help="A TOML file with the same settings.", show_default=False)
    ] = None,
) -> None:
    """Serve tables over HTTP.

    Everything can also be set in the environment, as in LEFTBOWER_PORT=8080, or in a TOML file; options come first,
    the file last. Says where it listens, and serves until Ctrl-C. Needs the server extra.
    """
    from leftbower.errors import MissingExtra

    try:
        from leftbower.server.settings import read_settings

        given = {"host": host, "port": port, "database": database, "processes": processes, "log_level": log_level}
        patience = {"pace": pace, "pause": pause, "grace": grace, "deserted": deserted}
        doors = {"origin": origin, "certificate": certificate, "key": key, "proxy": proxy, "metrics": metrics}
        read = read_settings(settings, {**given, **patience, **doors})
        from leftbower.server.serving import run
        from leftbower.server.supervising import supervise
        from leftbower.web.pages import install
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    name = f"[{read.host}]" if ":" in read.host else read.host
    scheme = "https" if read.certificate else "http"

    def started(port: int) -> None:
        print(f"Listening on {scheme}://{name}:{port}", flush=True)

    if read.processes > 1:
        supervise(read, started=started, prepare="leftbower.web.pages:install")
    else:
        run(read, started=started, prepare=install)
