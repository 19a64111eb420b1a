"""A mirror if there is one, empty folders, a server on this machine, and a registry of its own."""

import hashlib
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from companion.datasets import _fetch, _sources


@pytest.fixture
def mirror():
    """The folder ``COMPANION_DATA`` names; the test is skipped if there is none."""
    root = os.environ.get("COMPANION_DATA")
    if not root or not Path(root).is_dir():
        pytest.skip("COMPANION_DATA names no folder: there is no mirror to compare with")
    return Path(root)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """No mirror, no second attempts, no memory of failures, an empty cache: its folder."""
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_fetch, "RETRIES", 0)
    _fetch.forget_failures()
    yield tmp_path / "cache"
    _fetch.forget_failures()


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


class _Server:
    """Answers ``GET`` from a table: path to (status, body, length it declares), in turn."""

    def __init__(self):
        self.answers, self.requests = {}, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append(self.path)
                queue = outer.answers.get(self.path, [(404, b"", 0)])
                status, body, length = queue.pop(0) if len(queue) > 1 else queue[0]
                self.send_response(status)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = True

            def log_message(self, *args):
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def url(self, path):
        return f"http://127.0.0.1:{self.httpd.server_address[1]}{path}"

    def serve(self, path, *bodies, length=None):
        """Answer with these bodies in turn, and with the last one from then on."""
        self.answers[path] = [(200, b, len(b) if length is None else length) for b in bodies]

    def close(self):
        self.httpd.shutdown()
        self.httpd.server_close()
        self.thread.join()


@pytest.fixture
def server(monkeypatch):
    """A web server of this machine."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = _Server()
    yield running
    running.close()


@pytest.fixture
def register(monkeypatch):
    """Replace the registry by one of the files given as ``(key, name, url, content)``."""

    def replace(*files, **extra):
        sources = {}
        for key, name, url, content in files:
            place = {"key": key, "name": name, "url": url, "bytes": len(content)}
            file = _sources.SourceFile(**place, sha256=hashlib.sha256(content).hexdigest(), **extra)
            about = {"title": key, "citation": "made for a test", "licence": "none", "doi": None}
            sources[key] = _sources.Source(key=key, **about, used_by=(), files=(file,))
        monkeypatch.setattr(_sources, "_registry", lambda: sources)

    return replace
