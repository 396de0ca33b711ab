"""Pages of a table: view models, controls, text and routes."""
