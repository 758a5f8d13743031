import { createHmac } from 'node:crypto'
import { FOREIGN_PASSWORD, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { placesOf } from '@signet/testing/stored-rows'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type MigrationClient,
  migrationSystem,
  ORGANIZER_TOKEN,
} from './migration-client.ts'

const BCRYPT = FOREIGN_PASSWORD_HASHES['bcrypt $2b$'] ?? ''
const SCRYPT = FOREIGN_PASSWORD_HASHES.scrypt ?? ''
const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
})
afterAll(() => migration?.system.stop())

interface SignIn {
  readonly loginName: string
  readonly password: string
  readonly otp?: string
}

const person = (userId: string, more: object = {}, outside: object = {}) => ({
  userId,
  user: {
    userName: userId,
    profile: { firstName: 'Given', lastName: userId },
    hashedPassword: { value: BCRYPT },
    ...more,
  },
  ...outside,
})
const documentOf = (orgId: string, humanUsers: readonly object[], more: object = {}) => ({
  orgs: [
    {
      orgId,
      org: { name: orgId },
      domains: [{ domainName: `${orgId}.example`, isVerified: true, isPrimary: true }],
      humanUsers,
      ...more,
    },
  ],
})

async function dryRun(document: object, more: object = {}) {
  const answer = await migration.call('POST', '/import', { data_orgs: document, dry_run: true, ...more })
  const body = (await answer.json()) as { plan?: { id: string }; credentials?: object }
  expect([answer.status, body]).toMatchObject([200, {}])
  return { id: answer.headers.get('x-signet-job') ?? '', body }
}

const rehearse = (id: string, signIns: readonly SignIn[], headers?: Record<string, string>) =>
  migration.call('POST', `/jobs/${id}/rehearse`, { sign_ins: signIns }, headers)

async function rehearsed(id: string, ...signIns: SignIn[]) {
  const answer = await rehearse(id, signIns)
  const body = (await answer.json()) as {
    results: { outcome: string; milliseconds?: number; userId?: string }[]
    wrongAnswersLeft: number
  }
  expect([answer.status, body]).toMatchObject([200, {}])
  return body
}
const outcomesOf = async (id: string, ...signIns: SignIn[]) =>
  (await rehearsed(id, ...signIns)).results.map(({ outcome }) => outcome)

const query = <R = Record<string, unknown>>(text: string, ...values: unknown[]) =>
  migration.system.database.query<R>({ name: '', text, values }).then(({ rows }) => rows)
const setWrong = (id: string, wrong: number) =>
  query('UPDATE migration.job SET wrong_sign_ins = $2 WHERE job_id = $1', id, wrong)
const wrongOf = async (id: string) =>
  (
    await query<{ wrong_sign_ins: number }>('SELECT wrong_sign_ins FROM migration.job WHERE job_id = $1', id)
  )[0]?.wrong_sign_ins

const right = (loginName: string, more: object = {}): SignIn => ({
  loginName,
  password: FOREIGN_PASSWORD,
  ...more,
})
const wrong = (loginName: string): SignIn => ({ loginName, password: 'not it' })

/** RFC 6238 with the common parameters, for SEED. */
function code(): string {
  const bits = [...SEED].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const seed = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const digest = createHmac('sha1', seed).update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

describe('a dry run counts credentials', () => {
  const tooSlow = '$2b$15$C5N0IdEbL0bbtvA5scC4O.9K1JFqDOmh/N80sSKkDJ2G.2Jf29DC2'
  const document = documentOf('counted', [
    person('counted-1'),
    person('counted-2'),
    person('counted-3', { hashedPassword: { value: SCRYPT }, otpCode: SEED }),
    person('counted-4', { hashedPassword: undefined, password: 'Clear-text-9' }),
    person('counted-5', { hashedPassword: undefined }),
    person('counted-6', { hashedPassword: { value: tooSlow } }),
    person('counted-7', { hashedPassword: { value: 'unknown' }, otpCode: 'no base32' }),
    { user_id: 'counted-8', user: { user_name: 'counted-8', hashed_password: { value: tooSlow } } },
  ])
  const credentials = {
    passwordHashes: { verifiesHere: 3, tooSlow: 2, unusable: 1 },
    kinds: [
      { kind: 'bcrypt cost=5', count: 2, milliseconds: expect.any(Number) },
      { kind: 'scrypt ln=10 r=8 p=1', count: 1, milliseconds: expect.any(Number) },
    ],
    clearPasswords: 1,
    withoutPassword: 1,
    totpSecrets: { usable: 1, unusable: 1 },
  }

  it.each(['skip', 'without_password'])('by kind, with on_invalid %s', async (on_invalid) => {
    const { id, body } = await dryRun(document, { on_invalid })
    expect(body).toMatchObject({ credentials })
    expect(await (await migration.call('GET', `/jobs/${id}`)).json()).toMatchObject({ credentials })
  })

  it('also when it is refused for them', async () => {
    const refused = await migration.call('POST', '/import', { data_orgs: document, dry_run: true })
    expect(refused.status).toBe(400)
    const path = (refused.headers.get('location') ?? '').replace('/admin/v1', '')
    expect(await (await migration.call('GET', path)).json()).toMatchObject({ state: 'failed', credentials })
  })
})

describe('sample sign-ins against a dry run', () => {
  it('say how each would end, by user name, full login name and verified address', async () => {
    const email = (address: string, isEmailVerified: boolean) => ({
      email: { email: address, isEmailVerified },
    })
    const { id } = await dryRun(
      documentOf('told', [
        person('told-a', email('Ann@mail.example', true)),
        person('told-b', email('bob@mail.example', false)),
        person('told-locked', {}, { state: 'USER_STATE_LOCKED' }),
        person('told-none', { hashedPassword: undefined }),
        person('told-clear', { hashedPassword: undefined, password: 'Clear-text-9' }),
        person('told-otp', { otpCode: SEED }),
        person('told-change', { passwordChangeRequired: true }),
        person('told-bad', { hashedPassword: { value: 'unknown' } }),
      ]),
      { on_invalid: 'without_password' },
    )
    const { results, wrongAnswersLeft } = await rehearsed(
      id,
      right('told-a'),
      right(' TOLD-A@told.example'),
      right('ann@MAIL.example'),
      wrong('told-a'),
      right('bob@mail.example'),
      right('told-a@other.example'),
      right('told-locked'),
      right('told-none'),
      { loginName: 'told-clear', password: 'Clear-text-9' },
      right('told-otp'),
      right('told-otp', { otp: '000000' }),
      right('told-otp', { otp: code() }),
      right('told-change'),
      right('told-bad'),
      right('nobody'),
    )
    const hash = { hashKind: 'bcrypt cost=5', milliseconds: expect.any(Number) }
    expect(results).toEqual([
      { outcome: 'wouldSignIn', userId: 'told-a', ...hash },
      { outcome: 'wouldSignIn', userId: 'told-a', ...hash },
      { outcome: 'wouldSignIn', userId: 'told-a', ...hash },
      { outcome: 'wrongPassword', userId: 'told-a', ...hash },
      { outcome: 'noSuchPerson' },
      { outcome: 'noSuchPerson' },
      { outcome: 'inactive', userId: 'told-locked' },
      { outcome: 'noPassword', userId: 'told-none' },
      {
        outcome: 'wouldSignIn',
        userId: 'told-clear',
        hashKind: 'clear text',
        milliseconds: expect.any(Number),
      },
      { outcome: 'secondFactorNeeded', userId: 'told-otp', ...hash },
      { outcome: 'secondFactorWrong', userId: 'told-otp', ...hash },
      { outcome: 'wouldSignIn', userId: 'told-otp', ...hash },
      { outcome: 'wouldSignIn', userId: 'told-change', ...hash, steps: ['password_change'] },
      { outcome: 'noPassword', userId: 'told-bad' },
      { outcome: 'noSuchPerson' },
    ])
    expect(wrongAnswersLeft).toBe(1_000 - 5)
    expect(
      await query('SELECT user_id FROM directory_read.account_life_v1 WHERE organization_id = $1', 'told'),
    ).toEqual([])
  })

  it('follow the policies of the organization', async () => {
    const off = await dryRun(
      documentOf('off', [person('off-a')], { loginPolicy: { allowUsernamePassword: false } }),
    )
    expect(await outcomesOf(off.id, right('off-a'))).toEqual(['passwordNotAllowed'])
    const inactive = await dryRun(
      documentOf('ended', [person('ended-a')], { orgState: 'ORG_STATE_INACTIVE' }),
    )
    expect(await outcomesOf(inactive.id, right('ended-a'))).toEqual(['inactive'])
    const forced = await dryRun(
      documentOf('forced', [person('forced-a')], {
        loginPolicy: { allowUsernamePassword: true, forceMfa: true },
      }),
    )
    expect((await rehearsed(forced.id, right('forced-a'))).results).toMatchObject([
      { outcome: 'wouldSignIn', steps: ['second_factor_enrolment'] },
    ])
  })

  it('refuse a name that means two people', async () => {
    const one = documentOf('twin-1', [person('twin-a', { userName: 'twin' })]).orgs
    const other = documentOf('twin-2', [person('twin-b', { userName: 'twin' })]).orgs
    const { id } = await dryRun({ orgs: [...one, ...other] })
    expect(await outcomesOf(id, right('twin'), right('twin@twin-2.example'))).toEqual([
      'severalPeople',
      'wouldSignIn',
    ])
  })

  it('find the person of a full login name among many organizations with the same user name', async () => {
    const orgs = Array.from(
      { length: 60 },
      (_, at) => documentOf(`tenant-${at}`, [person(`admin-${at}`, { userName: 'Admin' })]).orgs,
    )
    const { id } = await dryRun({ orgs: orgs.flat() })
    const { results } = await rehearsed(id, right('admin'), right('admin@tenant-59.example'))
    expect(results).toMatchObject([
      { outcome: 'severalPeople' },
      { outcome: 'wouldSignIn', userId: 'admin-59' },
    ])
  })

  it('never look at the password of an account that exists', async () => {
    const stored = { hashedPassword: undefined, password: 'The-stored-one-9' }
    await migration.import(documentOf('here', [person('here-a', stored), person('here-b', stored)]))
    const document = documentOf('here', [
      person('here-a'),
      person('here-b', { hashedPassword: undefined }),
      person('here-c', { userName: 'here-a' }),
    ])
    const typed = [right('here-a'), { loginName: 'here-a', password: 'The-stored-one-9' }]
    const skipped = await dryRun(document, { on_conflict: 'skip', on_invalid: 'skip' })
    expect(await outcomesOf(skipped.id, ...typed)).toEqual(['keepsPassword', 'keepsPassword'])
    const updated = await dryRun(document, { on_conflict: 'update', on_invalid: 'skip' })
    expect(await outcomesOf(updated.id, ...typed, right('here-b'))).toEqual([
      'wouldSignIn',
      'wrongPassword',
      'keepsPassword',
    ])
    const failed = await dryRun(document, { on_conflict: 'fail', on_invalid: 'skip' })
    expect(await outcomesOf(failed.id, ...typed)).toEqual(['notImported', 'notImported'])
  })

  it('store and log no password, and are in the audit log as counts', async () => {
    const { id } = await dryRun(documentOf('quiet', [person('quiet-a')]))
    await rehearsed(id, right('quiet-a'), { loginName: 'quiet-a', password: 'Never-stored-1' })
    const events = await query<{ action: string; details: object }>(
      `SELECT action, details FROM migration_read.audit_event_v1 WHERE target_id = $1 AND action = 'import.rehearse'`,
      id,
    )
    expect(events).toEqual([
      {
        action: 'import.rehearse',
        details: { request_id: expect.any(String), token_id: expect.any(String), tried: 2, wrong: 1 },
      },
    ])
    const passwords = ['Never-stored-1', FOREIGN_PASSWORD]
    expect(await placesOf(passwords, (text) => query(text), ['migration', 'migration_audit'])).toEqual([])
  })
})

describe('rehearsals are bounded', () => {
  it('give exactly the wrong answers that are left when calls come at once', async () => {
    const { id } = await dryRun(documentOf('raced', [person('raced-a')]))
    await setWrong(id, 970)
    const signIns = Array.from({ length: 25 }, () => wrong('raced-a'))
    const calls = Array.from({ length: 4 }, async () => {
      const answer = await rehearse(id, signIns)
      const { results, details } = await answer.json()
      if (answer.ok) return results.map(({ outcome }: { outcome: string }) => outcome)
      // It began when the others had taken all.
      expect(details).toEqual([{ id: 'rehearsals_ended' }])
      return signIns.map(() => 'notTried')
    })
    const answers = await Promise.all(calls)
    const count = (outcome: string) => answers.flat().filter((one) => one === outcome).length
    expect([count('wrongPassword'), count('notTried')]).toEqual([30, 70])
    expect(await wrongOf(id)).toBe(1_000)
    const ended = await rehearse(id, [right('raced-a')])
    expect([ended.status, await ended.json()]).toMatchObject([409, { details: [{ id: 'rehearsals_ended' }] }])
    const again = await dryRun(documentOf('raced', [person('raced-a')]))
    expect(await outcomesOf(again.id, right('raced-a'))).toEqual(['wouldSignIn'])
  })

  it('do not count right answers', async () => {
    const { id } = await dryRun(documentOf('rightly', [person('rightly-a')]))
    await setWrong(id, 999)
    const signIns = Array.from({ length: 10 }, () => right('rightly-a'))
    expect(new Set(await outcomesOf(id, ...signIns))).toEqual(new Set(['wouldSignIn']))
    expect(await wrongOf(id)).toBe(999)
  })

  it('take at most 100 sign-ins in a call', async () => {
    const { id } = await dryRun(documentOf('many', [person('many-a')]))
    const refused = await rehearse(
      id,
      Array.from({ length: 101 }, () => wrong('many-a')),
    )
    expect([refused.status, await refused.json()]).toMatchObject([400, { details: [{ field: 'signIns' }] }])
    const empty = await rehearse(id, [])
    expect(empty.status).toBe(400)
    const incomplete = await rehearse(id, [{ loginName: 'many-a' } as SignIn])
    expect(incomplete.status).toBe(400)
    expect(await wrongOf(id)).toBe(0)
  })

  it('need IAM_OWNER, and a refusal is in the audit log', async () => {
    const { id } = await dryRun(documentOf('others', [person('others-a')]))
    const headers = { Authorization: `Bearer ${ORGANIZER_TOKEN}` }
    expect((await rehearse(id, [right('others-a')], headers)).status).toBe(403)
    expect(
      await query(
        'SELECT action, result FROM migration_read.audit_event_v1 WHERE actor_id = $1 AND target_id = $2',
        'organizer',
        id,
      ),
    ).toEqual([{ action: 'job.rehearse', result: 'refused' }])
  })

  it('are refused for what is no dry run, and when its records are gone', async () => {
    const document = documentOf('gone', [person('gone-a')])
    const status = async (id: string) => {
      const answer = await rehearse(id, [right('gone-a')])
      const { details } = (await answer.json()) as { details: { id: string }[] }
      return [answer.status, details[0]?.id]
    }
    const { id: cleared } = await dryRun(document)
    await query('UPDATE migration.staged_batch SET sealed = NULL WHERE job_id = $1', cleared)
    expect(await status(cleared)).toEqual([410, 'plan_expired'])
    const { id: keyless } = await dryRun(document)
    await query(
      'UPDATE migration.staged_batch SET sealed = set_byte(sealed, 1, get_byte(sealed, 1) # 255) WHERE job_id = $1',
      keyless,
    )
    expect(await status(keyless)).toEqual([400, 'master_key_unknown'])
    const { id: late } = await dryRun(document)
    await query(`UPDATE migration.job SET ended_at = now() - interval '25 hours' WHERE job_id = $1`, late)
    expect(await status(late)).toEqual([410, 'plan_expired'])
    const { id: applied } = await dryRun(document)
    expect((await migration.call('POST', `/jobs/${applied}/apply`, {})).status).toBe(200)
    expect(await status(applied)).toEqual([409, 'plan_applied'])
    const wet = await migration.call('POST', '/import', { data_orgs: document })
    expect(await status(wet.headers.get('x-signet-job') ?? '')).toEqual([400, 'job_not_plan'])
    expect(await status('unknown')).toEqual([404, 'job_unknown'])
  })
})
