import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from '../logger/logger.ts'
import type { Span, SpanDescription, SpanEnd, Tracing } from './tracing.ts'
import type { SamplerName, TracingSettings } from './tracing-settings.ts'

const LAST_EXPORT_MS = 2_000

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<SpanDescription['kind'], SpanKind>

/** Sends traces over OTLP. Registers nothing globally, so one process may have several. */
export function exportTraces(settings: TracingSettings, logger: () => Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: settings.url, headers: { ...settings.headers.reveal() } })
  const provider = new TracerProvider({
    resource: resourceFromAttributes(settings.resource),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watchedExporter(exporter, logger),
        scheduledDelayMillis: settings.exportEveryMs,
      }),
    ],
  })
  const tracer = provider.getTracer('signet')
  const current = new AsyncLocalStorage<StartedSpan | undefined>()

  function start({ name, kind, attributes }: SpanDescription, context = ROOT_CONTEXT): StartedSpan {
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, context)
    // `end` may start the export timer, which must not inherit the span of this request.
    return new StartedSpan(span, () => current.run(undefined, () => span.end()))
  }

  return {
    // Ignores `tracestate`, which would carry text of any caller into every service and the collector.
    continueFrom(traceparent, description) {
      const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
      if (parent === null) return start(description)
      return start(description, trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }))
    },
    below(description) {
      const parent = current.getStore()
      // A span that is not kept also serves as its own children; its `end` has no effect.
      return parent?.isKept ? start(description, parent.context) : parent
    },
    during: (span, work) => current.run(span instanceof StartedSpan ? span : undefined, work),
    traceId: () => current.getStore()?.traceId,
    keptTraceId() {
      const span = current.getStore()
      return span?.isKept ? span.traceId : undefined
    },
    async close() {
      // `watchedExporter` has logged the failure.
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, pause(LAST_EXPORT_MS, undefined, { ref: false })])
    },
  }
}

class StartedSpan implements Span {
  readonly #span: OtelSpan
  readonly #finish: () => void

  constructor(span: OtelSpan, finish: () => void) {
    this.#span = span
    this.#finish = finish
  }

  get isKept() {
    return this.#span.isRecording()
  }

  get context() {
    return trace.setSpan(ROOT_CONTEXT, this.#span)
  }

  get traceId() {
    return this.#span.spanContext().traceId
  }

  get traceparent() {
    const { traceId, spanId, traceFlags } = this.#span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  end({ errorType, name, attributes }: SpanEnd = {}) {
    if (name !== undefined) this.#span.updateName(name)
    if (attributes !== undefined) this.#span.setAttributes({ ...attributes })
    if (errorType !== undefined) {
      this.#span.setAttribute('error.type', errorType)
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
    }
    this.#finish()
  }
}

type SamplerMaker = (share: number) => Sampler

const ROOTS = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (share) => new TraceIdRatioBasedSampler(share),
} as const satisfies Record<string, SamplerMaker>

const createParentBasedSampler =
  (root: SamplerMaker): SamplerMaker =>
  (share) =>
    new ParentBasedSampler({ root: root(share) })

const SAMPLERS: Readonly<Record<SamplerName, SamplerMaker>> = {
  ...ROOTS,
  parentbased_always_on: createParentBasedSampler(ROOTS.always_on),
  parentbased_always_off: createParentBasedSampler(ROOTS.always_off),
  parentbased_traceidratio: createParentBasedSampler(ROOTS.traceidratio),
}

/** Decides which traces are kept; a parent-based sampler follows the decision of the caller. */
export function samplerOf({ sampler, share }: Pick<TracingSettings, 'sampler' | 'share'>): Sampler {
  return SAMPLERS[sampler](share)
}

/** Logs the first of consecutive failures, and the next success, so that an unavailable collector causes one line. */
export function watchedExporter(exporter: SpanExporter, logger: () => Logger): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS
        if (failed && !failing) logger().warn('traces_not_sent', { error: result.error })
        if (!failed && failing) logger().info('traces_sent_again')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
