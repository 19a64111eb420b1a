"""The lock file against pyproject.toml, and the environment that is built from it."""

import os
import re
import runpy
import shutil
import sys
import tomllib

import pytest
from _cases import cases, each
from _run import python
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from companion._utils.paths import project_root
from companion.reproduction.artefacts import list_artefacts

ROOT = project_root()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CLASSIFIER = "Programming Language :: Python :: "
PYTHONS = re.findall(
    f"{CLASSIFIER}(3\\.\\d+)$", "\n".join(PROJECT["project"]["classifiers"]), re.M
)
PLATFORMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}


def locked():
    """Every line of the lock file as a requirement; `name==version ; marker`."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return [
        Requirement(line.rstrip("\\ "))
        for line in re.findall(r"(?m)^[a-z0-9][^\n]*", text)
    ]


def wanted():
    """Every requirement of the project: its own, those of its extras, and of its build."""
    project = PROJECT["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    groups += [
        PROJECT["build-system"]["requires"]
    ]  # without build isolation they must be there
    itself = f"{project['name']}["  # an extra that includes another
    return sorted(
        {text for group in groups for text in group if not text.startswith(itself)}
    )


def environment_of(version, platform):
    return default_environment() | {
        "python_version": version,
        "python_full_version": f"{version}.1",
        "implementation_version": f"{version}.1",
        "sys_platform": platform,
        "platform_system": PLATFORMS[platform],
        "os_name": "nt" if platform == "win32" else "posix",
        "extra": "",
    }


@each(platform=PLATFORMS, version=PYTHONS)
def test_the_lock_file_satisfies_every_requirement_of_the_project(version, platform):
    environment = environment_of(version, platform)
    versions = {}
    for line in locked():
        if line.marker is None or line.marker.evaluate(environment):
            (pin,) = line.specifier
            assert pin.operator == "==", line
            name = canonicalize_name(line.name)
            assert name not in versions, line
            versions[name] = pin.version
    for requirement in map(Requirement, wanted()):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            found = versions[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(found, prereleases=True), requirement


# ------------------------------------------------------------------ make setup


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="runs a shell script")
@cases("uv_fails", 0, 1, ids=["uv installs", "uv fails"])
def test_setup_installs_by_uv_from_where_pip_would_and_by_pip_if_uv_fails(
    tmp_path, uv_fails
):
    """With a uv that only notes what it is asked for, and a lock file without packages."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "build_venv.sh", tmp_path / "tools")
    (tmp_path / "tools" / "other.py").touch()
    (tmp_path / "tools" / "compile_loops.py").write_text(
        "import other\nprint('compiled')"
    )
    (tmp_path / "requirements.lock").touch()
    settings = "[global]\nindex-url = https://one.test\n[install]\nextra-index-url =\n  a\n  b\n"
    (tmp_path / "pip.conf").write_text(settings)
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    arguments = '"$UV_DEFAULT_INDEX $UV_EXTRA_INDEX_URL: $*"'
    uv.write_text(
        f'#!/bin/sh\necho {arguments} >> "{tmp_path}/asked"\nexit {uv_fails}\n'
    )
    uv.chmod(0o755)
    environment = {
        key: text
        for key, text in os.environ.items()
        if not key.startswith(("PIP_", "UV_"))
    }
    environment |= {
        "PIP_CONFIG_FILE": str(tmp_path / "pip.conf"),
        "PYTHON": sys.executable,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment["PATH"] = f"{uv.parent}{os.pathsep}{environment['PATH']}"
    command = ("tools/build_venv.sh", ".venv")
    run = python(*command, program="sh", cwd=tmp_path, env=environment)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert all(line.startswith("https://one.test  a b: pip install ") for line in asked)
    assert asked[0].endswith("--require-hashes --requirement requirements.lock")
    if uv_fails:
        assert len(asked) == 1
        assert "could not install them, as it says above: pip does" in run.stderr
    else:
        assert run.returncode == 0
        assert "compiled" in run.stdout
        assert "pip does" not in run.stderr
        itself = "--no-deps --no-build-isolation --editable ."
        assert [line.partition("best-match ")[2] for line in asked[1:]] == [itself]
        assert (tmp_path / "tools" / "__pycache__").is_dir()  # bytecode all the same


def test_the_loops_that_setup_compiles_are_of_studies_there_are():
    listed = runpy.run_path(str(ROOT / "tools" / "compile_loops.py"))["STUDIES"]
    known = {
        f"{study.paper}/{study.name}" for a in list_artefacts() for study in a.studies
    }
    assert {name for names in listed for name in names} <= known
