"""The built client: its size, its icons, and the list in its service worker."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import httpx
import pytest
from tools.icons import GROUND, ICONS, PUBLIC

import hotdice.games
from hotdice import game_names, game_type
from hotdice.server.pages import STATIC
from tests.web.builds import hash_of, listed_in, next_build, version_of
from tests.web.serving import Server

GAMES = Path(hotdice.games.__path__[0])


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url) as opened:
        yield opened


def size(paths: Iterable[Path]) -> int:
    """Bytes to transfer."""
    return sum(len(gzip.compress(path.read_bytes())) for path in paths)


def scripts(*names: str) -> set[str]:
    """Scripts with all that they import, except on demand."""
    seen: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            text = (STATIC / "assets" / name).read_text("utf-8")
            left += re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', text)
    return seen


def test_start_page_and_table_are_small() -> None:
    first = re.findall(r'src="/assets/([^"]+\.js)"', (STATIC / "index.html").read_text("utf-8"))
    (table,) = (path.name for path in STATIC.glob("assets/Table-*.js"))
    needed = scripts(*first, table)
    assert len(needed) >= 3
    assert size(STATIC / "assets" / name for name in needed) < 120_000
    # All pages together, which are loaded on demand.
    assert size([*STATIC.glob("assets/*.js"), STATIC / "sw.js"]) < 150_000


def test_all_art_together_is_small() -> None:
    pictures = [path for path in STATIC.rglob("*") if path.suffix in {".svg", ".png"}]
    drawings = list(GAMES.glob("*/look/*.svg"))
    assert len(pictures) > len(ICONS)
    assert drawings
    assert size(pictures + drawings) < 150_000


def dimensions(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert head[12:16] == b"IHDR"
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def test_icons_have_the_sizes_they_are_drawn_in() -> None:
    assert {path.name for path in PUBLIC.glob("*.png")} == set(ICONS), "run make pictures"
    for name, icon in ICONS.items():
        assert dimensions(PUBLIC / name) == (icon.size, icon.size)


def test_the_manifest_names_icons_that_are_served(client: httpx.Client) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "/"
    assert manifest["display"] == "standalone"
    assert manifest["background_color"] == manifest["theme_color"] == GROUND
    found = set()
    for icon in manifest["icons"]:
        served = client.get(icon["src"])
        assert served.status_code == 200
        assert served.headers["content-type"].startswith(icon["type"])
        found.add((icon["sizes"], icon["type"], icon["purpose"]))
        if icon["type"] == "image/png":
            width, height = dimensions(STATIC / icon["src"][1:])
            assert icon["sizes"] == f"{width}x{height}"
    assert found >= {
        ("192x192", "image/png", "any"),
        ("512x512", "image/png", "any"),
        ("512x512", "image/png", "maskable"),
    }


def test_shortcuts_lead_to_every_game_and_to_the_tables(client: httpx.Client) -> None:
    shortcuts = json.loads((PUBLIC / "manifest.webmanifest").read_text("utf-8"))["shortcuts"]
    assert {one["url"]: one["name"] for one in shortcuts} == {
        "/tables": "Your tables",
        **{f"/new/{slug}": f"Play {game_type(slug).title}" for slug in game_names()},
    }
    assert all(client.get(one["url"]).status_code == 200 for one in shortcuts)


def test_the_page_names_icons_and_the_colours_of_both_themes(client: httpx.Client) -> None:
    page = client.get("/").text
    for path in re.findall(r'<link[^>]* href="([^"]+)"', page):
        assert client.get(path).status_code == 200
    assert '<link rel="apple-touch-icon" href="/apple-touch-icon.png" />' in page
    themes = re.findall(r'content="(#\w+)"\s+media="\(prefers-color-scheme: (\w+)\)"', page)
    assert [theme for _, theme in themes] == ["light", "dark"]
    style = (PUBLIC.parent / "src/app.css").read_text("utf-8")
    (panel,) = re.findall(r"--panel: light-dark\((#\w+), (#\w+)\)", style)
    assert tuple(colour for colour, _ in themes) == panel


def test_the_worker_is_served_so_that_browsers_find_new_ones(
    client: httpx.Client,
) -> None:
    answer = client.get("/sw.js")
    assert answer.headers["content-type"].partition(";")[0] == "text/javascript"
    assert answer.headers["cache-control"] == "no-cache"
    assert "worker-src 'self'" in client.get("/").headers["content-security-policy"]
    assert "import" not in answer.text  # a classic script, which needs no other file


def test_the_worker_lists_exactly_the_files_of_its_build(client: httpx.Client) -> None:
    """Except itself, and icons, which systems fetch for themselves."""
    files = {
        path.relative_to(STATIC).as_posix(): path
        for path in STATIC.rglob("*")
        if path.is_file() and path.suffix != ".png" and not path.name.startswith(".")
    }
    del files["sw.js"]
    assert listed_in(STATIC) == {
        "/" if name == "index.html" else f"/{name}": hash_of(path) for name, path in files.items()
    }
    assert all(client.get(path).status_code == 200 for path in listed_in(STATIC))


def test_a_changed_build_has_another_version(tmp_path: Path) -> None:
    """The build that the browser tests update to is consistent."""
    new = next_build(tmp_path)
    assert version_of(new) != version_of(STATIC)
    assert not {path for path in listed_in(new) if "/assets/" in path} & set(listed_in(STATIC))
    for path, found in listed_in(new).items():
        assert found == hash_of(new / (path[1:] or "index.html"))
