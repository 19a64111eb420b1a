"""A mirror if there is one, empty folders, no network, and a server on this machine."""

import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from companion.datasets import outside


@pytest.fixture
def mirror():
    """The folder ``COMPANION_DATA`` names; the test is skipped if there is none."""
    root = os.environ.get("COMPANION_DATA")
    if not root or not Path(root).is_dir():
        pytest.skip(
            "COMPANION_DATA names no folder: there is no mirror to compare with"
        )
    return Path(root)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """No mirror, no memory of failures, an empty cache: its folder."""
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(outside, "_failures", {})
    return tmp_path / "cache"


@pytest.fixture
def no_network(monkeypatch):
    """Names cannot be resolved; returns the list of names that were asked for."""
    import socket

    asked = []

    def refuse(host, *args, **kwargs):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return asked


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A folder that is served on this machine, and its address."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "served"
    folder.mkdir()
    running = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=folder))
    thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()
    thread.join()
