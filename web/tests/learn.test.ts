import { describe, expect, test } from "vitest";
import {
  againWords,
  bandWords,
  calibrationWords,
  hiddenWords,
  missWords,
  namesAt,
  streakWords,
} from "../src/lib/learn";
import type { View } from "../src/lib/types";

test("when a position comes back", () => {
  expect(againWords(null)).toBe("");
  expect(againWords(1)).toBe("It comes back tomorrow.");
  expect(againWords(16)).toBe("It comes back in 16 days.");
});

test("streaks say how many days were right", () => {
  expect(streakWords({ days: 0, right: 0 })).toBe("");
  expect(streakWords({ days: 1, right: 1 })).toBe("Streak: 1 day, all right");
  expect(streakWords({ days: 5, right: 3 })).toBe("Streak: 5 days, 3 right at first try");
});

test("which bots miss a position; what random does says nothing", () => {
  const miss = (level: string, chance: number) => ({ level, chance });
  expect(missWords([])).toBe("");
  expect(missWords([miss("random", 0.9), miss("greedy", 0)])).toBe("");
  expect(
    missWords([miss("random", 0.5), miss("greedy", 1), miss("casual", 0.3), miss("sharp", 0.06)]),
  ).toBe("Missed by bots: greedy (always), casual (3 times in 10), sharp (once in 10).");
});

describe("names at a position", () => {
  const at = (seat: number, seats: number) =>
    namesAt({
      seat,
      tracks: Array.from({ length: seats }, (_, one) => ({ seat: one })),
    } as unknown as View);
  test("the seat to act is the player's", () => {
    expect(at(1, 2)).toEqual(["Rival", "You"]);
    expect(at(0, 1)).toEqual(["You"]);
    expect(at(0, 3)).toEqual(["You", "Rival 2", "Rival 3"]);
  });
});

test("calibration comes with the number of guesses", () => {
  const nothing = { guesses: 0, error: 0, lean: 0, words: "", bands: [] };
  expect(calibrationWords(nothing)).toBe("No guesses yet.");
  const some = { ...nothing, guesses: 12, error: 0.084, words: "too high by 5 points on average" };
  expect(calibrationWords(some)).toBe(
    "12 guesses: off by 8 points on average, too high by 5 points on average.",
  );
  expect(bandWords({ low: 0.2, high: 0.4, guesses: 3, lean: -0.12 })).toBe(
    "20 to 40 %: 12 too low (3)",
  );
  expect(bandWords({ low: 0, high: 0.2, guesses: 1, lean: 0.001 })).toBe("0 to 20 %: spot on (1)");
});

test("nothing is left out without a reason", () => {
  expect(hiddenWords([])).toBe("All of them are listed.");
  expect(
    hiddenWords([
      { count: 4, why: "slips below 1 %" },
      { count: 1, why: "game that is not analysed yet" },
    ]),
  ).toBe("Not listed: 4 slips below 1 %; 1 game that is not analysed yet.");
});
