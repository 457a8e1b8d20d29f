import { isGateway } from "../worker/answering";
import { playerKey } from "./identity";
import { keep, kept } from "./kept";
import { reach } from "./reach.svelte";
import { messagesOf } from "./stream";
import type {
  Analysed,
  Analysing,
  Answer,
  Calibration,
  Catalogue,
  Challenge,
  Challenges,
  ChallengeWanted,
  Guess,
  Learnt,
  Lesson,
  Look,
  Mistakes,
  Position,
  Problem,
  Ratings,
  Report,
  RollToGuess,
  Rules,
  TableOpened,
  TableWanted,
  Tables,
  Table,
  Working,
} from "./types";
import type { components } from "./schema";

type Schemas = components["schemas"];

const UNREACHABLE = "Hot Dice is not running, or cannot be reached.";

/** The server refused a request, or did not answer; the message is a sentence for players. */
export class Refused extends Error {
  constructor(
    message: string,
    /** 0 if there was no answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** The answer to a request; throws `Refused` unless it is a good one. */
async function answered(path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { "X-Player": playerKey() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method: body === undefined ? "GET" : "POST", headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    if (signal?.aborted) throw new Refused("Stopped.", 0);
    throw unreachable();
  }
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => null)) as Problem | null;
    if (!problem && isGateway(answer.status)) throw unreachable();
    throw new Refused(
      problem?.error ?? `The server responded with error ${answer.status}.`,
      answer.status,
    );
  }
  return answer;
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  return (await (await answered(path, body)).json()) as T;
}

function unreachable(): Refused {
  reach.lose();
  return new Refused(UNREACHABLE, 0);
}

const table = (id: string) => `/api/tables/${encodeURIComponent(id)}`;

/** Ask for something that can be read again without the server. */
async function askAndKeep<T>(path: string): Promise<T> {
  const answer = await ask<T>(path);
  keep(path, answer);
  return answer;
}

/** Ask again, when the server is back, whatever it did not answer. */
export async function untilReached<T>(asks: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await asks();
    } catch (error) {
      if (!(error instanceof Refused) || error.status) throw error;
      await reach.back();
    }
  }
}

const GAMES = "/api/games";
const rulesPath = (slug: string) => `${GAMES}/${encodeURIComponent(slug)}/rules`;
let catalogue: Promise<Catalogue> | undefined;

/** All games, fetched once. */
export function games(): Promise<Catalogue> {
  catalogue ??= askAndKeep<Catalogue>(GAMES).catch((error: unknown) => {
    catalogue = undefined;
    throw error;
  });
  return catalogue;
}

/** The games when they were last fetched, for pages without the server. */
export const lastGames = () => kept<Catalogue>(GAMES);

/** How a game looks under options; `undefined` if that cannot be found out. */
export async function gameLook(slug: string, options: string): Promise<Look | undefined> {
  const plain = games().then((found) => found.games.find((game) => game.slug === slug)?.look);
  if (!options) return plain.catch(() => undefined);
  const path = `/api/games/${encodeURIComponent(slug)}/look?options=${encodeURIComponent(options)}`;
  return ask<Look>(path).catch(() => plain.catch(() => undefined));
}

export const rules = (slug: string) => askAndKeep<Rules>(rulesPath(slug));
/** The rules of a game when they were last read. */
export const lastRules = (slug: string) => kept<Rules>(rulesPath(slug));
export const readOptions = (slug: string, options: Record<string, string>) =>
  ask<Schemas["OptionsRead"]>(`/api/games/${encodeURIComponent(slug)}/options`, { options });
export const createTable = (wanted: TableWanted) => ask<TableOpened>("/api/tables", wanted);
export const look = (id: string) => ask<Table>(table(id));
export const join = (id: string, name: string, seat: number | null) =>
  ask<Schemas["SeatOpened"]>(`${table(id)}/seats`, { name, seat });
/** Luck and skill in a record, or in a game of a table by its number. */
export async function analyse(
  what: { record: string } | { table: string; game?: number | undefined },
  working: (part: number) => void,
): Promise<Report> {
  const answer =
    "record" in what
      ? await answered("/api/analysis", { record: what.record })
      : await answered(`${table(what.table)}/report${what.game ? `?game=${what.game}` : ""}`);
  for await (const message of messagesOf<Working | Report | Problem>(answer)) {
    if (message.type === "report") return message;
    if (message.type === "problem") throw new Refused(message.error, 422);
    working(message.part);
  }
  throw unreachable();
}
/** Analyse all finished games of the player that are not analysed yet; can be stopped. */
export async function analyseAll(
  working: (now: Analysing) => void,
  signal: AbortSignal,
): Promise<Analysed> {
  const answer = await answered("/api/analyses", {}, signal);
  for await (const message of messagesOf<Analysing | Analysed | Problem>(answer)) {
    if (message.type === "analysed") return message;
    if (message.type === "problem") throw new Refused(message.error, 422);
    working(message);
  }
  throw signal.aborted ? new Refused("Stopped.", 0) : unreachable();
}
/** A position from its line of text. */
export const position = (slug: string, options: string, state: string, objective: string) => {
  const query = new URLSearchParams({ options, state, objective });
  return ask<Position>(`${GAMES}/${encodeURIComponent(slug)}/position?${query}`);
};
const learning = (slug: string) => `/api/learn/${encodeURIComponent(slug)}`;
/** How far the player is with all games. */
export const learnt = () => ask<Learnt>("/api/learn");
/** A position to solve: today's, the next to practise, or one by its name. */
export function lesson(slug: string, which: "today" | "next" | { name: string }) {
  const path = typeof which === "string" ? which : `positions/${encodeURIComponent(which.name)}`;
  return ask<Lesson | Working>(`${learning(slug)}/${path}`);
}
export const answer = (slug: string, name: string, choice: string) =>
  ask<Answer>(`${learning(slug)}/positions/${encodeURIComponent(name)}`, { choice });
/** The player's own decisions that cost something: at all tables or at one, under any name or one. */
export const mistakes = (least: string, at: string, who: string) =>
  ask<Mistakes>(`/api/learn/mistakes?${new URLSearchParams({ least, table: at, who })}`);
/** Analyse all finished games of the player that are not analysed yet. */
export async function analyseMine(working: (done: number, total: number) => void): Promise<void> {
  type Told = Schemas["Analysing"] | Schemas["Analysed"] | Problem;
  for await (const message of messagesOf<Told>(await answered("/api/analyses", {}))) {
    if (message.type === "problem") throw new Refused(message.error, 422);
    if (message.type === "analysed") return;
    working(message.done, message.total);
  }
  throw unreachable();
}
/** A roll whose chance of a bust is to be guessed. */
export const rollToGuess = (slug: string) => ask<RollToGuess>(`${learning(slug)}/roll`);
export const guess = (slug: string, name: string, said: number) =>
  ask<Guess>(`${learning(slug)}/rolls/${encodeURIComponent(name)}`, { said });
export const guesses = (slug: string) => ask<Calibration>(`${learning(slug)}/guesses`);
export const lan = () => ask<Schemas["LanShown"]>("/api/lan");
export const letIn = (open: boolean) => ask<Schemas["LanShown"]>("/api/lan", { open });
export const myTables = (before?: number) =>
  ask<Tables>(before === undefined ? "/api/tables" : `/api/tables?before=${before}`);
/** How evenly the dice fell at a table, or at all tables of the player. */
export const dice = (id = "") => ask<Schemas["DiceShown"]>(id ? `${table(id)}/dice` : "/api/dice");
export const statistics = () => ask<Schemas["Statistics"]>("/api/statistics");
export const ratings = () => ask<Ratings>("/api/ratings");
const challengePath = (id: string) => `/api/challenges/${encodeURIComponent(id)}`;
export const challenges = () => ask<Challenges>("/api/challenges");
export const challenge = (id: string) => ask<Challenge>(challengePath(id));
export const makeChallenge = (wanted: ChallengeWanted) => ask<Challenge>("/api/challenges", wanted);
/** Start the player's only try of a challenge. */
export const tryChallenge = (id: string, name: string) =>
  ask<TableOpened>(`${challengePath(id)}/tables`, { name });
export const recordUrl = (id: string) => `${table(id)}/record`;
