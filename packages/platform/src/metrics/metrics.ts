import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

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
  /** Values that are read at each scrape; a value that is no longer read disappears. */
  gauge<L extends string>(definition: Definition<L>, read: () => readonly Reading<L>[]): void
  /** Answers the function that counts one. */
  counter<L extends string>(definition: Definition<L>): (labels: Labels<L>) => void
  /** Counts that exist outside, read at each scrape: on a busy path, adding one to a number is free. */
  total<L extends string>(definition: Definition<L>, read: () => readonly Reading<L>[]): void
  /**
   * Returns the function that finds the series of some labels, which in turn returns the one that observes a value. A
   * caller that observes often keeps the latter: the search is the expensive part.
   */
  histogram<L extends string>(
    definition: Definition<L> & { readonly buckets: readonly number[] },
  ): (labels: Labels<L>) => (value: number) => void
  /** Everything in the text format of Prometheus, version 0.0.4. */
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const histograms = new Map<string, { text(): string }>()

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
    histogram(definition) {
      const { name } = definition
      if (histograms.has(name) || registry.getSingleMetric(name))
        throw new Error(`${name} is registered already`)
      const histogram = createHistogram(definition)
      histograms.set(name, histogram)
      return histogram.seriesOf
    },
    async text() {
      const others = await registry.metrics()
      return [others, ...[...histograms.values()].map((histogram) => histogram.text())].join('\n')
    },
  }
}

/**
 * The metrics of the Node process under the names that every dashboard of Node.js knows: memory, CPU, event loop,
 * garbage collection. Created once in a process: each one monitors the event loop itself.
 */
export function createProcessMetrics(): Pick<Metrics, 'text'> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return { text: () => registry.metrics() }
}

/** Durations by series, sorted into buckets. */
export interface Histogram<L extends string> {
  /** Finds or begins the series of these labels and answers what observes a value in it. */
  seriesOf(labels: Readonly<Record<L, string>>): (value: number) => void
  /** All series in the text format of Prometheus, version 0.0.4. */
  text(): string
}

interface HistogramOptions<L extends string> {
  readonly name: string
  readonly help: string
  readonly labels: readonly L[]
  /** Upper bounds, ascending; larger values count too. */
  readonly buckets: readonly number[]
}

/**
 * Observing adds to three numbers and allocates nothing: prom-client's own histogram checks and hashes the labels of
 * every value, which costs several microseconds where an introspection takes fifty.
 */
export function createHistogram<L extends string>(options: HistogramOptions<L>): Histogram<L> {
  const { name, help, labels: names, buckets } = options
  const known = new Map<string, Series>()
  return {
    seriesOf(labels) {
      const text = names.map((label) => `${label}="${escaped(labels[label])}"`).join()
      const series = known.get(text) ?? new Series(buckets)
      known.set(text, series)
      return (value) => series.observe(value)
    },
    text() {
      const lines = [...known].flatMap(([labels, series]) => series.lines(name, labels))
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ''].join('\n')
    },
  }
}

class Series {
  readonly #buckets: readonly number[]
  /** One for each bucket, and one for what is above all of them. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets
    this.#counts = new Float64Array(buckets.length + 1)
  }

  observe(value: number): void {
    let index = 0
    while (value > (this.#buckets[index] ?? Number.POSITIVE_INFINITY)) index++
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#sum += value
  }

  lines(name: string, labels: string): readonly string[] {
    let count = 0
    const bounds = [...this.#buckets.map(String), '+Inf']
    const buckets = bounds.map((bound, index) => {
      count += this.#counts[index] ?? 0
      return `${name}_bucket{${labels},le="${bound}"} ${count}`
    })
    return [...buckets, `${name}_sum{${labels}} ${this.#sum}`, `${name}_count{${labels}} ${count}`]
  }
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
