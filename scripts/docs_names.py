"""Griffe extension: the names that a package imports `as` themselves are its exports, listed in the API reference."""

import ast
from typing import Any

from griffe import Extension, Module


class PublicNames(Extension):
    """Treats `from x import name as name` as if `name` were in `__all__`."""

    def on_module_members(self, *, node: Any, mod: Module, **kwargs: Any) -> None:
        """Set the exports of a module that has no `__all__`."""
        if mod.exports is None and isinstance(node, ast.Module):
            imports = [
                alias for statement in node.body if isinstance(statement, ast.ImportFrom) for alias in statement.names
            ]
            mod.exports = [alias.name for alias in imports if alias.name == alias.asname] or None
