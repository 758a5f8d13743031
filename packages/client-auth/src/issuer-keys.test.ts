import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createIssuerKeys } from './issuer-keys.ts'

const ISSUER = 'https://cluster.example'
const jwkOf = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
})

function startIssuer({ issuer = ISSUER, jwksUri = `${ISSUER}/keys` } = {}) {
  const state = { ms: 0, reads: 0, isAway: false, kids: ['k1'] }
  const find = createIssuerKeys({
    elapsed: () => state.ms,
    async getText(url) {
      if (state.isAway) throw new Error('away')
      if (url === `${ISSUER}/.well-known/openid-configuration`)
        return { status: 200, text: JSON.stringify({ issuer, jwks_uri: jwksUri }) }
      state.reads++
      return { status: 200, text: JSON.stringify({ keys: state.kids.map(jwkOf) }) }
    },
  })
  const kids = async (kid?: string) => (await find(ISSUER, kid)).map((key) => key.kid)
  return { state, kids }
}

const MINUTE = 60_000
const UNAVAILABLE = { code: 'temporarily_unavailable', reason: 'issuer_keys_unknown' }

it('shares one reading among concurrent calls, and reads again after ten minutes', async () => {
  const { state, kids } = startIssuer()
  expect(await Promise.all([kids('k1'), kids('k1'), kids('k2')])).toEqual([['k1'], ['k1'], ['k1']])
  expect(state.reads).toBe(1)
  state.ms += 11 * MINUTE
  await kids('k1')
  expect(state.reads).toBe(2)
})

it('reads again for an unknown kid at most once a minute', async () => {
  const { state, kids } = startIssuer()
  await kids('k1')
  state.kids = ['k2']
  for (let n = 0; n < 100; n++) expect(await kids(`guessed-${n}`)).toEqual(['k1'])
  expect(state.reads).toBe(1)
  state.ms += MINUTE
  expect(await kids('k2')).toEqual(['k2'])
  expect(state.reads).toBe(2)
})

it('uses the keys of an issuer that is away for an hour', async () => {
  const { state, kids } = startIssuer()
  await kids()
  state.isAway = true
  state.ms += 59 * MINUTE
  expect(await kids('k1')).toEqual(['k1'])
  state.ms += 2 * MINUTE
  await expect(kids('k1')).rejects.toMatchObject(UNAVAILABLE)
  state.isAway = false
  state.ms += 5_000
  expect(await kids('k1')).toEqual(['k1'])
})

it.each([
  ['another issuer is named', { issuer: 'https://else.example' }],
  ['the keys are at an address without https', { jwksUri: 'http://cluster.example/keys' }],
  ['the keys are at no URL', { jwksUri: 'keys' }],
])('accepts nothing when %s', async (_, options) => {
  const { state, kids } = startIssuer(options)
  await expect(kids()).rejects.toMatchObject(UNAVAILABLE)
  expect(state.reads).toBe(0)
})
