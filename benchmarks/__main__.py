"""`python -m benchmarks`."""

from benchmarks.commands.app import app
from leftbower.cli.common.run import run_app


def main() -> None:
    run_app(app, "python -m benchmarks")


if __name__ == "__main__":
    main()
