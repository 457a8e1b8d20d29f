// Passes a table that was just set up to the page that opens it, which saves a request.

import { addSecret } from "./identity";
import type { TableOpened } from "./types";

const handed = new Map<string, TableOpened>();

/** Keep a new table for the page that opens it. */
export function handOver(opened: TableOpened): void {
  for (const { seat, secret } of opened.seats) addSecret(opened.id, secret, seat);
  handed.set(opened.id, opened);
}

/** The table that was handed over; it is forgotten here. */
export function takeHanded(id: string): TableOpened | undefined {
  const found = handed.get(id);
  handed.delete(id);
  return found;
}
