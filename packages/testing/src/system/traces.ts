import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { ServiceName } from '@signet/platform/process/service'
import { vi } from 'vitest'
import { startHttpServer } from '../http-server.ts'
import type { TestSystem } from './test-system.ts'

/** Takes traces over OTLP/HTTP and keeps them. */
export async function startTraceCollector() {
  const bodies: Buffer[] = []
  const { url, stop } = await startHttpServer(async (req, res) => {
    if (req.url === '/v1/traces') bodies.push(await buffer(req))
    else res.statusCode = 404
    res.end()
  })
  return {
    /** URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    endpoint: url,
    spans: () => bodies.flatMap(readExport),
    /** Returns the received bytes. */
    bytes: () => Buffer.concat(bodies),
    close: stop,
  }
}

export type TraceCollector = Awaited<ReturnType<typeof startTraceCollector>>

/** A span as a collector receives it. */
export interface ExportedSpan {
  readonly service: string
  readonly traceId: string
  readonly id: string
  /** Empty for the first of a trace. */
  readonly parentId: string
  readonly name: string
  readonly kind: (typeof KINDS)[number]
  readonly attributes: Readonly<Record<string, string | number>>
  readonly failed: boolean
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
const STATUS_ERROR = 2

/** Reads the `ExportTraceServiceRequest` of OTLP; numbers of fields as in its trace.proto. */
function readExport(body: Uint8Array): readonly ExportedSpan[] {
  return messages(read(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1)
    const service = String(attributesOf(resource ?? new Map(), 1)['service.name'])
    return messages(resourceSpans, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => ({
        service,
        traceId: bytes(span, 1).toString('hex'),
        id: bytes(span, 2).toString('hex'),
        parentId: bytes(span, 4).toString('hex'),
        name: bytes(span, 5).toString(),
        kind: KINDS[number(span, 6)] ?? 'unspecified',
        attributes: attributesOf(span, 9),
        failed: messages(span, 15).some((status) => number(status, 3) === STATUS_ERROR),
      }))
  })
}

type Message = ReadonlyMap<number, readonly (Buffer | number)[]>

function read(encoded: Uint8Array): Message {
  const reader = new BinaryReader(encoded)
  const fields = new Map<number, (Buffer | number)[]>()
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    const values = fields.get(field) ?? []
    fields.set(field, values)
    if (type === WireType.LengthDelimited) values.push(Buffer.from(reader.bytes()))
    else if (type === WireType.Varint) values.push(Number(reader.int64()))
    else reader.skip(type)
  }
  return fields
}

function messages(message: Message, field: number): readonly Message[] {
  return (message.get(field) ?? []).map((value) => read(Buffer.from(value as Buffer)))
}

function bytes(message: Message, field: number): Buffer {
  const [value] = message.get(field) ?? []
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

function number(message: Message, field: number): number {
  const [value] = message.get(field) ?? []
  return typeof value === 'number' ? value : 0
}

/** `KeyValue` with an `AnyValue` that is a text or a whole number. */
function attributesOf(message: Message, field: number): Record<string, string | number> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const [value = new Map()] = messages(pair, 2)
      return [bytes(pair, 1).toString(), value.has(1) ? bytes(value, 1).toString() : number(value, 3)]
    }),
  )
}

/** Returns the way to every span from `root`, such as `signet-login server GET /ui/login > signet-login client GET`. */
export function tracePaths(spans: readonly ExportedSpan[], root: string): readonly string[] {
  const byId = new Map(spans.map((span) => [span.id, span]))
  const pathOf = ({ service, kind, name, parentId }: ExportedSpan): readonly string[] => {
    const own = `${service} ${kind} ${name}`
    const parent = byId.get(parentId)
    if (parent !== undefined) return [...pathOf(parent), own]
    return parentId === root ? [own] : [`(nothing) > ${own}`]
  }
  return spans.map((span) => pathOf(span).join(' > '))
}

/** `visitTraced` leads through these, each below the one before. */
const HOPS: readonly (readonly `${ServiceName} ${string}`[])[] = [
  ['login server POST /ui/login', 'login client GET'],
  [
    'login server POST /ui/login',
    'login client signet.directory.v1.CredentialService/FindAttemptKey',
    'directory server signet.directory.v1.CredentialService/FindAttemptKey',
    'directory client credential.attempt_limit',
  ],
  [
    'login server POST /ui/login',
    'login client signet.directory.v1.CredentialService/VerifyPassword',
    'directory server signet.directory.v1.CredentialService/VerifyPassword',
    'directory client credential.candidates',
  ],
  [
    'login server POST /ui/login',
    'login client signet.token.v1.AuthorizationService/IssueCode',
    'token server signet.token.v1.AuthorizationService/IssueCode',
  ],
  ['token server POST /oauth/v2/token', 'token client transaction', 'token client code_redemption.insert'],
  [
    'token server POST /oauth/v2/revoke',
    'token client transaction',
    // Without the partition that its statement names.
    'token client revocation.record_free',
  ],
  ['introspection server POST /oauth/v2/introspect', 'introspection client XRANGE'],
  [
    'migration server POST /admin/v1/export',
    'migration client signet.token.v1.BearerService/Authenticate',
    'token server signet.token.v1.BearerService/Authenticate',
    'token client personal_access_token.find',
  ],
  ['migration server POST /admin/v1/export', 'migration producer send jobs', 'migration client EVALSHA'],
  [
    'migration server POST /admin/v1/export',
    'migration producer send jobs',
    'migration consumer process jobs',
    'migration client signet.directory.v1.TransferService/Export',
    'directory server signet.directory.v1.TransferService/Export',
    'directory client transaction',
    'directory client transfer.export.plan',
  ],
]

/** The hops as paths of spans, with what the spans call each service. */
export function hopsOf(named: (service: string) => string): string[] {
  return HOPS.map((hops) => hops.map((hop) => hop.replace(/^\w+/, named)).join(' > '))
}

/**
 * Acts as a client that is traced itself: signs in, redeems, introspects, revokes, and has an administrator export.
 * Introspects until that has read the log of revocations: before it follows the log, and after Redis was silent for 100 ms,
 * it asks PostgreSQL. `spans` returns those that arrived.
 */
export async function visitTraced(
  system: TestSystem,
  spans: () => readonly ExportedSpan[],
): Promise<{ readonly traceId: string; readonly clientSpan: string }> {
  const traceId = randomBytes(16).toString('hex')
  const clientSpan = randomBytes(8).toString('hex')
  system.traceparent = `00-${traceId}-${clientSpan}-01`
  const { access_token } = await system.tokens()
  const readsLog = () => {
    const own = spans().filter((span) => span.traceId === traceId)
    const requests = own.filter(({ name }) => name === 'POST /oauth/v2/introspect').map(({ id }) => id)
    return own.some(({ name, parentId }) => name === 'XRANGE' && requests.includes(parentId))
  }
  await vi.waitUntil(
    async () => {
      if (!(await system.isActive(access_token))) throw new Error('the token is not active')
      return readsLog()
    },
    { timeout: 20_000, interval: 100 },
  )
  await system.revoke('web', access_token)
  const { status, text } = await system.administer('POST', '/admin/v1/export', { responseOutput: true })
  if (status !== 200) throw new Error(`no export, but ${status}: ${text}`)
  system.traceparent = undefined
  return { traceId, clientSpan }
}
