// Parts of the pages, rendered to HTML as a server would.

import type { Component } from "svelte";
import { render } from "svelte/server";
import { describe, expect, test } from "vitest";
import { provideLook } from "../src/lib/look";
import type { Advice, Counsel, DieFace, Look } from "../src/lib/types";
import Choices from "../src/parts/Choices.svelte";
import Coach from "../src/parts/Coach.svelte";
import Curve from "../src/parts/Curve.svelte";
import Die from "../src/parts/Die.svelte";
import { die, keep, seat } from "./builders";

const LOOK = { faces: { c: [{ icon: "fox-head", box: "", shapes: [] }] } } as unknown as Look;

function html<P extends Record<string, unknown>>(part: Component<P>, props: P): string {
  const painted = ((...inside: Parameters<typeof part>) => {
    provideLook(() => LOOK);
    return part(...inside);
  }) as typeof part;
  return render(painted as Component<Record<string, unknown>>, { props }).body;
}

const drawn = (face: Partial<DieFace>, more: { rolling?: boolean; badge?: string } = {}) =>
  html(Die, { die: die(5, face), ...more });

describe("a die", () => {
  const sides: Record<string, [Partial<DieFace>, RegExp]> = {
    pips: [{}, /class="pip /],
    picture: [{ token: "c" }, /#icon-fox-head/],
    flag: [{ drawn: "flag", flag: "black", label: "black" }, /class="flag black/],
    text: [{ drawn: "text", label: "25" }, />25</],
    ring: [{ ring: true }, /class="ring /],
  };

  test.each(Object.entries(sides))("shows no %s while it rolls", (_, [face, mark]) => {
    expect(drawn(face)).toMatch(mark);
    const rolling = drawn(face, { rolling: true, badge: "×2" });
    expect(rolling).not.toMatch(mark);
    expect(rolling).not.toContain("×2");
    expect(rolling).toContain('class="blur');
  });

  test.each(["green", "yellow", "red", "black"])("a %s flag has a pattern and no text", (flag) => {
    const found = drawn({ drawn: "flag", flag, label: flag, called: "flag" });
    expect(found).toContain('class="stripe');
    expect(found).not.toContain("<text");
  });

  test("a picture has no text over it", () => {
    expect(drawn({ token: "c", drawn: "text", label: "critter" })).not.toContain("critter");
  });
});

describe("the coach", () => {
  const counsel = (text: string, value: number, more: Partial<Counsel> = {}): Counsel =>
    ({ text, words: text, effect: "", value, cost: 0, odds: [], why: "", ...more }) as Counsel;

  test("shows equal choices with equal bars", () => {
    const counsels = ["a", "b", "c"].map((text) => counsel(text, 0.08));
    const advice = { objective: "win", counsels, basis: "" } as Partial<Advice> as Advice;
    const found = html(Coach, {
      allowed: true,
      choices: [],
      advice,
      working: null,
      pick: () => undefined,
    });
    const bars = [...found.matchAll(/<rect width="([\d.]+)"/g)].map(([, width]) => width);
    expect(bars).toEqual(["8", "8", "8"]);
  });

  test("says whether equal dice are rolled or banked", () => {
    const choices = [keep([1], "roll"), keep([5], "roll"), keep([5], "bank")];
    const counsels = choices.map(({ text, dice }) =>
      counsel(text, 0.5, { words: `Keep ${dice.join()}` }),
    );
    const advice = { objective: "win", counsels, basis: "" } as Partial<Advice> as Advice;
    const found = html(Coach, {
      allowed: true,
      choices,
      advice,
      working: null,
      pick: () => undefined,
    });
    expect(found).toContain("Worth the same: Keep 5 and roll, Keep 5 and bank");
  });
});

describe("the course of a game", () => {
  const feat = { seat: 0, points: 11 };
  const told = (...names: string[]) =>
    html(Curve, {
      story: { scores: [], best: feat, worst: null },
      seats: names.map((one) => seat(one)),
    });

  test("names whose the best turn was, unless one plays alone", () => {
    expect(told("Ann", "Ben")).toContain("Best turn: Ann, 11.");
    expect(told("Ann")).toContain("Best turn: 11.");
  });
});

describe("the choices", () => {
  const listed = (isOver: boolean, choices = [keep([5], "bank")]) =>
    html(Choices, { choices, advice: null, coached: true, isOver, pick: () => undefined });

  test("are listed", () => {
    expect(listed(false)).toContain("listed-button");
  });

  test("keep their order and their room when the odds arrive", () => {
    const choices = [keep([5], "roll"), keep([5], "bank"), keep([1], "roll")];
    const values = [0.2, 0.3, 0.7];
    const counsels = choices.map(({ text }, at) => ({ text, value: values[at] }) as Counsel);
    const advice = { objective: "win", counsels, basis: "" } as Partial<Advice> as Advice;
    const shown = (given: Advice | null) =>
      html(Choices, {
        choices,
        advice: given,
        coached: true,
        isOver: false,
        pick: () => undefined,
      });
    const worths = (found: string) =>
      [...found.matchAll(/class="worth[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(worths(shown(null))).toEqual(["", "", ""]);
    expect(worths(shown(advice))).toEqual(["20 % to win", "30 % to win", "70 % to win"]);
    const best = shown(advice);
    expect(best.indexOf("★")).toBeGreaterThan(best.lastIndexOf("30 %"));
  });

  test("are none after the end", () => {
    const found = listed(true, []);
    expect(found).toContain("The game is over.");
    expect(found).not.toContain("listed-button");
  });
});
