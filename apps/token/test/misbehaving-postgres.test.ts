import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { RpcError } from '@signet/grpc/error'
import { Secret } from '@signet/platform/config/settings-fields'
import { DATABASE_ROLES } from '@signet/platform/postgres/roles'
import { withClient } from '@signet/testing/database-names'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import type { Answer } from '@signet/testing/system/test-system'
import { startTcpRelay, type TcpRelay } from '@signet/testing/tcp-relay'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

const CALLERS = 6

let proxy: TcpRelay
let environment: OAuthEnvironment
const sql = (text: string) => environment.database.query<{ name: string }>({ name: '', text })
let name: string
/** A role of this test that acts as the role of a service, which other tests use: its password can be changed. */
const suffix = randomBytes(6).toString('hex')
const login = (role: string) => `${role}_${suffix}`
beforeAll(async () => {
  proxy = await startTcpRelay(new Secret(inject('postgresUrl')))
  // Makes the roles of the services, if no test has made them.
  const server = await createTestDatabase({ migrations: [] })
  await server.drop()
  await withClient(inject('postgresUrl'), async (admin) => {
    for (const role of DATABASE_ROLES) {
      await admin.query(`CREATE ROLE ${login(role)} LOGIN PASSWORD 'first' IN ROLE ${role}`)
      await admin.query(`ALTER ROLE ${login(role)} SET role = ${role}`)
    }
  })
  const system = await startSystem({
    ...OAUTH_SYSTEM,
    postgresThrough(url) {
      const address = new URL(proxy.through(url).reveal())
      address.username = login(address.username)
      address.password = 'first'
      return new Secret(address.href)
    },
  })
  environment = createOAuthEnvironment(system)
  const { rows } = await sql('SELECT current_database() AS name')
  name = rows[0]?.name ?? ''
  await refuseGrants(false)
  await sql(`CREATE TRIGGER refuse BEFORE INSERT ON grants.authorization_grant
                   FOR EACH ROW EXECUTE FUNCTION grants.refuse()`)
})

/** Replaces the function of a trigger: creating a trigger locks its table, and can deadlock with the inserts under load. */
function refuseGrants(refused: boolean): Promise<unknown> {
  const body = refused ? `RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'` : 'RETURN NEW'
  return sql(`CREATE OR REPLACE FUNCTION grants.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                 BEGIN ${body}; END $$`)
}

afterAll(async () => {
  await environment?.stop()
  await proxy?.stop()
  await withClient(inject('postgresUrl'), (admin) =>
    admin.query(`DROP ROLE IF EXISTS ${DATABASE_ROLES.map(login).join(', ')}`),
  )
})

/** Statuses of what the callers called since `take` was last called; calls of gRPC count as the HTTP status that they become. */
function load() {
  let statuses: number[] = []
  const problems: unknown[] = []
  let isOver = false
  const counted = ({ status, headers, json }: Answer) => {
    statuses.push(status)
    if (status === 503 && !headers.has('retry-after')) problems.push('503 without Retry-After')
    if (status !== 200 && status !== 503) problems.push({ status, json })
    return status === 200 ? json : undefined
  }
  const round = async () => {
    const code = await environment.code({ scope: 'openid offline_access' })
    const tokens = counted(await environment.redeem(code))
    if (tokens === undefined) return
    counted(await environment.refresh(tokens.refresh_token))
    const introspected = counted(await environment.introspect(tokens.access_token))
    if (introspected !== undefined && introspected.active !== true) problems.push(introspected)
  }
  const caller = async () => {
    while (!isOver) {
      try {
        await round()
      } catch (error) {
        if (!(error instanceof RpcError && ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(error.code)))
          problems.push(error)
        statuses.push(503)
      }
      await pause(20)
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  return {
    problems,
    take() {
      const seen = statuses
      statuses = []
      return seen
    },
    async stop() {
      isOver = true
      await Promise.all(callers)
    },
  }
}

const endSessions = () =>
  sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
  )

const changePasswords = async (password: string) => {
  for (const role of DATABASE_ROLES) await sql(`ALTER ROLE ${login(role)} PASSWORD '${password}'`)
}

interface Trouble {
  begin(): Promise<unknown>
  end(): Promise<unknown>
  /** How many requests are refused before it ends; 20 when left out. */
  readonly atLeast?: number
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'a silent server': {
    begin: async () => expect(proxy.silence()).toBeGreaterThan(2),
    end: async () => undefined,
    atLeast: 0,
  },
  'a full disk': {
    begin: () => refuseGrants(true),
    end: () => refuseGrants(false),
  },
  'a read-only server': {
    async begin() {
      await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      await endSessions()
    },
    end: () => sql(`ALTER DATABASE ${name} RESET default_transaction_read_only`),
  },
  'another password': {
    async begin() {
      await changePasswords('another')
      await endSessions()
    },
    end: () => changePasswords('first'),
  },
}

it.each(Object.keys(TROUBLES))(
  'responds with 200 or 503 beside %s and recovers',
  async (trouble) => {
    const { begin, end, atLeast = 20 } = TROUBLES[trouble] as Trouble
    const running = load()
    try {
      await expect.poll(() => running.take().filter((status) => status === 200).length).toBeGreaterThan(3)
      await begin()
      let refused = 0
      const countRefused = () => {
        refused += running.take().filter((status) => status === 503).length
        return refused
      }
      await expect.poll(countRefused, { timeout: 15_000 }).toBeGreaterThan(atLeast)
      await end()
      const seconds = async () => {
        running.take()
        await pause(1_000)
        return running.take()
      }
      const all200 = (statuses: readonly number[]) =>
        statuses.length > 5 && statuses.every((status) => status === 200)
      await expect.poll(async () => all200(await seconds()), { timeout: 20_000 }).toBe(true)
    } finally {
      await running.stop()
    }
    expect(running.problems).toEqual([])
  },
  60_000,
)
