import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openInstallation } from '../../src/installation/installation.ts'
import { SAMPLE_FILE, sampleEnvironment, sampleSecrets } from '../../src/installation/sample.ts'
import { welcome } from '../../src/installation/welcome.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** Every secret of an installation by its name. */
async function secretsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const installation = await openInstallation(folder, randomBytes)
  const masterKey = installation.keysMasterKeys.reveal()[0]?.toString('hex') ?? ''
  const directoryKey = installation.directoryMasterKeys.reveal()[0]?.toString('hex') ?? ''
  const loginKey = installation.loginMasterKeys.reveal()[0]?.toString('hex') ?? ''
  const roles = Object.entries(installation.rolePasswords).map(([role, secret]) => [role, secret.reveal()])
  return {
    ...sampleEnvironment(sampleSecrets(installation)),
    ...Object.fromEntries(roles),
    masterKey,
    directoryKey,
    loginKey,
  }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-installation-'))
  folders.push(folder)
  return folder
}

it('two installations have no secret in common, and one keeps its own [F-44]', async () => {
  const folder = await newFolder()
  const first = await secretsIn(folder)
  const second = await secretsIn(await newFolder())
  expect(Object.keys(first).length).toBeGreaterThan(10)
  const all = [...Object.values(first), ...Object.values(second)]
  expect(new Set(all).size).toBe(all.length)
  for (const secret of all) expect(secret.length).toBeGreaterThanOrEqual(16)
  expect(await secretsIn(folder)).toEqual(first)
  expect((await stat(join(folder, 'installation.json'))).mode & 0o077).toBe(0)
})

it('the sample directory spells no secret out [F-44]', async () => {
  const lines = (await readFile(SAMPLE_FILE, 'utf8')).split('\n')
  const secrets = lines.filter((line) =>
    /\b(?:password|passwordHash|totpSecret|clientSecret|token):/.test(line),
  )
  expect(secrets.length).toBeGreaterThan(3)
  for (const line of secrets) expect(line).toMatch(/: \$\{SAMPLE_\w+\}(?: *[},#]|$)/)
})

it("a later start names the file with the sample's secrets, new ones included", async () => {
  const dataDirectory = await newFolder()
  const file = join(dataDirectory, 'first-run.txt')
  const start = async () =>
    welcome(
      { issuer: 'http://localhost:8080', dataDirectory },
      await openInstallation(dataDirectory, randomBytes),
    )
  expect(await start()).toContain('administrator')
  const first = await readFile(file, 'utf8')
  await writeFile(file, 'alice alone\n')
  const later = await start()
  expect(later).toContain(file)
  expect(later).not.toContain('administrator')
  expect(await readFile(file, 'utf8')).toBe(first)
  expect((await stat(file)).mode & 0o077).toBe(0)
})
