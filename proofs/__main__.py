"""`python -m proofs`."""

from leftbower.cli.common.run import run_app
from proofs.commands.app import app


def main() -> None:
    run_app(app, "python -m proofs")


if __name__ == "__main__":
    main()
