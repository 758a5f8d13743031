import { expect, it } from 'vitest'
import { compareProviders, type DiscoveryDocument } from './discovery-comparison.ts'

const compare = (old: DiscoveryDocument, next: DiscoveryDocument) =>
  compareProviders({ document: old }, { document: next })
    .filter(({ item }) => item !== 'issuer')
    .map(({ item, status, old: before, new: after }) => [item, status, before, after])

it('compares lists value by value, and says what to do about lost ones', () => {
  const old = { issuer: 'https://a.example', grant_types_supported: ['authorization_code', 'password'] }
  const next = { issuer: 'https://a.example', grant_types_supported: ['refresh_token', 'authorization_code'] }
  const lines = compareProviders({ document: old }, { document: next })
  expect(lines.filter(({ item }) => item === 'grant_types_supported')).toEqual([
    {
      item: 'grant_types_supported',
      status: 'same',
      old: 'authorization_code',
      new: 'authorization_code',
      advice: '',
    },
    {
      item: 'grant_types_supported',
      status: 'only old',
      old: 'password',
      new: '',
      advice: 'clients with this grant type: move them to another before the cut-over',
    },
    { item: 'grant_types_supported', status: 'only new', old: '', new: 'refresh_token', advice: '' },
  ])
  expect(lines[0]).toMatchObject({ item: 'issuer', status: 'same' })
})

it('takes the defaults of the specifications for lists and flags that are left out', () => {
  const stated = {
    grant_types_supported: ['implicit', 'authorization_code'],
    response_modes_supported: ['fragment', 'query'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
    request_uri_parameter_supported: true,
    claims_parameter_supported: false,
  }
  expect(new Set(compare(stated, {}).map(([, status]) => status))).toEqual(new Set(['same']))
})

it('compares response types in any order of their values', () => {
  expect(
    compare(
      { response_types_supported: ['code', 'id_token token'] },
      { response_types_supported: ['token id_token', 'code'] },
    ).filter(([item]) => item === 'response_types_supported'),
  ).toEqual([['response_types_supported', 'same', 'code, id_token token', 'code, id_token token']])
})

it('compares issuer, endpoints, flags and keys', () => {
  const old = {
    document: {
      issuer: 'https://old.example',
      token_endpoint: 'https://old.example/token',
      check_session_iframe: 'https://old.example/frame',
      frontchannel_logout_supported: true,
    },
    keys: [{ kid: 'one', alg: 'RS256' }],
  }
  const next = {
    document: {
      issuer: 'https://new.example',
      token_endpoint: 'https://new.example/token',
      revocation_endpoint: 'https://new.example/revoke',
      backchannel_logout_supported: true,
    },
    keys: [{ kid: 'two', kty: 'EC' }],
  }
  const lines = compareProviders(old, next).filter(({ status }) => status !== 'same')
  expect(lines.map(({ item, status, advice }) => [item, status, advice !== ''])).toEqual([
    ['issuer', 'different', true],
    ['token_endpoint', 'different', true],
    ['revocation_endpoint', 'only new', false],
    ['check_session_iframe', 'only old', true],
    ['backchannel_logout_supported', 'only new', false],
    ['frontchannel_logout_supported', 'only old', true],
    ['keys', 'different', true],
  ])
})

it('shows values of any kind without control characters', () => {
  expect(
    compare({ token_endpoint: '\u001b[2Jx' }, { token_endpoint: { a: 1 } }).find(
      ([item]) => item === 'token_endpoint',
    ),
  ).toEqual(['token_endpoint', 'different', '?[2Jx', '{"a":1}'])
})
