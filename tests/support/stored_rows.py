"""Change the rows of an in-memory store, as anyone with write access to a file could."""

from collections.abc import Callable, Sequence

from leftbower.store import Head
from leftbower.store.chain import Row
from leftbower.store.memory import MemoryStore


async def edit_rows(store: MemoryStore, log: str, edit: Callable[[list[Row]], object]) -> None:
    """Let `edit` change the rows of a log in place."""
    rows = list(await store.rows(log, 0, 1 << 20))
    edit(rows)
    replace_rows(store, log, rows)


def replace_rows(store: MemoryStore, log: str, rows: Sequence[Row]) -> None:
    """Delete all rows of a log and insert these; surrogate escapes are bytes that are not UTF-8."""
    database = store._connection
    database.text_factory = lambda text: text.decode(errors="surrogateescape")
    database.execute("delete from facts where log = ?", [log])
    raw = [(log, row.seq, row.at, row.body.encode(errors="surrogateescape"), row.hash) for row in rows]
    database.executemany("insert into facts values (?, ?, ?, cast(? as text), ?)", raw)


def replace_head(store: MemoryStore, log: str, head: Head) -> None:
    """Change the head of a log."""
    store._connection.execute("update heads set seq = ?, hash = ? where log = ?", (head.seq, head.hash, log))
