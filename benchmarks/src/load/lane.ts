import type { HttpAnswer, HttpRequest, Send } from './http-exchange.ts'

/**
 * Client that repeats an operation, each time with the result of the one before, such as a refresh token. Rejects
 * with WrongAnswer when an answer is not the right one: a fast wrong answer is worth nothing. A number that it resolves with is
 * the milliseconds that servers of the benchmark itself worked for it: they are no part of its latency.
 */
export type Lane = (send: Send) => Promise<unknown>

export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'

  constructor({ method, path }: HttpRequest, { status, body }: HttpAnswer) {
    super(`${method} ${path} answered ${status}: ${body.slice(0, 500)}`)
  }
}

/** A lane that sends what `next` makes and holds the answer to `isRight`. */
export function laneOf(next: () => HttpRequest, isRight: (answer: HttpAnswer) => boolean): Lane {
  return async (send) => {
    const request = next()
    const answer = await send(request)
    if (!isRight(answer)) throw new WrongAnswer(request, answer)
  }
}

/** Keeps every lane busy for the time and answers how many operations a second that made. */
export async function saturate(lanes: readonly Lane[], send: Send, durationMs: number): Promise<Throughput> {
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  let operations = 0
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() < endsAt) {
        await lane(send)
        operations += 1
      }
    }),
  )
  return { operations, perSecond: (operations / (performance.now() - startedAt)) * 1000 }
}

interface Throughput {
  readonly operations: number
  readonly perSecond: number
}
