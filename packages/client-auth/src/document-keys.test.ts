import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import type { GetDocument } from '@signet/platform/outbound-http/http-calls'
import { InvalidClientError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { describe, expect, it } from 'vitest'
import { createDocumentKeys } from './document-keys.ts'

const ID = 'https://app.example/client.json'
const KEYS = 'https://app.example/keys'
const MINUTE = 60_000

const jwk = (kid: string, members: object = {}): JsonWebKey => ({
  ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
  ...{ kid, ...members },
})

function setUp(members: object = { jwks_uri: KEYS }) {
  let elapsedMs = 0
  const host = {
    status: 200,
    document: { client_id: ID, token_endpoint_auth_method: 'private_key_jwt', ...members } as object,
    keys: [jwk('k1')],
    mediaType: 'application/json',
    readings: [] as string[],
  }
  const answer: GetDocument = async (url) => {
    host.readings.push(url)
    const { status, mediaType } = host
    const text = JSON.stringify(url === KEYS ? { keys: host.keys } : host.document)
    return { status, mediaType, cacheControl: '', text }
  }
  const find = createDocumentKeys({
    ...{ getDocument: answer, getKeySet: answer, elapsed: () => elapsedMs },
    ...{ hosts: { allowed: [], refused: ['bad.example'] }, issuer: 'https://id.example' },
  })
  return {
    host,
    find,
    pass: (milliseconds: number) => {
      elapsedMs += milliseconds
    },
    kids: async (kid?: string) => (await find(ID, kid)).map((key) => key.kid),
  }
}

describe('keys of a document', () => {
  it('are those of jwks_uri or of jwks, read once for calls at the same time', async () => {
    const { kids, host } = setUp()
    expect(await Promise.all([kids('k1'), kids('k1'), kids()])).toEqual([['k1'], ['k1'], ['k1']])
    expect(host.readings).toEqual([ID, KEYS])
    const inline = setUp({ jwks: { keys: [jwk('k2')] } })
    expect(await inline.kids('k2')).toEqual(['k2'])
    expect(inline.host.readings).toEqual([ID])
  })

  it('are read again for an unknown kid, at most once a minute', async () => {
    const { kids, host, pass } = setUp()
    await kids('k1')
    host.keys = [jwk('k2')]
    expect(await kids('k2')).toEqual(['k1'])
    pass(MINUTE)
    expect(await Promise.all([kids('k2'), kids('k3')])).toEqual([['k2'], ['k2']])
    expect(await kids('k1')).toEqual(['k2'])
    expect(host.readings).toHaveLength(4)
  })

  it('count for an hour while the host is away, and no longer', async () => {
    const { kids, host, pass } = setUp()
    await kids('k1')
    host.status = 503
    pass(59 * MINUTE)
    expect(await kids('k1')).toEqual(['k1'])
    pass(2 * MINUTE)
    await expect(kids('k1')).rejects.toThrow(TemporarilyUnavailableError)
    await expect(setUp().find('https://bad.example/c', 'k1')).rejects.toThrow(InvalidClientError)
  })

  it.each([
    ['is gone', { status: 404 }],
    ['is another media type', { mediaType: 'text/html' }],
    ['names no keys', { document: { client_id: ID } }],
    ['has a private key', { keys: [jwk('k1', { d: 'x' })] }],
  ])('end when the document %s', async (_, change) => {
    const { kids, host, pass } = setUp()
    await kids('k1')
    Object.assign(host, change)
    pass(10 * MINUTE)
    await expect(kids('k1')).rejects.toThrow(InvalidClientError)
  })

  it('are only those for the algorithm that the document names', async () => {
    const keys = [jwk('plain'), jwk('named', { alg: 'EdDSA' })]
    const { find } = setUp({ jwks: { keys }, token_endpoint_auth_signing_alg: 'EdDSA' })
    expect((await find(ID, 'plain')).map((key) => (key.jwk as { alg?: string }).alg)).toEqual([
      'EdDSA',
      'EdDSA',
    ])
    const other = setUp({ jwks: { keys }, token_endpoint_auth_signing_alg: 'ES256' })
    expect(await other.kids()).toEqual(['plain'])
  })

  it.each([
    'https://id.example/client.json',
    'https://bad.example/client.json',
    'http://app.example/client.json',
    'https://10.0.0.1/client.json',
  ])('are not read from %s', async (clientId) => {
    const { find, host } = setUp()
    await expect(find(clientId, undefined)).rejects.toThrow(InvalidClientError)
    expect(host.readings).toEqual([])
  })
})
