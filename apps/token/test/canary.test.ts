import { createSecretKey, randomBytes } from 'node:crypto'
import { createAccessTokenReader } from '@signet/tokens/access-token-reader'
import { ACCESS_TOKEN_SEAL, createOpener, createSealer } from '@signet/tokens/sealed-token'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type AskReader, createCanary, createOwnReader } from '../src/revocation/canary.ts'
import { PostgresEndingStore } from '../src/revocation/revocation.repository.ts'
import { createEndingsLog, createPublishEndings } from '../src/revocation/revocation-log-writer.ts'
import {
  newToken,
  type ReaderEnvironment,
  SOON,
  startReaderEnvironment,
} from './fixtures/reader-environment.ts'

const KEY = { kid: 'k1', key: createSecretKey(randomBytes(32)) }
const ORIGIN_KEY = createSecretKey(randomBytes(32))
const sealer = createSealer(ACCESS_TOKEN_SEAL, KEY, randomBytes)
const read = createAccessTokenReader({
  issuer: 'http://issuer.test',
  opener: createOpener(ACCESS_TOKEN_SEAL, () => KEY.key),
  verifyJws: async () => undefined,
})

let environment: ReaderEnvironment
let ask: AskReader
beforeAll(async () => {
  environment = await startReaderEnvironment()
  await (await environment.writer()).openLog()
  const reader = await environment.reader()
  // Refuses everything until it knows the generation of the database.
  await vi.waitFor(async () => expect(await reader.isEnded(newToken())).toBe(false), SOON)
  ask = createOwnReader(read, reader)
})
afterAll(() => environment?.stop())

async function canary(readers: Readonly<Record<string, AskReader>>, elapsed = () => performance.now()) {
  const { redis } = await environment.writer()
  const observed: [reader: string, seconds: number][] = []
  const round = createCanary({
    ...{ readers, now: () => new Date(), elapsed, random: randomBytes },
    keys: { accessSealer: () => sealer, originKey: () => ORIGIN_KEY },
    endings: new PostgresEndingStore(environment.database),
    publish: createPublishEndings(
      createEndingsLog({
        redis,
        generation: () => 0,
        key: randomBytes(32),
        now: () => new Date(),
        random: randomBytes,
      }),
    ),
    generation: () => 0,
    observe: (reader, seconds) => void observed.push([reader, seconds]),
  })
  return { round, observed }
}

const sql = async <R>(text: string) => (await environment.database.query<R>({ name: '', text })).rows

it('measures how long each reader answers active after the revocation, and leaves no event', async () => {
  let late = 0
  const tokens: string[] = []
  const slow: AskReader = async (token) => {
    tokens.push(token)
    if (await ask(token)) return true
    // Like a reader that is behind by three answers.
    return ++late <= 3
  }
  const { round, observed } = await canary({ token: ask, slow })
  await round()
  expect(observed.map(([reader]) => reader).toSorted()).toEqual(['slow', 'token'])
  const [first = Number.NaN, last = Number.NaN] = observed.map(([, seconds]) => seconds)
  expect(first).toBeGreaterThanOrEqual(0)
  expect(last).toBeGreaterThan(first)
  expect(late).toBe(4)
  expect(new Set(tokens).size).toBe(1)
  expect(await ask(tokens[0] ?? '')).toBe(false)
  expect(
    await sql(`SELECT kind, until < now() + interval '100 s' AS short FROM grants_read.revocation_v1`),
  ).toEqual([{ kind: 't', short: true }])
  expect(await sql('SELECT FROM grants_read.audit_event_v1')).toEqual([])
})

it('does not count the time of an answer that is right', async () => {
  let elapsed = 0
  const slow: AskReader = async (token) => {
    const isActive = await ask(token)
    elapsed += 80
    return isActive
  }
  const { round, observed } = await canary({ slow }, () => elapsed)
  await round()
  expect(observed).toEqual([['slow', 0]])
})

it('issues a token without audience, scope and application', async () => {
  const found: unknown[] = []
  const reading: AskReader = async (value) => {
    found.push((await read(value))?.token)
    return ask(value)
  }
  await (await canary({ reading })).round()
  expect(found[0]).toMatchObject({ clientId: 'signet:canary', audience: [], scope: '', organizations: [] })
  expect(found[0]).not.toHaveProperty('client')
})

it('revokes nothing and rejects when a reader does not accept the new token', async () => {
  const before = await sql('SELECT FROM grants_read.revocation_v1')
  const { round, observed } = await canary({ token: ask, behind: async () => false })
  await expect(round()).rejects.toThrow('the reader behind does not accept a new token')
  expect(observed).toEqual([])
  expect(await sql('SELECT FROM grants_read.revocation_v1')).toHaveLength(before.length)
})
