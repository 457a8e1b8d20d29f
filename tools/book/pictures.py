"""Charts for the book."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt

FOLDER = Path(__file__).parent.parent.parent / "docs/book/pictures"
_SIZE = (7.0, 4.6)
mpl.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": "hotdice",
        "savefig.bbox": "tight",
    }
)


def _save(figure: Any, name: str, *, raster: bool = False) -> str:
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = f"{name}.{'png' if raster else 'svg'}"
    meta: dict[str, str | None] = {"Software": None} if raster else {"Date": None, "Creator": None}
    figure.savefig(FOLDER / file, dpi=110, metadata=meta)
    plt.close(figure)
    return f"pictures/{file}"


def heat(name: str, values: Any, step: float, labels: tuple[str, str, str], **colours: Any) -> str:
    """A heat map by own score (across) and other score (up)."""
    extend = colours.pop("extend", "neither")
    figure, axes = plt.subplots(figsize=(6.2, 5.0))
    edge = step * len(values)
    shown = axes.imshow(values.T, origin="lower", extent=(0, edge, 0, edge), **colours)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    figure.colorbar(shown, label=labels[2], extend=extend)
    return _save(figure, name, raster=True)


def lines(
    name: str, across: Sequence[float], rows: Mapping[str, Sequence[float]], labels: tuple[str, str]
) -> str:
    """A line chart with one line per row."""
    figure, axes = plt.subplots(figsize=_SIZE)
    for label, row in rows.items():
        axes.plot(across, row, label=label, marker="." if len(across) < 60 else None)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(alpha=0.3)
    if len(rows) > 1:
        axes.legend(frameon=False)
    return _save(figure, name)


def bars(name: str, names: Sequence[str], rows: Mapping[str, Sequence[float]], label: str) -> str:
    """A bar chart with one colour per row."""
    figure, axes = plt.subplots(figsize=_SIZE)
    places = np.arange(len(names))
    width = 0.8 / len(rows)
    for at, (title, row) in enumerate(rows.items()):
        axes.barh(places + at * width, row, width, label=title)
    axes.set_yticks(places + 0.4 - width / 2, names)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.grid(alpha=0.3, axis="x")
    if len(rows) > 1:
        axes.legend(frameon=False)
    return _save(figure, name)
