"""The contract and the rules need nothing but the standard library."""

import ast
import sys
from pathlib import Path

import pytest

import hotdice

SOURCE = Path(hotdice.__file__).parent
FILES = sorted([*SOURCE.glob("core/**/*.py"), *SOURCE.glob("games/**/*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_standard_library_is_imported(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    names += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    foreign = {name.partition(".")[0] for name in names} - {"hotdice", *sys.stdlib_module_names}
    assert not foreign
