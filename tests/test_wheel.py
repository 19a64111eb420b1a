"""The wheel: what it carries, and what it does in a fresh environment without any extra."""

import json
import lzma
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from _run import python, said

from companion._utils.paths import project_root

pytestmark = pytest.mark.slow

ROOT = project_root()
HERE = {
    name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
}

CORE = """
import numpy as np
from companion import (
    L1SVC, L2SVC, LSSVC, LeastOneNormSVC, UnbiasedSVC, WeightedRobustSVC, ConformalSVC,
    GACVSearch, KernelGridSearchCV,
)
from companion.tuning import gacv, xi_alpha

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0.3).astype(int)
machines = [L1SVC, L2SVC, LSSVC, LeastOneNormSVC, UnbiasedSVC, WeightedRobustSVC, ConformalSVC]
for machine in machines:
    assert machine().fit(X, y).score(X, y) > 0.8, machine
machine = L1SVC(C=1.0, gamma=0.5).fit(X, y)
assert 0 < gacv(machine, X, y) < 1 and 0 < xi_alpha(machine, X, y) < 1
for search in (KernelGridSearchCV, GACVSearch):
    assert search(L1SVC(), {"C": [1, 10]}).fit(X, y).best_params_["C"] in (1, 10)
ConformalSVC(transform="mdt", search="validation_cma").fit(X, y)
"""


def own_files(folder):
    """Files of a folder of the project but for what Python and Jupyter leave there."""
    for path in (ROOT / folder).rglob("*"):
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(
            path.parts
        ):
            yield path.relative_to(ROOT).as_posix()


def test_it_carries_the_package_and_what_an_installed_command_reads(wheel):
    archive = zipfile.ZipFile(wheel)
    inside = set(archive.namelist())
    tables = {path for path in own_files("data/records") if path.count("/") == 3}
    packed = {f"{path}.xz" for path in tables}
    data = {*own_files("data")} - tables | packed
    project = {*data, *own_files("notebooks")}
    prefix = "companion/_project/"
    assert set(own_files("companion")) <= inside
    assert {
        name.removeprefix(prefix) for name in inside if name.startswith(prefix)
    } == project
    for path in tables:
        content = lzma.decompress(archive.read(f"{prefix}{path}.xz"))
        assert content == (ROOT / path).read_bytes(), path
    for name in inside:
        if name.endswith(".ipynb"):
            cells = json.loads(archive.read(name))["cells"]
            assert not any(cell.get("outputs") for cell in cells), name
    assert wheel.stat().st_size < 3 * 2**20


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """A new environment with the wheel and what it depends on, at the locked versions."""
    folder = tmp_path_factory.mktemp("bare")
    python("-m", "venv", folder / "venv", check=True)
    lines = re.findall(
        r"(?m)^[a-z0-9][^\n\\]*", (ROOT / "requirements.lock").read_text()
    )
    (folder / "constraints.txt").write_text("\n".join(lines))
    program = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # What is imported is compiled then; all of scipy would take some times as long.
    words = ("-m", "pip", "install", "--quiet", "--no-compile", "-c")
    done = python(*words, folder / "constraints.txt", wheel, program=program, env=HERE)
    if "(from versions: none)" in done.stderr:
        pytest.skip("no package index answers")
    assert done.returncode == 0, done.stderr
    code = "import companion; print(companion.__path__[0])"
    found = python("-I", "-c", code, program=program, check=True)
    carry_compiled_loops(Path(found.stdout.strip()))
    return program


def carry_compiled_loops(installed):
    """Compiling all loops again would take minutes; numba knows a source by its time and size."""
    for path in (ROOT / "companion").rglob("*.py"):
        shutil.copystat(path, installed / path.relative_to(ROOT / "companion"))
    for path in (ROOT / "companion").rglob("*.nb[ci]"):
        target = installed / path.relative_to(ROOT / "companion")
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(path, target)


TOUR = """
import json, os
from companion._utils.paths import is_checkout, notebooks_dir

assert not is_checkout()
notebook = json.loads((notebooks_dir() / "tour.ipynb").read_text("utf-8"))
variables = {}
for cell in notebook["cells"]:
    if cell["cell_type"] == "code":
        source = "".join(cell["source"])
        fewer = {"n_draws: int = 10": "n_draws: int = 2", "[0, 2, 4, 6, 10, 15]": "[2, 6]"}
        for many, few in fewer.items():
            source = source.replace(many, few)
        exec(source, variables)
print(variables["cost"])
"""


def test_the_tour_runs_from_an_unpacked_wheel(wheel, tmp_path):
    """As on Colab, where there is no checkout and no file beside the wheel."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "here")
    carry_compiled_loops(tmp_path / "here" / "companion")
    settings = {"PYTHONPATH": str(tmp_path / "here"), "MPLBACKEND": "agg"}
    text = said("-c", TOUR, cwd=tmp_path, env=HERE | settings)
    assert 0.05 < float(text.split()[-1]) < 0.2


def run(program, *arguments):
    """Run the environment's Python in a folder of its own, with nothing of ours on the path."""
    return python("-I", *arguments, program=program, cwd=program.parent, env=HERE)


def test_estimators_searches_and_criteria_need_the_core_only(bare):
    said("-I", "-c", CORE, program=bare, cwd=bare.parent, env=HERE)


def test_the_core_is_at_most_twenty_packages(bare):
    listed = run(bare, "-m", "pip", "list", "--format", "freeze").stdout.splitlines()
    names = {line.partition("==")[0] for line in listed} - {"pip", "setuptools"}
    assert {"svm-companion", "numpy", "numba"} <= names
    assert len(names) <= 20, names


def test_the_command_says_in_a_line_what_to_install(bare):
    done = run(bare, "-m", "companion", "verify")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("The command needs click, which is not installed.")
    assert line.endswith("pip install '<wheel or repository>[reproduce]'")
