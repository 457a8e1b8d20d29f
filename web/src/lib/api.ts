import { playerKey } from "./identity";
import type {
  Catalogue,
  Look,
  Problem,
  Rules,
  TableOpened,
  TableWanted,
  Tables,
  Table,
} from "./types";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** The server refused a request; the message is a sentence for players. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { "X-Player": playerKey() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method: body === undefined ? "GET" : "POST", headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Refused("Hot Dice is not responding; is it still running?", 0);
  }
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => null)) as Problem | null;
    throw new Refused(
      problem?.error ?? `The server responded with error ${answer.status}.`,
      answer.status,
    );
  }
  return (await answer.json()) as T;
}

const table = (id: string) => `/api/tables/${encodeURIComponent(id)}`;

let catalogue: Promise<Catalogue> | undefined;

/** All games, fetched once. */
export function games(): Promise<Catalogue> {
  catalogue ??= ask<Catalogue>("/api/games").catch((error: unknown) => {
    catalogue = undefined;
    throw error;
  });
  return catalogue;
}

/** How a game looks under options; `undefined` if that cannot be found out. */
export async function gameLook(slug: string, options: string): Promise<Look | undefined> {
  const plain = games().then((found) => found.games.find((game) => game.slug === slug)?.look);
  if (!options) return plain.catch(() => undefined);
  const path = `/api/games/${encodeURIComponent(slug)}/look?options=${encodeURIComponent(options)}`;
  return ask<Look>(path).catch(() => plain.catch(() => undefined));
}

export const rules = (slug: string) => ask<Rules>(`/api/games/${encodeURIComponent(slug)}/rules`);
export const readOptions = (slug: string, options: Record<string, string>) =>
  ask<Schemas["OptionsRead"]>(`/api/games/${encodeURIComponent(slug)}/options`, { options });
export const createTable = (wanted: TableWanted) => ask<TableOpened>("/api/tables", wanted);
export const look = (id: string) => ask<Table>(table(id));
export const join = (id: string, name: string, seat: number | null) =>
  ask<Schemas["SeatOpened"]>(`${table(id)}/seats`, { name, seat });
export const lan = () => ask<Schemas["LanShown"]>("/api/lan");
export const letIn = (open: boolean) => ask<Schemas["LanShown"]>("/api/lan", { open });
export const myTables = (before?: number) =>
  ask<Tables>(before === undefined ? "/api/tables" : `/api/tables?before=${before}`);
export const statistics = () => ask<Schemas["Statistics"]>("/api/statistics");
export const recordUrl = (id: string) => `${table(id)}/record`;
