import { RpcError } from './error.ts'

/**
 * A read that has no response after this long is made a second time beside the first, and a third time after as long
 * again; the first response counts. Ten times what a slow read takes, so that reads of a healthy suite are made once.
 */
export const HEDGE_DELAY_MS = 200

const MOST_ATTEMPTS = 3

/** Hedges in stock, and what a read adds to it. */
const MOST_HEDGES = 50
const HEDGES_PER_READ = 0.02

/** The fate of a hedge: made; made and the first to respond; not made, since none was in stock. */
export type HedgeEvent = 'sent' | 'won' | 'withheld'

export interface HedgeBudget {
  /** Counts a read. */
  earn(): void
  /** Takes a hedge from the stock; false when there is none. */
  spend(): boolean
  /** Puts a hedge back that had the first response. */
  refund(): void
}

/**
 * Creates the stock of hedges of one callee. A hedge that responds first is put back: one replica is slow, and others are
 * not. One that does not is lost: when all replicas are slow, hedges would only add to their load, and at most one read in
 * fifty is made again. Calls `onHedge` for each.
 */
export function createHedgeBudget(onHedge: (event: HedgeEvent) => void = () => undefined): HedgeBudget {
  let hedges = MOST_HEDGES
  const add = (count: number) => {
    hedges = Math.min(MOST_HEDGES, hedges + count)
  }
  return {
    earn: () => add(HEDGES_PER_READ),
    spend() {
      const isInStock = hedges >= 1
      if (isInStock) hedges -= 1
      onHedge(isInStock ? 'sent' : 'withheld')
      return isInStock
    },
    refund() {
      onHedge('won')
      add(1)
    },
  }
}

export interface Hedging {
  readonly budget: HedgeBudget
  readonly delayMs: number
  /** Ends all attempts. */
  readonly signal?: AbortSignal | undefined
}

/** The reason of all reads: it has a stack, which each read would pay for. */
const SETTLED = new DOMException('the read is over', 'AbortError')

/** Whether an error says only that this replica cannot respond now. */
const isOfReplica = (error: unknown): boolean =>
  error instanceof RpcError && (error.code === 'UNAVAILABLE' || error.code === 'RESOURCE_EXHAUSTED')

/**
 * Settles as the first attempt that settles, and aborts the others. A replica that cannot respond fails no read that another
 * one is at. `attempt` must do nothing but read.
 */
export function hedgeRead<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { budget, delayMs, signal }: Hedging,
): Promise<T> {
  budget.earn()
  const attempts: AbortController[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      for (const controller of attempts) controller.abort(SETTLED)
    }
    const end = () => {
      signal?.removeEventListener('abort', abort)
      abort()
    }
    let isSettled = false
    const settle = (isHedge: boolean, act: () => void) => {
      if (isSettled) return
      isSettled = true
      if (isHedge) budget.refund()
      end()
      act()
    }
    const start = () => {
      const isHedge = attempts.length > 0
      const controller = new AbortController()
      attempts.push(controller)
      running += 1
      if (attempts.length < MOST_ATTEMPTS) {
        timer = setTimeout(() => {
          if (budget.spend()) start()
        }, delayMs)
      }
      attempt(controller.signal).then(
        (response) => settle(isHedge, () => resolve(response)),
        (error) => {
          running -= 1
          if (running === 0 || !isOfReplica(error)) settle(false, () => reject(error))
        },
      )
    }
    signal?.addEventListener('abort', abort, { once: true })
    start()
    if (signal?.aborted) abort()
  })
}
