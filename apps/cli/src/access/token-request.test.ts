import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { requestToken } from './token-request.ts'

it('sends no credential to the host that a redirect names', async () => {
  const received: string[] = []
  const elsewhere = createServer((req, res) => {
    req.on('data', (part) => received.push(String(part)))
    req.on('end', () => res.end('{"access_token":"of-another"}'))
  })
  const issuer = createServer((_req, res) => res.writeHead(307, { location: originOf(elsewhere) }).end())
  const originOf = (server: typeof issuer) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const server of [elsewhere, issuer]) {
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
    onTestFinished(() => void server.close())
  }
  const request = requestToken({ issuer: originOf(issuer), fetch }, { assertion: 'of-the-pod' })
  await expect(request).rejects.toThrow(/cannot be reached/)
  expect(received).toEqual([])
})
