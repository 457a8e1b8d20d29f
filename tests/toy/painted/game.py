from __future__ import annotations

from typing import ClassVar

from tests.toy.game import Pig


class PaintedPig(Pig):
    slug: ClassVar[str] = "painted_pig"
    title: ClassVar[str] = "Painted Pig"

    @classmethod
    def rules_text(cls) -> str:
        return Pig.rules_text().replace(f"# {Pig.title}", f"# {cls.title}", 1)
