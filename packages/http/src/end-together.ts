import type { ServerResponse } from 'node:http'

let waiting: [ServerResponse, string][] = []

/**
 * Ends the answer when all that is to be done in this turn of the event loop is done. Answers that leave one by one wake
 * their receiver one by one, which takes a busy machine longer than many of the answers; a server that is not busy has
 * no others to wait for.
 */
export function endTogether(res: ServerResponse, body: string): void {
  if (waiting.push([res, body]) === 1) setImmediate(endAll)
}

function endAll(): void {
  const all = waiting
  waiting = []
  for (const [res, body] of all) res.end(body)
}
