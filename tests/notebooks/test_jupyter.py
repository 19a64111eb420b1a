"""JupyterLab opens the notebooks as they are, with a kernel that has the package; sliders work."""

import ast
import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
import uuid
from importlib.util import find_spec

import nbformat
import pytest
from jupyter_client import BlockingKernelClient
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from companion._paths import notebooks_dir
from companion.reproduction.artefacts import get_artefact
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.tables import VALUES_MIME

NOTEBOOKS = sorted(notebooks_dir().rglob("*.ipynb"))
SMALL = notebook_path(get_artefact("l1nsvm/table_1"))
KNOBS = notebook_path(get_artefact("l1nsvm/method"))
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


# ------------------------------------------------------------------ sliders


class Page:
    """What a page in a browser is to the server: the other end of a kernel's websocket."""

    def __init__(self, socket):
        self.socket, self.session = socket, uuid.uuid4().hex

    async def ask(self, kind, content):
        """Id of a message, and all that the kernel sends because of it until it is idle again."""
        own, answers = uuid.uuid4().hex, []
        header = {"msg_id": own, "msg_type": kind, "session": self.session, "username": "reader"}
        header |= {"version": "5.3", "date": "2026-01-01T00:00:00Z"}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        await self.socket.write_message(json.dumps({**message, "channel": "shell", "buffers": []}))
        while True:
            text = await asyncio.wait_for(self.socket.read_message(), START)
            assert text is not None, "the server has closed the websocket"
            answer = json.loads(text) if isinstance(text, str) else {}  # bytes: not for us
            if answer.get("parent_header", {}).get("msg_id") != own:
                continue
            answers.append((answer["header"]["msg_type"], answer["content"]))
            if answers[-1] == ("status", {"execution_state": "idle"}):
                return own, answers

    async def run(self, source):
        """What a cell sends, none of which is an error."""
        _, answers = await self.ask("execute_request", {"code": source, "silent": False})
        assert [content for kind, content in answers if kind == "error"] == []
        return answers

    async def move(self, slider, value):
        """As the browser does when a slider is moved."""
        data = {"method": "update", "state": {"value": value}, "buffer_paths": []}
        return await self.ask("comm_msg", {"comm_id": slider, "data": data})


def pictures(answers):
    """Pictures among what a kernel has sent."""
    shown = [content["data"] for kind, content in answers if kind == "display_data"]
    return [data["image/png"] for data in shown if "image/png" in data]


async def at_slider(server, cells, name, places):
    """The picture as the cells leave it, and after its slider was moved to each of some places."""
    kernel = server.ask("api/kernels", {"name": "python3"})["id"]
    url = f"{server.url.replace('http', 'ws', 1)}api/kernels/{kernel}/channels"
    head = {"Authorization": f"token {server.token}"}
    page = Page(await websocket_connect(HTTPRequest(url, headers=head, connect_timeout=START)))
    answers, models = [await page.run(source) for source in cells][-1], {}
    for kind, content in answers:
        if kind in ("comm_open", "comm_msg"):
            models.setdefault(content["comm_id"], {}).update(content["data"]["state"])
    (slider,) = (comm for comm, state in models.items() if state.get("description") == name)
    (output,) = (c for c, state in models.items() if state["_model_name"] == "OutputModel")
    assert models[slider]["_view_name"] == "FloatSliderView"
    found = pictures(answers)
    for place in places:
        own, answers = await page.move(slider, place)
        updates = [content for kind, content in answers if kind == "comm_msg"]
        states = [update["data"]["state"] for update in updates if update["comm_id"] == output]
        assert {"msg_id": own} in states  # the page shows what follows in the output of the slider
        found += pictures(answers)
    page.socket.close()
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_knob_can_be_made_of_every_argument_and_only_the_picture_is_shown(path):
    cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    nodes = [node for source in cells for node in ast.walk(ast.parse(source))]
    drawn = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        if getattr(call.func, "id", "") == "interact":
            show = drawn[call.args[0].id]
            names, values = (getattr(show.args, part)[::-1] for part in ("args", "defaults"))
            widgets = {a.arg: ast.unparse(value) for a, value in zip(names, values, strict=False)}
            widgets |= {word.arg: ast.unparse(word.value) for word in call.keywords}
            assert {name.arg for name in names} <= widgets.keys()
            assert "None" not in widgets.values()  # of which no widget can be made
            helpers = [n for part in show.body for n in ast.walk(part)]
            helpers = [n for n in helpers if isinstance(n, ast.FunctionDef)]
            inside = {id(n) for helper in helpers for n in ast.walk(helper)}
            own = [n for n in ast.walk(show) if isinstance(n, ast.Return) and id(n) not in inside]
            assert [n for n in own if n.value] == []  # it would be printed below the picture


@pytest.mark.skipif(not find_spec("ipywidgets"), reason="sliders need ipywidgets, of [lab]")
def test_moving_a_slider_changes_the_picture(server):
    assert "@jupyter-widgets/jupyterlab-manager" in server.ask("lab")
    cells = [c.source for c in nbformat.read(KNOBS, as_version=4).cells if c.cell_type == "code"]
    drawn = next(k for k, source in enumerate(cells) if "def show(" in source)
    knobs = next(source for source in cells if "interact(show" in source)
    shown = asyncio.run(at_slider(server, [*cells[: drawn + 1], knobs], "distance", (60.0, 5.0)))
    before, moved, back = shown
    assert moved != before == back
