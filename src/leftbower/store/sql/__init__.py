"""Schema and statements shared by SQLite and PostgreSQL."""
