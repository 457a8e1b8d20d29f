"""``make lowest`` installs the lowest versions that ``pyproject.toml`` allows."""

import tomllib

import pytest
from tools.lowest import ROOT, TOOLS, pin, pins


@pytest.mark.parametrize(
    "requirement, pinned",
    [
        ("orjson>=3.10", "orjson==3.10"),
        ("psycopg[binary]>=3.2.4", "psycopg[binary]==3.2.4"),
        ("typer>=0.27.2,<0.29", "typer==0.27.2"),
        (" some-name >= 1.0.post1 , < 2", "some-name==1.0.post1"),
    ],
)
def test_a_requirement_is_pinned_to_its_lower_bound(requirement: str, pinned: str) -> None:
    assert pin(requirement) == pinned


@pytest.mark.parametrize("requirement", ["orjson", "orjson<4", "orjson==3.10", "orjson~=3.10"])
def test_a_requirement_without_a_lower_bound_is_refused(requirement: str) -> None:
    with pytest.raises(SystemExit, match="needs a lower bound"):
        pin(requirement)


def test_every_requirement_is_pinned_once() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found = [one.partition("==")[0] for one in pins(pyproject, "test")]
    assert len(found) == len(set(found))
    assert {"numba", "pytest", "hatchling", "sqlalchemy[asyncio]"} <= set(found)


def test_no_extra_is_left_out() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = pyproject["project"]["optional-dependencies"]
    assert set(extras) == {"test", *TOOLS, "mutate"}  # mutate runs in an environment of its own
    found = {one.partition("==")[0] for one in pins(pyproject, *TOOLS)}
    assert {"numba", "matplotlib", "gymnasium", "psutil", "atheris"} <= found
