"""The account page."""
