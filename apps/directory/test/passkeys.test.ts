import { toBinary } from '@bufbuild/protobuf'
import { VerifyPasskeyResponseSchema } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { createSoftwareAuthenticator } from '@signet/testing/software-authenticator'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultAuthenticator, totpCode } from '../src/credentials/totp.ts'
import { noticeOtherRpId } from '../src/mail/notices.ts'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { queuedMail } from './queued-mail.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
const PARTY = { rpId: 'localhost', origin: 'http://localhost:8080' }
const DAY_MS = 86_400_000

beforeAll(async () => {
  fixture = await rpcFixture({ replicas: 2 })
  const document = sampleDocument()
  const people = ['bob', 'carol', 'dave', 'erin'].map((id) => ({
    id,
    userName: id,
    profile: { givenName: 'A', familyName: 'B' },
    password: PASSWORD,
  }))
  acme(document).users?.push(...people)
  await fixture.directory.apply(document)
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  await fixture.directory.rows('DELETE FROM directory.passkey_user')
  await fixture.directory.rows("DELETE FROM directory.organization_policy WHERE kind = 'login'")
  await fixture.directory.rows("UPDATE directory.account SET state = 'active'")
})

const setPolicy = (policy: object) =>
  fixture.directory.rows(
    "INSERT INTO directory.organization_policy (organization_id, kind, document) VALUES ('acme', 'login', $1)",
    [JSON.stringify(policy)],
  )

const challengeOf = (number: number) => Buffer.from(`challenge ${number}`.padEnd(32)).toString('base64url')
let challenges = 0
function nextChallenge(): string {
  challenges += 1
  return challengeOf(challenges)
}

type Made = Awaited<ReturnType<typeof enrol>>

/** Adds a passkey to a person. */
async function enrol(userId = 'bob', options: { isSynced?: boolean; aaguid?: string } = {}) {
  const { userHandle } = await fixture.accounts.beginPasskey({ userId }, TIMEOUT)
  fixture.directory.clock.advance(1)
  const authenticator = createSoftwareAuthenticator({ ...PARTY, ...options })
  const challenge = nextChallenge()
  const response = authenticator.create({ challenge })
  const request = { userId, response, challenge, factorProven: true }
  const { amr } = await fixture.accounts.addPasskey(request, TIMEOUT)
  expect(amr).not.toEqual([])
  return { authenticator, userHandle, amr }
}

interface SignInOptions {
  readonly ceremony?: Partial<Parameters<Made['authenticator']['get']>[0]>
  readonly request?: object
  readonly replica?: number
}

function signIn({ authenticator, userHandle }: Made, options: SignInOptions = {}) {
  const challenge = nextChallenge()
  const response = authenticator.get({ challenge, userHandle, ...options.ceremony })
  const call = { response, challenge, clientAddress: '192.0.2.7', ...options.request }
  const replica = fixture.replicas[options.replica ?? 0] ?? fixture
  return replica.credentials.verifyPasskey(call, TIMEOUT)
}

const lastEvents = async (count: number) => (await fixture.directory.audited()).slice(0, count)

describe('a passkey', () => {
  it('signs in alone and counts as two factors', async () => {
    const made = await enrol()
    const { account, amr, multiFactor } = await signIn(made)
    expect(account).toMatchObject({ userId: 'bob', organizationId: 'acme', secondFactorRequired: false })
    expect([amr, multiFactor]).toEqual([['pop', 'hwk', 'user'], true])
    expect(await lastEvents(1)).toMatchObject([
      { action: 'sign_in', actorKind: 'human', targetId: 'bob', details: { factor: 'passkey' } },
    ])
  })

  it('has the method swk when it is synced', async () => {
    expect((await signIn(await enrol('bob', { isSynced: true }))).amr).toEqual(['pop', 'swk', 'user'])
  })

  it('needs no TOTP code of its owner, who has one', async () => {
    const made = await enrol('alice')
    expect((await signIn(made)).account).toMatchObject({ userId: 'alice', secondFactorRequired: false })
  })

  it('has a random user handle, the same for all passkeys of a person', async () => {
    const [one, two, other] = [await enrol('bob'), await enrol('bob'), await enrol('carol')]
    expect(Buffer.from(one.userHandle)).toHaveLength(32)
    expect(two.userHandle).toEqual(one.userHandle)
    expect(other.userHandle).not.toEqual(one.userHandle)
  })

  it('is named after its authenticator, once each', async () => {
    const aaguid = 'bada5566-a7aa-401f-bd96-45619a55120d'
    for (const options of [{ aaguid }, { aaguid }, {}]) await enrol('bob', options)
    const { passkeys } = await fixture.accounts.listPasskeys({ userId: 'bob' }, TIMEOUT)
    expect(passkeys.map(({ name }) => name)).toEqual(['1Password', '1Password 2', 'Passkey'])
  })
})

describe('every refusal is the same response', () => {
  const refusals: Readonly<Record<string, (made: Made) => Promise<SignInOptions>>> = {
    passkey_wrong: async () => ({ ceremony: { origin: 'https://phishing.example' } }),
    'passkey_wrong ': async () => ({ ceremony: { rpId: 'phishing.example' } }),
    'passkey_wrong  ': async () => ({ ceremony: { isVerified: false } }),
    'passkey_wrong   ': async () => ({ request: { challenge: nextChallenge() } }),
    'passkey_wrong    ': async () => ({ ceremony: { isPresent: false } }),
    'passkey_wrong     ': async () => ({ ceremony: { type: 'webauthn.create' } }),
    'passkey_wrong      ': async () => ({ ceremony: { backup: { eligible: false, backedUp: true } } }),
    'passkey_wrong       ': async () => ({ ceremony: { backup: { eligible: true, backedUp: false } } }),
    'passkey_wrong        ': async () => ({ ceremony: { backup: { eligible: true, backedUp: true } } }),
    passkey_unknown: async () => ({ ceremony: { crossOrigin: true } }),
    'passkey_unknown ': async () => ({ request: { response: '{}' } }),
    passkey_of_other_user: async () => ({ ceremony: { userHandle: Buffer.alloc(32, 7) } }),
    organization_other: async () => ({ request: { organizationId: 'globex' } }),
    'passkey_of_other_user ': async () => ({ request: { userId: 'carol' } }),
    throttled: async () => ({ request: { throttled: true } }),
    account_not_active: async () => {
      await fixture.directory.rows("UPDATE directory.account SET state = 'locked' WHERE user_id = 'bob'")
      return {}
    },
    'passkey_unknown  ': async () => {
      await fixture.directory.rows('DELETE FROM directory.passkey')
      return {}
    },
    'passkey_unknown   ': async () => {
      await fixture.directory.rows("UPDATE directory.passkey SET rp_id = 'other.example'")
      return {}
    },
  }

  it.each(Object.entries(refusals))('%s', async (reason, prepare) => {
    const made = await enrol()
    const answer = await signIn(made, await prepare(made))
    expect(Buffer.from(toBinary(VerifyPasskeyResponseSchema, answer))).toHaveLength(0)
    const [event] = await lastEvents(1)
    expect(event).toMatchObject({ actorKind: 'anonymous', result: 'refused' })
    expect(event?.details).toEqual({ factor: 'passkey', reason: reason.trim() })
  })
})

const stoppedNotices = async () =>
  (await queuedMail(fixture.directory))
    .filter(({ kind }) => kind.endsWith(':factor_stopped'))
    .map(({ userId }) => userId)

/** Notices go to verified addresses, and where there is a server. */
async function makeReachable(userId: string) {
  await fixture.directory.rows('UPDATE directory.setting SET sends_mail = true')
  const address = `${userId}@mail.example`
  await fixture.directory.rows(
    'UPDATE directory.account SET email = $2, email_key = $2, email_verified = true WHERE user_id = $1',
    [userId, address],
  )
}

const epochOf = async (userId: string) => (await fixture.directory.epochOf('account', userId)) ?? 0

describe('a counter that goes back', () => {
  it('refuses the sign-in, marks the passkey and writes an audit event', async () => {
    const made = await enrol()
    expect((await signIn(made, { ceremony: { counter: 5 } })).account).toBeDefined()
    expect((await signIn(made, { ceremony: { counter: 5 }, replica: 1 })).account).toBeUndefined()
    expect(await lastEvents(2)).toMatchObject([
      { action: 'sign_in', result: 'refused', details: { reason: 'passkey_cloned' } },
      { action: 'passkey.cloned', targetKind: 'passkey', details: { user_id: 'bob' } },
    ])
    const { passkeys } = await fixture.accounts.listPasskeys({ userId: 'bob' }, TIMEOUT)
    expect(passkeys.map(({ cloned }) => cloned)).toEqual([true])
    expect((await signIn(made, { ceremony: { counter: 99 } })).account).toBeUndefined()
  })

  it('ends everything of the account, which the holder of the copy may have, and tells the person', async () => {
    await makeReachable('bob')
    const made = await enrol()
    await signIn(made, { ceremony: { counter: 5 } })
    const before = await epochOf('bob')
    fixture.published.splice(0)
    await signIn(made, { ceremony: { counter: 5 } })
    expect(await epochOf('bob')).toBe(before + 1)
    expect(fixture.published).toEqual([[`bob ${before + 1}`]])
    expect(await stoppedNotices()).toEqual(['bob'])
  })

  it.each([
    ['the login policy', () => setPolicy({ secondFactors: ['SECOND_FACTOR_TYPE_OTP'] }), 1],
    ['another RP ID of the instance', () => noticeOtherRpId(fixture.directory.owner, 'new.example'), 0],
  ] as const)('is not the only way to stop: %s tells the person, too', async (_, stop, raised) => {
    await noticeOtherRpId(fixture.directory.owner, 'localhost')
    await fixture.directory.rows('DELETE FROM directory.mail_delivery')
    await makeReachable('carol')
    await enrol('carol')
    const before = await epochOf('carol')
    await stop()
    expect(await stoppedNotices()).toEqual(['carol'])
    expect(await epochOf('carol')).toBe(before + raised)
  })

  it('does not mark a passkey whose signature is wrong', async () => {
    const made = await enrol()
    await signIn(made, { ceremony: { counter: 5 } })
    await signIn(made, { ceremony: { counter: 1, origin: 'https://phishing.example' } })
    expect((await signIn(made, { ceremony: { counter: 6 } })).account).toBeDefined()
  })

  it('accepts one of 20 equal counters sent to two replicas at once', async () => {
    const made = await enrol()
    const tries = Array.from({ length: 20 }, (_, at) =>
      signIn(made, { ceremony: { counter: 7 }, replica: at % 2 }),
    )
    const accepted = (await Promise.all(tries)).filter(({ account }) => account !== undefined)
    expect(accepted).toHaveLength(1)
  })
})

describe('the login policy', () => {
  const password = (loginName: string) =>
    fixture.credentials.verifyPassword({ loginName, password: PASSWORD }, TIMEOUT)

  it('refuses a sign-in without a password, and names itself after a valid response', async () => {
    const made = await enrol()
    await setPolicy({ passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' })
    expect(await signIn(made)).toMatchObject({ refusedRule: 'passkey_sign_in_not_allowed' })
    expect((await signIn(made, { ceremony: { isVerified: false } })).refusedRule).toBe('')
    expect((await signIn(made, { request: { userId: 'bob' } })).account).toMatchObject({ userId: 'bob' })
  })

  it('takes passkeys as second factor where it demands one, unless it leaves them out', async () => {
    await enrol()
    expect((await password('bob')).account).toMatchObject({ secondFactorRequired: false })
    await setPolicy({ forceMfa: true })
    expect((await password('bob')).account).toMatchObject({
      secondFactorRequired: true,
      secondFactorEnrolmentRequired: false,
    })
    expect(await fixture.accounts.findSecondFactor({ userId: 'bob' }, TIMEOUT)).toMatchObject({
      passkey: true,
    })
    await fixture.directory.rows('DELETE FROM directory.organization_policy')
    await setPolicy({ forceMfa: true, secondFactors: ['SECOND_FACTOR_TYPE_OTP'] })
    // It does not count, and the password adds no other one.
    expect((await password('bob')).account).toMatchObject({
      secondFactorRequired: true,
      secondFactorEnrolmentRequired: false,
    })
    expect(await fixture.accounts.findSecondFactor({ userId: 'bob' }, TIMEOUT)).toMatchObject({
      passkey: false,
    })
  })

  it('takes a list that is null as one that is left out', async () => {
    const made = await enrol()
    await setPolicy({ forceMfa: true, secondFactors: null, multiFactors: null })
    expect(await signIn(made)).toMatchObject({ multiFactor: true })
    expect((await password('bob')).account).toMatchObject({ secondFactorRequired: true })
  })

  it('can demand another factor after a passkey', async () => {
    const [bob, alice] = [await enrol('bob'), await enrol('alice')]
    await setPolicy({ forceMfa: true, multiFactors: [] })
    expect(await signIn(bob)).toMatchObject({
      multiFactor: false,
      account: { secondFactorRequired: false, secondFactorEnrolmentRequired: true },
    })
    expect(await signIn(alice)).toMatchObject({ multiFactor: false, account: { secondFactorRequired: true } })
  })

  it('says how long a declined offer rests, 30 days by default', async () => {
    const isOffered = async () => (await password('carol')).account?.passkeyOffered
    expect(await isOffered()).toBe(true)
    await fixture.accounts.skipPasskeyOffer({ userId: 'carol' }, TIMEOUT)
    expect(await isOffered()).toBe(false)
    fixture.directory.clock.advance(30 * DAY_MS - 1)
    expect(await isOffered()).toBe(false)
    fixture.directory.clock.advance(1)
    expect(await isOffered()).toBe(true)
    await setPolicy({ mfaInitSkipLifetime: '0s' })
    expect(await isOffered()).toBe(false)
  })

  it('offers nothing to a person who has a passkey', async () => {
    await enrol('dave')
    expect((await password('dave')).account?.passkeyOffered).toBe(false)
  })

  it('refuses to add one that it has no use for', async () => {
    await setPolicy({
      passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED',
      secondFactors: ['SECOND_FACTOR_TYPE_OTP'],
    })
    await expect(enrol()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    expect(await fixture.accounts.listPasskeys({ userId: 'bob' }, TIMEOUT)).toMatchObject({ mayAdd: false })
  })
})

describe('a factor of an account that has one, without a proof of it', () => {
  const addPasskey = (userId: string, more: object = {}, replica = 0) => {
    const challenge = nextChallenge()
    const response = createSoftwareAuthenticator(PARTY).create({ challenge })
    const accounts = (fixture.replicas[replica] ?? fixture).accounts
    return accounts.addPasskey({ userId, response, challenge, ...more }, TIMEOUT)
  }
  const begin = (more: object = {}) => fixture.accounts.beginTotp({ userId: 'bob', ...more }, TIMEOUT)
  const confirm = ({ secret, enrolment }: { secret: string; enrolment: Uint8Array }, more: object = {}) => {
    const time = Math.floor(fixture.directory.clock.now().getTime() / 30_000)
    const code = totpCode(defaultAuthenticator(decodeBase32(secret) ?? Buffer.alloc(0)), time)
    return fixture.accounts.confirmTotp({ userId: 'bob', enrolment, code, ...more }, TIMEOUT)
  }
  const refused = { result: 'refused', details: { reason: 'second_factor_set' } }

  it.each(['bob', 'alice'])('is no passkey: %s has a passkey or a TOTP secret', async (userId) => {
    if (userId === 'bob') await enrol('bob')
    await fixture.accounts.beginPasskey({ userId }, TIMEOUT)
    expect((await addPasskey(userId)).amr).toEqual([])
    expect(await lastEvents(1)).toMatchObject([{ action: 'passkey.create', ...refused }])
    expect((await addPasskey(userId, { factorProven: true })).amr).not.toEqual([])
  })

  it.each([
    ['marked as copied', 'UPDATE directory.passkey SET cloned_at = now()'],
    ['of another RP ID', "UPDATE directory.passkey SET rp_id = 'former.example'"],
    [
      'not accepted by the policy',
      `INSERT INTO directory.organization_policy (organization_id, kind, document)
       VALUES ('acme', 'login', '{"forceMfa": true, "secondFactors": ["SECOND_FACTOR_TYPE_OTP"]}')`,
    ],
  ])('is none where the passkey of the account is %s', async (_, stop) => {
    await enrol('bob')
    const begun = await begin({ passkeyProven: true })
    await fixture.directory.rows(stop)
    expect((await addPasskey('bob')).amr).toEqual([])
    await expect(begin()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    expect(await confirm(begun)).toMatchObject({ accepted: false })
    expect(await fixture.accounts.findSecondFactor({ userId: 'bob' }, TIMEOUT)).toMatchObject({
      ...{ anyPasskey: true, totp: false },
    })
  })

  it('is one of a person whose passkeys an administrator deleted', async () => {
    await enrol('bob')
    await fixture.directory.rows("DELETE FROM directory.passkey WHERE user_id = 'bob'")
    expect((await addPasskey('bob')).amr).not.toEqual([])
  })

  it('is one of ten passkeys that are added at once, at two replicas', async () => {
    await fixture.accounts.beginPasskey({ userId: 'bob' }, TIMEOUT)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => addPasskey('bob', {}, at % 2)))
    expect(answers.filter(({ amr }) => amr.length > 0)).toHaveLength(1)
  })

  it('is no TOTP secret that was begun before the passkey was added', async () => {
    const begun = await begin()
    await enrol('bob')
    await expect(begin()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    expect(await confirm(begun)).toMatchObject({ accepted: false })
    expect(await lastEvents(1)).toMatchObject([{ action: 'totp.enrolment', ...refused }])
  })

  it('is a TOTP secret after the passkey, which the policy may not count as two factors', async () => {
    await enrol('bob')
    const begun = await begin({ passkeyProven: true })
    expect(await confirm(begun, { passkeyProven: true })).toMatchObject({ accepted: true })
    await fixture.directory.rows("DELETE FROM directory.account_totp WHERE user_id = 'bob'")
  })

  it('is either a passkey or a TOTP secret when both are added at once', async () => {
    await fixture.accounts.beginPasskey({ userId: 'bob' }, TIMEOUT)
    for (let round = 0; round < 5; round += 1) {
      const begun = await begin()
      const [{ amr }, { accepted }] = await Promise.all([addPasskey('bob', {}, 1), confirm(begun)])
      expect([amr.length > 0, accepted].filter(Boolean)).toHaveLength(1)
      await fixture.directory.rows("DELETE FROM directory.account_totp WHERE user_id = 'bob'")
      await fixture.directory.rows('DELETE FROM directory.passkey')
    }
  })
})

describe('adding, renaming and deleting', () => {
  it.each([
    ['of another origin', { origin: 'https://phishing.example' }],
    ['for another RP ID', { rpId: 'phishing.example' }],
    ['without user verification', { isVerified: false }],
    ['in a frame of another origin', { crossOrigin: true }],
    ['of another type', { type: 'webauthn.get' }],
    ['without the presence of a person', { isPresent: false }],
    ['that is backed up and not eligible', { backup: { eligible: false, backedUp: true } }],
    ['with a key of an algorithm that was not offered', { algorithm: -36 }],
    ['with a credential id of 1024 bytes', { credentialIdBytes: 1_024 }],
  ] as const)('refuses a response %s', async (_what, given) => {
    const { credentialIdBytes, ...ceremony } = { credentialIdBytes: undefined, ...given }
    await fixture.accounts.beginPasskey({ userId: 'bob' }, TIMEOUT)
    const challenge = nextChallenge()
    const authenticator = createSoftwareAuthenticator({ ...PARTY, credentialIdBytes })
    const response = authenticator.create({ challenge, ...ceremony })
    expect(await fixture.accounts.addPasskey({ userId: 'bob', response, challenge }, TIMEOUT)).toMatchObject({
      amr: [],
    })
    expect(await lastEvents(1)).toMatchObject([
      { action: 'passkey.create', result: 'refused', details: { reason: 'passkey_wrong' } },
    ])
  })

  it('ignores results of extensions, at the registration and at a sign-in', async () => {
    const extensions = { appid: true, prf: { enabled: true }, unknown: '\u202E' }
    await fixture.accounts.beginPasskey({ userId: 'bob' }, TIMEOUT)
    const challenge = nextChallenge()
    const authenticator = createSoftwareAuthenticator(PARTY)
    const response = authenticator.create({ challenge, extensions })
    const { userHandle } = await fixture.accounts.beginPasskey({ userId: 'bob' }, TIMEOUT)
    const { amr } = await fixture.accounts.addPasskey({ userId: 'bob', response, challenge }, TIMEOUT)
    expect(amr).not.toEqual([])
    const made = { authenticator, userHandle, amr }
    expect(await signIn(made, { ceremony: { extensions } })).toMatchObject({ amr })
  })

  it('refuses the authenticator of another person', async () => {
    const { authenticator } = await enrol('bob')
    const challenge = nextChallenge()
    const again = { userId: 'carol', response: authenticator.create({ challenge }), challenge }
    expect((await fixture.accounts.addPasskey(again, TIMEOUT)).amr).toEqual([])
    expect(await lastEvents(1)).toMatchObject([{ details: { reason: 'passkey_known' } }])
  })

  it('stops at 20 of a person, at two replicas at once', async () => {
    const { userHandle } = await fixture.accounts.beginPasskey({ userId: 'erin' }, TIMEOUT)
    expect(userHandle).toHaveLength(32)
    const tries = Array.from({ length: 24 }, async (_, at) => {
      const challenge = challengeOf(10_000 + at)
      const response = createSoftwareAuthenticator(PARTY).create({ challenge })
      const replica = fixture.replicas[at % 2] ?? fixture
      const request = { userId: 'erin', response, challenge, factorProven: true }
      return (await replica.accounts.addPasskey(request, TIMEOUT)).amr.length > 0
    })
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(20)
    await expect(fixture.accounts.beginPasskey({ userId: 'erin' }, TIMEOUT)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
  })

  it('changes passkeys of their owner only, with events', async () => {
    await enrol('bob')
    fixture.published.splice(0)
    const list = async () => (await fixture.accounts.listPasskeys({ userId: 'bob' }, TIMEOUT)).passkeys
    const [{ id: passkeyId } = { id: '' }] = await list()
    await fixture.accounts.renamePasskey({ userId: 'carol', passkeyId, name: 'Stolen' }, TIMEOUT)
    await fixture.accounts.deletePasskey({ userId: 'carol', passkeyId }, TIMEOUT)
    expect(await list()).toMatchObject([{ name: 'Passkey' }])
    await fixture.accounts.renamePasskey({ userId: 'bob', passkeyId, name: 'Telephone' }, TIMEOUT)
    expect(await list()).toMatchObject([{ name: 'Telephone' }])
    await expect(
      fixture.accounts.renamePasskey({ userId: 'bob', passkeyId, name: '' }, TIMEOUT),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await fixture.accounts.deletePasskey({ userId: 'bob', passkeyId }, TIMEOUT)
    expect(await list()).toEqual([])
    const target = {
      targetKind: 'passkey',
      targetId: passkeyId,
      actorKind: 'human',
      organizationId: 'acme',
    }
    expect(await lastEvents(2)).toMatchObject([
      { action: 'passkey.delete', ...target },
      { action: 'passkey.rename', ...target },
    ])
    expect(fixture.published).toEqual([])
  })

  it('deletes passkeys with their account', async () => {
    const tables = ['directory.passkey_user', 'directory.passkey']
    const stored = async () => {
      const digests = await fixture.directory.digests()
      return tables.map((table) => digests[table])
    }
    await fixture.directory.rows('DELETE FROM directory.passkey_user')
    const none = await stored()
    await enrol('dave')
    for (const [at, digest] of (await stored()).entries()) expect(digest).not.toBe(none[at])
    await fixture.directory.rows("DELETE FROM directory.account WHERE user_id = 'dave'")
    expect(await stored()).toEqual(none)
  })
})
