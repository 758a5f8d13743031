import type { IncomingMessage, ServerResponse } from 'node:http'
import { BlockList } from 'node:net'
import { createHttpApp } from '@signet/http/app'
import { createLogger } from '@signet/platform/logger/logger'
import { startHttpServer } from '@signet/testing/http-server'
import { expect, it } from 'vitest'
import { tokenEndpoint } from './token-endpoint.ts'

interface Form {
  readonly body: Readonly<Record<string, string>>
}

/** Refuses the refresh token `unknown`. */
const grant = {
  methods: ['none'],
  async handle({ body }: Form) {
    if (body.refresh_token === 'unknown') throw new Error('refused')
    return { access_token: 'x', token_type: 'Bearer', expires_in: 1 }
  },
}

const authenticateClient = async ({ body: { client_id: clientId } }: Form) => ({
  method: 'none',
  client: { clientId, grantTypes: ['refresh_token'] },
})

it('notes the use of clients with an entry in the directory that got tokens', async () => {
  const noted: string[] = []
  const endpoint = tokenEndpoint({
    ...{ grants: new Map([['refresh_token', grant]]), authenticateClient },
    ...{ isRegisteredOrigin: async () => false, refusals: { knowClient: () => undefined } },
    ...{ limit: () => undefined, publicLimit: () => undefined, confirm: async () => ({ headers: [] }) },
    ...{ noteUse: (clientId: string) => void noted.push(clientId), now: () => new Date(0) },
  } as never)
  const server = await startHttpServer(
    createHttpApp({
      logger: createLogger({ service: 'token', level: 'error', destination: { write: () => undefined } }),
      ...{ issuer: 'https://id.example', trustedProxies: new BlockList() },
      ...{ routes: [], endpoints: [endpoint] },
      onError: (_error: unknown, _req: IncomingMessage, res: ServerResponse) => void res.writeHead(400).end(),
    }),
  )
  const refresh = async (clientId: string, token = 'known') => {
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }
    const body = new URLSearchParams(form)
    return (await fetch(`${server.url}${endpoint.path}`, { method: 'POST', body })).status
  }
  expect([await refresh('agent', 'unknown'), noted]).toEqual([400, []])
  expect([await refresh('agent'), noted]).toEqual([200, ['agent']])
  const url = 'https://agent.example/client'
  expect([await refresh(url), noted]).toEqual([200, ['agent', url]])
  await server.stop()
})
