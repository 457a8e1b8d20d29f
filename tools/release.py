"""Checks that a release is what it says, for ``make release-check``; see docs/releasing.md.

The version is the same in the package, in the changelog and in the tag. The sdist builds the wheel
by itself, pages included. The wheel starts in an environment that has never seen the checkout.
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
_STARTING = 60.0  # seconds; kernels are not compiled until somebody asks the coach


def package_version(source: str) -> str:
    """The version in the text of ``hotdice/__init__.py``."""
    found = _VERSION.search(source)
    if not found:
        raise SystemExit('src/hotdice/__init__.py needs a line __version__ = "…".')
    return found[1]


def newest_section(changelog: str) -> tuple[str, str]:
    """The version of the changelog's first section, and when that was or will be released."""
    found = _HEADING.search(changelog)
    if not found:
        raise SystemExit("CHANGELOG.md needs a section ## VERSION, DATE.")
    return found["version"], found["when"]


def disagreements(version: str, changelog: str, tag: str | None) -> list[str]:
    """Every way in which version, changelog and tag contradict each other, as sentences.

    Without a tag nothing is released yet, so the newest section needs no date.
    """
    newest, when = newest_section(changelog)
    wrong = []
    if newest != version:
        wrong.append(f"The package is {version}, and the newest changes are those of {newest}.")
    if tag is not None and tag != f"v{version}":
        wrong.append(f"The package is {version}, so the tag is v{version}, not {tag}.")
    if tag is not None and not _DAY.fullmatch(when):
        wrong.append(f"The changes of {newest} need the day of their release, not {when!r}.")
    return wrong


def missing_in_wheel(names: Iterable[str], sources: Iterable[str], index: str) -> list[str]:
    """What a wheel with these files lacks.

    Args:
        names: The files in the wheel.
        sources: The files of the package in the checkout, as paths below ``src``.
        index: The text of the page that the wheel holds.
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
    """What a page loads from its own server, without the slash in front."""
    return re.findall(r'(?:src|href)="\.?/([^"/][^"]*)"', index)


def missing_in_sdist(names: Iterable[str]) -> list[str]:
    """What a source distribution with these files lacks to build and to test the package."""
    held = {name.partition("/")[2] for name in names}
    return sorted(set(_IN_SDIST) - held)


def built_in_sdist(names: Iterable[str]) -> list[str]:
    """What a source distribution holds although it is built from the rest."""
    return sorted(name for name in names if "/server/static/" in name or "/node_modules/" in name)


def package_files() -> list[str]:
    """The committed files of the package, as paths below ``src``."""
    listed = _run(["git", "ls-files", "src/hotdice"]).splitlines()
    return [name.removeprefix("src/") for name in listed]


def build() -> tuple[Path, Path]:
    """Build the sdist, and from nothing but that, the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    _run([sys.executable, "-m", "hatchling", "build", "--target", "sdist"])
    (sdist,) = DIST.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--no-cache-dir", "--wheel-dir", str(DIST), str(sdist)])
    (wheel,) = DIST.glob("*.whl")
    return sdist, wheel


def check_files(sdist: Path, wheel: Path) -> list[str]:
    """What is wrong with the files in both, as sentences."""
    with tarfile.open(sdist) as packed:
        sources = packed.getnames()
    with zipfile.ZipFile(wheel) as zipped:
        names = zipped.namelist()
        page = f"{_PAGES}/index.html"
        index = zipped.read(page).decode() if page in names else ""
    lacking = missing_in_wheel(names, package_files(), index)
    return [
        *(f"{sdist.name} lacks {name}." for name in missing_in_sdist(sources)),
        *(f"{sdist.name} holds {name}, which is built." for name in built_in_sdist(sources)),
        *(f"{wheel.name} lacks {name}." for name in lacking),
    ]


def check_start(wheel: Path, version: str) -> None:
    """Install the wheel where nothing else is, and start it; raises ``SystemExit`` if it fails."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _run([sys.executable, "-m", "venv", str(home / "venv")])
        python = home / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--constraint", str(ROOT / "constraints.txt"), str(wheel)])
        command = str(python.with_name("hotdice"))
        said = _run([command, "--version"], cwd=home).strip()
        if said != f"hotdice {version}":
            raise SystemExit(f"The wheel of {version} says it is {said!r}.")
        _check_serving(command, home)


def _check_serving(command: str, home: Path) -> None:
    """Serve from a home of its own until the server says that it is well and shows its page."""
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
                raise SystemExit(f"hotdice serve said {line!r} and no address.\n{log.read()}")
            health = json.loads(_answer(f"{found[0]}/api/health"))
            if health["status"] != "ok":
                raise SystemExit(f"The server is not well: {health}.")
            if "<script" not in _answer(f"{found[0]}/"):
                raise SystemExit("The server shows no page.")
        finally:
            server.terminate()


def _answer(url: str) -> str:
    """What a server answers, once it does."""
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
    """Run a program; what it printed, or ``SystemExit`` with that if it fails."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(  # noqa: S603 - known programs
        words, cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main(words: list[str]) -> None:
    """Check version, changelog and tag; build both packages; check what is in them; start one."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--tag", help="the tag of a release, v and the version")
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
    sys.stdout.write(f"Hot Dice {version} installs from its wheel, starts and serves its pages.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
