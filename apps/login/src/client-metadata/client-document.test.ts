import { expect, it } from 'vitest'
import { ClientDocumentError, readClientDocument } from './client-document.ts'

const ID = 'https://app.example/client.json'
const read = (members: object) =>
  readClientDocument(
    JSON.stringify({ client_id: ID, redirect_uris: ['https://app.example/cb'], ...members }),
    ID,
  )

it('reads the members that count', () => {
  const document = read({
    client_name: 'App',
    grant_types: ['authorization_code', 'refresh_token'],
    logo_uri: 'x',
  })
  expect(document).toEqual({
    clientId: ID,
    name: 'app.example (App)',
    redirectUris: ['https://app.example/cb'],
    mayRefresh: true,
    authMethod: 'none',
  })
  expect(read({})).toMatchObject({ name: 'app.example', mayRefresh: false })
})

it('reads that the client has keys', () => {
  const jwks_uri = 'https://app.example/keys'
  const method = { token_endpoint_auth_method: 'private_key_jwt' }
  expect(read({ ...method, jwks_uri })).toMatchObject({ authMethod: 'private_key_jwt' })
  expect(read({ jwks_uri })).toMatchObject({ authMethod: 'none' })
})

it('shows no control or invisible characters and no long names', () => {
  expect(read({ client_name: '\u202eA\u0000p\u200bp\n' }).name).toBe('app.example (App)')
  expect(read({ client_name: 'x'.repeat(500) }).name).toBe(`app.example (${'x'.repeat(80)})`)
})

it('shows no name that ends its parentheses, and no half of a character', () => {
  const name = 'Bank), registered by Example\u00a0\u00a0\uff08verified\uff09 ('
  expect(read({ client_name: name }).name).toBe('app.example (Bank , registered by Example verified)')
  expect(read({ client_name: `${'x'.repeat(79)}\u{1f600}\u{1f600}` }).name).toBe(
    `app.example (${'x'.repeat(79)}\u{1f600})`,
  )
  const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(50)}.example`
  const id = `https://${host}/a`
  const text = JSON.stringify({ client_id: id, client_name: 'y'.repeat(80), redirect_uris: [id] })
  expect(readClientDocument(text, id).name).toBe(`${host} (${'y'.repeat(197 - host.length)})`)
})

it.each([
  [{ client_id: `${ID}/` }, 'client_id'],
  [{ client_secret: 'x' }, 'client_secret'],
  [{ client_secret_expires_at: 0 }, 'client_secret'],
  [{ token_endpoint_auth_method: 'client_secret_post' }, 'token_endpoint_auth_method'],
  [{ token_endpoint_auth_method: 'tls_client_auth' }, 'token_endpoint_auth_method'],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, 'jwks or jwks_uri'],
  [{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://other.example/keys' }, 'jwks_uri'],
  [{ redirect_uris: undefined }, 'redirect_uris'],
  [{ redirect_uris: ['https://*.app.example/'] }, 'redirect_uris'],
  [{ redirect_uris: Array.from({ length: 21 }, (_, at) => `https://app.example/${at}`) }, 'redirect_uris'],
  [{ grant_types: ['client_credentials'] }, 'grant_types'],
  [{ response_types: ['id_token'] }, 'response_types'],
  [{ client_name: 7 }, 'client_name'],
])('refuses %j', (members, member) => {
  expect(() => read(members)).toThrow(ClientDocumentError)
  expect(() => read(members)).toThrow(member)
})

it.each(['', '[]', 'null', '{'])('refuses %j', (text) => {
  expect(() => readClientDocument(text, ID)).toThrow(ClientDocumentError)
})
