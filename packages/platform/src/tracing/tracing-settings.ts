import { type Environment, readSettings } from '../config/settings.ts'
import { Secret } from '../config/settings-fields.ts'

type KeyValues = Readonly<Record<string, string>>

export interface TracingSettings {
  /** The URL to which spans are sent. */
  readonly url: string
  readonly headers: Secret<KeyValues>
  /** Attributes of every span of this process, `service.name` among them. */
  readonly resource: KeyValues
  readonly sampler: SamplerName
  /** The sampled share of the traces, for `traceidratio`. */
  readonly share: number
  readonly exportEveryMs: number
}

export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const

/** Names the process in its traces, unless the settings do. */
export interface TracedProcess {
  readonly service: string
  readonly version: string
}

/**
 * Reads the environment variables of OpenTelemetry. Returns undefined, for no traces, without an endpoint. Throws
 * ConfigurationError.
 */
export function readTracingSettings(env: Environment, process: TracedProcess): TracingSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint } = readSettings(
    env,
    [],
    ENDPOINTS,
  )
  const url = endpoint ?? (base && `${base.replace(/\/$/, '')}/v1/traces`)
  if (url === undefined) return undefined
  const settings = readSettings(
    env,
    [
      'OTEL_SDK_DISABLED',
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
      'OTEL_BSP_SCHEDULE_DELAY',
    ],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_SERVICE_NAME'],
  )
  if (settings.OTEL_SDK_DISABLED) return undefined
  return {
    url,
    // Both variables, as the exporter itself would merge them.
    headers: new Secret({
      ...settings.OTEL_EXPORTER_OTLP_HEADERS.reveal(),
      ...settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS?.reveal(),
    }),
    resource: {
      'service.name': process.service,
      'service.version': process.version,
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      ...(settings.OTEL_SERVICE_NAME !== undefined && { 'service.name': settings.OTEL_SERVICE_NAME }),
    },
    sampler: settings.OTEL_TRACES_SAMPLER,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
    exportEveryMs: settings.OTEL_BSP_SCHEDULE_DELAY,
  }
}
