"""Release checks: version, changelog and tag agree, and no file is missing."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from tools.release import (
    ROOT,
    built_in_sdist,
    disagreements,
    loaded_by,
    missing_in_sdist,
    missing_in_wheel,
    newest_section,
    package_version,
)

import hotdice

CHANGES = "# Changes\n\n## 1.2.0, 2026-12-01\n\n- New.\n\n## 1.1.0, 2026-11-20\n\n- Old.\n"
PLANNED = CHANGES.replace("2026-12-01", "not yet released")
INDEX = '<link href="/icon.svg" /><script src="/assets/index-1.js"></script><a href="//x">x</a>'
SOURCES = ["hotdice/__init__.py", "hotdice/storage/migrations/versions/0001_tables.py"]
WHEEL = [
    *SOURCES,
    "hotdice/server/static/index.html",
    "hotdice/server/static/icon.svg",
    "hotdice/server/static/assets/index-1.js",
    "hotdice/server/static/assets/index-2.css",
    "hotdice-1.2.0.dist-info/licenses/LICENSE",
    "hotdice-1.2.0.dist-info/entry_points.txt",
]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
CI_FILES = [*sorted(ROOT.glob(".github/**/*.yml")), ROOT / ".pre-commit-config.yaml"]


def test_the_version_and_the_changelog_agree_now() -> None:
    version = package_version((ROOT / "src/hotdice/__init__.py").read_text("utf-8"))
    assert version == hotdice.__version__
    assert disagreements(version, (ROOT / "CHANGELOG.md").read_text("utf-8"), None) == []


def test_the_newest_section_comes_first() -> None:
    assert newest_section(CHANGES) == ("1.2.0", "2026-12-01")
    assert newest_section(PLANNED) == ("1.2.0", "not yet released")


@pytest.mark.parametrize(
    "version, changelog, tag",
    [("1.2.0", CHANGES, "v1.2.0"), ("1.2.0", CHANGES, None), ("1.2.0", PLANNED, None)],
)
def test_a_matching_version_changelog_and_tag_are_accepted(
    version: str, changelog: str, tag: str | None
) -> None:
    assert disagreements(version, changelog, tag) == []


@pytest.mark.parametrize(
    "version, changelog, tag, said",
    [
        ("1.3.0", CHANGES, None, "newest changelog section is 1.2.0"),
        ("1.1.0", CHANGES, "v1.1.0", "newest changelog section is 1.2.0"),
        ("1.2.0", CHANGES, "1.2.0", "the tag must be v1.2.0, not 1.2.0"),
        ("1.2.0", CHANGES, "v1.2.1", "the tag must be v1.2.0, not v1.2.1"),
        ("1.2.0", PLANNED, "v1.2.0", "needs a release date"),
    ],
)
def test_disagreements_are_reported(
    version: str, changelog: str, tag: str | None, said: str
) -> None:
    (wrong,) = disagreements(version, changelog, tag)
    assert said in wrong


@pytest.mark.parametrize("read", [package_version, newest_section])
def test_a_missing_version_is_reported(read: Callable[[str], object]) -> None:
    with pytest.raises(SystemExit, match="needs a"):
        read("# nothing\n")


def test_assets_that_a_page_loads_are_found() -> None:
    assert loaded_by(INDEX) == ["icon.svg", "assets/index-1.js"]


def test_a_complete_wheel_is_accepted() -> None:
    assert missing_in_wheel(WHEEL, SOURCES, INDEX) == []


@pytest.mark.parametrize("left_out", WHEEL)
def test_files_missing_in_a_wheel_are_reported(left_out: str) -> None:
    missing = missing_in_wheel([name for name in WHEEL if name != left_out], SOURCES, INDEX)
    assert any(Path(left_out).match(name) for name in missing), missing


def test_files_missing_in_a_source_distribution_are_reported() -> None:
    missing = missing_in_sdist(["hotdice-1.2.0/LICENSE", "hotdice-1.2.0/web/index.html"])
    assert "LICENSE" not in missing
    assert "web/index.html" not in missing
    assert {"web/package.json", "web/package-lock.json", "hatch_build.py"} <= set(missing)


def test_files_needed_by_a_source_distribution_exist() -> None:
    needed = set(missing_in_sdist([])) - {"PKG-INFO"}
    assert not [name for name in sorted(needed) if not (ROOT / name).exists()]


def test_built_files_in_a_source_distribution_are_reported() -> None:
    built = "hotdice-1.2.0/src/hotdice/server/static/index.html"
    assert built_in_sdist(["hotdice-1.2.0/web/index.html", built]) == [built]


def test_the_command_is_named_like_the_package() -> None:
    """So ``uvx hotdice`` and ``pipx run hotdice`` need no further arguments."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] in project["scripts"]


@pytest.mark.parametrize("path", CI_FILES, ids=lambda path: path.name)
def test_ci_files_are_valid_yaml(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text("utf-8")), dict)


def test_every_supported_python_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    start = "Programming Language :: Python :: 3."
    supported = [one.rpartition(" ")[2] for one in project["classifiers"] if one.startswith(start)]
    assert tested == supported


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_make_targets_and_use_no_secrets(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "secrets." not in text
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    runs = [
        step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step
    ]
    assert runs
    for command in runs:
        program, target = command.split()[:2]
        assert program == "gh" or (program == "make" and f"\n{target}:" in makefile)


def test_hooks_download_nothing() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert {repository["repo"] for repository in hooks["repos"]} == {"local"}
    assert {hook["language"] for one in hooks["repos"] for hook in one["hooks"]} == {"system"}
