import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD, REDIRECT_URI, WEB_SECRET } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../deploy/helm/signet/files/sign-in-test.mjs', import.meta.url))

let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
})
afterAll(() => system.stop())

function helmTest(env: Readonly<Record<string, string>>): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT], { env: { ISSUER: system.issuer, ...env } }, (error, output) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output }),
    )
  })
}

function person(password: string) {
  const client = { CLIENT_ID: 'web', CLIENT_SECRET: WEB_SECRET, REDIRECT_URI }
  return { USERNAME: 'alice', PASSWORD: password, ...client }
}

describe('the commands of helm test', () => {
  it('signs in, redeems, reads the user and revokes', async () => {
    const { code, output } = await helmTest(person(PASSWORD))
    expect(output).toContain('login, token, introspection and keys answer')
    expect(output).toContain('signed in as alice, and the revoked token is refused')
    expect(code).toBe(0)
  })

  it('asks every service when it is given no user', async () => {
    expect(await helmTest({})).toMatchObject({ code: 0, output: expect.stringContaining('nobody signed in') })
  })

  it('fails for a wrong password and for a service that is away', async () => {
    const wrong = await helmTest(person('wrong-password'))
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('signing in gives no code') })
    const away = await helmTest({ TOKEN_URL: 'http://127.0.0.1:1' })
    expect(away).toMatchObject({ code: 1, output: expect.stringMatching(/failed: fetch failed/) })
  })
})
