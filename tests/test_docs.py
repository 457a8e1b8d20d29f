"""The docs cover every feature, and what they show is correct."""

import doctest
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tools.document import COMMANDS, PAGES, ROOT

import hotdice
from hotdice import game_names, game_type
from hotdice.bots import LEVELS
from hotdice.server.limits import Limits
from hotdice.solve.finding import find_solver
from hotdice.solve.solver import Question

EIGHTH = "any_start=on extra_die=on duplicates=on"
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("path, page", PAGES.items())
def test_generated_pages_are_current(path: str, page: Callable[[], str]) -> None:
    assert (ROOT / path).read_text("utf-8") == page(), "run make docs"


def test_every_command_is_documented() -> None:
    from hotdice.cli.main import app  # noqa: PLC0415 - not for the other tests

    commands = [command for command in app.registered_commands if not command.hidden]
    names = {command.callback.__name__ for command in commands if command.callback}
    assert names == set(COMMANDS) - {""}
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"hotdice {name}" in readme for name in names)


def test_every_game_and_bot_is_named() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = (ROOT / "docs/commands.md").read_text("utf-8")
    for name in game_names():
        assert game_type(name).title in readme
    assert all(level in commands for level in LEVELS)


def test_every_make_target_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = "".join(path.read_text("utf-8") for path in DOCS)
    for target in re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE):
        assert f"make {target}" in text


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_are_not_broken(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs/adr/README.md").read_text("utf-8")
    pages = {path.name for path in (ROOT / "docs/adr").glob("0*.md")}
    assert pages == set(re.findall(r"\((0[^)]+)\)", index))


def test_the_example_in_the_package_runs() -> None:
    assert doctest.testmod(hotdice).failed == 0
    assert doctest.testmod(hotdice).attempted > 0


@pytest.mark.parametrize("path", ["README.md", "docs/python.md"])
def test_python_examples_run(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / path).read_text("utf-8"), re.DOTALL)
    runnable = [block for block in blocks if "…" not in block]
    assert runnable
    for block in runnable:
        exec(block, {})  # noqa: S102 - our own documentation
    assert capsys.readouterr().out


def test_the_record_in_the_docs_is_valid() -> None:
    text = (ROOT / "docs/records.md").read_text("utf-8")
    record = re.search(r"```text\n(hotdice record.*?)```", text, re.DOTALL)
    assert record
    assert hotdice.read_record(record[1]).text() == record[1]


def test_the_files_in_the_docs_are_valid() -> None:
    from hotdice.games.go500 import Course, DiceSet  # noqa: PLC0415 - only here

    text = (ROOT / "docs/go500-files.md").read_text("utf-8")
    course, dice = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert Course.read(course.replace("\n", ";")).weathers == ("good", "poor")
    assert DiceSet.read(dice.replace("\n", ";")).name == "mine"


def test_the_book_agrees_with_the_solvers() -> None:
    """Only points are quick to solve again; chances to win come from the same ``make book``."""
    values = json.loads((ROOT / "docs/book/values.json").read_text("utf-8"))
    front = (ROOT / "docs/book/README.md").read_text("utf-8")
    for title, slug, options in [
        ("farkle, as printed", "farkle", ""),
        ("rogue, as printed", "rogue", ""),
        ("cockroach, any_start + extra_die + duplicates", "cockroach", EIGHTH),
        ("peruke, red die ordinary", "peruke", "red_combines=off"),
        ("go500, pass, poor weather", "go500", "course=pass weather=poor"),
    ]:
        solver = find_solver(hotdice.load_game(slug, options))
        assert solver
        points = solver.solve(Question("points")).value
        assert values[title]["points"] == pytest.approx(points), "run make book"
        assert f"| {title} | {points:.2f} |" in front
    pages = {path.stem for path in (ROOT / "docs/book").glob("*.md")} - {"README"}
    assert pages == set(game_names())


def test_every_page_key_and_picture_is_documented() -> None:
    from hotdice.server.pages import PAGES as ADDRESSES  # noqa: PLC0415 - only here

    text = (ROOT / "docs/browser.md").read_text("utf-8")
    for path in ADDRESSES:
        address = re.sub(r"\{(\w+)\}", lambda found: found[1].upper(), path)
        assert f"`{address}`" in text
    keys = re.findall(r'\["([^"]+)", "', (ROOT / "web/src/parts/Keys.svelte").read_text("utf-8"))
    assert keys
    for key in keys:
        assert all(f"`{part}`" in text for part in key.split(" to "))
    text += (ROOT / "README.md").read_text("utf-8")
    shown = set(re.findall(r"pictures/([\w-]+)\.jpg", text))
    assert shown == {path.stem for path in (ROOT / "docs/pictures").glob("*.jpg")}


def test_every_request_command_and_message_is_documented() -> None:
    text = (ROOT / "docs/serving.md").read_text("utf-8")
    schema = json.loads((ROOT / "web/openapi.json").read_text("utf-8"))
    for path, methods in schema["paths"].items():
        assert all(f"{method.upper()} {path}`" in text for method in methods)
    for command in schema["components"]["schemas"]["Command"]["properties"]["do"]["enum"]:
        assert f'{{"do": "{command}"' in text
    shapes = [shape.get("properties", {}) for shape in schema["components"]["schemas"].values()]
    kinds = {shape["type"]["const"] for shape in shapes if "const" in shape.get("type", {})}
    assert {"table", "news", "presence"} <= kinds
    assert all(f'"type": "{kind}"' in text for kind in kinds)
    help_text = (ROOT / "docs/commands.md").read_text("utf-8").partition("## hotdice serve")[2]
    for option in re.findall(r"--[a-z]+", help_text):
        assert option in text or option == "--help"


def test_every_limit_is_documented() -> None:
    text = (ROOT / "docs/serving.md").read_text("utf-8")
    for name, (default, doc) in Limits.describe().items():
        assert f"| `{name}` | {default:,} | {doc} |" in text


def test_the_threat_model_names_tests_that_exist() -> None:
    text = (ROOT / "docs/threat-model.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) > 25
    for path, test in named:
        assert (
            f"def {test}(" in (ROOT / path).read_text("utf-8") if test else (ROOT / path).exists()
        )
    for line in text.partition("## What is not promised")[0].splitlines():
        if line.startswith("| ") and not line.startswith("| promise"):
            assert "`tests/" in line, line


@pytest.mark.parametrize("package", ["core", "table", "storage", "server", "solve"])
def test_the_architecture_names_every_module(package: str) -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = {Path(name).name for name in re.findall(r"`([\w/]+\.py)`", text)}
    modules = {path.name for path in (ROOT / "src/hotdice" / package).glob("*.py")}
    assert modules - named == {"__init__.py"}


def test_the_architecture_names_only_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    there = {path.name for top in ("src", "web/src", "tests") for path in (ROOT / top).rglob("*.*")}
    there |= {path.name for path in ROOT.glob("*.*")}
    assert {Path(name).name for name in re.findall(r"`([\w/.]+\.(?:py|ts|svelte))`", text)} <= there
