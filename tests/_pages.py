"""The pages of a built site, and what is wrong with their links, images and loaded files."""

import re
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

VAGUE = {"", "image", "figure", "plot", "picture", "png"}
CSS_ADDRESS = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s]+)""")


def read_pages(folder):
    """The pages of a site; templates among the theme's files are none."""
    paths = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    return {
        path: BeautifulSoup(path.read_text("utf-8"), "html.parser") for path in paths
    }


def fault_of(path, address, loaded, ids):
    """What is wrong with the address of a link, or of something that is loaded, if anything."""
    parts = urlsplit(address)
    if parts.scheme == "data" or (loaded and address.startswith("#")):
        return None
    if parts.scheme or parts.netloc:
        return f"{address} is loaded from elsewhere" if loaded else None
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return f"{address} is not there"
    anchor = unquote(parts.fragment)  # with "=" it is a state of the ledger
    known = not anchor or "=" in anchor or target not in ids or anchor in ids[target]
    return None if known else f"{address}: no such anchor"


def faults_of(folder, pages):
    """All that is wrong with the links, images and loaded files of a site."""
    ids = {
        path: {tag["id"] for tag in page.find_all(id=True)}
        for path, page in pages.items()
    }
    addresses = []
    for path, page in pages.items():
        addresses += [
            (path, tag["href"], False) for tag in page.find_all("a", href=True)
        ]
        addresses += [
            (path, tag["href"], True) for tag in page.find_all("link", href=True)
        ]
        addresses += [(path, tag["src"], True) for tag in page.find_all(src=True)]
        addresses += [(path, tag["data"], True) for tag in page.find_all("object")]
        styles = [tag["style"] for tag in page.find_all(style=True)]
        styles += [tag.text for tag in page.find_all("style")]
        addresses += [
            (path, found, True)
            for text in styles
            for found in CSS_ADDRESS.findall(text)
        ]
    for path in folder.rglob("*.css"):
        addresses += [
            (path, found, True)
            for found in CSS_ADDRESS.findall(path.read_text("utf-8"))
        ]
    faults = [(path.name, fault_of(path, *rest, ids)) for path, *rest in addresses]
    images = [
        (path, image) for path, page in pages.items() for image in page.find_all("img")
    ]
    bare = [
        (path, image["src"])
        for path, image in images
        if image.get("alt", "").lower() in VAGUE
    ]
    return [fault for fault in faults if fault[1]] + [
        (p.name, f"no text for {i}") for p, i in bare
    ]
