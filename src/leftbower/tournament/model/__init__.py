"""An event: plan, entrants, facts, the reducer, validation, roles and commands."""
