"""The SQLite store: one writer thread with group commit, query-only readers, a file lock."""
