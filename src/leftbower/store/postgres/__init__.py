"""The PostgreSQL store: grouped inserts, notifications between processes."""
