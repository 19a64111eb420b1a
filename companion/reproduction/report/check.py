"""Checks on the built pages: links that lead nowhere, things loaded from elsewhere, bare images."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["check_site", "list_pages", "read_page"]

_VAGUE = {"", "image", "figure", "plot", "picture", "png"}
_LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "audio": "src",
    "video": "src",
    "embed": "src",
    "object": "data",
}
_LOADED_RELATIONS = {
    "stylesheet",
    "preload",
    "icon",
    "shortcut",
    "modulepreload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "manifest",
    "apple-touch-icon",
}
_CSS_ADDRESS = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s]+)""")


@dataclass
class PageParts(HTMLParser):
    """What a page refers to.

    Attributes
    ----------
    ids : set of str
        Its anchors.
    links : list of str
        Addresses of its links.
    loaded : list of str
        Addresses of scripts, styles, images, fonts and frames.
    images : list of (str, str or None)
        Address and text alternative.
    """

    ids: set = field(default_factory=set)
    links: list = field(default_factory=list)
    loaded: list = field(default_factory=list)
    images: list = field(default_factory=list)

    def __post_init__(self):
        super().__init__(convert_charrefs=True)
        self._in_style = False

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if attributes.get("id"):
            self.ids.add(attributes["id"])
        if tag == "a":
            if attributes.get("name"):
                self.ids.add(attributes["name"])
            if attributes.get("href") is not None:
                self.links.append(attributes["href"])
        if tag == "link" and _LOADED_RELATIONS & set((attributes.get("rel") or "").split()):
            self.loaded.append(attributes.get("href") or "")
        if attributes.get(_LOADED.get(tag, "")):
            self.loaded.append(attributes[_LOADED[tag]])
        if tag == "img":
            self.images.append((attributes.get("src") or "", attributes.get("alt")))
        self.loaded += _CSS_ADDRESS.findall(attributes.get("style") or "")
        self._in_style = tag == "style"

    def handle_endtag(self, tag):
        if tag == "style":
            self._in_style = False

    def handle_data(self, data):
        if self._in_style:
            self.loaded += _CSS_ADDRESS.findall(data)


def read_page(path):
    """Parse an HTML file.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    PageParts
    """
    parts = PageParts()
    parts.feed(Path(path).read_text(encoding="utf-8"))
    parts.close()
    return parts


def list_pages(folder):
    """The HTML pages of a site, sorted; templates among the theme's files are none."""
    static = Path(folder) / "_static"
    return [path for path in sorted(Path(folder).rglob("*.html")) if static not in path.parents]


def _is_elsewhere(address):
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "ftp")


def _fault_of_link(path, address, pages):
    """What is wrong with a link, "" if nothing."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if not target.is_file():
        return f"link to {address!r}, which is not there"
    anchor = unquote(parts.fragment)
    if not anchor or "=" in anchor or target not in pages:  # with "=" it is a state, no anchor
        return ""
    return "" if anchor in pages[target].ids else f"link to {address!r}: no such anchor"


def _faults_of_loaded(path, address):
    if address.startswith(("data:", "#")):
        return ""
    if _is_elsewhere(address):
        return f"loads {address!r} from elsewhere"
    target = (path.parent / unquote(urlsplit(address).path)).resolve()
    return "" if target.is_file() else f"loads {address!r}, which is not there"


def check_site(folder):
    """Faults of all pages and styles of a built site.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    list of str
        One line a fault, with the page it is on; empty if all is well.
    """
    folder = Path(folder).resolve()
    pages = {path: read_page(path) for path in list_pages(folder)}
    faults = []
    for path, parts in pages.items():
        found = [_fault_of_link(path, address, pages) for address in parts.links]
        found += [_faults_of_loaded(path, address) for address in parts.loaded]
        found += [
            f"image {source!r} has no text alternative"
            for source, alt in parts.images
            if alt is None or alt.strip().lower() in _VAGUE
        ]
        name = path.relative_to(folder)
        faults += [f"{name}: {fault}" for fault in dict.fromkeys(found) if fault]
    for path in sorted(folder.rglob("*.css")):
        for address in _CSS_ADDRESS.findall(path.read_text(encoding="utf-8")):
            fault = _faults_of_loaded(path, address)
            if fault:
                faults.append(f"{path.relative_to(folder)}: {fault}")
    return faults
