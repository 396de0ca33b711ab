"""Server-sent feeds: one bounded queue per client, JSON cached per version and viewer."""
