import { placesOf } from '@signet/testing/stored-rows'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from './migration-client.ts'

type Json = Readonly<Record<string, unknown>>

const HASH = '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'
const UNKNOWN_HASH = '$unknown-kind$c2VjcmV0'
const person = (userId: string, more: Json = {}) => ({
  userId,
  user: { userName: userId, hashedPassword: { value: HASH }, ...more },
})

/** Returns a document with four users: one is valid, two have only invalid credentials, one an invalid name. */
const documentOf = (orgId: string) => ({
  orgs: [
    {
      orgId,
      org: { name: orgId },
      domains: [{ domainName: `${orgId}.example`, isVerified: true, isPrimary: true }],
      lockoutPolicy: { maxPasswordAttempts: 7 },
      humanUsers: [
        person(`${orgId}-right`),
        person(`${orgId}-hash`, { hashedPassword: { value: UNKNOWN_HASH }, password: 'Correct-horse-9' }),
        person(`${orgId}-both`, { userName: '', otpCode: 'no base32!' }),
        { ...person(`${orgId}-otp`, { otpCode: 'no base32!' }), note: 'left out' },
      ],
      projects: [{ projectId: `${orgId}-project`, project: { privateLabelingSetting: 'NONE' } }],
    },
  ],
})

describe('on_invalid', () => {
  let migration: MigrationClient
  beforeAll(async () => {
    migration = createMigrationClient(await startSystem(migrationSystem()))
  })
  afterAll(() => migration?.system.stop())

  const query = async (text: string, values: unknown[] = []) =>
    (await migration.system.database.query<Record<string, unknown>>({ name: '', text, values })).rows
  const stored = (text: string) => query(text)
  const accounts = async (organizationId: string) =>
    (
      await query(
        'SELECT user_id FROM directory_read.account_life_v1 WHERE organization_id = $1 ORDER BY user_id',
        [organizationId],
      )
    ).map(({ user_id }) => user_id)
  const jobOf = async (id: string) => (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Json>
  const reportOf = async (id: string) =>
    (await (await migration.call('GET', `/jobs/${id}/report`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
  const rejectsOf = async (id: string) => {
    const answer = await migration.call('GET', `/jobs/${id}/rejects`)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    return (await answer.json()) as { orgs: (Json & { humanUsers: Json[] })[] }
  }
  /** Imports and waits; the job is found by its position: the newest. */
  async function importing(document: unknown, more: Json) {
    const answer = await migration.import(document, more)
    const { jobs } = (await (await migration.call('GET', '/jobs')).json()) as { jobs: { id: string }[] }
    const id = jobs[0]?.id ?? ''
    return { ...answer, id, job: await jobOf(id) }
  }

  it.each([[{}], [{ on_invalid: 'fail' }]])(
    '%j: a refused import is a job with a report and rejects',
    async (more) => {
      const document = documentOf('refused')
      const { status, body, id, job } = await importing(document, more)
      expect(status).toBe(400)
      expect(body.message).toMatch(
        /^orgs\[0\]\.humanUsers\[1\]\.user\.hashedPassword\.value \(organization refused\): a password hash must be .* \(and 4 more problems, see the report\); nothing was imported$/,
      )
      expect(body.details?.every(({ jobId }) => jobId === id)).toBe(true)
      expect(body.details).toContainEqual(
        expect.objectContaining({ id: 'invalid_records', records: 4, credentialsOnly: 2 }),
      )
      expect(job).toMatchObject({
        kind: 'import',
        state: 'failed',
        resumable: false,
        counts: { total: 0, done: 0, invalid: 4 },
        result: { report: `/admin/v1/jobs/${id}/report`, rejects: `/admin/v1/jobs/${id}/rejects` },
        createdBy: 'migrator',
      })
      const place = {
        orgId: 'refused',
        organization: 0,
        type: 'human_user',
        list: 'humanUsers',
        outcome: 'invalid',
      }
      expect(await reportOf(id)).toEqual([
        { ...place, index: 2, id: 'refused-both', field: 'user.userName', rule: 'must not be empty' },
        {
          ...place,
          ...{
            index: 2,
            id: 'refused-both',
            field: 'user.otpCode',
            rule: 'must be base32 of 10 bytes or more',
          },
        },
        {
          ...place,
          ...{
            index: 1,
            id: 'refused-hash',
            field: 'user.hashedPassword.value',
            rule: expect.stringMatching(/^a password hash must be /),
          },
        },
        {
          ...place,
          index: 3,
          id: 'refused-otp',
          field: 'user.otpCode',
          rule: 'must be base32 of 10 bytes or more',
        },
        {
          ...place,
          ...{ type: 'project', list: 'projects', index: 0, id: 'refused-project' },
          ...{ field: 'project.privateLabelingSetting', rule: expect.stringMatching(/^must be one of /) },
        },
      ])
      const [organization] = document.orgs
      const { humanUsers = [], ...others } = organization ?? {}
      expect(await rejectsOf(id)).toEqual({
        orgs: [{ ...others, humanUsers: [humanUsers[2], humanUsers[1], humanUsers[3]] }],
      })
      expect(await accounts('refused')).toEqual([])
      const places = await placesOf([id], stored, ['migration'])
      expect(places).toContain(`migration.job: ${id}`)
      expect(places).not.toContain(`migration.staged_batch: ${id}`)
    },
  )

  it('keeps secrets out of the report, and in the database only sealed', async () => {
    const { id, body, job } = await importing(documentOf('secretive'), {})
    const told = JSON.stringify([body, job, await reportOf(id)])
    const secrets = [UNKNOWN_HASH, 'Correct-horse-9', 'no base32!']
    for (const secret of secrets) expect(told).not.toContain(secret)
    expect(await placesOf([id, ...secrets], stored, ['migration', 'migration_audit'])).toContain(
      `migration.job: ${id}`,
    )
    expect(await placesOf(secrets, stored, ['migration', 'migration_audit'])).toEqual([])
    await query(`UPDATE migration.job SET ended_at = now() - interval '25 hours' WHERE job_id = $1`, [id])
    await importing({ orgs: [] }, {})
    await expect
      .poll(async () => (await migration.call('GET', `/jobs/${id}/rejects`)).status, { timeout: 10_000 })
      .toBe(404)
    expect(await reportOf(id)).toHaveLength(5)
  })

  it('skip: leaves invalid records out; the mended rejects are imported', async () => {
    const { status, body, id, job } = await importing(documentOf('skipping'), { on_invalid: 'skip' })
    expect(status).toBe(200)
    expect(body.errors?.map(({ type, id: failed }) => [type, failed])).toEqual([
      ['human_user', 'skipping-both'],
      ['human_user', 'skipping-hash'],
      ['human_user', 'skipping-otp'],
      ['project', 'skipping-project'],
    ])
    expect(job).toMatchObject({
      state: 'partial',
      counts: { total: 2, done: 2, created: 2, failed: 0, invalid: 4 },
      notes: expect.arrayContaining([
        '4 invalid records are left out; see the report and the rejects document',
      ]),
    })
    expect(await accounts('skipping')).toEqual(['skipping-right'])
    const rejects = await rejectsOf(id)
    const mended = JSON.parse(
      JSON.stringify(rejects)
        .replace(UNKNOWN_HASH, HASH)
        .replaceAll('no base32!', 'JBSWY3DPEHPK3PXP')
        .replaceAll('"userName":""', '"userName":"mended"')
        .replaceAll('"privateLabelingSetting":"NONE"', '"name":"mended"'),
    )
    const second = await importing(mended, {})
    expect(second.body.errors).toBeUndefined()
    expect(second.job).toMatchObject({ state: 'succeeded', counts: { created: 4, skipped: 1, invalid: 0 } })
    const path = `/admin/v1/jobs/${second.id}`
    expect(second.job.result).toEqual({ report: `${path}/report`, leftOut: `${path}/left-out` })
    expect(await accounts('skipping')).toHaveLength(4)
    expect((await migration.call('GET', `/jobs/${second.id}/rejects`)).status).toBe(404)
  })

  it('without_password: imports users without their invalid hash or OTP secret, and lists the rest', async () => {
    // The option may stand behind the document.
    const call = { data_orgs: documentOf('careful'), on_invalid: 'without_password' }
    const answer = await migration.call('POST', '/import', call)
    const id = answer.headers.get('x-signet-job') ?? ''
    expect(await jobOf(id)).toMatchObject({
      state: 'partial',
      counts: { total: 4, created: 4, invalid: 2 },
      notes: expect.arrayContaining([
        '2 users are imported without a password hash or OTP secret that is invalid; see the report',
        '2 invalid records are left out; see the report and the rejects document',
      ]),
    })
    expect(await accounts('careful')).toEqual(['careful-hash', 'careful-otp', 'careful-right'])
    const withHash = `SELECT user_id FROM directory.account_password WHERE user_id LIKE 'careful-%' ORDER BY user_id`
    expect((await query(withHash)).map(({ user_id }) => user_id)).toEqual(['careful-otp', 'careful-right'])
    const lines = await reportOf(id)
    expect(lines).toContainEqual(
      expect.objectContaining({
        id: 'careful-hash',
        index: 1,
        field: 'user.hashedPassword.value',
        outcome: 'withoutPassword',
      }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ id: 'careful-otp', index: 3, outcome: 'created' }))
    const [organization] = (await rejectsOf(id)).orgs
    expect(organization?.humanUsers.map(({ userId }) => userId)).toEqual(['careful-both'])
  })

  it('leaves out the second of two equal records, with the index of the document', async () => {
    const people = Array.from({ length: 9 }, (_, at) => person(`twice-${at}`))
    const document = {
      orgs: [
        {
          orgId: 'twice',
          org: { name: 'twice' },
          humanUsers: [
            person('twice-x', { userName: '' }),
            ...people,
            people[3],
            person('twice-9', { userName: 'TWICE-4' }),
          ],
        },
      ],
    }
    const refused = await importing(document, {})
    expect(refused.job).toMatchObject({ state: 'failed', counts: { invalid: 1 } })
    const unique = { orgs: [{ ...document.orgs[0], humanUsers: document.orgs[0]?.humanUsers.slice(1) }] }
    const duplicates = await importing(unique, {})
    expect(duplicates.body.message).toContain('orgs[0].humanUsers[9]')
    expect(duplicates.job).toMatchObject({ state: 'failed', counts: { total: 0, invalid: 2 } })
    expect(await accounts('twice')).toEqual([])
    const { id, job } = await importing(document, { on_invalid: 'skip' })
    expect(job).toMatchObject({ state: 'partial', counts: { total: 10, done: 10, created: 10, invalid: 3 } })
    const rule = 'is given more than once in the document'
    expect((await reportOf(id)).filter(({ outcome }) => outcome === 'invalid')).toMatchObject([
      { index: 0, id: 'twice-x' },
      { index: 10, id: 'twice-3', rule },
      { index: 11, id: 'twice-9', rule },
    ])
    expect(await accounts('twice')).toHaveLength(9)
    expect((await rejectsOf(id)).orgs[0]).toMatchObject({
      orgId: 'twice',
      humanUsers: [{ userId: 'twice-x' }, { userId: 'twice-3' }, { userId: 'twice-9' }],
    })
  })

  it.each([
    ['an invalid organization', { orgId: 'headless', orgState: 'NONE', humanUsers: [person('headless-1')] }],
    [
      'an organization that is given twice',
      { orgId: 'home-2', org: { name: 'a' }, humanUsers: [person('given-1')] },
    ],
  ])('refuses %s in every mode: its records have no place', async (_, organization) => {
    const again = { orgId: 'home-2', org: { name: 'b' } }
    const document = { orgs: [organization, again] }
    const { status, job, id } = await importing(document, { on_invalid: 'skip' })
    expect([status, job.state]).toEqual([400, 'failed'])
    expect((await rejectsOf(id)).orgs).toHaveLength(1)
    expect(await accounts(organization.orgId)).toEqual([])
  })

  it('carries a record that is no UTF-8 as base64', async () => {
    const text = Buffer.from(JSON.stringify({ data_orgs: documentOf('latin'), on_invalid: 'skip' }))
    text[text.indexOf('latin-right') + 6] = 0xe4
    const answer = await migration.call(
      'POST',
      '/import',
      new ReadableStream({
        start(stream) {
          stream.enqueue(text)
          stream.close()
        },
      }),
    )
    const id = answer.headers.get('x-signet-job') ?? ''
    const [organization] = (await rejectsOf(id)).orgs
    const [unreadable] = organization?.humanUsers.flatMap(({ unreadable: bytes }) => bytes ?? []) ?? []
    expect(Buffer.from(String(unreadable), 'base64').toString('latin1')).toContain('latin-äight')
  })

  it('a dry run says the same', async () => {
    const dry = await importing(documentOf('dry'), { on_invalid: 'without_password', dry_run: true })
    expect(await accounts('dry')).toEqual([])
    const wet = await importing(documentOf('dry'), { on_invalid: 'without_password' })
    const { plan, credentials, ...result } = dry.body
    expect(plan).toMatchObject({ id: dry.id, create: 4, update: 0, skip: 0, conflict: 0 })
    expect(credentials).toMatchObject({
      passwordHashes: { verifiesHere: 1, tooSlow: 0, unusable: 1 },
      totpSecrets: { usable: 0, unusable: 2 },
    })
    expect(wet.body).toEqual(result)
    expect(await rejectsOf(wet.id)).toEqual(await rejectsOf(dry.id))
  })

  it('two imports of one document at once reject the same records', async () => {
    const document = documentOf('racing')
    const results = await Promise.all(
      [1, 2, 3].map(() => migration.call('POST', '/import', { data_orgs: document, on_invalid: 'skip' })),
    )
    const ids = results.map(({ headers }) => headers.get('x-signet-job') ?? '')
    const [first, ...others] = await Promise.all(ids.map(rejectsOf))
    for (const other of others) expect(other).toEqual(first)
    expect(await accounts('racing')).toEqual(['racing-right'])
  })

  it('an unreadable document is a job without rejects', async () => {
    const { status, job, id } = await importing({ orgs: [{ humanUsers: [{}], orgId: 'x' }, 7] }, {})
    expect(status).toBe(400)
    expect(job).toMatchObject({ state: 'failed', error: { details: [{ id: 'document_unreadable' }] } })
    expect((await migration.call('GET', `/jobs/${id}/rejects`)).status).toBe(404)
  })

  it('refuses another rule', async () => {
    const { status, body } = await migration.import({ orgs: [] }, { on_invalid: 'maybe' })
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('on_invalid')])
  })
})
