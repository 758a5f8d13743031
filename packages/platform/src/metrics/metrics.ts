import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

interface Definition<L extends string> {
  /** `signet_<thing>_<unit>`; counters end in `_total`. */
  readonly name: `signet_${string}`
  readonly help: string
  readonly labels: readonly L[]
}

type Labels<L extends string> = Readonly<Record<L, string>>

/** Value of a gauge. */
export interface Reading<L extends string> {
  readonly labels: Labels<L>
  readonly value: number
}

/** The numbers of one process. Registering a name twice throws. */
export interface Metrics {
  /** Values that are read at each scrape; a value that is no longer read disappears. */
  gauge<L extends string>(definition: Definition<L>, read: () => readonly Reading<L>[]): void
  /** Answers the function that counts one. */
  counter<L extends string>(definition: Definition<L>): (labels: Labels<L>) => void
  /** Counts that exist outside, read at each scrape: on a busy path, adding one to a number is free. */
  total<L extends string>(definition: Definition<L>, read: () => readonly Reading<L>[]): void
  /**
   * Answers the function that observes a value. Values above the last of the `buckets`, which ascend, count too. The last
   * trace of each bucket is its exemplar.
   */
  histogram<L extends string>(
    definition: Definition<L> & { readonly buckets: readonly number[] },
  ): (labels: Labels<L>, value: number, traceId?: string) => void
  /** Returns all metrics in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>
  /**
   * Returns all metrics with exemplars, as a part of a response in the format of OpenMetrics, which its end mark
   * follows.
   */
  openMetrics(): Promise<string>
}

/** The end of a response in the format of OpenMetrics. */
export const OPEN_METRICS_END = '# EOF\n'

export function createMetrics(): Metrics {
  const registry = openMetricsRegistry()

  /** A metric that is empty until it is asked for; both kinds can be added to. */
  function register<L extends string>(
    Kind: typeof Gauge | typeof Counter,
    { name, help, labels }: Definition<L>,
    read: () => readonly Reading<L>[],
  ): void {
    new Kind({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset()
        for (const reading of read()) this.inc(reading.labels, reading.value)
      },
    })
  }

  return {
    gauge: (definition, read) => register(Gauge, definition, read),
    total: (definition, read) => register(Counter, definition, read),
    counter({ name, help, labels }) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] })
      return (counted) => counter.inc(counted)
    },
    histogram({ name, help, labels, buckets }) {
      const histogram = new Histogram<string>({
        name,
        help,
        labelNames: [...labels],
        buckets: [...buckets],
        registers: [registry],
        enableExemplars: true,
      })
      return (labels, value, traceId) =>
        histogram.observe(
          traceId === undefined
            ? { labels, value }
            : { labels, value, exemplarLabels: { trace_id: traceId } },
        )
    },
    ...formatsOf(registry),
  }
}

type OpenMetricsRegistry = Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>

function openMetricsRegistry(): OpenMetricsRegistry {
  const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return registry
}

function formatsOf(registry: OpenMetricsRegistry): Pick<Metrics, 'text' | 'openMetrics'> {
  const openMetrics = async () => (await registry.metrics()).replace(OPEN_METRICS_END, '')
  return {
    openMetrics,
    // prom-client serves exemplars in one format only, in which the family of a counter has no `_total`.
    text: async () =>
      (await openMetrics())
        .replaceAll(
          /^# HELP (\S+) (.*)\n# TYPE \S+ counter$/gm,
          '# HELP $1_total $2\n# TYPE $1_total counter',
        )
        .replaceAll(/ # \{[^{}]*\} \S+ \S+$/gm, ''),
  }
}

/**
 * The metrics of the Node process under the names that every dashboard of Node.js knows: memory, CPU, event loop,
 * garbage collection. Created once in a process: each one monitors the event loop itself.
 */
export function createProcessMetrics(): Pick<Metrics, 'text' | 'openMetrics'> {
  const registry = openMetricsRegistry()
  collectDefaultMetrics({ register: registry })
  return formatsOf(registry)
}
