import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { readKeySource } from './document-keys.ts'

const ID = 'https://app.example/client.json'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const jwk = { kid: 'k1', ...publicKey.export({ format: 'jwk' }) }
const jwks = { keys: [jwk] }
const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' })

it.each([
  [{ jwks }, { jwks }],
  [{ jwks: { keys: [curve, jwk] } }, { jwks: { keys: [curve, jwk] } }],
  [{ jwks_uri: 'https://app.example/keys?v=1' }, { jwksUri: 'https://app.example/keys?v=1' }],
  [
    { jwks, token_endpoint_auth_signing_alg: 'EdDSA' },
    { jwks, algorithm: 'EdDSA' },
  ],
])('finds the keys of %j', (members, source) => {
  expect(readKeySource(members, ID)).toEqual({ source })
})

it.each([
  [{}, 'jwks or jwks_uri'],
  [{ jwks, jwks_uri: 'https://app.example/keys' }, 'not both'],
  [{ jwks: null }, 'jwks must be a key set'],
  [{ jwks: { keys: [] } }, 'jwks must hold an'],
  [{ jwks: { keys: ['x'] } }, 'jwks must be a key set'],
  [{ jwks: { keys: Array.from({ length: 11 }, () => jwk) } }, 'jwks must be a key set'],
  [{ jwks: { keys: [curve] } }, 'jwks must hold an'],
  [{ jwks: { keys: [jwk, privateKey.export({ format: 'jwk' })] } }, 'no private key'],
  [{ jwks: { keys: [jwk, { kty: 'oct', k: 'c2VjcmV0' }] } }, 'no private key'],
  [{ jwks_uri: 'https://other.example/keys' }, 'jwks_uri must be'],
  [{ jwks_uri: 'https://app.example:8443/keys' }, 'jwks_uri must be'],
  [{ jwks_uri: 'http://app.example/keys' }, 'jwks_uri must be'],
  [{ jwks_uri: 'https://me@app.example/keys' }, 'jwks_uri must be'],
  [{ jwks_uri: 'https://app.example/keys#k1' }, 'jwks_uri must be'],
  [{ jwks_uri: 7 }, 'jwks_uri must be'],
  [{ jwks, token_endpoint_auth_signing_alg: 'HS256' }, 'token_endpoint_auth_signing_alg'],
  [{ jwks, token_endpoint_auth_signing_alg: 'none' }, 'token_endpoint_auth_signing_alg'],
])('refuses %j', (members, problem) => {
  expect(readKeySource(members, ID)).toEqual({ problem: expect.stringContaining(problem) })
})
