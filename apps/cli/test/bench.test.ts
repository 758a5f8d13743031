import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

const PASSWORD = 'Correct-horse-9'

let fixture: CommandFixture
let client: readonly string[]
let person: readonly string[]
beforeAll(async () => {
  fixture = await startCommandFixture()
  const { folder } = fixture
  const application = {
    ...{ id: 'load', projectId: 'shop', clientId: 'load', name: 'Load', type: 'web', firstParty: true },
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirectUris: ['https://load.example/callback'],
    authMethod: 'client_secret_basic',
  }
  const erin = {
    ...{ id: 'erin', organizationId: 'home', userName: 'erin', password: PASSWORD },
    profile: { givenName: 'Erin', familyName: 'E' },
  }
  const file = (name: string) => join(folder, name)
  await writeFile(file('application.json'), JSON.stringify(application))
  await writeFile(file('erin.json'), JSON.stringify(erin))
  await writeFile(file('password'), PASSWORD)
  const run = async (...args: string[]) => {
    const { code, out, err } = await fixture.signet(...args, '--output', 'json')
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out) as Readonly<Record<string, unknown>>
  }
  await run('project', 'create', '--set', 'id=shop', '--set', 'organizationId=home', '--set', 'name=Shop')
  const { clientSecret } = await run('application', 'create', '--file', file('application.json'))
  await writeFile(file('secret'), `${clientSecret}\n`)
  await run('user', 'create', '--file', file('erin.json'))
  client = ['--client-id', 'load', '--client-secret-file', file('secret')]
  person = [
    '--redirect-uri',
    'https://load.example/callback',
    '--login-name',
    'erin',
    '--password-file',
    file('password'),
  ]
})
afterAll(() => fixture.close())

const bench = (...args: string[]) =>
  fixture.signet('bench', '--issuer', fixture.system.issuer, '--connections', '4', ...args)

interface Shown {
  readonly items: readonly {
    readonly kind: string
    readonly succeeded: number
    readonly failed: number
    readonly perSecond: number
    readonly p50Ms: number
    readonly p95Ms: number
    readonly p99Ms: number
    readonly maxMs: number
    readonly failures: Readonly<Record<string, number>>
  }[]
}

it('sends every kind of request and shows rate and percentiles of each', async () => {
  const bounds = ['--duration', '60', '--requests', '6', '--output', 'json']
  const { code, out, err } = await bench(...client, ...person, ...bounds)
  // The progress of each five seconds is all that may stand there.
  const others = err.split('\n').filter((line) => line !== '' && !/^\d+ s: client-credentials /.test(line))
  expect([code, others]).toEqual([0, []])
  const { items } = JSON.parse(out) as Shown
  expect(items.map(({ kind, succeeded, failed }) => [kind, succeeded, failed])).toEqual(
    ['client-credentials', 'introspection', 'refresh', 'code-flow', 'sign-in'].map((kind) => [kind, 6, 0]),
  )
  for (const { perSecond, p50Ms, p95Ms, p99Ms, maxMs } of items) {
    expect(perSecond).toBeGreaterThan(0)
    expect(p50Ms).toBeGreaterThan(0)
    expect([p50Ms, p95Ms, p99Ms, maxMs]).toEqual([p50Ms, p95Ms, p99Ms, maxMs].toSorted((a, b) => a - b))
  }
})

it('shows a table, and lines of progress on standard error', async () => {
  const rate = ['--rate', 'client-credentials=50', '--duration', '0.5', '--progress', '0.1']
  const { code, out, err } = await bench(...client, ...rate)
  expect(code).toBe(0)
  expect(out).toMatch(
    /^KIND +SUCCEEDED +FAILED +PER SECOND +P50 MS +P95 MS +P99 MS +MAX MS\nclient-credentials +\d/,
  )
  expect(err).toMatch(/^0\.\d s: client-credentials \d+ succeeded, 0 failed, p99 /m)
})

it('ends the load at Ctrl-C and shows the figures so far', async () => {
  const interrupted = new AbortController()
  let tokens = 0
  const counting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    tokens += 1
    if (tokens === 3) interrupted.abort()
    return response
  }
  const args = ['bench', '--issuer', fixture.system.issuer, ...client, '--connections', '1']
  const { code, out } = await fixture.signetWith(
    { fetch: counting, interruption: () => interrupted.signal },
    ...[...args, '--rate', 'client-credentials=100', '--duration', '3600', '--output', 'json'],
  )
  expect(code).toBe(0)
  expect((JSON.parse(out) as Shown).items).toMatchObject([{ succeeded: 3, failed: 0 }])
})

it('counts failures by their reason and ends with 8', async () => {
  let tokens = 0
  const failing: typeof fetch = async (url, init) => {
    tokens += 1
    if (tokens === 2) return new Response('{"error":"server_error"}', { status: 503 })
    if (tokens === 3) throw new TypeError('fetch failed')
    return fetch(url, init)
  }
  const args = [
    'bench',
    '--issuer',
    fixture.system.issuer,
    ...client,
    '--connections',
    '1',
    '--requests',
    '4',
  ]
  const { code, out, err } = await fixture.signetWith(
    { fetch: failing },
    ...[...args, '--rate', 'client-credentials=100', '--duration', '60', '--output', 'json'],
  )
  expect([code, err]).toEqual([
    8,
    'requests failed; client-credentials: 1 × 503 server_error, 1 × no response\n',
  ])
  expect((JSON.parse(out) as Shown).items).toMatchObject([
    { succeeded: 2, failed: 2, failures: { '503 server_error': 1, 'no response': 1 } },
  ])
})

it.each([
  [['--issuer', 'https://id.example.com'], /is another machine.*give --yes and --rate KIND=NUMBER/],
  [['--issuer', 'https://id.example.com', '--yes'], /is another machine/],
  [['--issuer', 'https://id.example.com', '--rate', 'sign-in=1'], /is another machine/],
  [['--issuer', 'http://localhost.example.com'], /is another machine/],
  [
    ['--issuer', 'http://id.example.com', '--yes', '--rate', 'sign-in=1'],
    /^--issuer must be https for another/,
  ],
  [['--issuer', 'nowhere'], /^--issuer must be an http or https URL$/],
  [['--rate', 'signin=1'], /^--rate signin=1: the kind must be client-credentials, introspection, /],
  [['--rate', 'sign-in'], /^--rate sign-in: must be a number above 0 and at most 10000$/],
  [['--rate', 'sign-in=20000'], /^--rate sign-in: must be a number above 0 and at most 10000$/],
  [['--duration', '4000'], /^--duration: must be a number above 0 and at most 3600$/],
  [['--requests', '1000001'], /^--requests: must be a number above 0 and at most 1000000$/],
  [['--connections', '0'], /^--connections: must be a number above 0 and at most 1000$/],
  [[], /^give --client-id and --client-secret-file$/],
])('refuses %j before it sends a request', async (args, message) => {
  const { code, out, err } = await fixture.signetWith(
    { fetch: () => expect.unreachable('no request is sent') },
    ...['bench', '--issuer', fixture.system.issuer, ...args],
  )
  expect([code, out]).toEqual([2, ''])
  expect(err.trim()).toMatch(message)
})

it('names what the kinds of a person need', async () => {
  expect(await bench(...client, '--rate', 'sign-in=1')).toEqual({
    ...{ code: 2, out: '' },
    err: 'sign-in: give --redirect-uri, --login-name and --password-file\n',
  })
})

it('says why a kind did not begin', async () => {
  const wrong = join(fixture.folder, 'wrong')
  await writeFile(wrong, 'wrong')
  const other = ['--client-id', 'load', '--client-secret-file', wrong]
  expect(await bench(...other, '--rate', 'introspection=1')).toEqual({
    ...{ code: 7, out: '' },
    err: 'introspection did not begin: 401 invalid_client\n',
  })
})
