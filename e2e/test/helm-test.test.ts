import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument, PASSWORD, REDIRECT_URI, WEB_SECRET } from '@signet/testing/system/test-directory'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../deploy/helm/signet/files/sign-in-test.mjs', import.meta.url))

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const SUBJECT = 'system:serviceaccount:identity:signet-test'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keySet = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] }

let system: InProcessSystem
let folder: string
beforeAll(async () => {
  folder = await temporaryFolder('helm-test')
  const inPod = {
    ...{ id: 'pod', clientId: 'pod', name: 'Pod', type: 'web', authMethod: 'private_key_jwt' },
    ...{ redirectUris: [REDIRECT_URI], grantTypes: ['authorization_code'], responseTypes: ['code'] },
    trustedIssuers: [{ id: 'cluster', issuer: CLUSTER, subject: SUBJECT, keySet }],
  } as const
  const document = bootstrapDocument({ moreApplications: [inPod] })
  system = await startSystem({ mode: 'in-process', document })
})
afterAll(async () => {
  await system?.stop()
  await rm(folder, { recursive: true })
})

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

  it('signs in with the token of its pod in place of a secret', async () => {
    const iat = Math.floor(system.clock.now().getTime() / 1000)
    const token = await new SignJWT({ iss: CLUSTER, sub: SUBJECT, aud: [system.issuer], iat, exp: iat + 600 })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(privateKey)
    const file = join(folder, 'token')
    await writeFile(file, `${token}\n`)
    const client = { CLIENT_ID: 'pod', CLIENT_ASSERTION_FILE: file, REDIRECT_URI }
    const { code, output } = await helmTest({ USERNAME: 'alice', PASSWORD, ...client })
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
