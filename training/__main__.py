"""`python -m training`."""

from leftbower.cli.common.run import run_app
from training.app import app


def main() -> None:
    run_app(app, "python -m training")


if __name__ == "__main__":
    main()
