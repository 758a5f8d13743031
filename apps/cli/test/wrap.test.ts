import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { errorLines, exitCodeOf } from '../src/exit-codes.ts'
import { runCommand } from '../src/program.ts'
import { commandContext, typed } from './command-fixture.ts'

/** Answers encrypt and decrypt with what they were sent; it is sealed while `isSealed`. */
const state = { isSealed: false, calls: [] as string[] }
const server = createServer(async (req, res) => {
  const body = (await json(req)) as { plaintext?: string; ciphertext?: string }
  state.calls.push(req.url ?? '')
  if (state.isSealed) return res.writeHead(503).end()
  const data = { ciphertext: `vault:v3:${body.plaintext}`, plaintext: body.ciphertext?.split(':').at(-1) }
  return res.end(JSON.stringify({ data }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => new Promise((resolve) => server.close(resolve)))

async function wrap(
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = []
  const context = commandContext({
    env: {
      SIGNET_VAULT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SIGNET_VAULT_TOKEN: 'a-token',
    },
    say: (line) => lines.push(line),
    standardInput: typed(input),
  })
  try {
    await runCommand(['secrets', 'wrap', ...args], context)
    return { code: 0, text: lines.join('\n') }
  } catch (error) {
    return { code: exitCodeOf(error), text: errorLines(error).join('\n') }
  }
}

const FOR_KEYS = ['--service', 'keys', '--key', 'vault-transit:transit/signet-keys']
const ENTRY = /^vault-transit:transit\/signet-keys:[0-9a-f]{16}:vault:v3:[A-Za-z0-9+/]{43}=$/

it('signet secrets wrap prints the entry of a new master key, another one each time', async () => {
  const [first, second] = [await wrap(FOR_KEYS), await wrap(FOR_KEYS)]
  expect(first.text).toMatch(ENTRY)
  expect(second.text).toMatch(ENTRY)
  expect(second).not.toEqual(first)
  expect(new Set(state.calls)).toEqual(new Set(['/v1/transit/encrypt/signet-keys']))
})

it('signet secrets wrap --from wraps the same master key again, plain or wrapped', async () => {
  const plain = await wrap([...FOR_KEYS, '--from', '-'], `${Buffer.alloc(32, 7).toString('base64url')}\n`)
  expect(plain.text).toMatch(ENTRY)
  expect(await wrap([...FOR_KEYS, '--from', '-'], plain.text)).toEqual(plain)
})

it.each([
  { args: ['--service', 'token', '--key', 'vault-transit:transit/a'], says: '--service takes one of keys' },
  { args: ['--service', 'keys', '--key', 'transit/a'], says: '--key takes a key such as' },
  { args: [...FOR_KEYS, '--from', '-'], says: '--from takes a file with one master key' },
  { args: [...FOR_KEYS, '--from', '/none'], says: '--from /none cannot be read (ENOENT)' },
])('signet secrets wrap $args is refused', async ({ args, says }) => {
  const { code, text } = await wrap(args, 'short')
  expect(code).toBe(2)
  expect(text).toContain(says)
})

it('signet secrets wrap says by its exit code that the server is away', async () => {
  state.isSealed = true
  const { code, text } = await wrap(FOR_KEYS)
  expect(code).toBe(8)
  expect(text).toContain('it is sealed, starting or overloaded')
})
