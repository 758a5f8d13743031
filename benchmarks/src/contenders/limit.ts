// The limit of the machine: Express handlers that do what an endpoint cannot do without, and nothing else.
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parse } from 'node:querystring'
import { promisify } from 'node:util'
import { createPasswordHasher, DUMMY_HASH } from '@signet/password-hash/password-hasher'
import { Secret } from '@signet/platform/config/settings-fields'
import { createPool } from '@signet/platform/postgres/pool'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { serveContender } from './contender-main.ts'

export interface LimitSettings {
  readonly postgresUrl: string
}

/** The response of a handler at `/<kind>/<name>`, copied from Signet byte for byte. */
export interface PreparedAnswer {
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const signAsync = promisify(sign)
const verifyAsync = promisify(verify)
const KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
}
// A proof (RFC 9449), which has some 400 bytes.
const PROOF = { signed: randomBytes(400), key: createPublicKey(KEYS.ES256) }
const SIGNATURE = sign('sha256', PROOF.signed, KEYS.ES256)
// Header and claims of an access token as RFC 9068 has them, which is what gets signed.
const SIGNED_BYTES = 600
// More than concurrent requests, so that each has a counter of its own.
const COUNTERS = 256

// As the directory has it.
const PASSWORD_HASHING = { concurrency: Math.max(1, availableParallelism() - 1), queueLimit: 1_000 }

await serveContender<LimitSettings>(async ({ postgresUrl }) => {
  const answers = new Map<string, PreparedAnswer>()
  const database = createPool({ url: new Secret(postgresUrl), applicationName: 'limit' })
  await database.query({
    name: '',
    text: 'CREATE TABLE IF NOT EXISTS limit_counter (id int PRIMARY KEY, n bigint NOT NULL)',
  })
  await database.query({
    name: '',
    text: 'INSERT INTO limit_counter SELECT id, 0 FROM generate_series(0, $1) id ON CONFLICT (id) DO UPDATE SET n = 0',
    values: [COUNTERS - 1],
  })
  const hasher = createPasswordHasher(PASSWORD_HASHING)
  const free = Array.from({ length: COUNTERS }, (_, id) => ({ id, n: 0 }))

  async function update(): Promise<void> {
    const counter = free.shift()
    if (counter === undefined) throw new Error('there are more requests at once than counters')
    // Index: the primary key.
    const { rowCount } = await database.query({
      name: 'limit.update',
      text: 'UPDATE limit_counter SET n = n + 1 WHERE id = $1 AND n = $2',
      values: [counter.id, counter.n],
    })
    if (rowCount !== 1) throw new Error('the guarded UPDATE found no row')
    counter.n += 1
    free.push(counter)
  }

  function send(res: Response, name: string): void {
    const answer = answers.get(name)
    if (answer === undefined) {
      res.status(404).end()
      return
    }
    res.statusCode = answer.status
    for (const header in answer.headers) res.setHeader(header, answer.headers[header] ?? '')
    res.end(answer.body)
  }

  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  const nameOf = (req: Request) => String(req.params.name)
  app.get('/answer/:name', (req, res) => send(res, nameOf(req)))
  app.post('/answer/:name', smallForm, (req, res) => send(res, nameOf(req)))
  app.post('/update/:name', smallForm, async (req, res) => {
    await update()
    send(res, nameOf(req))
  })
  app.post('/argon2/:name', smallForm, async (req, res) => {
    await hasher.verifyPassword(DUMMY_HASH, 'wrong')
    send(res, nameOf(req))
  })
  app.post('/verify/:name', smallForm, async (req, res) => {
    if (!(await verifyAsync('sha256', PROOF.signed, PROOF.key, SIGNATURE))) throw new Error('no signature')
    send(res, nameOf(req))
  })
  for (const [alg, key] of Object.entries(KEYS)) {
    app.post(`/${alg}/:name`, smallForm, async (req, res) => {
      await signAsync('sha256', randomBytes(SIGNED_BYTES), key)
      send(res, nameOf(req))
    })
  }
  return {
    listener: app,
    told: (answer: PreparedAnswer) => void answers.set(answer.name, answer),
  }
})

/** The least that reads a form; Express's own reader takes as long as everything else together. */
function smallForm(...[req, res, next]: Parameters<RequestHandler>): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    req.body = parse(Buffer.concat(chunks).toString('utf8'))
    if (Object.keys(req.body).length === 0) res.status(400).end()
    else next()
  })
}
