"""The pages of a built site, and what is wrong with their links, images and loaded files."""

import re
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

#: What has an address, the attribute that holds it, and whether a browser loads it at once.
ADDRESSES = (
    ("a", "href", False),
    ("link", "href", True),
    (True, "src", True),
    ("object", "data", True),
)
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
    anchor = unquote(parts.fragment)
    known = not anchor or target not in ids or anchor in ids[target]
    return None if known else f"{address}: no such anchor"


def faults_of(folder, pages):
    """All that is wrong with the links, images and loaded files of a site."""
    ids = {
        path: {tag["id"] for tag in page.find_all(id=True)}
        for path, page in pages.items()
    }
    addresses = []
    texts = {}
    bare = []
    for path, page in pages.items():
        for name, attribute, loaded in ADDRESSES:
            tags = page.find_all(name, {attribute: True})
            addresses += [(path, tag[attribute], loaded) for tag in tags]
        styles = [tag["style"] for tag in page.find_all(style=True)]
        texts[path] = styles + [tag.text for tag in page.find_all("style")]
        bare += [
            (path.name, f"no text for {image['src']}")
            for image in page.find_all("img")
            if image.get("alt", "").lower() in VAGUE
        ]
    texts |= {path: [path.read_text("utf-8")] for path in folder.rglob("*.css")}
    for path, styles in texts.items():
        found = CSS_ADDRESS.findall("\n".join(styles))
        addresses += [(path, address, True) for address in found]
    faults = [(path.name, fault_of(path, *rest, ids)) for path, *rest in addresses]
    return [fault for fault in faults if fault[1]] + bare
