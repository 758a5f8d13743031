import { Counter, Gauge, Registry } from 'prom-client'

interface Definition<L extends string> {
  /** `signet_<thing>_<unit>`; counters end in `_total`. */
  readonly name: `signet_${string}`
  readonly help: string
  readonly labels: readonly L[]
}

type Labels<L extends string> = Readonly<Record<L, string>>

/** One value of a gauge. */
export interface Reading<L extends string> {
  readonly labels: Labels<L>
  readonly value: number
}

/** The numbers of one process. Registering a name twice throws. */
export interface Metrics {
  /** Values that are read anew whenever somebody asks; what is read no more disappears. */
  gauge<L extends string>(definition: Definition<L>, read: () => readonly Reading<L>[]): void
  /** Answers the function that counts one. */
  counter<L extends string>(definition: Definition<L>): (labels: Labels<L>) => void
  /** Everything in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  return {
    gauge({ name, help, labels }, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect() {
          this.reset()
          for (const reading of read()) this.set(reading.labels, reading.value)
        },
      })
    },
    counter({ name, help, labels }) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] })
      return (counted) => counter.inc(counted)
    },
    text: () => registry.metrics(),
  }
}
