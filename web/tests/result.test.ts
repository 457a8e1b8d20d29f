import { expect, test } from "vitest";
import { headlineOf } from "../src/lib/result";
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
