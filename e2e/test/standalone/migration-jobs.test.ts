import { generateKeyPairSync } from 'node:crypto'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type MigrationClient,
  migrationSystem,
  ORGANIZER_TOKEN,
} from './migration-client.ts'

const users = (count: number, prefix = 'u') =>
  Array.from({ length: count }, (_, index) => ({
    userId: `${prefix}${index}`,
    user: {
      userName: `${prefix}${index}`,
      profile: { firstName: 'Given', lastName: `Family ${index}` },
      email: { email: `${prefix}${index}@acme.example`, isEmailVerified: true },
      hashedPassword: { value: '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py' },
    },
  }))
const organization = (orgId: string, more: object = {}) => ({
  orgs: [{ orgId, org: { name: orgId }, ...more }],
})

describe('jobs of /admin/v1', () => {
  let migration: MigrationClient
  beforeAll(async () => {
    migration = createMigrationClient(await startSystem(migrationSystem()))
  })
  afterAll(() => migration?.system.stop())

  const accepted = async (document: unknown, more: object = {}) => {
    const headers = { Prefer: 'respond-async' }
    const answer = await migration.call('POST', '/import', { data_orgs: document, ...more }, headers)
    expect(answer.status).toBe(202)
    const job = (await answer.json()) as { id: string }
    expect(answer.headers.get('location')).toBe(`/admin/v1/jobs/${job.id}`)
    return job.id
  }
  const job = async (id: string) =>
    (await migration.call('GET', `/jobs/${id}`)).json() as Promise<Record<string, unknown>>
  const accounts = async (organizationId: string) => {
    const text =
      'SELECT count(*)::int AS count FROM directory_read.account_life_v1 WHERE organization_id = $1'
    const { rows } = await migration.system.database.query<{ count: number }>({
      name: '',
      text,
      values: [organizationId],
    })
    return rows[0]?.count
  }

  it('RFC 7240 section 4.1: respond-async returns 202 at once; events and report have the rest', async () => {
    const id = await accepted(organization('events', { humanUsers: users(4_200, 'e') }))
    const events = await (await migration.call('GET', `/jobs/${id}/events`)).text()
    expect(events).toMatch(/^event: progress\ndata: \{/)
    expect(events).toMatch(/event: done\ndata: \{\}\n\n$/)
    expect(await job(id)).toMatchObject({
      kind: 'import',
      state: 'succeeded',
      createdBy: 'migrator',
      counts: { total: 4_201, done: 4_201, created: 4_201, updated: 0, skipped: 0, failed: 0 },
      result: { report: `/admin/v1/jobs/${id}/report` },
      notes: expect.arrayContaining(['4200 e-mail addresses in acme.example are kept as verified']),
    })
    const report = (await (await migration.call('GET', `/jobs/${id}/report`)).text()).trim().split('\n')
    expect(report.map((line) => JSON.parse(line))).toContainEqual({
      orgId: 'events',
      type: 'human_user',
      id: 'e4199',
      index: 4_199,
      outcome: 'created',
    })
    const { jobs } = (await (await migration.call('GET', '/jobs')).json()) as { jobs: { id: string }[] }
    expect(jobs[0]?.id).toBe(id)
  })

  it('dry_run: the same outcome, and nothing is written', async () => {
    const trust = { issuer: 'https://issuer.example', subject: 'workload' }
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
    const publicKey = Buffer.from(pem).toString('base64')
    const document = organization('dry', {
      humanUsers: users(600, 'd'),
      machineUsers: [{ userId: 'dry-robot', user: { userName: 'dry-robot', name: 'Robot' } }],
      machineTrustedIssuers: [{ userId: 'dry-robot', id: 't', ...trust }],
      projects: [{ projectId: 'dry-project', project: { name: 'Dry' } }],
      apiApps: [{ appId: 'dry-app', app: { projectId: 'dry-project', name: 'Dry' } }],
      // Without its project.
      appKeys: [{ id: 'k', appId: 'dry-app', publicKey }],
      appTrustedIssuers: [{ appId: 'dry-app', id: 't', ...trust }],
      projectRoles: [{ projectId: 'dry-project', roleKey: 'r' }],
      userGrants: [
        { userId: 'd599', projectId: 'dry-project', roleKeys: ['r'] },
        { userId: 'nobody', projectId: 'dry-project', roleKeys: ['r'] },
      ],
      orgMembers: [{ userId: 'd1', roles: ['ORG_OWNER'] }],
    })
    const dry = await migration.import(document, { dry_run: true })
    expect(dry.body.errors).toEqual([
      { type: 'user_grant', id: 'dry_dry-project_nobody', message: 'there is no such user' },
    ])
    expect(await accounts('dry')).toBe(0)
    const wet = await migration.import(document)
    expect(dry.body.plan).toMatchObject({ create: 610, update: 0, skip: 0, conflict: 1 })
    expect(dry.body.credentials).toMatchObject({ passwordHashes: { verifiesHere: 600 } })
    const { plan, credentials } = dry.body
    expect({ ...wet.body, plan, credentials }).toEqual(dry.body)
    expect(await accounts('dry')).toBe(601)
  })

  it('every record is checked before the first write, duplicates across the document included', async () => {
    const broken = await migration.import(
      organization('checked', {
        humanUsers: [...users(700, 'c'), { userId: 'last', user: { userName: '' } }],
      }),
    )
    expect(broken.status).toBe(400)
    expect(broken.body.message).toBe(
      'orgs[0].humanUsers[700].user.userName (organization checked): must not be empty; nothing was imported',
    )
    expect(broken.body.details?.[0]).toMatchObject({
      id: 'document_invalid',
      organization: 0,
      organizationId: 'checked',
      list: 'humanUsers',
      index: 700,
      field: 'user.userName',
    })
    const twice = await migration.import(
      organization('checked', { humanUsers: [...users(600, 'c'), ...users(1, 'c')], machineUsers: [] }),
    )
    expect(twice.status).toBe(400)
    expect(twice.body.message).toContain('orgs[0].humanUsers[600]')
    expect(twice.body.message).toContain('is given more than once in the document')
    expect(await accounts('checked')).toBe(0)
  })

  it('a record that cannot be written fails alone, and the rest of its batch is written', async () => {
    await migration.import(organization('first', { humanUsers: users(1, 'taken') }))
    const { status, body } = await migration.import(
      organization('second', { humanUsers: [...users(3, 'fine'), ...users(1, 'taken')] }),
    )
    expect(status).toBe(200)
    expect(body.errors).toEqual([
      { type: 'human_user', id: 'taken0', message: 'the user belongs to another organization' },
    ])
    expect(await accounts('second')).toBe(3)
  })

  it('two imports of one document at once have one result', async () => {
    const document = organization('twins', { humanUsers: users(4_500, 'w') })
    const results = await Promise.all([
      migration.import(document),
      migration.import(document),
      migration.import(document),
    ])
    expect(results.map(({ status, body }) => [status, body.errors])).toEqual(
      results.map(() => [200, undefined]),
    )
    expect(await accounts('twins')).toBe(4_500)
    const created = results.flatMap(({ body }) => body.success.orgs?.[0]?.humanUserIds ?? [])
    expect(new Set(created as string[]).size).toBe(4_500)
    expect(created).toHaveLength(4_500)
  })

  /** Runs `work` while no batch can be written. */
  const whileWritingWaits = <T>(work: () => Promise<T>): Promise<T> =>
    migration.system.database.transaction(async (tx) => {
      await tx.query({ name: '', text: 'LOCK TABLE directory.applied_batch IN EXCLUSIVE MODE' })
      return await work()
    })

  it('a time-out returns 504 with the job; it writes nothing more, and the job can be resumed', async () => {
    const document = organization('late', { humanUsers: users(4_500, 'l') })
    const answer = await whileWritingWaits(async () => {
      const importing = migration.call('POST', '/import', { timeout: '90s', data_orgs: document })
      // Its time is over once a batch is under way: a busy machine may not come that far in any number of seconds.
      const text = `UPDATE migration.job j SET deadline_at = now()
                     WHERE state = 'running' AND deadline_at = accepted_at + interval '90 s'
                       AND EXISTS (SELECT FROM migration.staged_batch b
                                    WHERE b.job_id = j.job_id AND b.claimed_by IS NOT NULL)`
      await expect
        .poll(async () => (await migration.system.database.query({ name: '', text })).rowCount)
        .toBe(1)
      return { importing }
    })
    const response = await answer.importing
    expect(response.status).toBe(504)
    const id = String((await response.json()).details?.[0]?.jobId)
    expect(response.headers.get('location')).toBe(`/admin/v1/jobs/${id}`)
    const written = await accounts('late')
    expect(written).toBe(0)
    expect(await job(id)).toMatchObject({
      state: 'timedOut',
      resumable: true,
      counts: { done: 1, created: 1 },
    })
    for (const body of [{ timeout: '1ms' }, { timeout: 7 }, { time: '2m' }, '[]', 'no json']) {
      expect((await migration.call('POST', `/jobs/${id}/resume`, body)).status, JSON.stringify(body)).toBe(
        400,
      )
    }
    expect((await migration.call('POST', `/jobs/${id}/resume`, { timeout: '2h' })).status).toBe(202)
    await expect.poll(async () => (await job(id)).state).toBe('succeeded')
    expect(await accounts('late')).toBe(4_500)
    const { rows } = await migration.system.database.query({
      name: '',
      text: 'SELECT timeout_ms::int AS timeout FROM migration.job WHERE job_id = $1',
      values: [id],
    })
    expect(rows).toEqual([{ timeout: 7_200_000 }])
  })

  it.each([
    ['no json', 'data_orgsv1 is a text that is not a document: the document must be an object'],
    ['{"orgs":', 'data_orgsv1 is a text that is not a document: the JSON ends early'],
  ])('a document text of %j is refused with the member and the reason', async (text, message) => {
    const { status, body } = await migration.import(text)
    expect(status).toBe(400)
    expect(body.message).toContain(message)
  })

  it('names the roles and counts the sections that are kept and have no effect', async () => {
    const grant = { projectId: 'kept-p', grantId: 'kept-g' }
    const id = await accepted(
      organization('kept', {
        humanUsers: users(2, 'k'),
        projects: [{ projectId: 'kept-p', project: { name: 'P' } }],
        orgMembers: [{ userId: 'k0', roles: ['ORG_OWNER', 'ORG_SETTINGS_MANAGER'] }],
        projectMembers: [{ userId: 'k1', projectId: 'kept-p', roles: ['PROJECT_BOSS'] }],
        projectGrantMembers: [
          { ...grant, userId: 'k0', roles: ['PROJECT_GRANT_OWNER'] },
          { ...grant, userId: 'k1', roles: ['PROJECT_GRANT_OWNER'] },
        ],
        actions: [{ actionId: 'kept-a', action: { name: 'a', script: 'x' } }],
      }),
    )
    await expect.poll(async () => (await job(id)).state).toBe('succeeded')
    expect((await job(id)).notes).toEqual(
      expect.arrayContaining([
        'user k0: the role ORG_SETTINGS_MANAGER is kept and grants nothing',
        'user k1: the role PROJECT_BOSS is kept and grants nothing',
        '2 records of projectGrantMembers are stored, not interpreted',
        '1 records of actions are stored, not interpreted',
      ]),
    )
  })

  it('cancel stops a job at a batch, resume finishes it', async () => {
    const id = await whileWritingWaits(async () => {
      const started = await accepted(organization('stopped', { humanUsers: users(6_500, 's') }))
      await expect.poll(async () => (await job(started)).phase).toBe('applying')
      expect((await migration.call('POST', `/jobs/${started}/cancel`)).status).toBe(202)
      return started
    })
    await expect.poll(async () => (await job(id)).state).toBe('cancelled')
    expect(await accounts('stopped')).toBeLessThan(6_500)
    expect((await migration.call('POST', `/jobs/${id}/cancel`)).status).toBe(400)
    expect((await migration.call('POST', `/jobs/${id}/resume`)).status).toBe(202)
    await expect.poll(async () => (await job(id)).state).toBe('succeeded')
    expect(await accounts('stopped')).toBe(6_500)
    const told = (await trailOf(`targetId=${id}`)).map(({ action, actor, result }) => [
      action,
      actor.id,
      result,
    ])
    expect(told).toEqual([
      ['import.end', undefined, 'success'],
      ['import.resume', 'migrator', 'success'],
      ['import.end', undefined, 'success'],
      ['import.cancel', 'migrator', 'success'],
      ['import.start', 'migrator', 'success'],
    ])
  })

  interface Told {
    readonly action: string
    readonly result: string
    readonly actor: { readonly kind: string; readonly id?: string }
    readonly details: Readonly<Record<string, unknown>>
  }
  /** The audit log of this service, newest first, as administrators read it. */
  const trailOf = async (filter: string): Promise<readonly Told[]> => {
    const { items } = (await (await migration.manage('GET', `/audit?${filter}`)).json()) as {
      items: (Told & { service: string })[]
    }
    return items.filter(({ service }) => service === 'migration')
  }

  it('an export is in the audit log with its options, and how it ended [F-47]', async () => {
    const answer = await migration.call('POST', '/export', { org_ids: ['home'], withPasswords: true })
    const id = answer.headers.get('x-signet-job')
    expect(await trailOf(`targetId=${id}`)).toMatchObject([
      { action: 'export.end', actor: { kind: 'service' }, details: { state: 'succeeded' } },
      {
        action: 'export.start',
        actor: { kind: 'service_user', id: 'migrator' },
        details: { orgIds: ['home'], withPasswords: true, withOtp: false },
      },
    ])
  })

  it('a password in clear text is stored as a hash', async () => {
    const user = { userId: 'plain', user: { userName: 'plain', password: 'Correct-horse-9' } }
    expect(
      (await migration.import(organization('clear', { humanUsers: [user] }))).body.errors,
    ).toBeUndefined()
    const text = 'SELECT hash FROM directory.account_password WHERE user_id = $1'
    const { rows } = await migration.system.database.query<{ hash: string }>({
      name: '',
      text,
      values: ['plain'],
    })
    expect(rows[0]?.hash).toMatch(/^\$argon2id\$/)
  })

  it('export-format 1.8: a password in clear text keeps to the rules of the organization', async () => {
    const people = ['Correct-horse-9', 'correct-horse'].map((password, at) => ({
      userId: `ruled-${at}`,
      user: { userName: `ruled-${at}`, password },
    }))
    const policy = { passwordComplexityPolicy: { minLength: '10', hasNumber: true } }
    const { status, body } = await migration.import(organization('ruled', { ...policy, humanUsers: people }))
    expect([status, body.errors]).toEqual([
      200,
      [{ type: 'human_user', id: 'ruled-1', message: 'user.password is left out: needs a digit' }],
    ])
    expect(await accounts('ruled')).toBe(2)
  })

  it('the report names the members of policies that are not obeyed, of a dry run too', async () => {
    const policies = {
      loginPolicy: {
        ...{ allowUsernamePassword: true, defaultRedirectUri: 'https://app.example/' },
        secondFactors: ['SECOND_FACTOR_TYPE_OTP_EMAIL'],
      },
      lockoutPolicy: {},
      labelPolicy: { primaryColor: '#123456', warnColor: '#ff0000', disableWatermark: false },
    }
    for (const more of [{ dry_run: true }, {}]) {
      const id = await accepted(organization('ruled-by-policies', policies), more)
      await (await migration.call('GET', `/jobs/${id}/events`)).text()
      const { notes } = (await job(id)) as { notes: readonly string[] }
      expect(notes).toContainEqual(
        expect.stringMatching(
          /^organization ruled-by-policies: not obeyed here: labelPolicy\.warnColor .*, loginPolicy\.defaultRedirectUri.*, loginPolicy\.secondFactors.*$/,
        ),
      )
      expect(notes).toContainEqual(
        expect.stringMatching(
          /^organization ruled-by-policies: the setting of the instance holds instead: lockoutPolicy\.maxPasswordAttempts 0 must .*, lockoutPolicy\.maxOtpAttempts 0 must /,
        ),
      )
    }
    // A zero, which the format leaves out, differs from a default.
    const { orgs } = await migration.export({ org_ids: ['ruled-by-policies'] })
    expect(orgs[0]).toMatchObject({
      lockoutPolicy: { maxPasswordAttempts: 0, maxOtpAttempts: 0 },
      labelPolicy: policies.labelPolicy,
    })
  })

  it('the report counts unused members of users, and names organizations without passwords', async () => {
    const unused = {
      requestPasswordlessRegistration: true,
      idps: [{ idpId: 'google' }],
      recoveryCodes: ['a'],
    }
    const people = users(1_100, 'unused').map(({ user, ...more }, at) => ({
      ...more,
      user: { ...user, ...(at < 1_050 ? unused : { requestPasswordlessRegistration: false, idps: [] }) },
    }))
    const document = {
      orgs: [
        ...organization('unused-1', { loginPolicy: {}, humanUsers: people }).orgs,
        ...organization('unused-2', {
          loginPolicy: { allowUsernamePassword: true },
          humanUsers: [{ userId: 'unused', user: { userName: 'unused', recoveryCodes: ['b'] } }],
        }).orgs,
      ],
    }
    for (const more of [{ dry_run: true }, {}]) {
      const id = await accepted(document, more)
      await (await migration.call('GET', `/jobs/${id}/events`)).text()
      const { notes } = (await job(id)) as { notes: readonly string[] }
      expect(notes.filter((note) => note.includes('not used')).sort()).toEqual([
        '1 users of organization unused-2 have recoveryCodes: stored, not used',
        '1050 users of organization unused-1 have idps: stored, not used',
        '1050 users of organization unused-1 have recoveryCodes: stored, not used',
        '1050 users of organization unused-1 have requestPasswordlessRegistration: stored, not used',
      ])
      expect(notes.filter((note) => note.includes('cannot sign in with a password'))).toEqual([
        'organization unused-1: its people cannot sign in with a password: loginPolicy.allowUsernamePassword is not true',
      ])
    }
  })

  it('the last note says how many others are left out', async () => {
    const people = users(1_005, 'noted')
    const id = await accepted(
      organization('noted', {
        humanUsers: people,
        orgMembers: people.map(({ userId }) => ({ userId, roles: ['ORG_SETTINGS_MANAGER'] })),
      }),
    )
    await expect.poll(async () => (await job(id)).state, { timeout: 20_000 }).toBe('succeeded')
    const { notes } = (await job(id)) as { notes: readonly string[] }
    const shown = notes.filter((note) => note.includes('ORG_SETTINGS_MANAGER')).length
    expect(notes.at(-1)).toBe(`notes left out beyond the first 1000: ${1_005 - shown}`)
    expect(shown).toBeGreaterThan(900)
  })

  it('only an instance administrator [F-40] [admin.bearer] [admin.iam-owner]', async () => {
    for (const path of ['/export', '/import']) {
      const anonymous = await fetch(`${migration.system.base}/admin/v1${path}`, {
        method: 'POST',
        body: '{}',
      })
      expect(anonymous.status).toBe(401)
      expect(await anonymous.json()).toMatchObject({ code: 16 })
      const organizer = await migration.call('POST', path, {}, { Authorization: `Bearer ${ORGANIZER_TOKEN}` })
      expect(organizer.status).toBe(403)
      expect(await organizer.json()).toMatchObject({ code: 7, message: expect.stringContaining('IAM_OWNER') })
    }
    expect(await trailOf('actorId=organizer')).toMatchObject([
      { action: 'import.start', result: 'refused' },
      { action: 'export.start', result: 'refused' },
    ])
  })

  it.each([
    [{ timeout: '10' }, 'timeout'],
    [{ timeout: '25h' }, 'timeout'],
    [{ on_conflict: 'maybe' }, 'on_conflict'],
    [{ source: 'keycloak' }, 'source'],
    [{ data_orgs: { orgs: [] } }, 'only one'],
  ])('refuses %j', async (more, text) => {
    const { status, body } = await migration.import({ orgs: [] }, more)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(text)
  })

  it('a truncated body leaves no rows', async () => {
    const answer = await migration.call(
      'POST',
      '/import',
      '{"data_orgs":{"orgs":[{"orgId":"cut","org":{"name":"x"}',
    )
    expect(answer.status).toBe(400)
    const { rows } = await migration.system.database.query({
      name: '',
      text: `SELECT FROM migration.job WHERE state = 'staging'`,
    })
    expect(rows).toEqual([])
  })
})
