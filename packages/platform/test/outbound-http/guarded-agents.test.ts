import { createServer, get } from 'node:http'
import { type AddressInfo, BlockList, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGuardedAgents } from '../../src/outbound-http/guarded-agents.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
const server = createServer((_, res) => res.end('hello'))
const silent = createTcpServer(() => undefined)
beforeAll(async () => {
  for (const one of [server, silent])
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  silent.close()
})
const portOf = (one: typeof silent) => (one.address() as AddressInfo).port

function call(host: string, port: number, options: Partial<Parameters<typeof createGuardedAgents>[0]> = {}) {
  const agents = createGuardedAgents({ allow: loopback, idleMs: 5_000, ...options })
  return new Promise<number | undefined>((resolve, reject) => {
    get({ host, port, agent: agents.http }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).on('error', reject)
  }).finally(() => agents.close())
}

describe('agents of clients that make their own requests', () => {
  it('connect to permitted addresses, by address and by name', async () => {
    expect(await call('127.0.0.1', portOf(server))).toBe(200)
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    expect(await call('storage.example', portOf(server), { resolve })).toBe(200)
  })

  it.each(['127.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', '::1'])(
    'refuse %s, as a name for it too',
    async (address) => {
      const strict = { allow: new BlockList() }
      await expect(async () => call(address, portOf(server), strict)).rejects.toMatchObject({
        reason: 'address_refused',
      })
      const resolve = async () => [{ address, family: address.includes(':') ? 6 : 4 }]
      await expect(async () =>
        call('storage.example', portOf(server), { ...strict, resolve }),
      ).rejects.toMatchObject({ reason: 'address_refused' })
    },
  )

  it('cut a silent connection regardless of the timeout that the client sets', async () => {
    await expect(call('127.0.0.1', portOf(silent), { idleMs: 50 })).rejects.toMatchObject({
      name: 'OutboundError',
      reason: 'timed_out',
      code: 'ETIMEDOUT',
    })
  })
})
