"""Events per second in random games, compared with two well-known environments.

All are stepped in the same run by the same kind of loop: a random legal action at every decision,
with legal actions enumerated each time. PettingZoo's tic-tac-toe is also measured without its
wrappers, which is the fastest of the three baselines.
"""

from __future__ import annotations

import random
import time
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import hotdice
from hotdice.core.dice import Die, chances
from hotdice.core.due import Over, ToRoll
from hotdice.core.events import Roll

SECONDS = 1.5
PLAYERS = {"peruke": 1}


def sampler(rng: random.Random) -> Callable[[tuple[Die, ...]], Roll]:
    """A function that rolls dice from a lookup table of their exact chances."""
    by_id: dict[int, tuple[list[Roll], list[float]]] = {}
    draw = rng.random

    def throw(dice: tuple[Die, ...]) -> Roll:
        table = by_id.get(id(dice))
        if table is None:
            found = chances(dice)
            table = by_id[id(dice)] = (
                [Roll(faces) for faces, _ in found],
                list(accumulate(float(chance) for _, chance in found)),
            )
        rolls, cumulated = table
        return rolls[min(bisect(cumulated, draw()), len(rolls) - 1)]

    return throw


def play_games(name: str, seconds: float) -> float:
    """Events per second in random games."""
    game = hotdice.load_game(name)
    rng = random.Random(1)
    throw, draw = sampler(rng), rng.random
    players = PLAYERS.get(name, 2)
    due_of, choices_of, apply = game.due, game.choices, game.apply
    state, events, start = game.start(players), 0, time.perf_counter()
    while True:
        due = due_of(state)
        if isinstance(due, ToRoll):
            state = apply(state, throw(due.dice))
        elif isinstance(due, Over):
            if time.perf_counter() - start > seconds:
                return events / (time.perf_counter() - start)
            state = game.start(players)
            continue
        else:
            choices = choices_of(state)
            state = apply(state, choices[int(draw() * len(choices))])
        events += 1


def step_tictactoe(make: Callable[[], Any], seconds: float) -> float:
    """Steps per second in random tic-tac-toe."""
    env, draw = make(), random.Random(1).random
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.reset()
        while env.agents:
            observation, _, ended, cut, _ = env.last()
            if ended or cut:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            steps += 1
    return steps / (time.perf_counter() - start)


def step_blackjack(seconds: float) -> float:
    """Steps per second in random Blackjack."""
    import gymnasium  # noqa: PLC0415 - only this benchmark needs it

    env, draw = gymnasium.make("Blackjack-v1"), random.Random(1).random
    env.reset(seed=1)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(100):
            _, _, ended, cut, _ = env.step(int(draw() * 2))
            steps += 1
            if ended or cut:
                env.reset()
    return steps / (time.perf_counter() - start)


def main() -> None:
    """Measure and print everything."""
    from pettingzoo.classic.tictactoe import tictactoe  # noqa: PLC0415 - only this benchmark needs it

    baselines = {
        "PettingZoo tic-tac-toe": step_tictactoe(tictactoe.env, SECONDS),
        "PettingZoo tic-tac-toe, bare": step_tictactoe(tictactoe.raw_env, SECONDS),
        "Gymnasium Blackjack": step_blackjack(SECONDS),
    }
    for name, rate in baselines.items():
        print(f"{name:30} {rate:12,.0f} steps/s")
    usual = max(baselines["PettingZoo tic-tac-toe"], baselines["Gymnasium Blackjack"])
    bare = baselines["PettingZoo tic-tac-toe, bare"]
    for name in hotdice.game_names():
        play_games(name, SECONDS / 3)
        rate = play_games(name, SECONDS)
        print(
            f"{name:30} {rate:12,.0f} events/s  {rate / usual:5.1f} x the faster of the two, "
            f"{rate / bare:4.1f} x the bare one"
        )


if __name__ == "__main__":
    main()
