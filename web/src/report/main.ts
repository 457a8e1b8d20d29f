// A report in a file of its own: everything it shows is in the page.

import { mount } from "svelte";
import "../app.css";
import type { Look, Position, Report } from "../lib/types";
import Saved from "./Saved.svelte";

/** What a saved report contains. */
interface Data {
  report: Report;
  look: Look;
  /** The position before each event. */
  positions: Position[];
}

const data = JSON.parse(document.getElementById("data")?.textContent ?? "null") as Data | null;
if (data) {
  const { report, look, positions } = data;
  const positionAt = (event: number): Promise<Position> => {
    const found = positions[event];
    if (found) return Promise.resolve(found);
    return Promise.reject(new Error("This moment is missing in the file."));
  };
  mount(Saved, { target: document.body, props: { report, look, positionAt } });
}
