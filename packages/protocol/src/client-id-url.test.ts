import { expect, it } from 'vitest'
import { clientIdHost, clientIdUrlProblem, isOpenScope } from './client-id-url.ts'

const problem = (url: string, mayBeLoopback = false) => clientIdUrlProblem(url, { mayBeLoopback })

it.each(['https://app.example/client.json', 'https://app.example:8443/a/b', 'https://app.example/a/'])(
  'accepts %s',
  (url) => expect(problem(url)).toBeUndefined(),
)

it.each([
  ['http://app.example/client', 'must be an https URL'],
  ['https://app.example', 'must be written in its normal form, without dot segments and default ports'],
  ['https://app.example/', 'must have a path'],
  ['https://app.example:443/a', 'must be written in its normal form, without dot segments and default ports'],
  ['https://APP.example/a', 'must be written in its normal form, without dot segments and default ports'],
  ['https://app.example/a/./b', 'must be written in its normal form, without dot segments and default ports'],
  [
    'https://app.example/a/%2e%2e/b',
    'must be written in its normal form, without dot segments and default ports',
  ],
  ['https://user@app.example/a', 'must not hold a user name or password'],
  ['https://app.example/a#b', 'must not have a fragment'],
  ['https://app.example/a?b', 'must not have a query'],
  ['https://10.0.0.1/a', 'must name a host and not an IP address'],
  ['https://app.example./a', 'must name a host without empty labels or a dot at its end'],
  ['https://app..example/a', 'must name a host without empty labels or a dot at its end'],
  ['https://localhost/a', 'must not name a loopback host'],
  ['app', 'must be an absolute URL'],
])('refuses %s', (url, rule) => {
  expect(problem(url)).toBe(rule)
})

it('accepts http for a loopback host where the issuer is one', () => {
  expect(problem('http://127.0.0.1:8000/a', true)).toBeUndefined()
  expect(problem('http://app.example/a', true)).toBe('must be an https URL')
})

it('finds the host of a URL, and none of another client_id', () => {
  expect(clientIdHost('https://app.example:8443/a')).toBe('app.example:8443')
  expect(clientIdHost('web')).toBeUndefined()
})

it('opens scopes of identity and of APIs', () => {
  const scopes = ['openid', 'email', 'phone', 'urn:service:iam:user:metadata']
  expect(scopes.filter(isOpenScope)).toEqual(['openid', 'email'])
  expect(isOpenScope('urn:zitadel:iam:org:project:id:orders:aud')).toBe(true)
})
