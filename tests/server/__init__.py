"""Tests of the server. A package, so that type checkers don't confuse its conftest with that of all tests."""
