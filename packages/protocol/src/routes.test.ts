import { describe, expect, it } from 'vitest'
import { ROUTES, routeFor } from './routes.ts'

describe('route table', () => {
  it.each([
    ['/oauth/v2/authorize', 'login'],
    ['/oauth/v2/par', 'login'],
    ['/oauth/v2/device_authorization', 'login'],
    ['/oidc/v1/end_session', 'login'],
    ['/ui', 'login'],
    ['/account', 'login'],
    ['/ui/login', 'login'],
    ['/oauth/v2/token', 'token'],
    ['/oauth/v2/revoke', 'token'],
    ['/oauth/v2/introspect', 'introspection'],
    ['/oidc/v1/userinfo', 'introspection'],
    ['/oauth/v2/keys', 'keys'],
    ['/.well-known/openid-configuration', 'keys'],
    ['/management/v1/keys', 'keys'],
    ['/management/v1/keys/k1', 'keys'],
    ['/management/v1/users', 'directory'],
    ['/v2/features/instance', 'directory'],
    ['/v2/policies/security', 'directory'],
    ['/v2/settings/security', 'directory'],
    ['/admin/v1/export', 'migration'],
    ['/admin/v1/import', 'migration'],
    ['/admin/v1/jobs/7/events', 'migration'],
  ])('%s belongs to %s', (path, service) => {
    expect(routeFor(path)?.service).toBe(service)
  })

  it('a prefix ends where a segment ends', () => {
    expect(routeFor('/management/v1/keyset')?.service).toBe('directory')
    expect(routeFor('/')?.service).toBe('login')
    for (const path of [
      '//',
      '//ui',
      '',
      '/uix',
      '/oauth/v2/tokens',
      '/oauth/v2',
      '/OAUTH/V2/TOKEN',
      'ui/login',
      '/x/ui/login',
    ]) {
      expect(routeFor(path)).toBeUndefined()
    }
  })

  it('imports take 256 MiB and stream, long calls last a day', () => {
    expect(routeFor('/admin/v1/import')).toMatchObject({
      bodyLimitBytes: 268_435_456,
      readTimeoutSeconds: 86_400,
      buffering: false,
    })
    expect(routeFor('/admin/v1/export')).toMatchObject({ readTimeoutSeconds: 86_400, buffering: false })
    expect(routeFor('/admin/v1/jobs/7/events')).toMatchObject({ buffering: false })
    expect(routeFor('/oauth/v2/token')).toMatchObject({ bodyLimitBytes: 65_536, buffering: true })
  })

  it('names every prefix once, without a slash at the end', () => {
    const prefixes = ROUTES.map(({ prefix }) => prefix)
    expect(new Set(prefixes).size).toBe(prefixes.length)
    for (const prefix of prefixes) expect(prefix).toMatch(/^(\/|(\/[\w.-]+)+)$/)
  })
})
