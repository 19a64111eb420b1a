"""A kernel runs the cells of a notebook, and moving a slider draws its picture anew."""

from importlib.util import find_spec

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from jupyter_client.provisioning import KernelProvisionerFactory

from companion._utils.paths import notebooks_dir
from companion.reproduction.artefacts import get_artefact, notebook_path

KNOBS = notebook_path(get_artefact("l1nsvm/method"))
START = 60  # seconds after which a kernel is given up


@pytest.fixture
def client(monkeypatch):
    """A client of a kernel as Jupyter starts it: a forked one of a run draws for no slider."""
    kernels = KernelProvisionerFactory.instance()
    monkeypatch.setattr(kernels, "default_provisioner_name", "local-provisioner")
    manager, client = start_new_kernel(START, "python3", cwd=str(notebooks_dir()))
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


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
def test_moving_a_slider_changes_the_picture(client):
    notebook = nbformat.read(KNOBS, as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    drawn = next(
        k for k, source in enumerate(cells) if "figures.outlier_walk(" in source
    )
    knobs = next(source for source in cells if "interact(figures.outlier_at" in source)
    outputs = outputs_among(run(client, cells[: drawn + 1]))
    assert not any(output.output_type == "error" for output in outputs)
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
    for place in (60.0, 10.0):
        message_id, answers = move(client, slider, place)
        # the page shows what follows in the output of the slider
        assert (output, {"msg_id": message_id}) in states(answers)
        shown += pictures(answers)
    before, moved, back = shown
    assert moved != before == back
