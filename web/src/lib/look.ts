// The look of a game: colours as custom properties, drawings by name. Which game it is plays no part.

import { getContext, setContext } from "svelte";
import type { Drawing, Look } from "./types";

/** Roles of colours whose custom properties have another name. */
const NAMES: Record<string, string> = { surface: "felt", edge: "felt-edge", ink: "felt-text" };

/** The custom properties of a look, for light and dark pages at once. */
export function properties(look: Look): [string, string][] {
  return Object.entries(look.light).map(([role, light]) => {
    const name = NAMES[role] ?? role.replaceAll("_", "-");
    return [`--${name}`, `light-dark(${light}, ${look.dark[role] ?? light})`];
  });
}

/** An action that paints an element, and all in it, in the colours of a look. */
export function painted(node: HTMLElement, look: Look | undefined) {
  let names: string[] = [];
  function paint(next: Look | undefined): void {
    for (const name of names) node.style.removeProperty(name);
    const found = next ? properties(next) : [];
    for (const [name, value] of found) node.style.setProperty(name, value);
    names = found.map(([name]) => name);
  }
  paint(look);
  return { update: paint };
}

const KEY = Symbol("look");

/** Give the components inside the look of their game. */
export function provideLook(look: () => Look | undefined): void {
  setContext(KEY, look);
}

/** The look of the game around a component; `undefined` where there is none. */
export function useLook(): () => Look | undefined {
  return getContext<(() => Look | undefined) | undefined>(KEY) ?? (() => undefined);
}

/** The drawing of a face, if the look has one; equal dice show one drawing after the other. */
export function faceOf(look: Look | undefined, token: string, nth = 0): Drawing | undefined {
  const drawn = look?.faces[token];
  return drawn?.[nth % drawn.length];
}
