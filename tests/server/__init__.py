"""Tests of the server. A package, so that its conftest is not the conftest of all tests to a type checker."""
