import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { startHttpServer } from '@signet/testing/http-server'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AssertionRefusal } from '../src/signed-assertion.ts'
import { createTokenReview } from '../src/token-review.ts'

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const EXPECTED = {
  issuer: CLUSTER,
  subject: 'system:serviceaccount:shop:orders',
  audience: 'https://id.example',
}
const KNOWN = { authenticated: true, audiences: [EXPECTED.audience], user: { username: EXPECTED.subject } }

interface Asked {
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly spec: unknown
}

const cluster = { answer: {} as object | string, code: 201, hangs: false, asked: [] as Asked[] }
let server: Awaited<ReturnType<typeof startHttpServer>>
let folder: string
let tokenFile: string
let nowMs = 0
const warnings: unknown[] = []
const logger = { warn: (...line: unknown[]) => void warnings.push(line) }

beforeAll(async () => {
  folder = await temporaryFolder('token-review')
  tokenFile = join(folder, 'token')
  server = await startHttpServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const { spec } = JSON.parse(Buffer.concat(parts).toString())
      cluster.asked.push({ path: req.url, authorization: req.headers.authorization, spec })
      if (cluster.hangs) return
      const { answer } = cluster
      res
        .writeHead(cluster.code)
        .end(typeof answer === 'string' ? answer : JSON.stringify({ status: answer }))
    })
  })
})
beforeEach(async () => {
  Object.assign(cluster, { answer: KNOWN, code: 201, hangs: false, asked: [] })
  nowMs = 0
  warnings.splice(0)
  await writeFile(tokenFile, 'of-signet\n')
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true })
})

const create = (
  change: { readonly url?: string; readonly tokenFile?: string; readonly caFile?: string } = {},
) =>
  createTokenReview({
    servers: [{ issuer: CLUSTER, url: server.url, tokenFile, ...change }],
    elapsed: () => nowMs,
    logger,
  })

it('asks about tokens of its issuers alone', async () => {
  await create()('text', { ...EXPECTED, issuer: 'https://else.example' })
  expect(cluster.asked).toEqual([])
})

it('says once that an issuer of service accounts has no API server while others have one', async () => {
  const issuer = 'https://kubernetes.default.svc.cluster.locale'
  const review = create()
  await review('first', { ...EXPECTED, issuer })
  await review('second', { ...EXPECTED, issuer })
  expect(warnings).toEqual([['token_review_missing', { issuer }]])
  await review('of a pipeline', { ...EXPECTED, issuer: 'https://ci.example', subject: 'repo:shop/orders' })
  await review('third', EXPECTED)
  await createTokenReview({ servers: [], elapsed: () => nowMs, logger })('fourth', EXPECTED)
  expect(warnings).toHaveLength(1)
})

it('asks with the token of the file, which the platform replaces', async () => {
  const review = create()
  await review('first', EXPECTED)
  await writeFile(tokenFile, 'renewed')
  await review('second', EXPECTED)
  const path = '/apis/authentication.k8s.io/v1/tokenreviews'
  expect(cluster.asked).toEqual([
    { path, authorization: 'Bearer of-signet', spec: { token: 'first', audiences: [EXPECTED.audience] } },
    { path, authorization: 'Bearer renewed', spec: { token: 'second', audiences: [EXPECTED.audience] } },
  ])
})

it.each<[what: string, answer: object]>([
  ['it does not know', { error: 'service account token has been invalidated' }],
  ['it refuses', { ...KNOWN, authenticated: false }],
  ['is of another service account', { ...KNOWN, user: { username: 'system:serviceaccount:shop:other' } }],
  ['has no user', { ...KNOWN, user: undefined }],
  ['is for another audience', { ...KNOWN, audiences: ['https://else.example'] }],
  ['has no audience that the API server knows', { ...KNOWN, audiences: undefined }],
])('refuses a token that %s', async (_what, answer) => {
  cluster.answer = answer
  const refusal = create()('text', EXPECTED)
  await expect(refusal).rejects.toThrow(AssertionRefusal)
  await expect(refusal).rejects.toMatchObject({ reason: 'token_review_refused' })
})

describe('an API server that does not answer', () => {
  it.each<[what: string, change: Partial<typeof cluster>]>([
    ['forbids the call', { code: 403 }],
    ['fails', { code: 500 }],
    ['redirects', { code: 307 }],
    ['answers no JSON', { answer: 'text' }],
    ['answers something else', { answer: { authenticated: 'yes' } }],
    ['answers too much', { answer: ' '.repeat(1_100_000) }],
    ['hangs', { hangs: true }],
  ])('refuses for now when it %s', async (_what, change) => {
    Object.assign(cluster, change)
    await expectUnavailable(create()('text', EXPECTED))
  })

  it.each([
    ['cannot be reached', { url: 'http://127.0.0.1:1' }],
    ['has a link-local address', { url: 'http://169.254.169.254' }],
    ['has no token file', { tokenFile: '/does/not/exist' }],
    ['has no file of its authority', { caFile: '/does/not/exist' }],
  ])('refuses for now when it %s', async (_what, change) => {
    await expectUnavailable(create(change)('text', EXPECTED))
    expect(cluster.asked).toEqual([])
  })

  it('holds fifty calls at most', async () => {
    cluster.hangs = true
    const review = create()
    const running = Array.from({ length: 50 }, (_, index) => review(`text-${index}`, EXPECTED))
    const ended = Promise.allSettled(running)
    await expectUnavailable(review('one more', EXPECTED))
    await ended
    expect(cluster.asked).toHaveLength(50)
    cluster.hangs = false
    await review('after them', EXPECTED)
  })

  it('takes no calls from the others', async () => {
    const other = await startHttpServer((req, res) => {
      req.resume().on('end', () => res.writeHead(201).end(JSON.stringify({ status: KNOWN })))
    })
    const issuer = 'https://other.example'
    const review = createTokenReview({
      servers: [
        { issuer: CLUSTER, url: server.url, tokenFile },
        { issuer, url: other.url, tokenFile },
      ],
      elapsed: () => nowMs,
      logger,
    })
    cluster.hangs = true
    const hanging = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => review(`text-${index}`, EXPECTED)),
    )
    await review('of the other', { ...EXPECTED, issuer }).finally(() => other.stop())
    await hanging
  })
})

describe('the answer about a token', () => {
  it('is asked for once by calls at the same time', async () => {
    const review = create()
    await Promise.all(Array.from({ length: 10 }, () => review('text', EXPECTED)))
    expect(cluster.asked).toHaveLength(1)
  })

  it('counts for five seconds', async () => {
    const review = create()
    nowMs = 1_000
    await review('text', EXPECTED)
    cluster.answer = { authenticated: false }
    nowMs = 5_999
    await review('text', EXPECTED)
    nowMs = 6_001
    await expect(review('text', EXPECTED)).rejects.toThrow(AssertionRefusal)
    expect(cluster.asked).toHaveLength(2)
  })

  it('is not kept when it is a refusal, or none', async () => {
    const review = create()
    cluster.code = 500
    await expectUnavailable(review('text', EXPECTED))
    Object.assign(cluster, { code: 201, answer: { authenticated: false } })
    await expect(review('text', EXPECTED)).rejects.toThrow(AssertionRefusal)
    cluster.answer = KNOWN
    await review('text', EXPECTED)
    expect(cluster.asked).toHaveLength(3)
  })
})

async function expectUnavailable(review: Promise<void>): Promise<void> {
  await expect(review).rejects.toThrow(TemporarilyUnavailableError)
  await expect(review).rejects.toMatchObject({
    reason: 'token_review_unavailable',
    headers: { 'Retry-After': '1' },
  })
}
