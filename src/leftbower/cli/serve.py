"""`leftbower serve`: serve tables and events over HTTP, for people, programs and bots."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from leftbower.server.settings import Settings

EXAMPLES: Final = (
    "Examples:  leftbower serve --open;  leftbower serve --lan;  leftbower serve --port 8080 --database evening.db;  "
    "leftbower serve --database postgresql://localhost/leftbower --processes 4"
)
_NO_SETTINGS: Final = ("lan", "opens", "settings")
"""Options that are no settings of the server."""


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="The address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 for any free port.", show_default="8000")] = None,
    database: Annotated[
        str | None, typer.Option(help="A SQLite file, or postgresql://….", show_default="leftbower.db")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Number of processes (PostgreSQL only); SIGHUP restarts them.", show_default="1")
    ] = None,
    lan: Annotated[
        bool, typer.Option("--lan", help="Allow phones on the same network; prints the address and a QR code.")
    ] = False,
    opens: Annotated[
        bool,
        typer.Option(
            "--open", help="Open a browser at a table with bots; logs only warnings, and may use any free port."
        ),
    ] = False,
    bot_delay: Annotated[float | None, typer.Option(help="Seconds before a bot acts.", show_default="0.3")] = None,
    hand_pause: Annotated[
        float | None, typer.Option(help="Seconds the result of a hand stays, unless all go on.", show_default="6")
    ] = None,
    reconnect_grace: Annotated[
        float | None, typer.Option(help="Seconds to wait for a player who drops out.", show_default="20")
    ] = None,
    event_reconnect_grace: Annotated[
        float | None, typer.Option(help="The same for tables of events.", show_default="60")
    ] = None,
    idle_timeout: Annotated[
        float | None, typer.Option(help="Seconds until an idle table closes.", show_default="600")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="The public address, like https://euchre.example; needed for passkeys.", show_default=False),
    ] = None,
    certificate: Annotated[
        str | None, typer.Option(help="A PEM file, to serve HTTPS without a proxy.", show_default=False)
    ] = None,
    key: Annotated[str | None, typer.Option(help="The PEM file with its key.", show_default=False)] = None,
    trusted_proxies: Annotated[
        str | None,
        typer.Option(help="Proxies whose forwarded headers are trusted: an address or network.", show_default="none"),
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(help="Who can read /metrics: loopback, off, or a network.", show_default="loopback")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help="The lowest level to log: debug, info, warning or error.", show_default="info")
    ] = None,
    settings: Annotated[
        str | None, typer.Option(help="A TOML file with the same settings.", show_default=False)
    ] = None,
) -> None:
    """Run a server.

    Every option can also be set in the environment, like LEFTBOWER_PORT=8080, or in a TOML file. Options override the
    environment, which overrides the file. Prints the address, and runs until Ctrl-C. Needs the server extra.
    """
    from leftbower.errors import MissingExtra

    if lan and host is None:
        host = "0.0.0.0"
    if opens and log_level is None:
        log_level = "warning"
    try:
        from leftbower.server.settings import read_settings

        options = {name: value for name, value in context.params.items() if name not in _NO_SETTINGS}
        resolved = read_settings(settings, {**options, "host": host, "log_level": log_level})
        from leftbower.server.process.run import run
        from leftbower.server.process.supervisor import supervise
        from leftbower.web.app import install
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    from functools import partial
    from secrets import token_urlsafe

    from leftbower.cli.common.lan import is_taken

    if opens and port is None and is_taken(resolved.host, resolved.port):
        resolved = resolved.model_copy(update={"port": 0})
    start_code = token_urlsafe(12) if opens and resolved.processes == 1 else ""
    started = partial(_started, resolved, lan=lan, start=f"start/{start_code}" if start_code else "", opens=opens)
    if resolved.processes > 1:
        supervise(resolved, started=started, prepare="leftbower.web.app:install")
    else:
        run(resolved, started=started, prepare=partial(install, start_code=start_code))


def _started(resolved: "Settings", port: int, *, lan: bool, start: str, opens: bool) -> None:
    """Print the addresses, and a QR code for the LAN."""
    from leftbower.cli.common.lan import open_browser, print_code
    from leftbower.server.http.lan import lan_address

    scheme = "https" if resolved.certificate else "http"
    name = f"[{resolved.host}]" if ":" in resolved.host else resolved.host
    print(f"Listening on {scheme}://{name}:{port}", flush=True)
    if lan:
        lan_url = f"{scheme}://{lan_address()}:{port}"
        print(f"On phones, open {lan_url}", flush=True)
        print_code(lan_url)
    if opens:
        table = f"{scheme}://{'127.0.0.1' if resolved.host == '0.0.0.0' else name}:{port}/{start}"
        print(
            f"Your table: {table}\nIf no browser opens, open this address yourself. Ctrl-C stops the server.",
            flush=True,
        )
        open_browser(table)
