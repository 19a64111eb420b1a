"""The command, run in this process on given artefacts."""

from click.testing import CliRunner

from companion.papers.command import main


def invoke(artefacts, *words, code=0):
    """The output of the command, which must end with this exit code."""
    result = CliRunner().invoke(main, list(words), obj=artefacts)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output
