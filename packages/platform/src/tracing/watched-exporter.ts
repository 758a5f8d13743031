import { ExportResultCode } from '@opentelemetry/core'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../logger/logger.ts'

/** Logs the first failure of a row of failures, and its end: a collector that is away is one line. */
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
