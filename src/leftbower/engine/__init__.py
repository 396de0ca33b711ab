"""The engine: one hand, game and match as folds over actions, and what each seat may see of them."""
