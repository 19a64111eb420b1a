"""The command as it is started: ``companion`` and ``python -m companion``."""

import subprocess
import sys

import pytest

from companion import __main__, cli


def test_python_m_companion_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "companion", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "reproduce" in done.stdout and "verify" in done.stdout


@pytest.mark.parametrize(("missing", "named"), [("click", True), ("companion", False)])
def test_a_missing_package_is_named_in_one_line_and_one_of_our_own_is_a_fault(
    monkeypatch, capsys, missing, named
):
    def command():
        raise ModuleNotFoundError("No module", name=f"{missing}.core")

    monkeypatch.setattr(cli, "main", command)
    with pytest.raises(SystemExit if named else ModuleNotFoundError) as stop:
        __main__.main()
    if named:
        assert stop.value.code == 2
        assert capsys.readouterr().err == (
            "The command needs click, which is not installed: "
            "pip install 'svm-companion[reproduce]'\n"
        )
