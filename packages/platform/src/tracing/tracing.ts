/**
 * Values that are known when the code is written: routes, methods, names of statements, codes. Never a value that a
 * caller sent.
 */
export type SpanAttributes = Readonly<Record<string, string | number>>

export interface SpanDescription {
  /** Name out of few, such as `POST /oauth/v2/token`. */
  readonly name: string
  readonly kind: 'server' | 'client' | 'producer' | 'consumer'
  readonly attributes: SpanAttributes
}

export interface SpanEnd {
  /** The error: a code or the name of a class, as `error.type` of the semantic conventions. */
  readonly errorType?: string | undefined
  /** A better name than the one at the beginning. */
  readonly name?: string
  readonly attributes?: SpanAttributes
}

/** A piece of work in a trace. */
export interface Span {
  /** The header of W3C Trace Context that continues the trace below this span in another process. */
  readonly traceparent: string
  end(how?: SpanEnd): void
}

/**
 * The traces that pass through this process. There is none while no endpoint is configured: code that can be traced
 * takes an optional one, and does nothing without it.
 *
 * Traces begin with an HTTP request or a job. Polls and leases, which a process repeats by itself, are in its
 * metrics.
 */
export interface Tracing {
  /** Begins the span of a request or a job that came with this `traceparent`; one that cannot be read begins a trace. */
  continueFrom(traceparent: string | undefined, description: SpanDescription): Span
  /** Begins a span below the one whose work this is; undefined for work that belongs to no trace. */
  below(description: SpanDescription): Span | undefined
  /** Does work, and everything that follows from it, as that of a span. */
  during<T>(span: Span, work: () => T): T
  /** Returns the id of the trace of this work. */
  traceId(): string | undefined
  /** The same, undefined for a trace that is not kept. */
  keptTraceId(): string | undefined
  /** Sends what was not sent yet, in two seconds at most. Never rejects. */
  close(): Promise<void>
}

/** Runs work in a span below the current one; without a trace it runs the work alone. */
export async function traceCall<T>(
  tracing: Tracing,
  description: SpanDescription,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = tracing.below(description)
  return span === undefined ? work(undefined) : traceWork(tracing, span, () => work(span))
}

/** Does work as that of a span, which ends with it and passes its outcome on. */
export async function traceWork<T>(tracing: Tracing, span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await tracing.during(span, work)
    span.end()
    return result
  } catch (error) {
    span.end({ errorType: errorType(error) })
    throw error
  }
}

/** The code of an error or the name of its class. Never its message, which may quote input. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : error.constructor.name
}
