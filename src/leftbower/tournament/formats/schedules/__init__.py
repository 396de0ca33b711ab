"""Parts that draws are built from: base rounds, edge colorings, rotations of tables, brackets."""
