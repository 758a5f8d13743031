import { type Repetition, repeat } from '@signet/platform/runtime/clock'

/** One replica of a service. */
export interface Upstream {
  readonly host: string
  readonly port: number
  /** Where `/readyz` is asked. */
  readonly operationsPort: number
}

export interface Upstreams {
  /** The ready replicas, beginning with the one whose turn it is. */
  inTurn(): readonly Upstream[]
  allReady(): boolean
  /** Nothing is sent there until it says again that it is ready. */
  suspect(upstream: Upstream): void
  stop(): Promise<void>
}

const ROUND_MS = 200
const ANSWER_MS = 1_000
/** Like a kubelet's probe: one question without an answer says nothing about the replica, three in a row do. */
const UNANSWERED_ROUNDS = 3

/** Asks every replica again and again whether it is ready. */
export function watchUpstreams(replicas: readonly Upstream[]): Upstreams {
  const ready = new Set<Upstream>()
  let turn = 0
  const rounds: Repetition[] = replicas.map((replica) => {
    let unanswered = 0
    return repeat(
      ROUND_MS,
      async () => {
        const answer = await isReady(replica)
        unanswered = 0
        if (answer) ready.add(replica)
        else ready.delete(replica)
      },
      () => {
        unanswered += 1
        if (unanswered >= UNANSWERED_ROUNDS) ready.delete(replica)
      },
    )
  })
  return {
    inTurn() {
      turn += 1
      const usable = replicas.filter((replica) => ready.has(replica))
      const first = usable.length === 0 ? 0 : turn % usable.length
      return [...usable.slice(first), ...usable.slice(0, first)]
    },
    allReady: () => ready.size === replicas.length,
    suspect: (upstream) => void ready.delete(upstream),
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()))
    },
  }
}

async function isReady({ host, operationsPort }: Upstream): Promise<boolean> {
  const response = await fetch(`http://${host}:${operationsPort}/readyz`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  await response.body?.cancel()
  return response.ok
}
