import { expect, test } from "vitest";
import { headlineOf, isWon } from "../src/lib/result";
import { result, seat } from "./builders";

const seats = [seat("Ann"), seat("Ben"), seat("Cleo")];

test("the headline says who won, and by how much", () => {
  expect(headlineOf({ ...result, scores: [1250, 1010, 3] }, seats)).toBe("Ann wins by 240");
  expect(headlineOf({ ...result, winners: [0, 1] }, seats)).toBe("Ann and Ben share the win");
  expect(headlineOf({ ...result, winners: [] }, seats)).toBe("The game is over");
});

test("a win without a lead has no difference", () => {
  expect(headlineOf({ ...result, scores: [0, 1990] }, seats)).toBe("Ann wins");
});

test("somebody alone makes points and beats nobody", () => {
  const alone = [seat("Ann")];
  expect(headlineOf({ ...result, scores: [-40] }, alone)).toBe("Ann makes −40 points");
  expect(headlineOf({ ...result, winners: [], scores: [1] }, alone)).toBe("Ann makes 1 point");
});

test("the only player on a device is called you", () => {
  const two = seats.slice(0, 2);
  const won = { ...result, winners: [0], scores: [50, 20] };
  expect(headlineOf(won, two, 0)).toBe("You win by 30");
  expect(headlineOf(won, two, 1)).toBe("Ann wins by 30");
  expect(headlineOf({ ...result, winners: [0, 1, 2] }, seats, 2)).toBe(
    "You, Ann and Ben share the win",
  );
  expect(headlineOf({ ...result, scores: [12] }, [seat("Ann")], 0)).toBe("You make 12 points");
});

test("only a win against others is celebrated", () => {
  const won = { ...result, winners: [1], scores: [50, 70] };
  expect(isWon(won, [1])).toBe(true);
  expect(isWon(won, [0])).toBe(false);
  expect(isWon({ ...result, winners: [0], scores: [50] }, [0])).toBe(false);
});
