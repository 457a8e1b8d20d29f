import { expect, test, vi } from "vitest";
import { linkOf, opensRules } from "../src/lib/links";

const link = (pathname: string, hash = "", target = "") => ({ pathname, hash, target });

function click(found: object | null, more: Partial<MouseEvent> = {}) {
  const event = { button: 0, target: { closest: () => found }, ...more };
  return event as unknown as MouseEvent;
}

test("a plain click follows a link in this window", () => {
  const found = link("/rules/race");
  expect(linkOf(click(found))).toBe(found);
  expect(linkOf(click(null))).toBeNull();
  expect(linkOf(click(link("/rules/race", "", "_blank")))).toBeNull();
});

test("a click that opens a tab or a window is left to the browser", () => {
  for (const key of ["ctrlKey", "metaKey", "shiftKey", "defaultPrevented"])
    expect(linkOf(click(link("/rules/race"), { [key]: true }))).toBeNull();
  expect(linkOf(click(link("/rules/race"), { button: 1 }))).toBeNull();
});

test("links to the rules open them over the page, at their clause", () => {
  const node = {} as HTMLElement;
  const open = vi.fn();
  opensRules(node, open);
  const press = (found: object) => {
    const preventDefault = vi.fn();
    node.onclick?.(click(found, { preventDefault }) as PointerEvent);
    return preventDefault.mock.calls.length;
  };
  expect(press(link("/new/race"))).toBe(0);
  expect(open).not.toHaveBeenCalled();
  expect(press(link("/rules/race", "#X1"))).toBe(1);
  expect(open).toHaveBeenCalledWith("X1");
  press(link("/rules/race"));
  expect(open).toHaveBeenLastCalledWith("");
});
