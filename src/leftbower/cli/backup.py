"""`leftbower backup` and `leftbower restore`: copy a store while its server runs, and restore the copy."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.common.stores import describe_counts, fingerprint, is_sqlite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from leftbower.store import Head, StoredFact

BACKUP_EXAMPLES: Final = (
    "Examples:  leftbower backup leftbower.db monday.db;  leftbower backup postgresql://localhost/euchre monday.jsonl"
)
RESTORE_EXAMPLES: Final = (
    "Examples:  leftbower restore monday.jsonl postgresql://localhost/new;  leftbower restore monday.db new.db"
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs, with the head of every log.")]


def backup(
    source: Annotated[str, typer.Argument(help="A store: a file, or postgresql://….", show_default=False)],
    target: Annotated[str, typer.Argument(help="A new file: .jsonl for a dump, else SQLite.", show_default=False)],
    json: Json = False,
) -> None:
    """Back up a store, even while its server runs.

    A .jsonl target is a dump that can be restored to any store; any other name is a SQLite file that a server can open.
    The copy is verified, and the head of each log in it is compared with the store.
    """
    from asyncio import run
    from pathlib import Path

    from leftbower.store.db_errors import without_password

    heads, grown = run(_backed_up(source, Path(target)))
    if json:
        print_json(_as_json(heads) | {"grown": grown})
        return
    print(f"Copied {without_password(source)} to {target}: {describe_counts(heads)}.")
    since = f"; {grown} {'has' if grown == 1 else 'have'} grown since" if grown else ""
    print(f"Heads {fingerprint(heads)}, all of them in the store{since}.")


def restore(
    dump: Annotated[str, typer.Argument(help="A file made by backup.", show_default=False)],
    target: Annotated[str, typer.Argument(help="An empty store: a file, or postgresql://….", show_default=False)],
    json: Json = False,
) -> None:
    """Fill an empty store from a backup.

    The whole backup is checked before anything is written, and every restored log must have the same head as in the
    backup. A dump has no tokens, so people sign in again.
    """
    from asyncio import run
    from pathlib import Path

    from leftbower.store.db_errors import without_password

    heads, listed = run(_restored(Path(dump), target))
    if json:
        print_json(_as_json(heads) | {"listed": listed})
        return
    print(f"Restored {dump} to {without_password(target)}: {describe_counts(heads)}.")
    print(f"Heads {fingerprint(heads)}, the same in both.")


async def _backed_up(source: str, target: "Path") -> "tuple[Mapping[str, Head], int]":
    """The heads of the copy, and how many logs have grown in the store since."""
    from leftbower.errors import StoreBroken
    from leftbower.store import backup as back_up, open_store

    heads = await back_up(source, target)
    async with await open_store(source, read_only=True) as store:
        for log, head in heads.items():
            there = await store.rows(log, head.seq - 1, 1)
            if not there and log in await store.removed_logs():
                continue  # it expired since
            if not there or (there[0].seq, there[0].hash) != (head.seq, head.hash):
                raise StoreBroken(
                    "fact %(seq)s of log %(log)s is in the copy, but the store has a different one",
                    seq=head.seq,
                    log=log,
                )
        now = await store.heads()
    return heads, sum(now[log].seq > head.seq for log, head in heads.items() if log in now)


async def _restored(source: "Path", target: str) -> "tuple[Mapping[str, Head], int]":
    """The heads of the restored store, and the number of its listings, which are rebuilt from the logs."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from leftbower.store import backup as back_up, open_store, restore as bring_back

    if is_sqlite(str(source)):
        with TemporaryDirectory(prefix="leftbower-restore-") as folder:
            dump = Path(folder) / "dump.jsonl"
            await back_up(str(source), dump)
            heads = await bring_back(dump, target)
    else:
        heads = await bring_back(source, target)
    async with await open_store(target) as store:
        return heads, await store.rebuild_listings(_listing)


def _listing(log: str, facts: "Sequence[StoredFact]") -> "tuple[Mapping[str, object], Iterable[str]] | None":
    """The listing of a table, event or season, and the people whose lists have it; None for any other log."""
    from leftbower.errors import LeftbowerError
    from leftbower.server.live import events, seasons
    from leftbower.server.live.tables import EVENT_LOG_PREFIX, SEASON_LOG_PREFIX, list_keys, listing_of
    from leftbower.table import replay, table_fact_from_json
    from leftbower.tournament.model import reducer
    from leftbower.tournament.model.codec import entry_from_json
    from leftbower.tournament.season import codec, state

    try:
        if log.startswith(SEASON_LOG_PREFIX):
            season = state.replay(codec.entry_from_json(row.fact) for row in facts)
            return None if season is None else (seasons.listing_of(season), season.organizers)
        if log.startswith(EVENT_LOG_PREFIX):
            event = reducer.replay(entry_from_json(row.fact) for row in facts)
            return None if event is None else (events.listing_of(event), event.organizers)
        table = replay((table_fact_from_json(row.fact), row.at) for row in facts)
    except LeftbowerError:
        return None
    return None if table is None else (listing_of(table), list_keys(log, table))


def _as_json(heads: "Mapping[str, Head]") -> dict[str, object]:
    return {
        "fingerprint": fingerprint(heads),
        "heads": {log: {"seq": head.seq, "hash": head.hash.hex()} for log, head in sorted(heads.items())},
    }
