import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type Logger, silentLogger } from '../logger/logger.ts'
import { openTracing } from './open-tracing.ts'
import { errorType, type SpanDescription, type Tracing, traceCall } from './tracing.ts'
import { readTracingSettings } from './tracing-settings.ts'

const TRACE = 'a'.repeat(32)
const CALLER = `00-${TRACE}-${'b'.repeat(16)}-01`
const UNKEPT = `00-${TRACE}-${'b'.repeat(16)}-00`
const request: SpanDescription = { name: 'GET /x', kind: 'server', attributes: { 'http.route': '/x' } }
const call: SpanDescription = { name: 'SELECT-1', kind: 'client', attributes: {} }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A collector that answers with this status, and tracing that sends to it. */
async function traced(env: Readonly<Record<string, string>> = {}, status = 200) {
  const requests: IncomingMessage[] = []
  let bodies = ''
  let answer = status
  const server = createServer(async (req, res) => {
    requests.push(req)
    bodies += (await buffer(req)).toString('latin1')
    res.writeHead(answer).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const lines: string[] = []
  const tell = (event: string) => void lines.push(event)
  const logger: Logger = { ...silentLogger, warn: tell, info: tell }
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`
  const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env }, logger)
  closing.push(
    () => tracing.close(),
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return {
    tracing,
    lines,
    requests,
    bodies: () => bodies,
    answerWith: (next: number) => {
      answer = next
    },
  }
}

async function open(env: Readonly<Record<string, string>>, logger = silentLogger): Promise<Tracing> {
  const settings = readTracingSettings(
    { OTEL_BSP_SCHEDULE_DELAY: '10', ...env },
    { service: 'signet-token', version: '1.2.3' },
  )
  if (settings === undefined) throw new Error('no endpoint')
  return openTracing(settings, () => logger)
}

const partsOf = (traceparent = '') => traceparent.split('-')

describe('tracing', () => {
  it('W3C Trace Context: continues the trace of a caller, and begins one for an unreadable header', async () => {
    const { tracing } = await traced()
    const span = tracing.continueFrom(CALLER, request)
    expect(partsOf(span.traceparent)).toEqual([
      '00',
      TRACE,
      expect.stringMatching(/^(?!b{16})[0-9a-f]{16}$/),
      '01',
    ])
    for (const strange of [undefined, '', 'x', `${CALLER}, ${CALLER}`, CALLER.replace('a', 'g')])
      expect(partsOf(tracing.continueFrom(strange, request).traceparent)[1]).not.toBe(TRACE)
  })

  it('work that belongs to no trace is left alone; all that follows from a request is below its span', async () => {
    const { tracing } = await traced()
    expect(tracing.below(call)).toBeUndefined()
    expect(await traceCall(tracing, call, async (span) => span)).toBeUndefined()
    const span = tracing.continueFrom(CALLER, request)
    const inner = await tracing.during(span, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      expect(tracing.traceId()).toBe(TRACE)
      return traceCall(tracing, call, async (below) => [below?.traceparent, tracing.below(call)?.traceparent])
    })
    expect(inner.map((traceparent) => partsOf(traceparent)[1])).toEqual([TRACE, TRACE])
    expect(new Set([span.traceparent, ...inner]).size).toBe(3)
    expect(tracing.traceId()).toBeUndefined()
  })

  it('sends names, attributes and the process to the endpoint, with its headers', async () => {
    const { tracing, requests, bodies, lines } = await traced({
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key,x=general',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=y',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=blue%2Fgreen,service.name=other',
      OTEL_SERVICE_NAME: 'identity',
    })
    tracing.continueFrom(undefined, request).end({ name: 'GET /y', errorType: 'TIMEOUT' })
    await tracing.close()
    const [sent] = requests
    expect(sent?.url).toBe('/otlp/v1/traces')
    expect(sent?.headers).toMatchObject({
      'api-key': 'a key',
      x: 'y',
      'content-type': 'application/x-protobuf',
    })
    for (const text of ['GET /y', 'http.route', 'identity', '1.2.3', 'blue/green', 'error.type', 'TIMEOUT'])
      expect(bodies()).toContain(text)
    for (const text of ['GET /x', 'other']) expect(bodies()).not.toContain(text)
    expect(lines).toEqual([])
  })

  it.each([
    ['that its caller does not keep', {}, UNKEPT],
    ['that the sampler does not keep', { OTEL_TRACES_SAMPLER: 'always_off' }, CALLER],
    [
      'of which it keeps none',
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
      undefined,
    ],
  ])('a trace %s is not kept further on either', async (_, env, caller) => {
    const { tracing, requests } = await traced(env)
    const span = tracing.continueFrom(caller, request)
    const below = tracing.during(span, () => tracing.below(call))
    expect(partsOf(below?.traceparent)[3]).toBe('00')
    expect(partsOf(below?.traceparent)[1]).toBe(partsOf(span.traceparent)[1])
    below?.end()
    span.end()
    await tracing.close()
    expect(requests).toEqual([])
  })

  it('a collector that refuses is one line, and another when it takes traces again', async () => {
    const { tracing, lines, requests, answerWith } = await traced({}, 400)
    for (const turn of [1, 2]) {
      tracing.continueFrom(undefined, request).end()
      await expect.poll(() => requests.length).toBe(turn)
    }
    await expect.poll(() => lines).toEqual(['traces_not_sent'])
    answerWith(200)
    tracing.continueFrom(undefined, request).end()
    await expect.poll(() => lines).toEqual(['traces_not_sent', 'traces_sent_again'])
  })

  it('no endpoint, or OTEL_SDK_DISABLED, is no tracing', () => {
    const own = { service: 'signet-token', version: '1' }
    const endpoint = 'http://127.0.0.1:4318'
    expect(readTracingSettings({ OTEL_TRACES_SAMPLER: 'none of ours' }, own)).toBeUndefined()
    expect(
      readTracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }, own),
    ).toBeUndefined()
    const refused = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    }
    expect(() => readTracingSettings(refused, own)).toThrow(
      /OTEL_EXPORTER_OTLP_PROTOCOL: must be one of http\/protobuf\n.*OTEL_TRACES_SAMPLER_ARG: must be a number/,
    )
  })

  it('records an error by its code or class, never by its message', () => {
    expect(errorType(Object.assign(new Error('secret'), { code: '23505' }))).toBe('23505')
    expect(errorType(Object.assign(new RangeError('secret'), { code: 'not a code' }))).toBe('RangeError')
    expect(errorType('secret')).toBe('string')
  })
})
