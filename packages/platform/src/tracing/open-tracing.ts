import { createLogger, type Logger, type LogLevel } from '../logger/logger.ts'
import type { Tracing } from './tracing.ts'
import type { TracingSettings } from './tracing-settings.ts'

/**
 * Loads the SDK of OpenTelemetry, which costs a fifth of a second, only where tracing is on. The log may be created
 * afterwards, with `traceId`; it is needed when traces cannot be sent.
 */
export async function openTracing(settings: TracingSettings, logger: () => Logger): Promise<Tracing> {
  const { exportTraces } = await import('./open-telemetry.ts')
  return exportTraces(settings, logger)
}

interface TracedLogOptions {
  readonly service: string
  readonly level: LogLevel
  /** Absent: no traces. */
  readonly tracing: TracingSettings | undefined
  /** Begins to trace what needs no wrapper, and answers what ends that. */
  readonly watch: (tracing: Tracing) => () => void
}

/** Opens the log of a process, whose lines name their traces, and those traces. Their ends are handed to `opened`. */
export async function openTracedLog(
  { service, level, tracing: settings, watch }: TracedLogOptions,
  opened: AsyncDisposableStack,
): Promise<{ readonly logger: Logger; readonly tracing: Tracing | undefined }> {
  const tracing = settings && (await openTracing(settings, () => logger))
  const logger = createLogger({ service, level, traceId: tracing?.traceId })
  if (tracing) {
    opened.defer(() => tracing.close())
    const unwatch = watch(tracing)
    opened.defer(async () => unwatch())
  }
  return { logger, tracing }
}
