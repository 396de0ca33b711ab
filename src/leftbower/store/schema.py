"""The SQL tables of a store, for SQLite and PostgreSQL, from `schema.sql`; their types are in braces."""

from importlib.resources import files
from typing import Final

from leftbower.errors import WrongSchema

SCHEMA: Final = 6
"""The version of the SQL tables; a store of another version is refused."""

TABLES: Final = files("leftbower.store").joinpath("schema.sql").read_text(encoding="utf-8")


def check_schema(found: int, location: str) -> None:
    """Refuse a store of another version."""
    if found != SCHEMA:
        raise WrongSchema(
            "%(location)s has schema %(found)s, but this leftbower needs schema %(schema)s",
            location=location,
            found=found,
            schema=SCHEMA,
        )
