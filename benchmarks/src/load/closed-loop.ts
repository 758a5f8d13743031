import type { Send } from './http-exchange.ts'
import type { Lane } from './lane.ts'

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

export interface Throughput {
  readonly operations: number
  readonly perSecond: number
}
