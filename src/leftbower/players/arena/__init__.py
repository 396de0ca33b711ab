"""Duplicate matches between players, statistics of a rule set, and the job runner they share."""
