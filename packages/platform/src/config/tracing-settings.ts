import { z } from 'zod'
import { Secret } from './secret.ts'
import {
  described,
  integer,
  keyValues,
  oneOf,
  optional,
  type Setting,
  secret,
  share,
  truth,
  url,
} from './settings-fields.ts'

const webUrl = url('http:', 'https:')

/** Of all settings that OpenTelemetry gives its programs, those that count here; others are ignored, not refused. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    described('Where traces are sent over OTLP/HTTP, below /v1/traces; no traces when left out.', webUrl),
    undefined,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    described('The whole URL that traces are sent to, instead of one below the other endpoint.', webUrl),
    undefined,
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: optional(
    described('The one encoding of OTLP that is spoken.', oneOf(['http/protobuf'])),
    'http/protobuf',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    secret('Headers for the collector: name=value,name=value, percent-encoded.', keyValues),
    new Secret({}),
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: optional(
    secret('Headers for the collector of traces, beside the others.', keyValues),
    undefined,
  ),
  OTEL_SERVICE_NAME: optional(
    described('`service.name` of traces; signet-<service> when left out.', z.string()),
    undefined,
  ),
  OTEL_RESOURCE_ATTRIBUTES: optional(
    described('Attributes of all spans: name=value,name=value, percent-encoded.', keyValues),
    {},
  ),
  OTEL_TRACES_SAMPLER: optional(
    described(
      'Which traces are kept.',
      oneOf([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ]),
    ),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: optional(described('The share that `traceidratio` keeps.', share), 1),
  OTEL_BSP_SCHEDULE_DELAY: optional(
    described('Milliseconds in which spans are collected before they are sent.', integer(1, 600_000)),
    5_000,
  ),
  OTEL_SDK_DISABLED: optional(
    described('Whether there are no traces in spite of an endpoint.', truth),
    false,
  ),
} as const satisfies Record<`OTEL_${string}`, Setting<unknown>>
