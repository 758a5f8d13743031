/**
 * Values that are known when the code is written: routes, methods, names of statements, codes. Never a value that a
 * caller sent.
 */
export type SpanAttributes = Readonly<Record<string, string | number>>

export interface SpanDescription {
  /** One of few, such as `POST /oauth/v2/token`. */
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
  /** Of the trace that this work belongs to. */
  traceId(): string | undefined
  /** Sends what was not sent yet, in two seconds at most. Never rejects. */
  close(): Promise<void>
}
