"""Rows of listings as they are read by every store in SQL."""

from collections.abc import Sequence
from typing import Any, Final

from leftbower.store.facts import parse_stored
from leftbower.store.registry import Listing, from_ms

LISTINGS: Final = "select log, seq, body, updated from listings"


def listing_of_row(row: Sequence[Any]) -> Listing:
    """The listing of a row of `LISTINGS`."""
    log, seq, body, updated = row
    return Listing(log=log, seq=seq, body=parse_stored(body, f"the listing of log {log}"), updated=from_ms(updated))
