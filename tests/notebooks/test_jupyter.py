"""JupyterLab opens the notebooks as they are, with a kernel that has the package."""

import json
import os
import subprocess
import sys
import time
import urllib.request
import uuid

import nbformat
import pytest
from jupyter_client import BlockingKernelClient

from companion._paths import notebooks_dir
from companion.reproduction.artefacts import get_artefact
from companion.reproduction.display import VALUES_MIME
from companion.reproduction.notebooks import notebook_path

NOTEBOOKS = sorted(notebooks_dir().rglob("*.ipynb"))
SMALL = notebook_path(get_artefact("l1nsvm/table_1"))
OPTIONS = "--no-browser --ip=127.0.0.1 --port=0 --LabApp.news_url= --allow-root"
START = 60  # seconds after which a server is given up


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_names_the_kernel_that_every_jupyter_has(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    nbformat.validate(notebook)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["metadata"]["language_info"]["name"] == "python"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)


def outputs_of(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def tables(outputs):
    """Numbers behind the tables among outputs, none of which is a complaint."""
    assert not any(o.output_type == "error" or o.get("name") == "stderr" for o in outputs)
    return [o.data[VALUES_MIME] for o in outputs if VALUES_MIME in o.get("data", {})]


# ------------------------------------------------------------------ a real server


class Server:
    """JupyterLab on this machine alone, started in the folder of the notebooks."""

    def __init__(self, home):
        self.token = uuid.uuid4().hex
        self.runtime = home / "JUPYTER_RUNTIME_DIR"
        own = [f"JUPYTER_{name}_DIR" for name in ("CONFIG", "DATA", "RUNTIME")]
        own += ["IPYTHONDIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"]
        environment = {**os.environ, **{name: str(home / name) for name in own}}
        self.log = (home / "server.log").open("w", encoding="utf-8")
        token = f"--IdentityProvider.token={self.token}"
        command = [sys.executable, "-m", "jupyterlab", *OPTIONS.split(), token]
        how = {"env": environment, "cwd": notebooks_dir(), "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, stdout=self.log, **how)
        self.url = self._wait_for(home / "server.log")

    def _wait_for(self, log):
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            for path in self.runtime.glob("jpserver-*.json"):
                try:
                    return json.loads(path.read_text(encoding="utf-8"))["url"]
                except ValueError:  # being written
                    pass
            time.sleep(0.1)
        raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")

    def ask(self, path, body=None):
        """Answer of the server, decoded if it is JSON."""
        head = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, head)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=START) as answer:
            text, kind = answer.read().decode(), answer.headers.get_content_type()
        return json.loads(text) if kind == "application/json" and text else text

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.log.close()


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path)
    yield server
    server.stop()


def test_jupyterlab_opens_a_notebook_and_runs_its_cells(server):
    name = SMALL.relative_to(notebooks_dir()).as_posix()
    assert "JupyterLab" in server.ask(f"lab/tree/{name}")
    opened = server.ask(f"api/contents/{name}")["content"]
    assert opened["cells"][0]["source"] == nbformat.read(SMALL, as_version=4).cells[0].source
    kernel = {"name": opened["metadata"]["kernelspec"]["name"]}
    body = {"path": name, "name": SMALL.name, "type": "notebook", "kernel": kernel}
    session = server.ask("api/sessions", body)
    client = BlockingKernelClient()
    client.load_connection_file(str(server.runtime / f"kernel-{session['kernel']['id']}.json"))
    client.start_channels()
    client.wait_for_ready(timeout=START)  # before that, its outputs would be lost
    messages, options = [], {"timeout": START, "allow_stdin": False}
    try:
        for cell in opened["cells"]:
            if cell["cell_type"] == "code":
                client.execute_interactive(cell["source"], output_hook=messages.append, **options)
    finally:
        client.stop_channels()
    kinds = ("display_data", "execute_result", "error", "stream")
    shown = [message for message in messages if message["msg_type"] in kinds]
    own = [nbformat.v4.output_from_msg(message) for message in shown]
    assert tables(own) == tables(outputs_of(nbformat.read(SMALL, as_version=4))) != []
