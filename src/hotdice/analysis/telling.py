"""An analysed game in words, and as one object for programs."""

from __future__ import annotations

from hotdice.analysis.judging import Verdict
from hotdice.analysis.report import Assessment, Report, SeatReport
from hotdice.core.words import counted
from hotdice.solve.coach import advise, cost_words

_EVEN = 0.02
"""Up to this part of the scale, the dice of two players were equally good."""
VERSION = 1
"""The version of reports as JSON: raised when the same game would get other numbers."""
RATING = 1000
"""The performance rating is so many times the chance to win given away per decision."""


def summary(report: Report, seat: int) -> str:
    """How one seat played and what its dice were like, in a sentence or two."""
    one = report.seats[seat]
    return f"{one.name} {_played(one)} and {_dice(report, seat)}."


def _played(one: SeatReport) -> str:
    if one.accuracy is None:
        return "had nothing to decide"
    decisions = counted(one.decisions, "decision", "decisions")
    if one.cost == 0.0:
        return f"played perfectly ({decisions})"
    return f"played {percent(one.accuracy)} as well as possible ({decisions})"


def _dice(report: Report, seat: int) -> str:
    one = report.seats[seat]
    rank = luck_rank(one)
    if len(report.seats) == 2:
        lead = one.luck - report.seats[1 - seat].luck
        if abs(lead) > _EVEN:
            is_odd = (lead > 0) != (one.percentile >= 0.5)
            which = "better" if lead > 0 else "worse"
            return f"had the {which} dice of the two, {'but ' if is_odd else ''}{rank}"
        return f"had dice as good as the other's, {rank}"
    return f"had dice {rank}"


def luck_rank(one: SeatReport) -> str:
    """How a seat's luck compares: ``luckier than 83 of 100 such games (31 rolls)``."""
    rolls = counted(one.rolls, "roll", "rolls")
    better = min(99, max(1, round(100 * one.percentile)))
    return f"luckier than {better} of 100 such games ({rolls})"


def percent(part: float) -> str:
    """A part as a percentage; only all is 100 %, and only nothing is 0 %."""
    shown = round(100 * part)
    if shown == 100 and part < 1.0:
        return f"{100 * part:.1f} %" if part < 0.9995 else "more than 99.9 %"
    return f"{shown} %"


def costliest(report: Report, most: int = 5) -> list[tuple[int, Assessment]]:
    """The decisions that gave away most, with their numbers, the worst first."""
    found = [(at, one) for at, one in enumerate(report.events) if one.cost > 0.0]
    return sorted(found, key=lambda pair: -pair[1].cost)[:most]


def better(report: Report, one: Assessment) -> str:
    """What would have been better at a decision, and by how much."""
    game = report.record.game
    state = game.read_state(one.state)
    chose, best = (
        game.meaning(state, game.pick(state, text)).named(report.record.names)
        for text in (one.event, one.best)
    )
    lost = lost_words(one.cost, report.objective)
    if chose.words != best.words:
        return f"{chose.words} gave away {lost}; better: {_small(best.words)}."
    return f"{chose.words}, {_small(chose.effect)} gave away {lost}; better: {_small(best.effect)}."


def lost_words(cost: float, objective: str) -> str:
    """What a decision gave away, with its unit: ``2.34 % of a win`` or ``3.1 points``."""
    return cost_words(cost, objective) + ("" if objective == "points" else " of a win")


def reason(report: Report, one: Assessment) -> str:
    """Why the best choice at a decision is the best, as the coach says it."""
    game = report.record.game
    advice = advise(game, game.read_state(one.state), report.objective)
    return advice.named(report.record.names).best.why


def _small(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}"


def rating(one: SeatReport, objective: str) -> float | None:
    """What a seat gave away per decision: in points, or in thousandths of the win."""
    if one.mean_cost is None:
        return None
    return one.mean_cost if objective == "points" else RATING * one.mean_cost


def report_json(report: Report) -> dict[str, object]:
    """A report for programs.

    Values and luck of events are from the first seat's side if two play, costs are those of who
    chose, and a seat's luck is its own.
    """
    record = report.record
    return {
        "game": record.game.slug,
        "title": record.game.title,
        "options": record.game.options.values(),
        "changed": record.game.options.text(),
        "rules": record.game.options.without_opening().without_series().text(),
        "series": list(record.game.series(record.state())),
        "objective": report.objective,
        "exact": report.exact,
        "basis": report.basis,
        "start": report.start,
        "value": report.value,
        "seats": [_seat_json(report, seat) for seat in range(len(report.seats))],
        "costliest": [
            {"event": at, "words": better(report, one), "why": reason(report, one)}
            for at, one in costliest(report)
        ],
        "events": [_event_json(one) for one in report.events],
    }


def digest_json(report: dict[str, object]) -> dict[str, object]:
    """What statistics need of a report for programs: all but the events and what is in words."""
    left_out = ("options", "costliest", "events", "title", "basis")
    return {name: part for name, part in report.items() if name not in left_out}


def _seat_json(report: Report, seat: int) -> dict[str, object]:
    one = report.seats[seat]
    return {
        "name": one.name,
        "result": one.result,
        "rolls": one.rolls,
        "luck": one.luck,
        "deviation": one.deviation,
        "percentile": one.percentile,
        "decisions": one.decisions,
        "cost": one.cost,
        "difficulty": one.spread / one.decisions if one.decisions else None,
        "accuracy": one.accuracy,
        "rating": rating(one, report.objective),
        "verdicts": one.verdicts,
        "busts": one.busts,
        "risk": one.risk,
        "risk_deviation": one.risk_deviation,
        "summary": summary(report, seat),
    }


def _event_json(one: Assessment) -> dict[str, object]:
    found: dict[str, object] = {
        "seat": one.seat,
        "event": one.event,
        "state": one.state,
        "told": one.told,
        "value": one.value,
        "luck": one.luck,
        "cost": one.cost,
        "word": one.word.value,
    }
    if one.choices:
        found |= {"best": one.best, "choices": one.choices, "spread": one.spread}
    else:
        found |= {"risk": one.risk, "bust": one.bust}
    return found


def verdict_words(verdicts: dict[str, int]) -> str:
    """The verdicts on a seat's decisions: ``31 perfect, one slip, 4 mistakes``."""
    many = {Verdict.PERFECT: "perfect", Verdict.SLIP: "slips"}
    shown = [
        f"{count} {word if count == 1 else many.get(Verdict(word), f'{word}s')}"
        for word, count in verdicts.items()
        if count
    ]
    return ", ".join(shown)
