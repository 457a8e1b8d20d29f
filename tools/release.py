"""Checks a release, for ``make release-check``; see docs/releasing.md.

Version, changelog and tag must agree. The sdist must build the wheel on its own, including the
browser client. The wheel must install and start in a clean environment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
_PAGES = "hotdice/server/static"
_IN_SDIST = (
    *("CHANGELOG.md", "LICENSE", "Makefile", "PKG-INFO", "README.md", "constraints.txt"),
    *("hatch_build.py", "pyproject.toml", "src/hotdice/__init__.py", "tests/conftest.py"),
    *("tools/release.py", "web/index.html", "web/package-lock.json", "web/package.json"),
    *("web/.npmrc", "web/openapi.json", "web/vite.config.ts", "docs/releasing.md"),
)
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_HEADING = re.compile(r"^## (?P<version>\S+), (?P<when>.+)$", re.MULTILINE)
_DAY = re.compile(r"20\d\d-[01]\d-[0-3]\d")
_STARTING = 60.0  # seconds; starting compiles no kernels


def package_version(source: str) -> str:
    """The version in the text of ``hotdice/__init__.py``."""
    found = _VERSION.search(source)
    if not found:
        raise SystemExit('src/hotdice/__init__.py needs a line __version__ = "…".')
    return found[1]


def newest_section(changelog: str) -> tuple[str, str]:
    """The version of the changelog's first section, and its release date or status."""
    found = _HEADING.search(changelog)
    if not found:
        raise SystemExit("CHANGELOG.md needs a section ## VERSION, DATE.")
    return found["version"], found["when"]


def disagreements(version: str, changelog: str, tag: str | None) -> list[str]:
    """The contradictions between version, changelog and tag, as sentences.

    Without a tag the newest section needs no date, as it is not released yet.
    """
    newest, when = newest_section(changelog)
    wrong = []
    if newest != version:
        wrong.append(f"The package is {version}, but the newest changelog section is {newest}.")
    if tag is not None and tag != f"v{version}":
        wrong.append(f"The package is {version}, so the tag must be v{version}, not {tag}.")
    if tag is not None and not _DAY.fullmatch(when):
        wrong.append(f"The changelog section {newest} needs a release date, not {when!r}.")
    return wrong


def missing_in_wheel(names: Iterable[str], sources: Iterable[str], index: str) -> list[str]:
    """The files that a wheel lacks.

    Args:
        names: The files in the wheel.
        sources: The files of the package in the checkout, as paths below ``src``.
        index: The text of the wheel's index.html.
    """
    held = set(names)
    wanted = {*sources, f"{_PAGES}/index.html"}
    wanted |= {f"{_PAGES}/{path}" for path in loaded_by(index)}
    missing = sorted(wanted - held)
    for ending in (".dist-info/licenses/LICENSE", ".dist-info/entry_points.txt"):
        if not any(name.endswith(ending) for name in held):
            missing.append(f"*{ending}")
    for ending in (".js", ".css"):
        if not any(name.startswith(f"{_PAGES}/assets/") and name.endswith(ending) for name in held):
            missing.append(f"{_PAGES}/assets/*{ending}")
    return missing


def loaded_by(index: str) -> list[str]:
    """The paths a page loads from its own server, without the leading slash."""
    return re.findall(r'(?:src|href)="\.?/([^"/][^"]*)"', index)


def missing_in_sdist(names: Iterable[str]) -> list[str]:
    """The files that an sdist lacks for building and testing the package."""
    held = {name.partition("/")[2] for name in names}
    return sorted(set(_IN_SDIST) - held)


def built_in_sdist(names: Iterable[str]) -> list[str]:
    """The build products in an sdist, which should have none."""
    return sorted(name for name in names if "/server/static/" in name or "/node_modules/" in name)


def package_files() -> list[str]:
    """The committed files of the package, as paths below ``src``."""
    listed = _run(["git", "ls-files", "src/hotdice"]).splitlines()
    return [name.removeprefix("src/") for name in listed]


def build() -> tuple[Path, Path]:
    """Build the sdist, and the wheel from the sdist alone."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run([sys.executable, "-m", "hatchling", "build", "--target", "sdist"])
    (sdist,) = DIST.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--no-cache-dir", "--wheel-dir", str(DIST), str(sdist)])
    (wheel,) = DIST.glob("*.whl")
    return sdist, wheel


def check_files(sdist: Path, wheel: Path) -> list[str]:
    """Problems with the files in both packages, as sentences."""
    with tarfile.open(sdist) as packed:
        sources = packed.getnames()
    with zipfile.ZipFile(wheel) as zipped:
        names = zipped.namelist()
        page = f"{_PAGES}/index.html"
        index = zipped.read(page).decode() if page in names else ""
    lacking = missing_in_wheel(names, package_files(), index)
    return [
        *(f"{sdist.name} lacks {name}." for name in missing_in_sdist(sources)),
        *(f"{sdist.name} has the build product {name}." for name in built_in_sdist(sources)),
        *(f"{wheel.name} lacks {name}." for name in lacking),
    ]


def check_start(wheel: Path, version: str) -> None:
    """Install the wheel in a clean environment and start it; raises ``SystemExit`` on failure."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _run([sys.executable, "-m", "venv", str(home / "venv")])
        python = home / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--constraint", str(ROOT / "constraints.txt"), str(wheel)])
        command = str(python.with_name("hotdice"))
        said = _run([command, "--version"], cwd=home).strip()
        if said != f"hotdice {version}":
            raise SystemExit(f"The wheel of {version} reports its version as {said!r}.")
        _check_serving(command, home)


def _check_serving(command: str, home: Path) -> None:
    """Start a server in an empty home folder, and check its health and index page."""
    env = {**os.environ, "HOTDICE_HOME": str(home / "home")}
    env.pop("PYTHONPATH", None)
    words = [command, "serve", "--port", "0"]
    with (
        (home / "log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(  # noqa: S603 - ours
            words, cwd=home, env=env, stdout=subprocess.PIPE, stderr=log, text=True
        ) as server,
    ):
        try:
            line = server.stdout.readline() if server.stdout else ""
            found = re.search(r"http://[^/\s]+:\d+", line)
            if not found:
                server.wait(_STARTING)
                log.seek(0)
                raise SystemExit(f"hotdice serve printed {line!r}, not its URL.\n{log.read()}")
            health = json.loads(_answer(f"{found[0]}/api/health"))
            if health["status"] != "ok":
                raise SystemExit(f"The server is unhealthy: {health}.")
            if "<script" not in _answer(f"{found[0]}/"):
                raise SystemExit("The server does not serve the browser client.")
        finally:
            server.terminate()


def _answer(url: str) -> str:
    """GET a URL, retrying until the server responds."""
    end = time.monotonic() + _STARTING
    while True:
        try:
            with urllib.request.urlopen(url, timeout=_STARTING) as answer:  # noqa: S310 - http, ours
                return str(answer.read().decode())
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def _run(words: list[str], cwd: Path = ROOT) -> str:
    """Run a program and return its output; raises ``SystemExit`` if it fails."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(  # noqa: S603 - known programs
        words, cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main(words: list[str]) -> None:
    """Check version, changelog and tag, build sdist and wheel, check both, start the wheel."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--tag", help="the tag of the release, such as v1.2.3")
    tag = parser.parse_args(words).tag
    version = package_version((ROOT / "src/hotdice/__init__.py").read_text("utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if wrong := disagreements(version, changelog, tag):
        raise SystemExit("\n".join(wrong))
    sdist, wheel = build()
    if wrong := check_files(sdist, wheel):
        raise SystemExit("\n".join(wrong))
    check_start(wheel, version)
    for path in (sdist, wheel):
        size = path.stat().st_size / 1_000_000
        sys.stdout.write(f"{path.relative_to(ROOT)}  {size:.1f} MB\n")
    sys.stdout.write(f"The wheel of Hot Dice {version} installs, starts and serves its pages.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
