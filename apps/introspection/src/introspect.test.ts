import type { Client } from '@signet/directory-reader/views'
import { createLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import type { AccessToken } from '@signet/tokens/access-token'
import { expect, it } from 'vitest'
import type { KnownToken } from './access-tokens.ts'
import { createIntrospect } from './introspect.ts'

it('counts and logs an active token of another audience, and answers as for an unknown one', async () => {
  const lines: unknown[] = []
  const metrics = createMetrics()
  const token = { audience: ['shop', 'storefront'], clientId: 'shop' } as unknown as AccessToken
  const introspect = createIntrospect({
    issuer: 'https://id.example',
    directory: { project: async () => undefined } as never,
    responses: { get: () => undefined, set: () => undefined },
    accessTokens: {
      find: async (value) => (value === 'sgat_1.active' ? ({ token } as KnownToken) : undefined),
      cache: () => undefined,
    },
    findPersonalToken: async () => undefined,
    now: () => new Date(0),
    logger: createLogger({
      service: 'introspection',
      level: 'debug',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    metrics,
  })
  const warehouse = {
    clientId: 'warehouse',
    projectId: 'stock',
    kind: 'application',
    claimMapping: {},
  } as Client
  expect(await introspect('sgat_1.unknown', warehouse)).toBe('{"active":false}')
  expect(lines).toEqual([])
  expect(await introspect('sgat_1.active', warehouse)).toBe('{"active":false}')
  expect(lines).toMatchObject([
    {
      level: 'debug',
      event: 'token_not_in_audience',
      clientId: 'warehouse',
      audience: ['shop', 'storefront'],
    },
  ])
  expect(await metrics.text()).toMatch(/^signet_introspection_foreign_tokens_total 1$/m)
})

it('tells a client that registered itself about its own tokens alone', async () => {
  const deps = {
    issuer: 'https://id.example',
    directory: { project: async () => undefined } as never,
    responses: { get: () => undefined, set: () => undefined },
    findPersonalToken: () => Promise.reject(new Error('asked')),
    now: () => new Date(0),
    logger: createLogger({
      service: 'introspection',
      level: 'error',
      destination: { write: () => undefined },
    }),
  }
  const caller = {
    ...{ clientId: 'agent', projectId: 'portal', kind: 'application', claimMapping: {}, isRegistered: true },
  } as unknown as Client
  const of = (clientId: string) => {
    const token = { audience: ['portal', 'agent'], clientId, scope: '' } as unknown as AccessToken
    return createIntrospect({
      ...deps,
      metrics: createMetrics(),
      accessTokens: { find: async () => ({ token }) as KnownToken, cache: () => undefined },
    })
  }
  expect(await of('shop')('sgat_1.token', caller)).toBe('{"active":false}')
  expect(await of('agent')('sgat_1.token', caller)).toContain('"active":true')
  expect(await of('shop')('of-a-person', caller)).toBe('{"active":false}')
})
