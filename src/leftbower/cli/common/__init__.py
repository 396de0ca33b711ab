"""Shared by commands: input, output, checkpoints, plots, LAN helpers."""
