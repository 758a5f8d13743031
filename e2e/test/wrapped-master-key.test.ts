import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startChild } from '@signet/dev-stack/processes/child'
import { fingerprintOf } from '@signet/platform/sealing/fingerprint'
import { childEnvironment, testedProgram } from '@signet/testing/child-environment'
import { freePort } from '@signet/testing/free-port'
import { expect, it } from 'vitest'

const masterKey = randomBytes(32)
const ENTRY = `vault-transit:transit/signet-keys:${fingerprintOf(masterKey)}:vault:v1:AAAA`

/** Starts the process without a database until a line matches or it ends. */
async function linesUntil(wanted: RegExp, vaultUrl: string) {
  const lines: string[] = []
  const child = await startChild({
    program: testedProgram,
    app: 'keys',
    env: {
      ...childEnvironment(),
      SIGNET_ISSUER: 'http://localhost:8080',
      SIGNET_POSTGRES_URL: 'postgres://signet_keys@127.0.0.1:1/signet',
      SIGNET_OPERATIONS_PORT: `${await freePort()}`,
      SIGNET_RPC_TOKEN_ADDRESS: '127.0.0.1:1',
      SIGNET_KEYS_MASTER_KEY: ENTRY,
      SIGNET_VAULT_URL: vaultUrl,
      SIGNET_VAULT_TOKEN: 'a-hidden-token',
    },
    onOutput: (text) => {
      lines.push(text)
      if (wanted.test(text)) child.kill('SIGKILL')
    },
  })
  return { code: await child.ended, text: lines.join('') }
}

it('the process ends with one line when the key management service is away', async () => {
  const { code, text } = await linesUntil(/waiting_for_dependency/, 'http://127.0.0.1:1')
  expect(code).toBe(1)
  expect(text).toBe(
    `keys: SIGNET_KEYS_MASTER_KEY: cannot unwrap the key ${fingerprintOf(masterKey)}: SIGNET_VAULT_URL gave no answer (ECONNREFUSED)\n`,
  )
})

it('the process starts with a key that the key management service unwraps', async () => {
  const server = createServer((_, res) => {
    res.end(JSON.stringify({ data: { plaintext: masterKey.toString('base64') } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { text } = await linesUntil(/waiting_for_dependency/, `http://127.0.0.1:${port}`)
  await new Promise((resolve) => server.close(resolve))
  expect(text).toContain('waiting_for_dependency')
  expect(text).not.toContain('SIGNET_KEYS_MASTER_KEY')
})
