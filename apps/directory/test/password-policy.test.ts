import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { silentLogger } from '@signet/platform/logger/logger'
import { LOOPBACK } from '@signet/platform/outbound-http/address-policy'
import { createGetText } from '@signet/platform/outbound-http/http-calls'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PasswordComplexity } from '../src/accounts/account.ts'
import { createBreachCheck } from '../src/credentials/password-breaches.ts'
import { createPasswordCheck } from '../src/credentials/password-check.ts'
import { passwordProblems } from '../src/credentials/password-policy.ts'
import { createWeaknessCheck } from '../src/credentials/password-strength.ts'

const rules = (password: string, complexity?: PasswordComplexity) =>
  passwordProblems(password, complexity).map(({ rule }) => rule)

describe('rules of passwords [F-31]', () => {
  it.each([
    ['eight characters of one kind', 'aaaaaaaa'],
    ['64 characters', 'a'.repeat(64)],
    ['any characters, counted as people see them', '🔑🔑🔑🔑🔑🔑🔑🔑'],
    ['spaces', 'eight of us'],
  ])('accepts %s', (_, password) => {
    expect(rules(password)).toEqual([])
  })

  it('refuses passwords that are too short or too long', () => {
    expect(rules('🔑🔑🔑🔑')).toEqual(['needs at least 8 characters'])
    expect(rules('a'.repeat(257))).toEqual(['may have at most 256 characters'])
  })

  it('lets the policy of an organization decide, and names every rule that is broken', () => {
    const policy = { minLength: 10, hasUppercase: true, hasLowercase: true, hasNumber: true, hasSymbol: true }
    expect(rules('------', { ...policy, hasSymbol: false })).toEqual([
      'needs at least 10 characters',
      'needs an upper-case letter',
      'needs a lower-case letter',
      'needs a digit',
    ])
    expect(rules('Ünïcode 99', policy)).toEqual(['needs a symbol'])
    expect(rules('Ünïcode-99', policy)).toEqual([])
    expect(rules('abcd', { minLength: 4 })).toEqual([])
  })
})

const ALICE = ['alice', 'alice@acme.example', 'Alice', 'Example', 'Violet Harbour']

describe('the strength of a password', () => {
  const findWeakness = createWeaknessCheck(3)

  it.each(['password', 'PassWord', '1q2w3e4r', 'iloveyou'])(
    'refuses %s, which many people use',
    async (password) => {
      expect(await findWeakness(password, [])).toBe('password_common')
    },
  )

  it.each([
    'Summer2026!',
    'Sommer2026!',
    'Frühling2026!',
    '!Winter2025!',
    'Passwort123!',
    'P@ssw0rd!',
    'aaaaaaaaaaaaaaaa',
    'qwertzuiopasdf',
    'Alice2026!',
    'acme.example',
    'VioletHarbour1',
  ])('refuses %s, which is easy to guess', async (password) => {
    expect(await findWeakness(password, ALICE)).toBe('password_weak')
  })

  it.each([
    'Correct-horse-9',
    'kaninchen fahrrad',
    'Kq7#mP2xZ',
    'correct horse battery staple',
    '日本語のパスワード',
  ])('accepts %s', async (password) => {
    expect(await findWeakness(password, ALICE)).toBeUndefined()
  })

  it('refuses less at a lower score', async () => {
    expect(await createWeaknessCheck(2)('Summer2026!', [])).toBeUndefined()
    expect(await createWeaknessCheck(1)('password', [])).toBe('password_common')
    expect(await createWeaknessCheck(4)('Kq7#mP2xZ', [])).toBe('password_weak')
  })

  it.each(['4@$!1|0', 'p@$$w0rd12', '1.2.91', 'aB3$xY7-'])(
    'takes little time for the longest password, of %s',
    async (part) => {
      const times: number[] = []
      for (let round = 0; round < 10; round += 1) {
        const before = process.cpuUsage()
        await findWeakness(part.repeat(64).slice(0, 256), Array(50).fill('x'.repeat(200)))
        times.push(process.cpuUsage(before).user / 1_000)
      }
      // About 5 ms; 50 or more without the limits. The fastest round: other threads of the process count, too.
      expect(Math.min(...times)).toBeLessThan(30)
    },
  )
})

const sha1 = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase()

describe('a list of breached passwords', () => {
  const BREACHED = 'Violet-harbour-27'
  const outcomes: string[] = []
  const requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
  let answer: { status: number; body: string } | 'silent'
  const server = createServer(({ url, headers }, response) => {
    requests.push({ url, headers })
    if (answer !== 'silent') response.writeHead(answer.status).end(answer.body)
  })

  beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    outcomes.splice(0)
    requests.splice(0)
  })

  const checkOf = (url: string) =>
    createBreachCheck({
      url,
      getText: createGetText({ allow: LOOPBACK, timeoutMs: 300 }),
      logger: silentLogger,
      count: (outcome) => outcomes.push(outcome),
    })
  const onServer = () => checkOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`)

  it('is asked for the first five digits of the hash only, with padding', async () => {
    answer = { status: 200, body: `${'0'.repeat(35)}:3\r\n${sha1(BREACHED).slice(5)}:12\r\n` }
    expect(await onServer()(BREACHED)).toBe('password_breached')
    expect(requests).toMatchObject([
      { url: `/range/${sha1(BREACHED).slice(0, 5)}`, headers: { 'add-padding': 'true' } },
    ])
    expect(outcomes).toEqual(['found'])
  })

  it('accepts what is not in the list, and what is padding', async () => {
    answer = { status: 200, body: `${sha1(BREACHED).slice(5)}:0\r\n${'F'.repeat(35)}:9` }
    expect(await onServer()(BREACHED)).toBeUndefined()
    expect(outcomes).toEqual(['not_found'])
  })

  it('accepts and counts a password when the server fails or does not answer', async () => {
    answer = { status: 500, body: '' }
    expect(await onServer()(BREACHED)).toBeUndefined()
    answer = 'silent'
    expect(await onServer()(BREACHED)).toBeUndefined()
    expect(await checkOf('http://127.0.0.1:1/')(BREACHED)).toBeUndefined()
    expect(outcomes).toEqual(['failed', 'failed', 'failed'])
  })

  it('is searched in a sorted file, with and without counts', async () => {
    const folder = await temporaryFolder('breached-passwords')
    const listed = Array.from({ length: 500 }, (_, index) => `password ${index}`)
    for (const [name, end] of [
      ['plain', '\n'],
      ['counts', ':17\r\n'],
    ] as const) {
      const path = join(folder, name)
      await writeFile(
        path,
        listed
          .map((password) => `${sha1(password)}${end}`)
          .sort()
          .join(''),
      )
      const check = checkOf(pathToFileURL(path).href)
      for (const password of listed) expect(await check(password)).toBe('password_breached')
      for (const password of listed) expect(await check(`${password}!`)).toBeUndefined()
    }
    await writeFile(join(folder, 'empty'), '')
    expect(await checkOf(pathToFileURL(join(folder, 'empty')).href)('a')).toBeUndefined()
    expect(outcomes.filter((outcome) => outcome === 'failed')).toEqual([])
    await writeFile(join(folder, 'other'), 'no hashes\n'.repeat(50))
    expect(await checkOf(pathToFileURL(join(folder, 'other')).href)('a')).toBeUndefined()
    expect(await checkOf(pathToFileURL(join(folder, 'missing')).href)('a')).toBeUndefined()
    expect(outcomes.slice(-2)).toEqual(['failed', 'failed'])
  })
})

describe('all rules together', () => {
  const asked: string[] = []
  const check = createPasswordCheck({
    findWeakness: async (password) => {
      asked.push(password)
      return password.startsWith('weak') ? 'password_weak' : undefined
    },
    findBreach: async (password) => (password.startsWith('breached') ? 'password_breached' : undefined),
  })
  const codes = async (password: string) =>
    (await check(password, { complexity: { hasNumber: true }, words: [] })).map(({ code }) => code)

  it('name one rule each, and estimate nothing that breaks a cheap one', async () => {
    expect(await codes('weak-horse')).toEqual(['password_policy'])
    expect(await codes('a1'.repeat(200))).toEqual(['password_too_long'])
    expect(asked).toEqual([])
    expect(await codes('weak-horse-1')).toEqual(['password_weak'])
    expect(await codes('breached-horse-1')).toEqual(['password_breached'])
    expect(await codes('Correct-horse-9')).toEqual([])
  })
})
