"""The built client: what it contains, and how it would look after a change."""

from __future__ import annotations

import re
import shutil
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from hotdice.server.pages import STATIC

_LISTED = re.compile(r'"(/[^"]*)":`(sha256-[^`]+)`')
_VERSION = re.compile(r"version:`([0-9a-f]{12})`")


def hash_of(path: Path) -> str:
    """The hash of a file, as the service worker lists it."""
    return f"sha256-{b64encode(sha256(path.read_bytes()).digest()).decode()}"


def version_of(static: Path) -> str:
    """The version of a build."""
    found = _VERSION.search((static / "sw.js").read_text("utf-8"))
    assert found
    return found[1]


def listed_in(static: Path) -> dict[str, str]:
    """The files that the service worker of a build caches, with their hashes."""
    return dict(_LISTED.findall((static / "sw.js").read_text("utf-8")))


def next_build(folder: Path) -> Path:
    """A build in which every script and stylesheet has another name, as after a change."""
    new = folder / "next-static"
    shutil.copytree(STATIC, new)
    names = {
        path.name: f"{path.stem}-next{path.suffix}" for path in sorted((new / "assets").iterdir())
    }
    for old, name in names.items():
        (new / "assets" / old).rename(new / "assets" / name)
    any_name = re.compile("|".join(map(re.escape, names)))
    for path in (new / "index.html", new / "sw.js", *(new / "assets").iterdir()):
        text = path.read_text("utf-8")
        path.write_text(any_name.sub(lambda found: names[found[0]], text), "utf-8")
    worker = new / "sw.js"
    text = worker.read_text("utf-8").replace(version_of(new), "0" * 12)
    for served, old in listed_in(new).items():
        text = text.replace(old, hash_of(new / (served[1:] or "index.html")))
    worker.write_text(text, "utf-8")
    return new
