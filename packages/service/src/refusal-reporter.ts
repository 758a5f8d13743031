// Hands refusals over to the directory, off the request path (docs/decisions/0085-refusals-are-kept-for-a-week.md).
import { randomUUID } from 'node:crypto'
import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { RefusalService } from '@signet/grpc/gen/directory/v1/refusal_service_pb'
import type { Refusal, ReportRefusal } from '@signet/http/refusals'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Clock } from '@signet/platform/runtime/clock'

interface ReporterOptions {
  /** Stores events, each id once. Absent: each event is dropped and counted. */
  readonly send: SendRefusals | undefined
  readonly now: Clock
  readonly newId?: () => string
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
}

/** An event that waits to be stored. */
export interface RefusalEvent {
  readonly id: string
  readonly at: Date
  readonly refusal: Refusal & { readonly clientId: string }
}

export type SendRefusals = (events: readonly RefusalEvent[]) => Promise<void>

/** Sends events to the directory; undefined without its address. */
export function createRefusalSender(directory: RpcTransport | undefined): SendRefusals | undefined {
  if (directory === undefined) return undefined
  const client = rpcClient(RefusalService, directory)
  return async (events) => {
    await client.recordRefusals({ refusals: events.map(toMessage) }, { timeoutMs: CALL_MS })
  }
}

/**
 * Holds at most `MOST_WAITING` events, of one client at most `MOST_OF_CLIENT` a round, and sends them a second after the first
 * one. Events beyond these bounds are dropped and counted. A process that is killed loses the events of its last second.
 */
export interface RefusalReporter {
  readonly report: ReportRefusal
  /** Sends what waits, once; takes no further events. */
  stop(): Promise<void>
}

const ROUND_MS = 1_000
export const MOST_WAITING = 1_000
export const MOST_OF_CLIENT = 20
/** The directory takes so many in one call. */
const MOST_OF_CALL = 500
/** A request that is answered otherwise than it asks is repeated with each sign-in: one event a minute says so. */
const REPEATED_MS = 60_000
const MOST_REPEATED = 1_000
const CALL_MS = 5_000
/** An event that could not be delivered for so long is dropped. */
const OLDEST_MS = 60_000

type Outcome =
  | 'delivered'
  | 'without_client'
  | 'repeated'
  | 'over_client_limit'
  | 'over_limit'
  | 'not_delivered'

export function createRefusalReporter(options: ReporterOptions): RefusalReporter {
  const { send: store, now, newId = randomUUID, logger } = options
  const count = createOutcomeCounter(options.metrics)
  const isRepeated = createRepetitionCheck(now)
  const ofClients = new Map<string, number>()
  let waiting: readonly RefusalEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let isStopped = false

  /** Counted where it is dropped, and not waited for. */
  function admit(refusal: Refusal): refusal is RefusalEvent['refusal'] {
    const { clientId } = refusal
    if (clientId === undefined) return count('without_client', 1)
    if (store === undefined || isStopped) return count('not_delivered', 1)
    if (refusal.result === 'changed' && isRepeated(refusal)) return count('repeated', 1)
    const ofClient = ofClients.get(clientId) ?? 0
    if (ofClient >= MOST_OF_CLIENT) return count('over_client_limit', 1)
    if (waiting.length >= MOST_WAITING) return count('over_limit', 1)
    ofClients.set(clientId, ofClient + 1)
    return true
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void flush()
    }, ROUND_MS).unref()
  }

  async function send(): Promise<void> {
    ofClients.clear()
    const batch = waiting.slice(0, MOST_OF_CALL)
    if (batch.length === 0 || store === undefined) return
    try {
      await store(batch)
      waiting = waiting.slice(batch.length)
      count('delivered', batch.length)
    } catch (error) {
      logger.warn('refusals_not_delivered', { count: batch.length, error })
      const oldest = now().getTime() - OLDEST_MS
      const kept = waiting.filter(({ at }) => at.getTime() > oldest)
      count('not_delivered', waiting.length - kept.length)
      waiting = kept
    }
  }

  /** Joins a call that is under way: two calls with one batch would take the events behind it from the queue, too. */
  function flush(): Promise<void> {
    sending ??= send().finally(() => {
      sending = undefined
      if (waiting.length > 0 && !isStopped) schedule()
    })
    return sending
  }

  return {
    report(refusal) {
      if (!admit(refusal)) return
      waiting = [...waiting, { id: newId(), at: now(), refusal }]
      schedule()
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await sending
      await flush()
      count('not_delivered', waiting.length)
      waiting = []
    },
  }
}

/** Registers the counter. The counting function returns false, so that a refusal of an event is one expression. */
function createOutcomeCounter(metrics: Metrics | undefined): (outcome: Outcome, events: number) => false {
  const counts = new Map<Outcome, number>()
  metrics?.total(
    {
      name: 'signet_refusal_events_total',
      help: 'Refused or changed requests, by what became of their event: delivered to the directory, or the bound that dropped it.',
      labels: ['outcome'],
    },
    () => [...counts].map(([outcome, value]) => ({ labels: { outcome }, value })),
  )
  return (outcome, events) => {
    if (events > 0) counts.set(outcome, (counts.get(outcome) ?? 0) + events)
    return false
  }
}

/** Whether the same request of the same client was changed in the same way a short time ago. */
function createRepetitionCheck(now: Clock): (refusal: Refusal) => boolean {
  let seen = new Set<string>()
  let until = 0
  return ({ clientId, reason, values }) => {
    const time = now().getTime()
    if (time >= until || seen.size >= MOST_REPEATED) {
      seen = new Set()
      until = time + REPEATED_MS
    }
    const key = JSON.stringify([clientId, reason, values])
    if (seen.has(key)) return true
    seen.add(key)
    return false
  }
}

const toMessage = ({ id, at, refusal }: RefusalEvent) => ({
  id,
  at: { seconds: BigInt(Math.floor(at.getTime() / 1_000)), nanos: (at.getTime() % 1_000) * 1_000_000 },
  requestId: refusal.requestId,
  clientId: refusal.clientId,
  reason: refusal.reason,
  changed: refusal.result === 'changed',
  userId: refusal.userId ?? '',
  clientAddress: refusal.clientAddress,
  values: Object.entries(refusal.values).map(([name, value]) => ({ name, value })),
  audited: refusal.isAudited ?? false,
})
