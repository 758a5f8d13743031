import { randomBytes } from 'node:crypto'
import { freePort } from '@signet/testing/free-port'
import {
  type BootstrapFile,
  createDataDirectory,
  type DataDirectory,
  writeBootstrapFile,
} from '@signet/testing/system/installation'
import { descendantsOf, stillRunning } from '@signet/testing/system/process-tree'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import { tokensOf } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const TIMEOUT_MS = 60_000
const NEW_PASSWORD = 'Battery-staple-7'
const FILE_PASSWORD = 'Another-pony-5'

const ROBOT_TOKEN = `sgpat_${randomBytes(32).toString('base64url')}`

/** The test directory with a user whose password others take over, and a personal access token. */
function document(alicePassword?: string) {
  const { organizations, ...rest } = bootstrapDocument()
  return {
    ...rest,
    organizations: organizations.map((organization) => ({
      ...organization,
      users: [
        ...organization.users.map((user) =>
          user.id === 'alice' && alicePassword !== undefined ? { ...user, password: alicePassword } : user,
        ),
        {
          id: 'donor',
          userName: 'donor',
          profile: { givenName: 'D', familyName: 'D' },
          password: NEW_PASSWORD,
        },
      ],
      serviceUsers: [
        {
          id: 'robot',
          userName: 'robot',
          name: 'Robot',
          personalAccessTokens: [{ id: 'pat', token: ROBOT_TOKEN }],
        },
      ],
    })),
  }
}

describe('one installation through several starts', () => {
  let data: DataDirectory
  let file: BootstrapFile
  let system: StandaloneSystem
  // Tokens and cookies belong to one issuer.
  let port: number

  const start = async () => {
    const env = { SIGNET_BOOTSTRAP_FILE: file.path, SIGNET_PORT: `${port}` }
    system = await startSystem({ mode: 'standalone', env, data })
  }
  const restart = async () => {
    expect(await system.stop()).toBe(0)
    await start()
  }
  const sql = <R extends object>(text: string) => data.sql<R & Record<string, unknown>>(text)
  const canSignIn = async (loginName: string, password?: string) =>
    (await system.tryPassword(loginName, password)).headers.get('location') !== null

  beforeAll(async () => {
    port = await freePort()
    data = await createDataDirectory()
    file = await writeBootstrapFile(document())
    await start()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await system?.stop()
    await data?.remove()
  })

  it(
    'an unchanged file brings back neither an old password, nor a lock, nor a deleted token, user or secret',
    async () => {
      expect([await canSignIn('alice'), await canSignIn('lena'), await canSignIn('carol')]).toEqual([
        true,
        false,
        true,
      ])
      await sql(`UPDATE directory.account_password SET changed_at = now(),
                   hash = (SELECT hash FROM directory.account_password WHERE user_id = 'donor') WHERE user_id = 'alice'`)
      await sql(`UPDATE directory.account SET state = 'active' WHERE user_id = 'lena'`)
      await sql(`UPDATE directory.account SET state = 'locked' WHERE user_id = 'carol'`)
      await sql(`DELETE FROM directory.account WHERE user_id = 'bob'`)
      await sql(`DELETE FROM directory.personal_access_token WHERE token_id = 'pat'`)
      await sql(`DELETE FROM directory.application_secret WHERE application_id = 'post'`)

      await restart()
      expect(await canSignIn('alice')).toBe(false)
      expect(await canSignIn('alice', NEW_PASSWORD)).toBe(true)
      expect(await canSignIn('lena')).toBe(true)
      expect(await canSignIn('carol')).toBe(false)
      expect(await sql(`SELECT user_id FROM directory_read.account_life_v1 WHERE user_id = 'bob'`)).toEqual(
        [],
      )
      expect(await sql('SELECT token_id FROM directory_read.personal_access_token_v1')).toEqual([])
      expect((await system.revoke('post', 'x')).status).toBe(401)
    },
    TIMEOUT_MS,
  )

  it(
    'a restart loses no session, no token, no key and no revocation',
    async () => {
      const browser = system.newBrowser()
      const kept = await system.tokens({ browser, loginName: 'dora' })
      const revoked = await system.tokens({ browser, loginName: 'dora' })
      await system.revoke('web', revoked.refresh_token)
      const keys = (await system.fetch('/oauth/v2/keys')).json

      await restart()
      expect((await system.fetch('/oauth/v2/keys')).json).toEqual(keys)
      expect(await system.isActive(kept.access_token)).toBe(true)
      expect(await system.isActive(revoked.access_token)).toBe(false)
      expect((await system.refresh('web', kept.refresh_token)).status).toBe(200)
      expect((await system.refresh('web', revoked.refresh_token)).status).toBe(400)
      // The browser is still signed in: no password is asked for.
      expect((await system.signIn({ browser, parameters: { prompt: 'none' } })).get('code')).not.toBeNull()
    },
    TIMEOUT_MS,
  )

  it(
    'SIGTERM leaves no PostgreSQL and no Redis behind',
    async () => {
      const descendants = await descendantsOf(system.pid)
      const commands = (await stillRunning(descendants)).join('\n')
      expect(commands).toMatch(/postgres/)
      expect(commands).toMatch(/redis-server|valkey-server/)
      expect(await system.stop()).toBe(0)
      expect(await stillRunning(descendants)).toEqual([])
      await start()
    },
    TIMEOUT_MS,
  )

  it(
    'after kill -9 the databases stop, and the next start has everything',
    async () => {
      const browser = system.newBrowser()
      const kept = await system.tokens({ browser, loginName: 'dora' })
      const revoked = await system.tokens({ browser, loginName: 'dora' })
      await system.revoke('web', revoked.access_token)
      const descendants = await descendantsOf(system.pid)
      await system.stop('SIGKILL')
      await expect.poll(() => stillRunning(descendants), { timeout: 15_000 }).toEqual([])

      await start()
      expect(await system.isActive(kept.access_token)).toBe(true)
      expect(await system.isActive(revoked.access_token)).toBe(false)
      expect((await system.refresh('web', kept.refresh_token)).status).toBe(200)
    },
    TIMEOUT_MS,
  )

  it(
    'a start right after kill -9 works beside processes that still run',
    async () => {
      const { refresh_token } = await system.tokens({ loginName: 'dora' })
      await system.stop('SIGKILL')
      await start()
      expect((await system.refresh('web', refresh_token)).status).toBe(200)
    },
    TIMEOUT_MS,
  )

  it(
    'writes the changed fields of the file and no others',
    async () => {
      await file.write(document(FILE_PASSWORD))
      const before = tokensOf(await system.redeem(await system.code({ loginName: 'dora' })))
      await restart()
      expect(await canSignIn('alice', FILE_PASSWORD)).toBe(true)
      expect(await canSignIn('alice', NEW_PASSWORD)).toBe(false)
      expect(await canSignIn('lena')).toBe(true)
      expect(await canSignIn('carol')).toBe(false)
      expect(await system.isActive(before.access_token)).toBe(true)
    },
    TIMEOUT_MS,
  )
})
