import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { size } from '@signet/testing/sizes'
import { startSystem } from '@signet/testing/system/start-system'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoodRequests, goodRequests } from './fuzz/good-requests.ts'
import { goodJsonRequests, malformedJson } from './fuzz/malformed-json.ts'
import { malformedRequest } from './fuzz/malformed-request.ts'
import { expectHarmless, type RawRequest, send } from './fuzz/raw-request.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from './provider.ts'

// The same requests in every run, so that one that fails can be sent again; a larger run begins with those of a smaller.
const SEED = 20
const BATCH = 5
const GROWTH_BYTES = 40 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes that are no HTTP request, or one that proxies and servers have parsed differently. */
const RAW_BYTES: Readonly<Record<string, string>> = {
  'nothing but noise': '\u0000\u0001\u0002\r\n\r\n',
  'the start of a TLS handshake': '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n',
  'a request line without end': `GET /${'a'.repeat(100_000)}`,
  'an address of 100,000 characters': `GET /ui/login?${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'a header of 100,000 characters': `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(100_000)}\r\n\r\n`,
  'ten thousand headers': `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(10_000)}\r\n`,
  'two lengths':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\na',
  'a length beside chunks':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a negative length': 'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'a chunk without a size':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'no host': 'GET /oauth/v2/keys HTTP/1.1\r\n\r\n',
  'another protocol': 'GET / SPDY/3\r\nHost: x\r\n\r\n',
  'an absolute address of somebody else':
    'GET http://evil.example/oauth/v2/keys HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  'an upgrade': 'GET /oauth/v2/keys HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
  'a tunnel': 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
}

let provider: Provider
let good: GoodRequests
/** A browser that is signed in and unrelated to the malformed requests. */
let bystander: HttpBrowser
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  bystander = (await provider.signIn({ loginName: 'carol+1' })).browser
  good = await goodRequests(provider)
}, 60_000)
afterAll(() => provider?.stop())

/** Sends batches of requests, side by side, and expects nothing but harmless answers. */
async function expectAllHarmless(requests: fc.Arbitrary<RawRequest>, count: number): Promise<void> {
  const batches = fc.array(requests, { minLength: BATCH, maxLength: BATCH })
  const attack = fc.asyncProperty(batches, async (batch) => {
    const answers = await Promise.all(batch.map((request) => send(provider.issuer, request)))
    for (const answer of answers) expectHarmless(answer)
  })
  await fc.assert(attack, { seed: SEED, numRuns: Math.ceil(count / BATCH) })
}

/** Collects garbage, and returns how many bytes are still held. */
function collectGarbage(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Sends bytes and returns the status lines that came back before the connection ended. */
function exchange(origin: string, bytes: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.end(bytes, 'latin1'))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // A server that has heard enough may cut the connection.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(received.match(/^HTTP\/1\.1 \d{3}/gm) ?? []))
  })
}

describe('malformed input', () => {
  it('harms no OAuth endpoint and no page, one after the other', async () => {
    for (const target of Object.values(good.targets)) {
      await expectAllHarmless(malformedRequest(target, good.known), size('malformedRequests'))
    }
  }, 3_600_000)

  it('harms no operation of the APIs, with and without a bearer', async () => {
    const operations = await goodJsonRequests(provider)
    const requests = operations.map((operation) => malformedJson(operation, good.secrets))
    await expectAllHarmless(fc.oneof(...requests), size('malformedOperations'))
  }, 3_600_000)

  it('does not grow the memory', async () => {
    const targets = Object.values(good.targets)
    const requests = fc.oneof(...targets.map((target) => malformedRequest(target, good.known)))
    await expectAllHarmless(requests, size('malformedRequests'))
    const before = collectGarbage()
    await expectAllHarmless(requests, size('malformedRequests'))
    expect(collectGarbage() - before).toBeLessThan(GROWTH_BYTES)
  }, 3_600_000)

  it.each(Object.keys(RAW_BYTES))('bytes that are no HTTP affect no other request: %s', async (what) => {
    const lines = await exchange(provider.issuer, RAW_BYTES[what] ?? '')
    for (const line of lines) expect(line).toMatch(/^HTTP\/1\.1 [234]/)
  })

  it('leaves everything working', async () => {
    const { tokens } = await provider.signIn({ scope: 'openid offline_access', browser: bystander })
    expect((await provider.introspect(tokens.access_token)).active).toBe(true)
  })
})
