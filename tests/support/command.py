"""The command line, called from a test."""

from typer.testing import CliRunner

from roundsmith.cli.cli import app


def call(*words: object) -> str:
    """Run a command and return what it prints; RoundsmithError passes through."""
    answer = CliRunner().invoke(app, [str(word) for word in words])
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return answer.output
