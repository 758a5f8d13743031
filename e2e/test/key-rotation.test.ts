import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from '@signet/dev-stack/processes/replica'
import { size } from '@signet/testing/sizes'
import { basic } from '@signet/testing/system/client-credentials'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { signetCommand } from '@signet/testing/system/signet-command'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, bootstrapDocument } from '@signet/testing/system/test-directory'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const SECRET = randomBytes(32).toString('base64url')
/** Algorithms, and the names of the service users whose tokens are signed with them. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
/** Lets the client `api` introspect. */
const API_AUDIENCE = 'urn:service:iam:org:project:id:portal:aud'

interface ShownKey {
  readonly kid: string
  readonly ring: string
  readonly algorithm: string
  readonly state: string
  readonly activeAt: string
}

let postgres: RestartablePostgres
let system: ProcessSystem

beforeAll(async () => {
  const serviceUsers = ALGORITHMS.map((accessTokenSigningAlg) => ({
    ...{ id: accessTokenSigningAlg, userName: accessTokenSigningAlg, clientSecret: SECRET },
    ...{ accessTokenType: 'jwt', accessTokenSigningAlg },
  }))
  postgres = await startRestartablePostgres()
  system = await startSystem({
    mode: 'processes',
    document: bootstrapDocument({ serviceUsers }),
    services: { keys: 2, token: 3 },
    postgresUrl: postgres.url,
  })
  // Connections between services that were tried before both ends stood come back within two seconds.
  await vi.waitFor(() => Promise.all(tokenReplicas().map((replica) => signed('RS256', replica))), {
    timeout: 30_000,
    interval: 100,
  })
}, 180_000)
afterAll(async () => {
  await system?.stop()
  await postgres?.stop()
}, 60_000)

/** A fresh access token of the service user that signs with this algorithm, from any replica. */
async function signed(alg: string, at = system.issuer): Promise<string> {
  const response = await fetch(`${at}/oauth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: API_AUDIENCE }),
    headers: basic(alg, SECRET).headers,
  })
  const body = (await response.json()) as { access_token?: string }
  if (body.access_token === undefined) throw new Error(`${response.status} ${JSON.stringify(body)}`)
  return body.access_token
}

const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid ?? ''
const cli = (...args: string[]) => signetCommand(args, { issuer: system.issuer, token: ADMIN_TOKEN })
const addressOf = (replica: Replica | undefined) => `http://127.0.0.1:${replica?.ports.http}`
const tokenReplicas = () => system.processes.replicas('token').map(addressOf)

/** Lets every replica read again what it goes by when it signs, if it read that over half a minute ago. */
async function refreshRows(load: Load): Promise<void> {
  await Promise.all(ALGORITHMS.flatMap((alg) => tokenReplicas().map((replica) => signed(alg, replica))))
  const until = load.verified() + 100
  await expect.poll(() => load.verified(), { timeout: 20_000 }).toBeGreaterThan(until)
}

async function manage(path: string, init: RequestInit = {}, at = system.issuer): Promise<Response> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return fetch(`${at}/management/v1/keys${path}`, { ...init, headers })
}

async function keysNow(at: string): Promise<readonly ShownKey[]> {
  return ((await (await manage('', {}, at)).json()) as { keys: ShownKey[] }).keys
}

type Load = ReturnType<typeof startLoad>

/** Signs and verifies all the time until it is stopped, with one cache of the key set for each algorithm. */
function startLoad() {
  const problems: string[] = []
  const kids = new Set<string>()
  const begun = new Set<string>()
  let verified = 0
  let running = true
  const work = async (alg: string, verifier: StrictVerifier) => {
    while (running) {
      try {
        kids.add(await verifier.verify(await signed(alg)))
        begun.add(alg)
        verified += 1
      } catch (error) {
        problems.push(`${alg}: ${error}`)
      }
      await pause(25)
    }
  }
  const workers = ALGORITHMS.map((alg) => work(alg, strictVerifier(system.issuer)))
  return {
    kids,
    /** The algorithms with which something was signed and verified. */
    begun,
    problems,
    verified: () => verified,
    async stop() {
      running = false
      await Promise.all(workers)
    },
  }
}

describe('two processes of keys and three of token', () => {
  it('a rotation under load fails no verifier that honours Cache-Control [F-27]', async () => {
    const load = startLoad()
    await expect.poll(() => load.kids.size, { timeout: 10_000 }).toBe(3)
    const said = await cli('keys', 'rotate')
    expect(said.trim().split('\n')).toHaveLength(3)
    await expect.poll(() => load.kids.size, { timeout: 10_000 }).toBe(6)
    const until = load.verified() + 60
    await expect.poll(() => load.verified(), { timeout: 20_000 }).toBeGreaterThan(until)
    await load.stop()
    expect(load.problems).toEqual([])
  }, 60_000)

  it('kill -9 of keys during a rotation: the next tick continues without an error for clients', async () => {
    const load = startLoad()
    // Not the count of the keys: a replica may sign with one from before the last rotation a moment longer.
    await expect.poll(() => load.begun, { timeout: 10_000 }).toEqual(new Set(ALGORITHMS))
    const rings = ['access-seal', 'origin-mac', 'code-seal', 'refresh-mac']
    for (let round = 0; round < size('killedRotations'); round += 1) {
      const [first, second] = system.processes.replicas('keys')
      const [killed, survivor] = round % 2 === 0 ? [first, second] : [second, first]
      const body = JSON.stringify({ ring: rings[round % rings.length] })
      // The answer never comes, or it came just before.
      const answer = manage('/rotate', { method: 'POST', body }, addressOf(killed)).catch(() => undefined)
      await pause(round * 7)
      await killed?.end('SIGKILL')
      await answer
      const lines = Map.groupBy(
        await keysNow(addressOf(survivor)),
        ({ ring, algorithm }) => `${ring} ${algorithm}`,
      )
      expect(lines.size).toBe(7)
      for (const [line, keys] of lines) {
        const count = (state: string) => keys.filter((key) => key.state === state).length
        expect([line, count('active'), count('announced')]).toEqual([line, 1, 2])
      }
      await killed?.start()
      await vi.waitFor(() => keysNow(addressOf(killed)), { timeout: 20_000, interval: 50 })
    }
    await load.stop()
    expect(load.problems).toEqual([])
    expect(load.verified()).toBeGreaterThan(20)
  }, 300_000)

  it('without PostgreSQL signing and the key set go on', async () => {
    const load = startLoad()
    await expect.poll(() => load.begun, { timeout: 10_000 }).toEqual(new Set(ALGORITHMS))
    await refreshRows(load)
    await postgres.halt()
    const before = load.verified()
    const keySets: number[] = []
    const until = Date.now() + size('outageSeconds') * 1_000
    while (Date.now() < until) {
      keySets.push((await system.fetch('/oauth/v2/keys')).status)
      await pause(500)
    }
    const during = load.verified() - before
    await load.stop()
    await postgres.resume()
    expect(new Set(keySets)).toEqual(new Set([200]))
    expect(load.problems).toEqual([])
    expect(during).toBeGreaterThan(10)
    await expect.poll(async () => (await manage('')).status, { timeout: 20_000 }).toBe(200)
  }, 150_000)

  it('an emergency: tokens of the key are refused at once, also where the stream to keys is cut', async () => {
    const [hearing, silent] = system.processes.replicas('keys')
    const stolen = await signed('RS256')
    const kid = kidOf(stolen)
    const other = await signed('ES256')
    expect(await system.isActive(stolen)).toBe(true)
    // Its lease holders receive nothing any more, and get no error either.
    process.kill(silent?.pid ?? 0, 'SIGSTOP')
    try {
      const at = addressOf(hearing)
      expect((await manage(`/${kid}/revoke`, { method: 'POST' }, at)).status).toBe(200)
      expect(await system.isActive(stolen)).toBe(false)
      expect(await system.isActive(other)).toBe(true)
      expect(await (await fetch(`${at}/oauth/v2/keys`)).text()).not.toContain(kid)
      const kids = () =>
        Promise.all(tokenReplicas().map(async (replica) => kidOf(await signed('RS256', replica))))
      await expect
        .poll(async () => new Set(await kids()).has(kid), { timeout: 10_000, interval: 50 })
        .toBe(false)
      expect(new Set(await kids()).size).toBe(1)
      for (const replica of tokenReplicas())
        expect(await system.isActive(await signed('RS256', replica))).toBe(true)
    } finally {
      process.kill(silent?.pid ?? 0, 'SIGCONT')
    }
    expect(await cli('keys', 'list', '--ring', 'signing')).toMatch(new RegExp(`RS256 +revoked .*${kid}`))
  }, 60_000)

  it('/metrics on the operations port: age and next switch of keys, lag of leases, signatures by key', async () => {
    const metricsOf = async (service: 'keys' | 'token') => {
      const [replica] = system.processes.replicas(service)
      return (await fetch(`http://127.0.0.1:${replica?.ports.operations}/metrics`)).text()
    }
    const ofKeys = await metricsOf('keys')
    expect(ofKeys).toMatch(/^signet_key_active_age_seconds\{ring="signing",algorithm="RS256"\} \d/m)
    expect(ofKeys).toMatch(/^signet_key_next_switch_seconds\{ring="origin-mac",algorithm="HS256"\} \d/m)
    await signed('ES256', tokenReplicas()[0])
    const ofToken = await metricsOf('token')
    expect(ofToken).toMatch(/^signet_key_lease_lag_seconds \d/m)
    expect(ofToken).toMatch(/^signet_key_signatures_total\{algorithm="ES256",kid="[\w-]{43}"\} \d+$/m)
  })

  // It starts the command line five times.
  it('signet keys: plan in the order of time, rewrap, and one line for a refused command', {
    timeout: 90_000,
  }, async () => {
    const [title, ...rows] = (await cli('keys', 'plan')).trimEnd().split('\n')
    expect(title).toMatch(/^WHEN +RING +ALGORITHM +FROM +TO +KEY$/)
    const times = rows.map((row) => row.slice(0, 20))
    expect(times).toEqual(times.toSorted())
    expect(rows.length).toBeGreaterThanOrEqual(21)
    expect(await cli('keys', 'rewrap')).toBe('every secret was under the newest master key already\n')
    await expect(cli('keys', 'revoke', 'nope', '--yes')).rejects.toThrow(
      /^signet: kid: there is no such key \(404\)\n$/,
    )
    await expect(cli('keys', 'rotate', '--ring', 'x')).rejects.toThrow(
      /^signet: ring: must be one of .*\(400\)\n$/,
    )
    const stranger = { issuer: system.issuer, token: 'unknown' }
    await expect(signetCommand(['keys', 'list'], stranger)).rejects.toThrow(/^signet: .*\(401\).*\n$/)
  })
})

/** A resource server that keeps the key set for exactly as long as Cache-Control says, and never asks in between. */
interface StrictVerifier {
  /** Answers the key that signed it; rejects with jose's error. */
  verify(jwt: string): Promise<string>
  /** How often it fetched the key set. */
  readonly fetches: number
}

function strictVerifier(issuer: string): StrictVerifier {
  let cached: { readonly until: number; readonly keySet: Promise<JSONWebKeySet> } | undefined
  let fetches = 0

  function fetched(): Promise<JSONWebKeySet> {
    if (cached !== undefined && Date.now() < cached.until) return cached.keySet
    fetches += 1
    const answer = fetch(`${issuer}/oauth/v2/keys`)
    const keySet = answer.then(async (response) => {
      const maxAge = /^public, max-age=(\d+)$/.exec(response.headers.get('cache-control') ?? '')?.[1]
      if (response.status !== 200 || maxAge === undefined)
        throw new Error(`no key set, but ${response.status}`)
      cached = { until: Date.now() + Number(maxAge) * 1_000, keySet }
      return (await response.json()) as JSONWebKeySet
    })
    return keySet
  }

  return {
    get fetches() {
      return fetches
    },
    async verify(jwt) {
      await jwtVerify(jwt, createLocalJWKSet(await fetched()), { issuer, typ: 'at+jwt' })
      return decodeProtectedHeader(jwt).kid ?? ''
    },
  }
}
