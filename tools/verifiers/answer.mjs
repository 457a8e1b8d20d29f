// Asks the browser's verifier: a record as a JSON string per line in, its verdict as JSON per line out.
// Node runs TypeScript by leaving the types out.

import { createInterface } from "node:readline";
import { Untrue, verify } from "../../web/src/lib/verified.ts";

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { rolls, seals, skipped } = verify(JSON.parse(line));
    answer = { true: true, why: "", rolls, seals, skipped: [...skipped] };
  } catch (error) {
    if (!(error instanceof Untrue)) throw error;
    answer = { true: false, why: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
