import type { Logger } from '../logger/logger.ts'
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
