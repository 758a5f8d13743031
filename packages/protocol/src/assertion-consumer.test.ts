import { expect, it } from 'vitest'
import { assertionConsumer, CONSUMER_PREFIXES, isConsumerPath } from './assertion-consumer.ts'
import { ROUTES, routeFor } from './routes.ts'

it.each([
  '/realms/acme/broker/okta/endpoint',
  '/auth/realms/acme/broker/okta/endpoint',
  '/idps/3819/saml/acs',
  '/login/callback?connection=acme-okta',
  '/login/saml2/sso/okta',
  '/source/saml/okta/acs/',
  '/saml2/idpresponse',
  '/Shibboleth.sso/SAML2/POST',
  '/sso/saml/acs/Az09~x',
])('%s may take assertions', (path) => {
  expect(isConsumerPath(path)).toBe(true)
  expect(routeFor(path.replace(/\?.*/, ''))).toMatchObject({ service: 'login', bodyLimitBytes: 262_144 })
})

it.each([
  ...['', '/', '/realms', '/realms/', 'realms/a', '//realms/a', '/realms//a', 'https://id.example/realms/a'],
  ...[
    '/realms/../ui/login',
    '/realms/./a',
    '/realms/..',
    '/realms/..?a=b',
    '/realms/a/../b',
    '/realms/%2e%2e/ui',
  ],
  ...[
    '/realmsx/a',
    '/Realms/a',
    '/ui/login',
    '/oauth/v2/token',
    '/account',
    '/.well-known/webauthn',
    '/console/a',
  ],
  ...['/ui/identity-providers/1/callback', '/management/v1/users', '/Shibbolethxsso/SAML2/POST'],
  ...[
    '/realms/a b',
    '/realms/a;b',
    '/realms/a\\b',
    '/realms/ä',
    '/realms/a\n',
    '/realms/a#b',
    '/realms/<a>',
    '/realms/a"',
  ],
  ...['/realms/a?', '/realms/a?b=c?d', '/realms/a?b=%41', '/realms/a?b="', `/realms/${'a'.repeat(500)}`],
])('%j may not', (path) => {
  expect(isConsumerPath(path)).toBe(false)
})

it('no prefix has a page of Signet below it, or is below one', () => {
  const prefixes: readonly string[] = CONSUMER_PREFIXES
  for (const { prefix } of ROUTES) {
    if (prefixes.includes(prefix) || prefix === '/') continue
    for (const one of prefixes) {
      expect(`${prefix}/`.startsWith(`${one}/`) || `${one}/`.startsWith(`${prefix}/`)).toBe(false)
    }
  }
})

it('a provider without a path takes assertions at its redirect URI', () => {
  expect(assertionConsumer('https://id.example', '377', '')).toBe(
    'https://id.example/ui/identity-providers/377/callback',
  )
  expect(assertionConsumer('https://id.example', '377', '/idps/1/saml/acs')).toBe(
    'https://id.example/idps/1/saml/acs',
  )
})
