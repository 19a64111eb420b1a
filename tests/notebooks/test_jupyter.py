"""JupyterLab opens the notebooks as they are, with a kernel that has the package; sliders work."""

import json
import os
import subprocess
import sys
import time
import urllib.request
import uuid
from contextlib import contextmanager
from importlib.util import find_spec

import nbformat
import pytest
from jupyter_client import BlockingKernelClient

from companion._utils.paths import notebooks_dir
from companion.reproduction.artefacts import get_artefact
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.tables import VALUES_MIME

KNOBS = notebook_path(get_artefact("l1nsvm/method"))
OPTIONS = "--no-browser --ip=127.0.0.1 --port=0 --LabApp.news_url= --allow-root"
START = 60  # seconds after which a server is given up


def tables(outputs):
    """Numbers behind the tables among outputs, none of which is a complaint."""
    assert not any(
        o.output_type == "error" or o.get("name") == "stderr" for o in outputs
    )
    return [o.data[VALUES_MIME] for o in outputs if VALUES_MIME in o.get("data", {})]


# ------------------------------------------------------------------ a real server


class Server:
    """JupyterLab on this machine alone, started in the folder of the notebooks."""

    def __init__(self, home):
        self.token = uuid.uuid4().hex
        self.runtime = home / "JUPYTER_RUNTIME_DIR"
        folders = [f"JUPYTER_{name}_DIR" for name in ("CONFIG", "DATA", "RUNTIME")]
        folders += [
            "IPYTHONDIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
        ]
        environment = {**os.environ, **{name: str(home / name) for name in folders}}
        self.log = (home / "server.log").open("w", encoding="utf-8")
        token = f"--IdentityProvider.token={self.token}"
        command = [sys.executable, "-m", "jupyterlab", *OPTIONS.split(), token]
        how = {"env": environment, "cwd": notebooks_dir(), "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, stdout=self.log, **how)
        self._wait_for(home / "server.log")

    def _wait_for(self, log):
        end = time.monotonic() + START
        while time.monotonic() < end and self.process.poll() is None:
            for path in self.runtime.glob("jpserver-*.json"):
                try:
                    self.url = json.loads(path.read_text(encoding="utf-8"))["url"]
                    return self.ask("api")
                except (ValueError, OSError):  # being written, or nobody listens yet
                    pass
            time.sleep(0.1)
        raise RuntimeError(
            f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}"
        )

    def ask(self, path, body=None):
        """Answer of the server, decoded if it is JSON."""
        head = {
            "Authorization": f"token {self.token}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, head)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=START) as answer:
            text = answer.read().decode()
            kind = answer.headers.get_content_type()
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


@contextmanager
def kernel_of(server, name):
    """A client of a kernel of the server, by its id."""
    client = BlockingKernelClient()
    client.load_connection_file(str(server.runtime / f"kernel-{name}.json"))
    client.start_channels(hb=False)  # a busy machine is no dead kernel
    client.wait_for_ready(timeout=START)  # before that, its outputs would be lost
    try:
        yield client
    finally:
        client.stop_channels()


def run(client, sources):
    """All that the kernel sends because of some cells."""
    messages = []
    options = {"timeout": START, "allow_stdin": False}
    for source in sources:
        client.execute_interactive(source, output_hook=messages.append, **options)
    return messages


def outputs_among(messages):
    """The outputs that messages of a kernel bring."""
    kinds = ("display_data", "execute_result", "error", "stream")
    shown = [message for message in messages if message["msg_type"] in kinds]
    return [nbformat.v4.output_from_msg(message) for message in shown]


# ------------------------------------------------------------------ sliders


def move(client, slider, value):
    """Id of what a page sends when a slider is moved, and what the kernel sends because of it."""
    data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
    message = client.session.msg("comm_msg", {"comm_id": slider, "data": data})
    answers = []
    client.shell_channel.send(message)
    while not answers or answers[-1]["content"] != {"execution_state": "idle"}:
        answer = client.get_iopub_msg(timeout=START)
        answers += (
            [answer]
            if answer["parent_header"].get("msg_id") == message["msg_id"]
            else []
        )
    return message["msg_id"], answers


def pictures(messages):
    """Pictures among what a kernel has sent."""
    shown = [output.get("data", {}) for output in outputs_among(messages)]
    return [data["image/png"] for data in shown if "image/png" in data]


def states(messages):
    """Ids of widgets and the states that a kernel sends of them."""
    kinds = ("comm_open", "comm_msg")
    sent = [message["content"] for message in messages if message["msg_type"] in kinds]
    return [(content["comm_id"], content["data"]["state"]) for content in sent]


@pytest.mark.slow
@pytest.mark.skipif(
    not find_spec("ipywidgets"), reason="sliders need ipywidgets, of [lab]"
)
def test_moving_a_slider_changes_the_picture(server):
    assert "@jupyter-widgets/jupyterlab-manager" in server.ask("lab")
    cells = [
        c.source
        for c in nbformat.read(KNOBS, as_version=4).cells
        if c.cell_type == "code"
    ]
    drawn = next(k for k, source in enumerate(cells) if "def show(" in source)
    knobs = next(source for source in cells if "interact(show" in source)
    with kernel_of(
        server, server.ask("api/kernels", {"name": "python3"})["id"]
    ) as client:
        tables(outputs_among(run(client, cells[: drawn + 1])))
        messages = run(client, [knobs])
        models = {}
        for comm, state in states(messages):
            models.setdefault(comm, {}).update(state)
        (slider,) = (
            c for c, state in models.items() if state.get("description") == "distance"
        )
        (output,) = (
            c for c, state in models.items() if state["_model_name"] == "OutputModel"
        )
        assert models[slider]["_view_name"] == "FloatSliderView"
        shown = pictures(messages)
        for place in (60.0, 5.0):
            message_id, answers = move(client, slider, place)
            # the page shows what follows in the output of the slider
            assert (output, {"msg_id": message_id}) in states(answers)
            shown += pictures(answers)
    before, moved, back = shown
    assert moved != before == back
