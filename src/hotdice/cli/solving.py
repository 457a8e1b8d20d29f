"""``hotdice solve``, ``hotdice advise`` and ``hotdice solutions``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, NamedTuple

from hotdice.cli.output import columns, console, print_json, print_lines
from hotdice.core.errors import BadSetup, UnreadableText
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.core.registry import game_type
from hotdice.core.words import counted, listed
from hotdice.solve.coach import (
    Advice,
    NothingToAdvise,
    advise,
    prepare,
    ready,
    solve_command,
    value_words,
)
from hotdice.solve.finding import find_solver
from hotdice.solve.solutions import (
    SolutionFile,
    clear_solutions,
    solution_files,
    solutions_folder,
)
from hotdice.solve.solver import Answer, AnySolver, Question

_SHOWN = 8
_WIDE = 100
_FAR = 10_000
_INDENT = 20
_MEGA = 1_000_000


class Wanted(NamedTuple):
    """What to solve, as given on the command line."""

    objective: str | None
    scores: str | None
    place: str | None
    goal: int | None


def _game(name: str, sets: Sequence[str]) -> AnyGame:
    kind = game_type(name)
    return kind(kind.options_type.read_pairs(sets, files=True))


@contextmanager
def solving(what: str) -> Iterator[Callable[[float], None]]:
    """A progress bar with the time left, on standard error; Ctrl+C aborts."""
    from rich.progress import (  # noqa: PLC0415 - only where something takes long
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    shown = [
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
    ]
    out = console(to_stderr=True)
    with Progress(*shown, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task(f"Preparing to solve {what}", total=1.0)

        def show(done: float) -> None:
            bar.update(task, completed=done, description=f"Solving {what}" if done else None)

        try:
            yield show
        except KeyboardInterrupt:
            bar.stop()
            out.print("Stopped; nothing was saved.")
            raise


def solve(name: str, wanted: Wanted, sets: Sequence[str], *, as_json: bool) -> None:
    """Print the best expected points, or the chance of success under best play."""
    game = _game(name, sets)
    solver = find_solver(game)
    question = _question(solver, wanted)
    with solving(game.title) as progress:
        answer = solver.solve(question, progress)
    if as_json:
        print_json(_answer_json(solver, question, answer))
        return
    objective = "points" if question.objective == "points" else "win"
    value = value_words(answer.value, objective)
    residual = f"{answer.residual:.1e}"
    decimals = f"{answer.value:.10f}".rstrip("0").rstrip(".")
    print_lines(
        [
            f"{game.title}: {value} ({decimals})",
            f"  {answer.about}",
            *(f"  {key}: {number:.10f}" for key, number in answer.more.items()),
            f"  {answer.states:,} states in {answer.seconds:.2f} s, residual {residual}",
        ]
    )


def _question(solver: AnySolver, wanted: Wanted) -> Question:
    game, objectives = solver.game, tuple(solver.objectives)
    objective = (wanted.objective or objectives[0]).replace("-", "_")
    if objective not in objectives:
        raise BadSetup(
            f"{game.title} is solved for {listed(objectives)}, not for '{wanted.objective}'."
        )
    if wanted.place not in (None, "first", "second"):
        raise BadSetup(f"A place in the round is first or second, not '{wanted.place}'.")
    if wanted.place and not solver.has_rounds:
        raise BadSetup(f"{game.title} has no rounds; leave --place out.")
    if wanted.goal is not None and abs(wanted.goal) > _FAR:
        raise BadSetup(f"A goal is between -{_FAR:,} and {_FAR:,}.")
    if wanted.goal is not None and objective not in solver.goals:
        raise BadSetup(f"'{objective}' has no goal; leave --goal out.")
    scores = _scores(wanted.scores, game) if wanted.scores is not None else ()
    return Question(objective, scores, wanted.place == "second", wanted.goal)


def _scores(text: str, game: AnyGame) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != 2 or not all(w.isascii() and w.isdigit() and len(w) < 10 for w in words):
        raise UnreadableText(f"Write two scores, your own first: --scores 300,450, not '{text}'.")
    if game.max_players == 1:
        raise BadSetup(f"{game.title} is played alone; leave --scores out.")
    return tuple(int(word) for word in words)


def _answer_json(solver: AnySolver, question: Question, answer: Answer) -> dict[str, Any]:
    game = solver.game
    place = {"place": "second" if question.second else "first"} if solver.has_rounds else {}
    return {
        "game": game.slug,
        "options": game.options.text(),
        "objective": question.objective,
        **place,
        **({"scores": list(question.scores)} if question.scores else {}),
        **({"goal": question.goal} if question.goal is not None else {}),
        "value": answer.value,
        "residual": answer.residual,
        "states": answer.states,
        "seconds": answer.seconds,
        "about": answer.about,
        **answer.more,
    }


def give_advice(
    name: str,
    words: Sequence[str],
    wanted: Wanted,
    sets: Sequence[str],
    *,
    first_solve: bool,
    as_json: bool,
) -> None:
    """Print every legal choice at a state, best first."""
    game = _game(name, sets)
    state = game.read_state(" ".join(words))
    objective = _aim(game, wanted)
    players = game.players(state)
    if not game.choices(state):
        raise NothingToAdvise("There is nothing to choose in this state.")
    if first_solve and objective != "points":
        with solving(game.title) as progress:
            prepare(game, players, progress)
    advice = advise(game, state, objective)
    waiting = advice.objective == "points" and not objective and not ready(game, players)
    if as_json:
        print_json(
            {
                "game": game.slug,
                "options": game.options.text(),
                "state": game.state_text(state),
                **advice_json(game, advice),
            }
        )
        return
    print_lines(advice_lines(advice, shown=None))
    if waiting:
        print_lines([f"For chances to win, run {solve_command(game)} once, or add --solve."])


def _aim(game: AnyGame, wanted: Wanted) -> str:
    """What to advise for: an objective of the game, with its goal after a colon."""
    if wanted.objective is None and wanted.goal is None:
        return ""
    question = _question(find_solver(game), wanted)
    goal = "" if question.goal is None else f":{question.goal}"
    return f"{question.objective}{goal}"


def advice_json(game: AnyGame, advice: Advice) -> dict[str, Any]:
    """Advice for programs."""
    return {
        "objective": advice.objective,
        "exact": advice.exact,
        "basis": advice.basis,
        "choices": [
            {
                "choice": game.event_text(counsel.choice),
                "words": counsel.meaning.words,
                "effect": counsel.meaning.effect,
                "value": counsel.value,
                "cost": counsel.cost,
                "odds": {odds.name: odds.chance for odds in counsel.odds},
                "why": counsel.why,
            }
            for counsel in advice.counsels
        ],
    }


def advice_lines(
    advice: Advice, *, shown: int | None = _SHOWN, labels: Mapping[Choice, str] | None = None
) -> list[str]:
    """Advice for people: the value and cost of each choice, its words, and why.

    Args:
        advice: what the coach says.
        shown: how many choices are listed; ``None`` for all.
        labels: what to type for each choice.
    """
    width = min(get_terminal_size((_WIDE, 24)).columns, _WIDE)
    lines = wrap(advice.basis, width)
    most = len(advice.counsels) if shown is None else shown
    for at, counsel in enumerate(advice.counsels[:most]):
        value = _number(counsel.value, advice.objective)
        cost = f"\u2212{_number(counsel.cost, advice.objective)}" if at else "best"
        odds = ", ".join(f"{one.name} {100 * one.chance:.1f} %" for one in counsel.odds)
        label = f"{labels[counsel.choice]}  " if labels and counsel.choice in labels else ""
        words = f"{label}{counsel.meaning.words}. {counsel.meaning.effect}."
        said = (words, counsel.why, odds)
        texts = [line for text in said for line in wrap(text, width - _INDENT)]
        lines.append(f"{value:>8}  {cost:>8}  {texts[0]}")
        lines += [f"{'':{_INDENT}}{text}" for text in texts[1:]]
    if most < len(advice.counsels):
        lines.append(f"{'':{_INDENT}}and {len(advice.counsels) - most} more.")
    return lines


def _number(value: float, objective: str) -> str:
    return f"{value:,.2f}" if objective == "points" else f"{100 * value:.2f} %"


def show_solutions(name: str | None, *, clear: bool, as_json: bool, word: str) -> None:
    """List the solutions on this machine, or delete them.

    Args:
        name: the game they belong to; ``None`` for all games.
        clear: whether to delete them.
        as_json: whether to print JSON.
        word: their key in the JSON object.
    """
    slug = game_type(name).slug if name else ""
    if clear:
        found = clear_solutions(slug)
    else:
        found = [file for file in solution_files() if not slug or file.game == slug]
    if as_json:
        listed_as = "cleared" if clear else word
        rows = [_file_json(file) for file in found]
        print_json({"folder": str(solutions_folder()), listed_as: rows})
        return
    size = sum(file.size for file in found) / _MEGA
    count = counted(len(found), "solution", "solutions")
    if clear:
        print_lines([f"{count.capitalize()} deleted, {size:,.1f} MB."])
        return
    if not found:
        print_lines([f"No solutions in {solutions_folder()}; 'hotdice solve GAME' makes one."])
        return
    rows_shown = [
        (
            file.game,
            file.what if file.current or file.what == "unreadable" else f"{file.what} (outdated)",
            f"{file.size / _MEGA:,.1f} MB",
            f"{file.facts.get('seconds', 0):.1f} s",
            file.options or ("" if file.what == "unreadable" else "standard rules"),
        )
        for file in found
    ]
    whole = f"{count}, {size:,.1f} MB in {solutions_folder()}"
    print_lines([*columns(rows_shown, right=[2, 3]), whole])


def _file_json(file: SolutionFile) -> dict[str, Any]:
    return {**asdict(file), "path": str(file.path)}
