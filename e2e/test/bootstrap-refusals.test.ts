import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@signet/testing/free-port'
import {
  type BootstrapFile,
  createDataDirectory,
  type DataDirectory,
  writeBootstrapFile,
} from '@signet/testing/system/installation'
import { stillRunning } from '@signet/testing/system/process-tree'
import { type EndedProcess, runToEnd } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const TIMEOUT_MS = 60_000
let good: BootstrapFile

beforeAll(async () => {
  good = await writeBootstrapFile(bootstrapDocument())
})
afterAll(() => good?.remove())

/** The lines that are meant for the operator; log lines are JSON. */
const spoken = ({ stderr }: EndedProcess) =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))

async function expectNothingLeft({ code, stdout, descendants }: EndedProcess): Promise<void> {
  expect(code).toBe(1)
  expect(stdout).not.toMatch(/^ready /m)
  await expect.poll(() => stillRunning(descendants), { timeout: 5_000 }).toEqual([])
}

const start = (env: Readonly<Record<string, string>>, data?: DataDirectory) =>
  runToEnd({ SIGNET_BOOTSTRAP_FILE: good.path, ...env }, data)

describe('a file with problems stops the start', () => {
  it(
    'refuses an unknown key, a duplicate id, a dangling reference and an invalid URL with their path and exit code 1',
    async () => {
      const document = bootstrapDocument()
      const [organization] = document.organizations
      const broken = {
        ...document,
        organizations: [
          {
            ...organization,
            colour: 'blue',
            users: [
              ...(organization?.users ?? []),
              { id: 'alice', userName: 'another', profile: { givenName: 'A', familyName: 'B' } },
            ],
            projects: [
              {
                id: 'portal',
                name: 'Portal',
                grants: [{ userId: 'nobody', roles: [] }],
                applications: [
                  {
                    id: 'web',
                    clientId: 'web',
                    name: 'Web',
                    type: 'web',
                    authMethod: 'none',
                    redirectUris: ['not a url'],
                  },
                ],
              },
            ],
          },
        ],
        defaultOrganization: 'nowhere',
      }
      const file = await writeBootstrapFile(broken)
      const ended = await runToEnd({ SIGNET_BOOTSTRAP_FILE: file.path })
      await file.remove()
      const problems = spoken(ended)
      for (const path of [
        /organizations\[0\]\.colour: /,
        /organizations\[0\]\.users\[\d+\]\.id: .*alice/,
        /organizations\[0\]\.projects\[0\]\.grants\[0\]\.userId: .*nobody/,
        /organizations\[0\]\.projects\[0\]\.applications\[0\]\.redirectUris\[0\]: /,
        /defaultOrganization: .*nowhere/,
      ]) {
        expect(
          problems.filter((line) => path.test(line)),
          `${path}`,
        ).toHaveLength(1)
      }
      expect(problems).toHaveLength(5)
      expect(ended.stderr).not.toMatch(/^\s+at /m)
      await expectNothingLeft(ended)
    },
    TIMEOUT_MS,
  )

  it(
    'a file that is not there or not YAML is one line',
    async () => {
      for (const [content, expected] of [
        [undefined, /SIGNET_BOOTSTRAP_FILE: cannot read .*\(ENOENT\)$/],
        ['organizations: [', /bootstrap\.json: /],
      ] as const) {
        const file = await writeBootstrapFile({})
        if (content === undefined) await file.remove()
        else await writeFile(file.path, content)
        const ended = await runToEnd({ SIGNET_BOOTSTRAP_FILE: file.path })
        await file.remove()
        expect(spoken(ended)[0]).toMatch(expected)
        expect(ended.stderr).not.toMatch(/^\s+at /m)
        await expectNothingLeft(ended)
      }
    },
    TIMEOUT_MS,
  )
})

describe('an error that an operator can fix is one clear line, exit code 1, and leaves no files', () => {
  const unreachable = async () =>
    `postgresql://postgres:secret-of-nobody@127.0.0.1:${await freePort()}/postgres`

  it(
    'PostgreSQL unreachable',
    async () => {
      const url = await unreachable()
      const ended = await start({ SIGNET_POSTGRES_URL: url })
      expect(spoken(ended)).toEqual([
        expect.stringMatching(/^signet: PostgreSQL at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/),
      ])
      expect(ended.stderr).not.toContain('secret-of-nobody')
      await expectNothingLeft(ended)
    },
    TIMEOUT_MS,
  )

  it(
    'settings: unknown names and invalid values, all at once, before anything is started',
    async () => {
      const ended = await start({ SIGNET_COLOUR: 'blue', SIGNET_PORT: 'many', SIGNET_LOG_LEVEL: 'whisper' })
      expect(
        spoken(ended)
          .map((line) => /SIGNET_\w+/.exec(line)?.[0])
          .sort(),
      ).toEqual(['SIGNET_COLOUR', 'SIGNET_LOG_LEVEL', 'SIGNET_PORT'])
      await expectNothingLeft(ended)
    },
    TIMEOUT_MS,
  )

  describe('on an installation that was started before', () => {
    let data: DataDirectory
    beforeAll(async () => {
      data = await createDataDirectory()
      await (await startSystem({ mode: 'standalone', data })).stop()
    }, TIMEOUT_MS)
    afterAll(() => data?.remove())

    it.each(['SIGNET_KEYS_MASTER_KEY', 'SIGNET_DIRECTORY_MASTER_KEY'])(
      'wrong %s [F-28]',
      async (name) => {
        const wrong = randomBytes(32).toString('base64url')
        const ended = await start({ [name]: wrong }, data)
        expect(spoken(ended)).toEqual([expect.stringMatching(new RegExp(`^signet: ${name}`))])
        expect(ended.stderr).not.toContain(wrong)
        await expectNothingLeft(ended)
      },
      TIMEOUT_MS,
    )

    it(
      'refuses a data directory of another running process, which continues',
      async () => {
        const first = await startSystem({ mode: 'standalone', data })
        const second = await start({}, data)
        expect(spoken(second)).toEqual([
          expect.stringMatching(/^signet: .*in use by another running process/),
        ])
        await expectNothingLeft(second)
        expect((await fetch(`${first.issuer}/.well-known/openid-configuration`)).status).toBe(200)
        expect(await first.stop()).toBe(0)
      },
      TIMEOUT_MS,
    )

    it(
      'port taken',
      async () => {
        const taken = createServer().listen(0, '127.0.0.1')
        await once(taken, 'listening')
        const { port } = taken.address() as AddressInfo
        const ended = await start({ SIGNET_PORT: `${port}` }, data)
        taken.close()
        expect(spoken(ended)).toEqual([
          expect.stringMatching(new RegExp(`^signet: .*${port}.*(in use|taken)`)),
        ])
        await expectNothingLeft(ended)
      },
      TIMEOUT_MS,
    )

    it(
      'Redis unreachable',
      async () => {
        const ended = await start(
          { SIGNET_REDIS_URL: `redis://:secret-of-nobody@127.0.0.1:${await freePort()}` },
          data,
        )
        expect(spoken(ended)).toEqual([
          expect.stringMatching(/^signet: .*Redis.*(ECONNREFUSED|reach).*SIGNET_REDIS_URL/),
        ])
        expect(ended.stderr).not.toContain('secret-of-nobody')
        await expectNothingLeft(ended)
      },
      TIMEOUT_MS,
    )

    it(
      'the file with its keys is damaged',
      async () => {
        await writeFile(join(data.path, 'installation.json'), '{"keysMasterKey":')
        const ended = await start({}, data)
        expect(spoken(ended)).toEqual([expect.stringMatching(/^signet: .*installation\.json is damaged/)])
        await expectNothingLeft(ended)
      },
      TIMEOUT_MS,
    )
  })
})
