import { afterAll, beforeAll } from 'vitest'
import { type Provider, startProvider } from './provider.ts'

/**
 * The suite that all tests of a file share: starting one takes longer than most of them. Each of them signs in itself
 * or documents the session it shares; time only moves forward.
 */
export let provider: Provider

beforeAll(async () => {
  provider = await startProvider()
}, 60_000)
afterAll(() => provider?.close())
