import type { Span, SpanDescription, Tracing } from './tracing.ts'

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
