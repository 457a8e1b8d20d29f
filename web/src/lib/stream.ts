// Reads a stream of server-sent events that began with a request.

import type { Problem, Report, Working } from "./types";

/** The messages of a stream, by default of an analysis; ends early if the connection is cut. */
export async function* messagesOf<T = Working | Report | Problem>(
  answer: Pick<Response, "body">,
): AsyncGenerator<T> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const chunk = await reader?.read().catch(() => null);
    if (!chunk || chunk.done) return;
    const events = (rest + chunk.value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events)
      if (event.startsWith("data: ")) yield JSON.parse(event.slice(6)) as T;
  }
}
