"""Scores, results, standings, prizes and the fairness audit."""
