import { type EndedOperation, quantileOf } from '@signet/platform/load/open-loop'
import { type Kind, WrongAnswer } from './kinds.ts'

/** The figures of one kind of request. Milliseconds are from the planned start of a request to its response. */
interface LoadFigures {
  readonly kind: Kind
  readonly succeeded: number
  readonly failed: number
  /** Successes a second. */
  readonly perSecond: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
  /** Number of failures by their label, such as `503` or `no response`. */
  readonly failures: Readonly<Record<string, number>>
}

/** Counts the requests of one kind. Requests that failed are in no percentile. */
export class LoadCount {
  readonly #kind: Kind
  readonly #latenciesMs: number[] = []
  readonly #failures = new Map<string, number>()
  readonly #startedAt = performance.now()
  #lastEndAt = this.#startedAt

  constructor(kind: Kind) {
    this.#kind = kind
  }

  add({ plannedAt, endedAt, failure }: EndedOperation): void {
    this.#lastEndAt = endedAt
    if (failure === undefined) {
      this.#latenciesMs.push(endedAt - plannedAt)
      return
    }
    const label = labelOf(failure.cause)
    this.#failures.set(label, (this.#failures.get(label) ?? 0) + 1)
  }

  figures(): LoadFigures {
    const sorted = Float64Array.from(this.#latenciesMs).sort()
    const seconds = (this.#lastEndAt - this.#startedAt) / 1000
    const at = (quantile: number) => (sorted.length === 0 ? null : rounded(quantileOf(sorted, quantile)))
    return {
      kind: this.#kind,
      succeeded: sorted.length,
      failed: [...this.#failures.values()].reduce((sum, count) => sum + count, 0),
      perSecond: seconds === 0 ? 0 : rounded(sorted.length / seconds),
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      maxMs: at(1),
      failures: Object.fromEntries(this.#failures),
    }
  }
}

const rounded = (value: number) => Math.round(value * 100) / 100

/** Returns the text that failures of one kind are counted under; all requests without a response have the same. */
function labelOf(cause: unknown): string {
  if (cause instanceof WrongAnswer) return cause.message
  return cause instanceof Error && cause.name === 'TimeoutError' ? 'no response in time' : 'no response'
}
