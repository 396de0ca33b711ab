"""Crash tests: kill servers under load, and compare their logs with the responses that clients got."""
