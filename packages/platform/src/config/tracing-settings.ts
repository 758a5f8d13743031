import { z } from 'zod'
import { integer, keyValues, oneOf, Secret, secret, share, truth, url } from './settings-fields.ts'

const webUrl = url('http:', 'https:')

/** Settings of OpenTelemetry that act here; its other settings are ignored, not refused. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl
    .optional()
    .describe('Where traces are sent over OTLP/HTTP, below /v1/traces; no traces when left out.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webUrl
    .optional()
    .describe('The whole URL that traces are sent to, instead of one below the other endpoint.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(['http/protobuf'])
    .default('http/protobuf')
    .describe('The one encoding of OTLP that is spoken.'),
  OTEL_EXPORTER_OTLP_HEADERS: secret(keyValues)
    .default(() => new Secret({}))
    .describe('Headers for the collector: name=value,name=value, percent-encoded.'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret(keyValues)
    .optional()
    .describe('Headers for the collector of traces, beside the others.'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe('`service.name` of traces; signet-<service> when left out.'),
  OTEL_RESOURCE_ATTRIBUTES: keyValues
    .default({})
    .describe('Attributes of all spans: name=value,name=value, percent-encoded.'),
  OTEL_TRACES_SAMPLER: oneOf([
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ])
    .default('parentbased_always_on')
    .describe('Which traces are kept.'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1).describe('The share that `traceidratio` keeps.'),
  OTEL_BSP_SCHEDULE_DELAY: integer(1, 600_000)
    .default(5_000)
    .describe('Milliseconds in which spans are collected before they are sent.'),
  OTEL_SDK_DISABLED: truth.default(false).describe('Whether there are no traces in spite of an endpoint.'),
} as const satisfies Record<`OTEL_${string}`, z.ZodType>
