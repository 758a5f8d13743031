import { type Environment, readSettings } from '../config/settings.ts'
import { Secret } from '../config/settings-fields.ts'

type KeyValues = Readonly<Record<string, string>>

export interface TracingSettings {
  /** Where spans are posted. */
  readonly url: string
  readonly headers: Secret<KeyValues>
  /** Attributes of every span of this process, `service.name` among them. */
  readonly resource: KeyValues
  readonly sampler: SamplerName
  /** For samplers that take a share of the traces. */
  readonly share: number
  readonly exportEveryMs: number
}

export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const

/** Whose traces these are, where the settings do not say it. */
export interface TracedProcess {
  readonly service: string
  readonly version: string
}

/**
 * Reads the settings that OpenTelemetry gives every program. Undefined, for no traces, unless one of them is an endpoint.
 * Throws ConfigurationError.
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
    // Both, because the exporter itself adds what it finds in the environment.
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
