"""`leftbower expire`: remove expired rows from a store, as a server does every hour."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json

if TYPE_CHECKING:
    from leftbower.server.expiry import Expired, Lifetimes

EXAMPLES: Final = (
    "Examples:  leftbower expire leftbower.db --dry-run;  leftbower expire postgresql://localhost/euchre --json"
)


def expire(
    store: Annotated[str, typer.Argument(help="A store: a file, or postgresql://….", show_default=False)],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed; works while a server runs.")
    ] = False,
    settings: Annotated[
        str | None, typer.Option(help="The server's TOML file, to read its [lifetimes].", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Remove idle guests, old sessions, empty tables and unopened events.

    A server does this once an hour. Matches that have started and events with entrants are never removed.
    Needs the server extra.
    """
    from asyncio import run

    from leftbower.errors import MissingExtra
    from leftbower.store.db_errors import without_password

    try:
        from leftbower.server.settings import read_settings

        lifetimes = read_settings(settings, {}).lifetimes
        expired = run(_expired(store, lifetimes, dry_run=dry_run))
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    if json:
        print_json(asdict(expired) | {"dry_run": dry_run})
        return
    print(f"{without_password(store)}: {'would remove' if dry_run else 'removed'} {_counted(expired)}.")


async def _expired(address: str, lifetimes: "Lifetimes", *, dry_run: bool) -> "Expired":
    from leftbower.server.context import build_context
    from leftbower.store import open_store

    async with await open_store(address, read_only=True):
        pass  # fails if there is no store; the next line would create one
    async with await open_store(address, read_only=dry_run) as store:
        context = build_context(store, lifetimes=lifetimes)
        try:
            return await context.expiry.make_round(dry_run=dry_run)
        finally:
            await context.close()


def _counted(expired: "Expired") -> str:
    return ", ".join(f"{name} {count:,}" for name, count in asdict(expired).items() if count) or "nothing"
