import { generateKeyPairSync } from 'node:crypto'
import { BlockList } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { silentLogger } from '@signet/platform/logger/logger'
import { permittedNetworks } from '@signet/platform/outbound-http/address-policy'
import { createPostForm } from '@signet/platform/outbound-http/http-calls'
import { createDeliveryRound, type TryOutcome } from '@signet/platform/outbox/deliver'
import { impersonationSid, impersonationTokenId } from '@signet/revocation-reader/endings'
import { createFakeClock, type FakeClock } from '@signet/testing/fake-clock'
import { type LogoutReceiver, startLogoutReceiver } from '@signet/testing/logout-receiver'
import { size } from '@signet/testing/sizes'
import { signJws } from '@signet/tokens/keys/sign-jws'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogoutDeliveries } from '../src/logout/delivery.ts'
import { type GrantEnvironment, type Replica, startGrantEnvironment } from './fixtures/grant-environment.ts'

const ISSUER = 'http://localhost:8080'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')

let environment: GrantEnvironment
let one: Replica
let other: Replica
let receiver: LogoutReceiver
let clock: FakeClock
let tries: TryOutcome[]
beforeAll(async () => {
  environment = await startGrantEnvironment()
  one = environment.replica()
  other = environment.replica()
})
afterAll(() => environment?.stop())
beforeEach(async () => {
  tries = []
  receiver = await startLogoutReceiver()
  clock = createFakeClock(new Date())
  await environment.sql('DELETE FROM grants.logout_delivery')
  await environment.sql('DELETE FROM grants_audit.audit_event')
  await environment.sql(
    `UPDATE directory.application SET back_channel_logout_uri = $1 WHERE client_id = 'web'`,
    [receiver.uri],
  )
  return () => receiver.stop()
})

/** Creates a round of a replica that may call loopback unless other networks are given. */
const round = (
  replica: Replica,
  allow = permittedNetworks(undefined, ISSUER),
  signal = new AbortController().signal,
) =>
  createDeliveryRound(
    createLogoutDeliveries({
      issuer: ISSUER,
      outbox: replica.outbox,
      keys: { sign: (alg, typ, claims) => signJws({ kid: 'k1', alg, privateKey }, typ, claims) },
      postForm: createPostForm({ allow, timeoutMs: 5_000 }),
      logger: silentLogger,
      now: clock.now,
      count: (outcome) => tries.push(outcome),
    }),
  )(signal)

async function signedIn(overrides: Parameters<GrantEnvironment['newGrant']>[0] = {}) {
  const { grant, redemption } = environment.newGrant(overrides)
  expect(await one.grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
  return grant
}
const signOut = (sid: string, replica = one) =>
  replica.endings.endSessions([{ sid, userId: 'alice' }], clock.now(), {})
const deliveries = () =>
  environment.sql(
    'SELECT sid, client_id, failures, outcome FROM grants.logout_delivery ORDER BY sid, client_id',
  )

describe('the logout tokens that are queued [F-39]', () => {
  it('every application of the session that has an URI, in the transaction that ends it', async () => {
    const { sid } = await signedIn()
    await signedIn({ sid })
    await signedIn({ sid, clientId: 'keeping', client: { id: 'keeping', epoch: 0 } })
    await signedIn()
    await signOut(sid)
    expect(await deliveries()).toEqual([{ sid, client_id: 'web', failures: 0, outcome: null }])
  })

  it('sends a logout token to an application that got its tokens from the authorization endpoint', async () => {
    const { grant } = environment.newGrant()
    await one.grants.begin(grant)
    await signOut(grant.sid)
    expect(await deliveries()).toMatchObject([{ sid: grant.sid, client_id: 'web' }])
  })

  it('sends no logout token to an application that is inactive', async () => {
    await environment.sql(
      `INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method,
                                          response_types, grant_types, back_channel_logout_uri)
       VALUES ('a3', 'leaving', 'portal', 'Leaving', 'web', 'none', '{code}', '{authorization_code}', $1)`,
      [receiver.uri],
    )
    const { sid } = await signedIn({ clientId: 'leaving', client: { id: 'leaving', epoch: 0 } })
    await environment.sql(`UPDATE directory.application SET state = 'inactive' WHERE client_id = 'leaving'`)
    await signOut(sid)
    expect(await deliveries()).toEqual([])
  })

  it('ended twice, by two replicas at once, queues once', async () => {
    const { sid } = await signedIn()
    await Promise.all([signOut(sid, one), signOut(sid, other)])
    await signOut(sid)
    expect(await deliveries()).toHaveLength(1)
  })

  it('refuses a redemption that races the logout, or notifies its application [F-20]', async () => {
    const outcomes = new Set<string>()
    for (let turn = 0; turn < size('interleavings'); turn += 1) {
      const { grant, redemption } = environment.newGrant()
      // From three milliseconds before the redemption to three after it, so that either may come first.
      const lead = (turn % 7) - 3
      const [redeemed] = await Promise.all([
        delay(Math.max(0, lead)).then(() => one.grants.redeem(redemption, grant)),
        delay(Math.max(0, -lead)).then(() => signOut(grant.sid, other)),
      ])
      outcomes.add(redeemed.outcome)
      const queued = (await deliveries()).filter(({ sid }) => sid === grant.sid)
      expect(queued.length, `turn ${turn}`).toBe(redeemed.outcome === 'redeemed' ? 1 : 0)
    }
    // Otherwise this was no race.
    expect(outcomes).toEqual(new Set(['redeemed', 'ended']))
  }, 600_000)

  it('a higher epoch of the user ends the sessions under lower ones, each once', async () => {
    await environment.sql(
      `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
       VALUES ('bob', 'acme', 'human', 'bob', 'bob', 'Bob')`,
    )
    const { sid } = await signedIn({ user: { id: 'bob', epoch: 0 } })
    await signedIn()
    const epochs = [{ kind: 'u', id: 'bob', epoch: 1 }] as const
    await Promise.all([
      one.endings.endByDirectory(epochs, clock.now()),
      other.endings.endByDirectory(epochs, clock.now()),
    ])
    expect(await deliveries()).toEqual([{ sid, client_id: 'web', failures: 0, outcome: null }])

    await environment.sql(`UPDATE directory.account SET token_epoch = 1 WHERE user_id = 'bob'`)
    await signedIn({ sid, user: { id: 'bob', epoch: 1 } })
    await one.endings.endByDirectory(epochs, clock.now())
    expect(await deliveries()).toHaveLength(1)
    await signOut(sid)
    expect(await deliveries()).toHaveLength(2)
  })
})

it('the end of an impersonation by the directory queues those of its session, once', async () => {
  const sid = impersonationSid('i1')
  await signedIn({ sid })
  await signedIn({ sid: impersonationSid('i2') })
  const ends = [{ kind: 'p', id: impersonationTokenId('i1'), epoch: 1 }] as const
  await Promise.all([
    one.endings.endByDirectory(ends, clock.now()),
    other.endings.endByDirectory(ends, clock.now()),
  ])
  expect(await deliveries()).toEqual([{ sid, client_id: 'web', failures: 0, outcome: null }])
})

describe('the end of an application or an organization queues logout tokens, too [D]', () => {
  beforeEach(() => environment.sql('DELETE FROM grants.session_client'))

  const leave = (state: 'active' | 'inactive') =>
    environment.sql('UPDATE directory.application SET state = $1 WHERE client_id = $2', [state, 'ended'])
  const ended = (epoch: number) => ({ clientId: 'ended', client: { id: 'ended', epoch } })
  beforeAll(() =>
    environment.sql(
      `INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method,
                                          response_types, grant_types, back_channel_logout_uri)
       VALUES ('a4', 'ended', 'portal', 'Ended', 'web', 'none', '{code}', '{authorization_code}',
               'https://ended.localhost/bye')`,
    ),
  )

  // Each deactivation raises the epoch of the application by one; 8 and 9 stay above it.
  it.each([
    ['c', 'ended', (epoch: number) => ended(epoch)],
    ['o', 'acme', (epoch: number) => ({ ...ended(8), userOrganization: { id: 'acme', epoch } })],
    ['o', 'seller', (epoch: number) => ({ ...ended(8), clientOrganization: { id: 'seller', epoch } })],
  ] as const)('%s %s: of sessions under lower epochs, each once, of no other', async (kind, id, under) => {
    const begin = (epoch: number, more = {}) =>
      signedIn({ clientOrganization: { id: 'elsewhere', epoch: 0 }, ...under(epoch), ...more })
    const { sid } = await begin(0)
    await begin(9)
    await leave('inactive')
    const queue = (replica: Replica) => replica.endings.queueLogouts([{ kind, id, epoch: 9 }], clock.now())
    await Promise.all([queue(one), queue(other)])
    const told = [{ sid, client_id: 'ended', failures: 0, outcome: null }]
    expect(await deliveries()).toEqual(told)

    await leave('active')
    await begin(9, { sid })
    await queue(one)
    expect(await deliveries()).toEqual(told)
    await signOut(sid)
    expect(await deliveries()).toHaveLength(2)
  })

  it('of more sessions than one part takes', async () => {
    const { sid } = await signedIn()
    await environment.sql(
      `INSERT INTO grants.session_client (sid, client_id, end_week, user_id, user_epoch, client_epoch)
       SELECT sid || n, client_id, end_week, user_id, user_epoch, client_epoch
         FROM grants.session_client, generate_series(1, 250) AS n WHERE sid = $1`,
      [sid],
    )
    await one.endings.queueLogouts([{ kind: 'c', id: 'web', epoch: 1 }], clock.now())
    expect(await deliveries()).toHaveLength(251)
  })
})

describe('the logout request [F-39]', () => {
  it('a logout token as Back-Channel Logout 1.0 section 2.4 has it, once', async () => {
    for (const text of [
      `UPDATE directory.setting SET signing_algorithms = '{RS256,ES256,EdDSA}'`,
      // A day ago.
      `UPDATE directory.setting SET signing_algorithms_named = signing_algorithms_named || '{"EdDSA": "-infinity"}'`,
      `UPDATE directory.application SET id_token_signing_alg = 'EdDSA' WHERE client_id = 'web'`,
    ])
      await environment.sql(text)
    const { sid } = await signedIn()
    await signOut(sid)
    await Promise.all([round(one), round(other)])
    await round(one)
    expect(receiver.received).toHaveLength(1)
    expect([...(receiver.received[0]?.keys() ?? [])]).toEqual(['logout_token'])
    const token = receiver.received[0]?.get('logout_token') ?? ''
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
      issuer: ISSUER,
      audience: 'web',
      typ: 'logout+jwt',
      currentDate: clock.now(),
    })
    const issuedAt = Math.floor(clock.now().getTime() / 1000)
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: 'k1', typ: 'logout+jwt' })
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: 'web',
      iat: issuedAt,
      exp: issuedAt + 120,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(await deliveries()).toEqual([{ sid, client_id: 'web', failures: 0, outcome: 'delivered' }])
  })

  it('to every application of a queue that is longer than one round takes, each once', async () => {
    const sids = await Promise.all(Array.from({ length: 60 }, async () => (await signedIn()).sid))
    await one.endings.endSessions(
      sids.map((sid) => ({ sid, userId: 'alice' })),
      clock.now(),
      {},
    )
    await Promise.all([round(one), round(other)])
    expect(receiver.received).toHaveLength(60)
    expect(new Set((await deliveries()).map(({ outcome }) => outcome))).toEqual(new Set(['delivered']))
  })
})

describe('C: tries at 0 s, 5 s, 30 s, 2 min, 10 min and 1 h, then no more', () => {
  it('each a while after the one before, with the same jti, and the last failure is on record', async () => {
    const { sid } = await signedIn()
    await signOut(sid)
    receiver.answerWith(500)
    await round(one)
    expect(receiver.received).toHaveLength(1)
    for (const [index, waitMs] of [5_000, 30_000, 120_000, 600_000, 3_600_000].entries()) {
      clock.advance(waitMs - 1)
      await round(one)
      expect(receiver.received, `before ${waitMs} ms`).toHaveLength(index + 1)
      clock.advance(1)
      await round(one)
      expect(receiver.received, `after ${waitMs} ms`).toHaveLength(index + 2)
    }
    clock.advance(365 * 86_400_000)
    await round(one)
    expect(receiver.received).toHaveLength(6)
    expect(await deliveries()).toMatchObject([{ failures: 6, outcome: 'given_up' }])
    expect(tries).toEqual([...Array.from({ length: 5 }, () => 'postponed'), 'given_up'])
    expect(
      await environment.sql(`SELECT actor_kind, target_id, result, details FROM grants_read.audit_event_v1
                        WHERE action = 'back_channel_logout'`),
    ).toEqual([
      {
        actor_kind: 'service',
        target_id: 'web',
        result: 'failed',
        details: { session_id: sid, user_id: 'alice', reason: 'status_500' },
      },
    ])
    const ids = receiver.received.map((form) => claimsOf(form).jti)
    expect(new Set(ids).size).toBe(1)
  })

  it('a redirect, a refusal and silence are failures; the next try may succeed', async () => {
    await signOut((await signedIn()).sid)
    for (const [status, waitMs] of [
      [302, 5_000],
      [400, 30_000],
      [204, 0],
    ] as const) {
      receiver.answerWith(status)
      await round(one)
      clock.advance(waitMs)
    }
    expect(await deliveries()).toMatchObject([{ failures: 2, outcome: 'delivered' }])
  })
})

describe('a claim', () => {
  it('concurrent claims give each delivery to exactly one', async () => {
    const sids = await Promise.all(Array.from({ length: 10 }, async () => (await signedIn()).sid))
    await one.endings.endSessions(
      sids.map((sid) => ({ sid, userId: 'alice' })),
      clock.now(),
      {},
    )
    const claimAtOnce = (limit: number) =>
      Promise.all(
        Array.from({ length: size('contenders') }, (_, turn) =>
          (turn % 2 === 0 ? one : other).outbox.claim(limit, clock.now()),
        ),
      )
    // Connections that are still to be opened would make them take turns.
    await claimAtOnce(0)
    const claims = await claimAtOnce(10)
    expect(
      claims
        .flat()
        .map(({ sid }) => sid)
        .sort(),
    ).toEqual(sids.toSorted())
  })
})

describe('a receiver that does not respond', () => {
  const otherHost = (uri: string) => uri.replace('127.0.0.1', 'localhost')

  it('is one receiver however its URIs write the host', async () => {
    const authorities = [
      'rp.example',
      'RP.example',
      'rp.example:8443',
      'RP.EXAMPLE:1',
      'a:b@rp.example:443',
      'rp.example?x=/',
    ]
    await environment.sql(
      `INSERT INTO grants.logout_delivery (day, sid, user_id, client_id, uri, signing_alg, due_at)
       SELECT $1::integer, authority || n, 'alice', 'web', 'https://' || authority || '/logout', 'EdDSA', $3::timestamptz
         FROM unnest($2::text[]) AS authority, generate_series(1, 10) AS n`,
      [Math.floor(clock.now().getTime() / 86_400_000), authorities, clock.now()],
    )
    const claimed = await one.outbox.claim(50, clock.now())
    expect(claimed.map((delivery) => delivery.receiver)).toEqual(Array(10).fill('rp.example'))
  })

  it('does not delay the logout token of another one', async () => {
    const silent = await startLogoutReceiver()
    silent.answerWith(undefined)
    await environment.sql(
      `INSERT INTO grants.logout_delivery (day, sid, user_id, client_id, uri, signing_alg, due_at)
       SELECT $1::integer, 'silent' || n, 'alice', 'web', $2::text, 'EdDSA', $3::timestamptz
         FROM generate_series(1, 200) AS n`,
      [Math.floor(clock.now().getTime() / 86_400_000), otherHost(silent.uri), clock.now()],
    )
    const stopping = new AbortController()
    const ended = round(one, undefined, stopping.signal)
    try {
      await expect.poll(() => silent.received.length).toBe(10)
      await signOut((await signedIn()).sid)
      await expect.poll(() => receiver.received.length, { interval: 20 }).toBe(1)
      expect(silent.received).toHaveLength(10)
    } finally {
      stopping.abort()
      await silent.stop()
      await ended
    }
  })
})

describe('no delivery is lost', () => {
  it('a replica that stops before it sends leaves the delivery to another', async () => {
    await signOut((await signedIn()).sid)
    expect(await one.outbox.claim(10, clock.now())).toHaveLength(1)
    await round(other)
    expect(receiver.received).toEqual([])
    clock.advance(60_000)
    await round(other)
    expect(receiver.received).toHaveLength(1)
  })

  it('a late result after a takeover does not count a second failure', async () => {
    await signOut((await signedIn()).sid)
    const [first] = await one.outbox.claim(10, clock.now())
    clock.advance(60_000)
    const [second] = await other.outbox.claim(10, clock.now())
    if (first === undefined || second === undefined) throw new Error('both were to have it')
    await other.outbox.postpone(second, clock.now())
    await one.outbox.postpone(first, new Date(0))
    await one.outbox.giveUp(first, () => Promise.reject(new Error('recorded a result that was not stored')))
    expect(await deliveries()).toMatchObject([{ failures: 1, outcome: null }])
    await one.outbox.delivered(first)
    expect(await deliveries()).toMatchObject([{ outcome: 'delivered' }])
  })
})

describe('internal addresses [F-39]', () => {
  it('are not called without leave, and the delivery fails like any other', async () => {
    await signOut((await signedIn()).sid)
    await round(one, new BlockList())
    expect(receiver.received).toEqual([])
    expect(await deliveries()).toMatchObject([{ failures: 1, outcome: null }])
  })
})

function claimsOf(form: URLSearchParams): { readonly jti?: string } {
  const [, payload = ''] = (form.get('logout_token') ?? '').split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}
