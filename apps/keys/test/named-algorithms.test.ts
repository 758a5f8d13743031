import type { Database } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningKeys, runKeys } from './fixtures/running-keys.ts'

let keys: RunningKeys
let other: RunningKeys
let directory: Database
beforeAll(async () => {
  keys = await runKeys()
  other = await runKeys({ shared: keys.database, clock: keys.clock, masterKeys: keys.masterKeys })
  directory = keys.database.connect('signet_directory')
})
afterAll(async () => {
  await other?.stop()
  await keys?.stop()
})

const name = (algorithms: string) =>
  directory.query({
    name: '',
    text: 'UPDATE directory.setting SET signing_algorithms = $1',
    values: [algorithms],
  })

interface Published {
  /** The number of keys in the key set, by algorithm. */
  readonly keys: Readonly<Record<string, number>>
  readonly discovery: readonly string[]
}

const json = async (url: string) => (await fetch(url)).json() as Promise<Readonly<Record<string, unknown>>>

/** The algorithms that each replica publishes. */
const published = (): Promise<Published[]> =>
  Promise.all(
    [keys, other].map(async ({ url }) => {
      const set = (await json(`${url}/oauth/v2/keys`)).keys as readonly { readonly alg: string }[]
      const document = await json(`${url}/.well-known/openid-configuration`)
      const countOf = (algorithm: string) => set.filter(({ alg }) => alg === algorithm).length
      return {
        keys: { RS256: countOf('RS256'), ES256: countOf('ES256'), EdDSA: countOf('EdDSA') },
        discovery: document.id_token_signing_alg_values_supported as readonly string[],
      }
    }),
  )
const twice = (one: Published) => [one, one]

it('publishes keys of the algorithms that the instance names, in key set and discovery of every replica', async () => {
  const all = { RS256: 3, ES256: 3, EdDSA: 3 }
  expect(await published()).toEqual(twice({ keys: all, discovery: ['RS256', 'ES256', 'EdDSA'] }))
  await name('{RS256,ES256}')
  // The key that was active stays for the tokens that it has signed.
  const two = ['RS256', 'ES256']
  await expect.poll(published).toEqual(twice({ keys: { ...all, EdDSA: 1 }, discovery: two }))
  keys.clock.advance(25 * 3_600_000)
  await expect.poll(published).toEqual(twice({ keys: { ...all, EdDSA: 0 }, discovery: two }))
  await name('{EdDSA,RS256}')
  const last = { RS256: 3, ES256: 1, EdDSA: 2 }
  await expect.poll(published).toEqual(twice({ keys: last, discovery: ['RS256', 'EdDSA'] }))
})
