import { randomBytes } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '@signet/platform/process/service'
import { homeOrganization } from '@signet/testing/home-organization'
import { type S3Server, startS3Server } from '@signet/testing/s3-server'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { signetCommand } from '@signet/testing/system/signet-command'
import { startSystem } from '@signet/testing/system/start-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBackgroundCall } from './background-call.ts'

const ADMIN_TOKEN = randomBytes(32).toString('base64url')
const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'
const MEASURED = ['migration', 'directory'] as const satisfies readonly ServiceName[]
const SAMPLE_MS = 100
const DEADLINE_MS = 1_800_000

let system: ProcessSystem
let storage: S3Server
beforeAll(async () => {
  storage = await startS3Server()
  system = await startSystem({
    mode: 'processes',
    document: { organizations: [homeOrganization(ADMIN_TOKEN)] },
    env: { SIGNET_OUTBOUND_ALLOW: '127.0.0.1' },
  })
}, 120_000)
afterAll(async () => {
  await system?.stop()
  await storage?.stop()
}, 60_000)

/** A call that imports organizations of equally many people; a million are within the bound of a body, 256 MiB. */
function importOf(name: string, organizations: number, each: number): Buffer<ArrayBuffer> {
  const person = (userId: string) => ({
    userId,
    user: {
      userName: userId,
      profile: { firstName: 'Given', lastName: 'Family' },
      hashedPassword: { value: HASH },
    },
  })
  const pieces: Buffer[] = []
  for (let organization = 0; organization < organizations; organization += 1) {
    const orgId = `${name}-${organization}`
    const header = JSON.stringify({ orgId, org: { name: orgId } }).slice(0, -1)
    pieces.push(
      Buffer.from(
        `${organization === 0 ? '{"timeout":"1h","data_orgs":{"orgs":[' : ','}${header},"humanUsers":[`,
      ),
    )
    for (let first = 0; first < each; first += 1_000) {
      const ids = Array.from({ length: Math.min(1_000, each - first) }, (_, at) => `${orgId}-${first + at}`)
      const texts = ids.map((id) => JSON.stringify(person(id)))
      pieces.push(Buffer.from(`${first === 0 ? '' : ','}${texts.join(',')}`))
    }
    pieces.push(Buffer.from(']}'))
  }
  return Buffer.concat([...pieces, Buffer.from(']}}')])
}

async function residentBytesOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024
}

/** The most resident bytes of each measured service while `work` runs. */
async function withPeaks<T>(work: () => Promise<T>) {
  const peaks = new Map<ServiceName, number>()
  const sample = async () => {
    for (const service of MEASURED) {
      const bytes = await residentBytesOf(system.replica(service).pid)
      peaks.set(service, Math.max(peaks.get(service) ?? 0, bytes))
    }
  }
  const timer = setInterval(() => void sample(), SAMPLE_MS)
  try {
    return { result: await work(), peaks }
  } finally {
    clearInterval(timer)
  }
}

const call = createBackgroundCall(() => system.issuer, ADMIN_TOKEN)

interface Job {
  readonly state: string
  readonly counts: { readonly created: number; readonly done: number }
}

/** Starts a job, waits for its end, and prints its rate from the call on and the memory that it took. */
async function measure(what: string, people: number, path: string, body: BodyInit): Promise<Job> {
  const load = loadavg()[0]?.toFixed(1)
  const startedAt = performance.now()
  const { result: job, peaks } = await withPeaks(async () => {
    const answer = await call('POST', path, body)
    expect(answer.status).toBe(202)
    const { id } = (await answer.json()) as { id: string }
    const find = async () => (await (await call('GET', `/jobs/${id}`)).json()) as Job
    await expect
      .poll(async () => (await find()).state, { timeout: DEADLINE_MS, interval: 200 })
      .not.toMatch(/queued|running/)
    return await find()
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const memory = [...peaks].map(([service, bytes]) => `${service} ${Math.round(bytes / 2 ** 20)} MiB`)
  process.stdout.write(
    `${what}: ${Math.round(people / seconds)} people/s, ${seconds.toFixed(1)} s, ${memory.join(', ')}, load before ${load}\n`,
  )
  return job
}

const placeOf = (path: string) => ({
  ...{ path, bucket: storage.bucket, endpoint: storage.url },
  ...{ accessKeyId: 'id', secretAccessKey: 'key' },
})

it.each([
  ['one', 1, 200_000],
  ['small', 10_000, 20],
  ['large', 1, 1_000_000],
])(
  'imports and exports %s: %i organizations of %i people',
  async (name, organizations, each) => {
    const people = organizations * each
    const title = `${organizations} organizations of ${each} people`
    const body = importOf(name, organizations, each)
    const imported = await measure(`import of ${title}`, people, '/import', body)
    expect(imported).toMatchObject({ state: 'succeeded', counts: { created: people + organizations } })
    const org_ids = Array.from({ length: organizations }, (_, at) => `${name}-${at}`)
    const output = { timeout: '1h', org_ids, with_passwords: true, s3_output: placeOf(`${name}-out.json`) }
    const exported = await measure(`export of ${title}`, people, '/export', JSON.stringify(output))
    expect(exported).toMatchObject({ state: 'succeeded', counts: { done: people } })
  },
  3_600_000,
)

/** Writes a realm as `kc.sh export` does, with so many people of one role and a hash of Keycloak's default each. */
async function writeRealm(path: string, people: number): Promise<void> {
  const credentialData = '{"hashIterations":210000,"algorithm":"pbkdf2-sha512","additionalParameters":{}}'
  const secretData = `{"value":"${'A'.repeat(86)}==","salt":"${'A'.repeat(22)}==","additionalParameters":{}}`
  const file = await open(path, 'w')
  await file.write(
    '{"id":"size","realm":"size","enabled":true,"roles":{"realm":[{"name":"member"}]},"users":[',
  )
  for (let first = 0; first < people; first += 1_000) {
    const users = Array.from({ length: Math.min(1_000, people - first) }, (_, at) => ({
      id: `size-${first + at}`,
      username: `size-${first + at}`,
      firstName: 'Given',
      lastName: 'Family',
      email: `size-${first + at}@example.test`,
      emailVerified: true,
      enabled: true,
      createdTimestamp: 1_700_000_000_000,
      credentials: [{ type: 'password', secretData, credentialData }],
      realmRoles: ['member'],
    }))
    await file.write(`${first === 0 ? '' : ','}${users.map((user) => JSON.stringify(user)).join(',')}`)
  }
  await file.write(']}')
  await file.close()
}

it('imports a realm of Keycloak by the command: 200,000 people', async () => {
  const people = 200_000
  const folder = await temporaryFolder('realm')
  try {
    const path = join(folder, 'size-realm.json')
    await writeRealm(path, people)
    const startedAt = performance.now()
    const said = await signetCommand(['import', '--from', 'keycloak', '--timeout', '1h', path], {
      issuer: system.issuer,
      token: ADMIN_TOKEN,
    })
    const seconds = (performance.now() - startedAt) / 1_000
    process.stdout.write(
      `import of a realm of Keycloak: ${Math.round(people / seconds)} people/s, ${seconds.toFixed(1)} s\n${said}\n`,
    )
    const text = `SELECT count(*)::int AS count FROM directory.account WHERE starts_with(user_id, 'size-')`
    const { rows } = await system.database.query<{ count: number }>({ name: '', text })
    expect(rows[0]?.count).toBe(people)
  } finally {
    await rm(folder, { recursive: true })
  }
}, 3_600_000)
