// Tables that have just been set up on this device: the page that opens one need not ask for it.

import { addSecret } from "./identity";
import type { Table, TableOpened } from "./types";

const handed = new Map<string, Table>();

/** Have a new table ready for the page that opens it. */
export function handOver(opened: TableOpened): void {
  for (const { seat, secret } of opened.seats) addSecret(opened.id, secret, seat);
  handed.set(opened.id, opened.table);
}

/** The table that was handed over, once. */
export function takeHanded(id: string): Table | undefined {
  const found = handed.get(id);
  handed.delete(id);
  return found;
}
