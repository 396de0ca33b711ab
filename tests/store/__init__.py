"""Tests of the store. A package, so that type checkers don't confuse its conftest with that of all tests."""
