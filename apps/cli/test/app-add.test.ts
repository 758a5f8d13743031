import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@signet/testing/free-port'
import { openChromium } from '@signet/testing/system/chromium'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { QUICK_START_FILES } from '../src/api/gen/quick-start-files.ts'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url))
const PASSWORD = 'Correct-horse-9'

let fixture: CommandFixture
let folder: string
let number = 0
beforeAll(async () => {
  fixture = await startCommandFixture()
  const create = async (...args: string[]) => expect(await fixture.signet(...args)).toMatchObject({ code: 0 })
  await create('project', 'create', '--set', 'id=shop', '--set', 'name=Shop', '--set', 'organizationId=home')
  const person = ['--set', 'organizationId=home', '--set', 'userName=erin', '--set', `password=${PASSWORD}`]
  const names = ['--set', 'profile.givenName=Erin', '--set', 'profile.familyName=Example']
  await create('user', 'create', ...person, ...names, '--set', 'email.address=erin@home.localhost')
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  number += 1
  folder = join(fixture.folder, `app-${number}`)
})

const text = (file: string) => readFile(join(folder, file), 'utf8')
const applications = async () =>
  JSON.parse((await fixture.signet('application', 'list', '--project-id', 'shop', '--output', 'json')).out)
    .items

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.pid === undefined) return
  process.kill(-program.pid, 'SIGTERM')
  await once(program, 'exit')
}

describe('signet app add', () => {
  it('writes an Express application that signs a person in, by the three lines that it prints', {
    timeout: 60_000,
  }, async () => {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const { code, out } = await fixture.signet('app', 'add', 'express', '--url', url, '--folder', folder)
    expect(code).toBe(0)
    const [install = '', start = '', open = ''] = out.trim().split('\n')
    expect(install).toBe('install: npm install express express-openid-connect')
    expect(open).toContain(`open:    ${url} (client `)
    // The libraries of this checkout in the place of those of the registry.
    await symlink(join(EXAMPLES, 'express', 'node_modules'), join(folder, 'node_modules'))
    const program = spawn('sh', ['-c', start.replace('start:', '')], {
      cwd: folder,
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH },
    })
    const browser = await openChromium()
    try {
      await expect
        .poll(
          () =>
            fetch(url).then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 20_000 },
        )
        .toBe(200)
      const page = await browser.newPage()
      await page.goto(url)
      await page.click('text=Sign in')
      await page.fill('#login-name', 'erin')
      await page.fill('#password', PASSWORD)
      await page.click('#login-submit')
      await page.click('text=Profile')
      await page.getByText('erin@home.localhost').waitFor()
      await page.goBack()
      await page.click('text=Sign out')
      await page.getByText('Sign in').waitFor()
    } finally {
      await browser.close()
      await stop(program)
    }
  })

  it.each([
    ['express', 'server.mjs', 'http://localhost:4000/callback', 'CLIENT_SECRET='],
    ['python', 'app.py', 'http://localhost:4000/callback', 'CLIENT_SECRET='],
    ['react', 'main.jsx', 'http://localhost:5173/', 'VITE_CLIENT_ID='],
    [
      'nextjs',
      'app/api/auth/[...nextauth]/route.js',
      'http://localhost:4000/api/auth/callback/signet',
      'NEXTAUTH_SECRET=',
    ],
    ['django', 'app.py', 'http://localhost:4000/callback', 'SECRET_KEY='],
    ['vue', 'App.vue', 'http://localhost:5173/', 'VITE_CLIENT_ID='],
    ['go', 'main.go', 'http://localhost:4000/callback', 'CLIENT_SECRET='],
    ['spring', 'src/main/resources/application.yml', 'http://localhost:4000/callback', 'CLIENT_SECRET='],
  ])(
    'creates the application of %s and writes its code and settings',
    async (stack, file, redirectUri, variable) => {
      const { code, out } = await fixture.signet(
        'app',
        'add',
        stack,
        '--folder',
        folder,
        '--name',
        `a ${stack}`,
      )
      expect(code).toBe(0)
      expect(out.trim().split('\n')).toHaveLength(3)
      const settings = await text('.env')
      expect(settings).toContain(fixture.system.issuer)
      expect(settings).toContain(variable)
      expect(out).not.toContain(/CLIENT_SECRET=(\S+)/.exec(settings)?.[1] ?? 'CLIENT_SECRET')
      expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600)
      const [, clientId] = /CLIENT_ID=(\S+)/.exec(settings) ?? []
      const made = (await applications()).find(
        (application: { clientId: string }) => application.clientId === clientId,
      )
      expect(made).toMatchObject({ name: `a ${stack}`, redirectUris: [redirectUri] })
      expect((await text(file)).length).toBeGreaterThan(50)
    },
  )

  it('has the files of the examples as they are', async () => {
    const source = await readFile(join(EXAMPLES, 'express', 'server.mjs'), 'utf8')
    expect(QUICK_START_FILES.express).toEqual({ 'server.mjs': source })
  })

  it('asks before it replaces a file, and creates nothing without a yes', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'server.mjs'), 'mine')
    const before = (await applications()).length
    const args = ['app', 'add', 'express', '--folder', folder]
    expect(await fixture.signet(...args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Replaces server\.mjs in .*Add --yes/),
    })
    const asked: string[] = []
    const confirm = async (question: string) => asked.push(question) > 1
    expect((await fixture.signetWith({ confirm }, ...args)).code).toBe(13)
    expect([await text('server.mjs'), (await applications()).length]).toEqual(['mine', before])
    expect((await fixture.signetWith({ confirm }, ...args)).code).toBe(0)
    expect(await text('server.mjs')).toContain('express-openid-connect')
  })

  it('asks for what is left out', async () => {
    const answers = ['express', '']
    const asked: string[] = []
    const ask = async (question: string) => {
      asked.push(question)
      return answers.shift() ?? ''
    }
    expect((await fixture.signetWith({ ask }, 'app', 'add', '--folder', folder)).code).toBe(0)
    expect(asked).toEqual([
      'Stack (express, python, django, react, vue, nextjs, go, spring)?',
      'Address [http://localhost:4000]?',
    ])
  })

  it('names the application and the way to another secret when the settings cannot be written', async () => {
    await mkdir(join(folder, '.env'), { recursive: true })
    const failed = await fixture.signet('app', 'add', 'express', '--folder', folder, '--yes')
    expect(failed).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /EISDIR.*the application (\S+) was created, and signet application rotate-secret \1/,
      ),
    })
    await rm(folder, { recursive: true })
  })

  it.each([
    [['app', 'add'], /^give the stack: express/],
    [['app', 'add', 'expres'], /^"expres" is no stack; there are .*; did you mean express\?/],
    [
      ['app', 'add', 'express', '--url', 'https://shop.example'],
      /^--url https:\/\/shop\.example: must be an address such as/,
    ],
  ])('refuses %j', async (args, message) => {
    expect(await fixture.signet(...args)).toMatchObject({ code: 2, err: expect.stringMatching(message) })
  })

  it('asks for the project where there are several', async () => {
    const two = ['--set', 'id=second', '--set', 'name=Second', '--set', 'organizationId=home']
    expect(await fixture.signet('project', 'create', ...two)).toMatchObject({ code: 0 })
    expect(await fixture.signet('app', 'add', 'express', '--folder', folder)).toMatchObject({
      code: 2,
      err: 'give --project: second (Second), shop (Shop)\n',
    })
    expect(
      (await fixture.signet('app', 'add', 'express', '--folder', folder, '--project', 'shop')).code,
    ).toBe(0)
  })
})
