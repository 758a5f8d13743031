import type { HttpBrowser } from '@signet/testing/http-browser'
import { size } from '@signet/testing/sizes'
import { startSystem } from '@signet/testing/system/start-system'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectGarbage } from './fuzz/collect-garbage.ts'
import { type GoodRequests, goodRequests } from './fuzz/good-requests.ts'
import { goodJsonRequests, malformedJson } from './fuzz/malformed-json.ts'
import { malformedRequest } from './fuzz/malformed-request.ts'
import { exchange, RAW_BYTES } from './fuzz/raw-bytes.ts'
import { expectHarmless, type RawRequest, send } from './fuzz/raw-request.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from './provider.ts'

// The same requests in every run, so that one that fails can be sent again; a larger run begins with those of a smaller.
const SEED = 20
const BATCH = 5
const GROWTH_BYTES = 40 * 1024 * 1024

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
