"""The standings of a challenge: everybody's tries, ranked by result and by skill."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from hotdice.server.challenge_messages import SkillShown, StandingsShown, TryShown
from hotdice.storage.challenges import Tried
from hotdice.table.challenge import ranks


class _SeatDigest(BaseModel):
    """The luck and the skill of one seat in the digest of an analysis."""

    accuracy: float | None
    decisions: int
    cost: float
    luck: float
    percentile: float
    rolls: int


class Digest(BaseModel):
    """What standings need of the digest of an analysis."""

    objective: str
    exact: bool
    seats: list[_SeatDigest]


def read_digest(tried: Tried) -> Digest | None:
    """The digest of a try; ``None`` if it is not analysed."""
    return Digest.model_validate_json(tried.digest) if tried.digest else None


def show_standings(
    tries: Sequence[Tried], digests: Sequence[Digest | None], owner: str
) -> list[StandingsShown]:
    """The standings of every seat, as a player sees them.

    Seats have different dice, so only tries in the same seat are compared.
    """
    seats = sorted({one.by.seat for one in tries})
    pairs = list(zip(tries, digests, strict=True))
    return [
        StandingsShown(
            seat=seat,
            tries=_ranked([pair for pair in pairs if pair[0].by.seat == seat], owner),
        )
        for seat in seats
    ]


def _ranked(pairs: Sequence[tuple[Tried, Digest | None]], owner: str) -> list[TryShown]:
    """The tries of one seat, the best result first; those that are not finished come last."""
    skills = [_skill(one, digest) for one, digest in pairs]
    by_result = ranks([one.outcome and (one.outcome.won, one.outcome.margin) for one, _ in pairs])
    by_skill = ranks([skill.accuracy if skill else None for skill in skills])
    shown = [
        _shown(one, owner, result, rank, skill)
        for (one, _), result, rank, skill in zip(pairs, by_result, by_skill, skills, strict=True)
    ]
    last = len(shown) + 1
    return sorted(shown, key=lambda one: (one.by_result or last, one.by_skill or last))


def _skill(tried: Tried, digest: Digest | None) -> SkillShown | None:
    if digest is None or tried.outcome is None:
        return None
    return SkillShown.model_validate(digest.seats[tried.by.seat].model_dump())


def _shown(
    tried: Tried,
    owner: str,
    by_result: int | None,
    by_skill: int | None,
    skill: SkillShown | None,
) -> TryShown:
    outcome = tried.outcome
    return TryShown(
        name=tried.by.name,
        yours=bool(owner) and tried.by.owner == owner,
        table=tried.table_id,
        done=outcome is not None,
        won=outcome.won if outcome else None,
        score=outcome.score if outcome else None,
        margin=outcome.margin if outcome else None,
        by_result=by_result,
        by_skill=by_skill,
        skill=skill,
    )
