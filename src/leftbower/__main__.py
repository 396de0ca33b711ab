"""`python -m leftbower` is the command `leftbower`."""

from leftbower.cli import main

main()
