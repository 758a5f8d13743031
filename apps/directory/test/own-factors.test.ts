import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture

beforeAll(async () => {
  fixture = await rpcFixture({ replicas: 2 })
  const document = sampleDocument()
  acme(document).users?.push({
    id: 'bob',
    userName: 'bob',
    profile: { givenName: 'A', familyName: 'B' },
    password: PASSWORD,
  })
  await fixture.directory.apply(document)
  await rows(`INSERT INTO directory.passkey_user (user_id, handle)
              VALUES ('alice', decode(repeat('07', 32), 'hex')), ('bob', decode(repeat('08', 32), 'hex'))`)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  await rows('DELETE FROM directory.recovery_code')
  await rows('DELETE FROM directory.passkey')
  await rows('DELETE FROM directory.browser_trust')
  await rows("UPDATE directory.account SET state = 'active'")
  await rows("DELETE FROM directory.organization_policy WHERE kind = 'login'")
})

const rows = (text: string) => fixture.directory.rows(text)

const addPasskey = (userId: string) =>
  rows(`INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid,
          name, backup_eligible, backed_up, created_at)
        VALUES ('k-${userId}', '${userId}', 'localhost', decode(repeat('01', 32), 'hex'), '\\x01', 0, '{internal}',
          'bada5566-a7aa-401f-bd96-45619a55120d', 'Passkey', true, true, '2026-01-01T00:00:00Z')`)
const addTotp = (userId: string) =>
  rows(
    `INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ('${userId}', '\\x01') ON CONFLICT DO NOTHING`,
  )

const make = async (userId = 'alice') => (await fixture.accounts.makeRecoveryCodes({ userId }, TIMEOUT)).codes
const factors = (userId = 'alice') => fixture.accounts.findSecondFactor({ userId }, TIMEOUT)

async function verify(code: string | undefined, { userId = 'alice', replica = 0, throttled = false } = {}) {
  const call = { userId, code: code ?? '', throttled, clientAddress: '192.0.2.7' }
  const answer = await fixture.replicas[replica]?.credentials.verifyRecoveryCode(call, TIMEOUT)
  return answer?.accepted
}

const lastEvents = async (count: number) => (await fixture.directory.audited()).slice(0, count)

describe('trusted browsers', () => {
  const trust = (agent: string) =>
    fixture.accounts.trustBrowser({ userId: 'alice', userEpoch: 0n, agent }, TIMEOUT)
  const use = (browserId: string, userId = 'alice') =>
    fixture.accounts.useTrustedBrowser({ userId, browserId }, TIMEOUT)
  const list = async () => (await fixture.accounts.listTrustedBrowsers({ userId: 'alice' }, TIMEOUT)).browsers

  it('are listed with their use, and end one at a time, or all with a factor', async () => {
    await addTotp('alice')
    const [one, other] = [await trust('Firefox, Linux'), await trust('')]
    expect(one.trustKey).toBe(other.trustKey)
    fixture.directory.clock.advance(60_000)
    expect(await use(one.browserId)).toMatchObject({ trusted: true })
    expect(await use(one.browserId, 'bob')).toMatchObject({ trusted: false })
    const [first, second] = await list()
    expect([first?.id, first?.agent, second?.id]).toEqual([one.browserId, 'Firefox, Linux', other.browserId])
    expect(Number(first?.lastUsedAt?.seconds)).toBe(Number(first?.trustedAt?.seconds) + 60)
    await fixture.accounts.endBrowserTrust({ userId: 'bob', browserId: one.browserId }, TIMEOUT)
    await fixture.accounts.endBrowserTrust({ userId: 'alice', browserId: one.browserId }, TIMEOUT)
    expect(await use(one.browserId)).toMatchObject({ trusted: false })
    expect(await use(other.browserId)).toMatchObject({ trusted: true })
    expect(await lastEvents(1)).toMatchObject([{ action: 'browser.end_trust', targetId: 'alice' }])
    await rows("UPDATE directory.account_totp SET sealed_seed = '\\x02' WHERE user_id = 'alice'")
    expect([await use(other.browserId), await list()]).toMatchObject([{ trusted: false }, []])
  })

  it('are forgotten with their cookies, after 30 days', async () => {
    await addTotp('alice')
    await trust('Firefox')
    fixture.directory.clock.advance(30 * 86_400_000)
    expect(await list()).toEqual([])
    expect(await fixture.directory.placesOf('Firefox')).not.toEqual([])
    await trust('Edge')
    expect(await list()).toMatchObject([{ agent: 'Edge' }])
    expect(await fixture.directory.placesOf('Firefox')).toEqual([])
  })
})

describe('recovery codes [F-34]', () => {
  it('are ten of 120 bits, each accepted once, as people type them', async () => {
    const codes = await make()
    expect(new Set(codes)).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/)
    expect(await verify(codes[0])).toBe(true)
    expect(await verify(codes[0])).toBe(false)
    expect(await verify(` ${codes[1]?.toUpperCase().replaceAll('-', ' ')}\n`)).toBe(true)
    expect(await verify(codes[2]?.replaceAll('-', '–'))).toBe(true)
    expect((await factors()).recoveryCodes).toBe(7)
  })

  it('are in the database as hashes only', async () => {
    const codes = await make()
    const plain = codes.map((code) => code.replaceAll('-', ''))
    expect(await fixture.directory.placesOf(...codes, ...plain)).toEqual([])
    const hashes = plain.map((code) => createHash('sha256').update(code).digest('hex'))
    expect(await fixture.directory.placesOf(...hashes)).toHaveLength(10)
  })

  it('are accepted once of twenty tries at once, at two replicas', async () => {
    for (const code of (await make()).slice(0, 3)) {
      const tries = Array.from({ length: 20 }, (_, at) => verify(code, { replica: at % 2 }))
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
    }
  })

  it('end when new ones are made, of which one batch is left when two are made at once', async () => {
    const [old] = await make()
    const batches = await Promise.all([make(), make(), make()])
    expect((await factors()).recoveryCodes).toBe(10)
    expect(await verify(old)).toBe(false)
    const accepted = await Promise.all(batches.map(([code]) => verify(code)))
    expect(accepted.filter(Boolean)).toHaveLength(1)
  })

  it('refuse wrong text, other people, inactive accounts and throttled tries, which use nothing up', async () => {
    await addTotp('bob')
    const [code] = await make()
    for (const wrong of ['', 'x', '123456', 'a'.repeat(24), 'a'.repeat(65_536)]) {
      expect(await verify(wrong)).toBe(false)
    }
    expect(await verify(code, { userId: 'bob' })).toBe(false)
    expect(await verify(code, { userId: 'nobody' })).toBe(false)
    expect(await verify(code, { throttled: true })).toBe(false)
    await rows("UPDATE directory.account SET state = 'locked' WHERE user_id = 'alice'")
    expect(await verify(code)).toBe(false)
    await rows("UPDATE directory.account SET state = 'active' WHERE user_id = 'alice'")
    expect(await verify(code)).toBe(true)
    await rows("DELETE FROM directory.account_totp WHERE user_id = 'bob'")
  })

  it('are in the audit log without their text [F-47]', async () => {
    const [code] = await make()
    expect(await lastEvents(1)).toMatchObject([
      { action: 'recovery_codes.create', organizationId: 'acme', actorKind: 'human', targetId: 'alice' },
    ])
    const factor = 'recovery_code'
    await verify(code)
    expect(await lastEvents(1)).toMatchObject([
      {
        action: 'sign_in',
        organizationId: 'acme',
        actorKind: 'human',
        result: 'success',
        details: { factor },
      },
    ])
    await verify(code)
    const details = { factor, reason: 'recovery_code_wrong' }
    expect(await lastEvents(1)).toMatchObject([{ action: 'sign_in', actorKind: 'anonymous', details }])
    await verify(code, { throttled: true })
    expect(await lastEvents(1)).toMatchObject([{ action: 'sign_in.lockout', result: 'refused' }])
  })

  it('need a second factor: a TOTP secret, or a passkey that may follow a password', async () => {
    await expect(make('bob')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    await addPasskey('bob')
    expect(await make('bob')).toHaveLength(10)
    await rows(`INSERT INTO directory.organization_policy (organization_id, kind, document)
                VALUES ('acme', 'login', '{"secondFactors": ["SECOND_FACTOR_TYPE_OTP"]}')`)
    await expect(make('bob')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
  })

  it('end with the last second factor, also when both are deleted at once', async () => {
    const left = async () => (await factors('bob')).recoveryCodes
    for (let round = 0; round < 5; round += 1) {
      await addPasskey('bob')
      await addTotp('bob')
      await make('bob')
      await Promise.all([
        fixture.accounts.deleteTotp({ userId: 'bob' }, TIMEOUT),
        fixture.accounts.deletePasskey({ userId: 'bob', passkeyId: 'k-bob' }, TIMEOUT),
      ])
      expect(await left()).toBe(0)
    }
    await addPasskey('bob')
    await addTotp('bob')
    await make('bob')
    await fixture.accounts.deleteTotp({ userId: 'bob', clientAddress: '192.0.2.7' }, TIMEOUT)
    expect(await lastEvents(1)).toMatchObject([
      { action: 'totp.delete', organizationId: 'acme', actorKind: 'human', targetId: 'bob' },
    ])
    expect(await left()).toBe(10)
  })
})

describe('trusted browsers', () => {
  const trust = async (userEpoch = 0n, userId = 'alice') =>
    (await fixture.accounts.trustBrowser({ userId, userEpoch }, TIMEOUT)).trustKey
  const keyAtSignIn = async (loginName = 'alice') =>
    (await fixture.credentials.verifyPassword({ loginName, password: PASSWORD }, TIMEOUT)).account?.trustKey

  it('share a key that a sign-in returns, and that forgetting them replaces', async () => {
    expect(await keyAtSignIn()).toBe('')
    const epoch = (
      await fixture.credentials.verifyPassword({ loginName: 'alice', password: PASSWORD }, TIMEOUT)
    ).account?.userEpoch
    const [one, two] = await Promise.all([trust(epoch), trust(epoch)])
    expect(one).toMatch(/^[\w-]{43}$/)
    expect([two, await keyAtSignIn()]).toEqual([one, one])
    expect((await lastEvents(3)).map(({ action }) => action)).toContain('browser.trust')
    await fixture.accounts.endBrowserTrust({ userId: 'alice' }, TIMEOUT)
    expect(await lastEvents(1)).toMatchObject([{ action: 'browser.end_trust', targetId: 'alice' }])
    expect(await keyAtSignIn()).toBe('')
    expect(await trust(epoch)).not.toBe(one)
  })

  it('have no key without a second factor, and another one under another epoch or for another person', async () => {
    expect(await trust(0n, 'bob')).toBe('')
    expect((await factors('bob')).trustedBrowsers).toBe(false)
    await addTotp('bob')
    const keys = [await trust(1n), await trust(2n), await trust(1n, 'bob')]
    expect(new Set(keys)).toHaveLength(3)
    await rows("DELETE FROM directory.account_totp WHERE user_id = 'bob'")
  })

  it.each([
    ['a new passkey', () => addPasskey('bob')],
    ['a deleted passkey', () => rows('DELETE FROM directory.passkey')],
    ['a cloned passkey', () => rows('UPDATE directory.passkey SET cloned_at = now()')],
    ['another TOTP secret', () => rows(`UPDATE directory.account_totp SET sealed_seed = '\\x02'`)],
    ['a new TOTP secret', () => addTotp('bob')],
    ['a deleted TOTP secret', () => rows("DELETE FROM directory.account_totp WHERE user_id = 'bob'")],
  ])('are forgotten with %s', async (what, change) => {
    await (what === 'a new passkey' ? addTotp('bob') : addPasskey('bob'))
    if (what !== 'a new TOTP secret') await addTotp('bob')
    expect(await trust(0n, 'bob')).not.toBe('')
    expect((await factors('bob')).trustedBrowsers).toBe(true)
    await rows('UPDATE directory.account_totp SET last_step = 7')
    await rows('UPDATE directory.passkey SET counter = 7')
    expect((await factors('bob')).trustedBrowsers).toBe(true)
    await change()
    expect((await factors('bob')).trustedBrowsers).toBe(false)
    await rows("DELETE FROM directory.account_totp WHERE user_id = 'bob'")
  })
})
