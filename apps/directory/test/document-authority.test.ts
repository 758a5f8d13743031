import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'
import { documentImporter, type Entry, human, publicKey, robot, TENANTS, trust } from './import-document.ts'

// Documents that the tenant `evil` wrote, imported by an IAM_OWNER.

let fixture: DirectoryFixture
let importDocument: ReturnType<typeof documentImporter>
beforeAll(async () => {
  fixture = await directoryFixture()
  importDocument = documentImporter(fixture)
  await fixture.apply(TENANTS)
})
afterAll(() => fixture?.stop())

let imports = 0
const importing = (entries: readonly Entry[], more: object = {}) => {
  imports += 1
  return importDocument(entries, { jobId: `job-${imports}`, ...more })
}

const rolesOf = async (userId: string) =>
  (
    await fixture.rows(
      `SELECT concat_ws(' ', role, object_id) AS held FROM directory_read.member_v1 WHERE user_id = $1 ORDER BY 1`,
      [userId],
    )
  ).map(({ held }) => held)
const pendingOf = async (userId: string) =>
  (
    await fixture.rows(
      `SELECT concat_ws(' ', role, organization_id, project_id) AS held FROM directory.member WHERE user_id = $1 AND NOT accepted`,
      [userId],
    )
  ).map(({ held }) => held)
const keysOf = async (table: string, owner: string, id: string) =>
  (await fixture.rows(`SELECT kid FROM directory.${table} WHERE ${owner} = $1 ORDER BY kid`, [id])).map(
    ({ kid }) => kid,
  )
const passwordOf = async (userId: string) =>
  (await fixture.rows(`SELECT hash FROM directory.account_password WHERE user_id = $1`, [userId]))[0]?.hash
const eventsOf = async (organizationId: string, job: string) =>
  (await fixture.audited({ organizationId }))
    .filter(({ action, details }) => details.job_id === job && action !== 'import.batch')
    .map(({ action, targetId, details: { job_id, ...details } }) => ({ action, target: targetId, details }))
    .toReversed()

const HASH = '$2b$04$abcdefghijklmnopqrstuuWcwXWSqkPX4rTmDsWoxsCXwC6Rb5r2m'
const key = (userId: string, keyId = 'zz1') => ({
  keyId,
  userId,
  publicKey,
  expirationDate: '2099-01-01T00:00:00Z',
})

describe('a document that names no organization writes nothing into one that exists', () => {
  it('not a key of an IAM_OWNER there', async () => {
    const { outcomes, messages } = await importing([
      { orgId: 'evil1' },
      { orgId: 'acme', machineKeys: [key('administrator')] },
    ])
    expect(outcomes).toEqual({ 'evil1 organization': 'c', 'acme organization': 'f', 'acme machineKeys': 'f' })
    expect(messages).toContain(
      'organization acme exists already, and the import does not name it: give its id in org_ids (signet import --into acme) to let the document write as an owner of it',
    )
    expect(await keysOf('machine_key', 'user_id', 'administrator')).toEqual([])
  })

  it('not an owner', async () => {
    const { outcomes } = await importing([
      { orgId: 'evil3', machineUsers: [robot('e3-m')] },
      { orgId: 'ob', orgMembers: [{ userId: 'e3-m', roles: ['ORG_OWNER'] }] },
    ])
    expect(outcomes['ob orgMembers']).toBe('f')
    expect([await rolesOf('e3-m'), await pendingOf('e3-m')]).toEqual([[], []])
  })

  it('not records of a single entry, also where they are there already', async () => {
    const { outcomes } = await importing([{ orgId: 'ob', humanUsers: [human('ob-vic')] }])
    expect(outcomes).toEqual({ 'ob organization': 'f', 'ob humanUsers': 'f' })
  })
})

describe('a role or grant across organizations in a document', () => {
  it('gives no role in a project of another organization', async () => {
    const { outcomes, messages } = await importing([
      {
        orgId: 'evil2',
        machineUsers: [robot('e2-m')],
        machineKeys: [key('e2-m')],
        projectMembers: [{ projectId: 'ob-p', userId: 'e2-m', roles: ['PROJECT_OWNER'] }],
        userGrants: [{ userId: 'e2-m', projectId: 'ob-p', roleKeys: ['admin'] }],
      },
    ])
    expect(outcomes).toMatchObject({
      'evil2 machineKeys': 'c',
      'evil2 projectMembers': 'f',
      'evil2 userGrants': 'f',
    })
    expect(messages).toEqual(
      [1, 2].map(() => 'the project belongs to organization ob, which this document does not write into'),
    )
    expect([await rolesOf('e2-m'), await pendingOf('e2-m')]).toEqual([[], []])
    expect(await fixture.rows(`SELECT FROM directory_read.user_grant_v1 WHERE user_id = 'e2-m'`)).toEqual([])
  })

  it('is pending for a user of another organization, in whose audit log it stands', async () => {
    const { notes } = await importing([
      { orgId: 'evil4', orgMembers: [{ userId: 'ob-vic', roles: ['ORG_OWNER'] }] },
    ])
    expect([await rolesOf('ob-vic'), await pendingOf('ob-vic')]).toEqual([[], ['ORG_OWNER evil4']])
    expect(notes).toContain(
      'organization evil4: user ob-vic of organization ob gets ORG_OWNER; it does not count until it is accepted',
    )
    expect(await eventsOf('ob', `job-${imports}`)).toEqual([
      {
        action: 'import.role',
        target: 'ob-vic',
        details: { roles: ['ORG_OWNER'], pending: true, in_organization: 'evil4' },
      },
    ])
  })

  it('counts where the document brings both organizations', async () => {
    await importing([
      {
        orgId: 'pair1',
        humanUsers: [human('pair1-h')],
        orgMembers: [{ userId: 'pair2-h', roles: ['ORG_OWNER'] }],
      },
      {
        orgId: 'pair2',
        humanUsers: [human('pair2-h')],
        projects: [{ projectId: 'pair2-p', project: { name: 'P' } }],
        projectRoles: [{ projectId: 'pair2-p', roleKey: 'reader' }],
        projectGrants: [{ grantId: 'pair-g', projectGrant: { projectId: 'pair2-p', grantedOrgId: 'pair1' } }],
        userGrants: [{ userId: 'pair1-h', projectId: 'pair2-p', roleKeys: ['reader'] }],
        projectMembers: [{ projectId: 'pair2-p', userId: 'pair1-h', roles: ['PROJECT_OWNER'] }],
      },
    ])
    expect(await rolesOf('pair2-h')).toEqual(['ORG_OWNER pair1'])
    expect(await rolesOf('pair1-h')).toEqual(['PROJECT_OWNER pair2-p'])
    expect(
      await fixture.rows(`SELECT FROM directory_read.project_grant_v1 WHERE project_id = 'pair2-p'`),
    ).toHaveLength(1)
    expect(
      await fixture.rows(`SELECT project_id FROM directory_read.user_grant_v1 WHERE user_id = 'pair1-h'`),
    ).toHaveLength(1)
  })

  it('is a pending project grant for an organization that the document does not write into', async () => {
    const { notes } = await importing([
      {
        orgId: 'evil5',
        projects: [{ projectId: 'evil5-p', project: { name: 'P' } }],
        projectGrants: [{ grantId: 'g5', projectGrant: { projectId: 'evil5-p', grantedOrgId: 'ob' } }],
      },
    ])
    expect(
      await fixture.rows(`SELECT accepted FROM directory.project_grant WHERE project_id = 'evil5-p'`),
    ).toEqual([{ accepted: false }])
    expect(notes).toContain(
      'organization evil5: project evil5-p is granted to organization ob; it does not count until that organization accepts it',
    )
    expect(await eventsOf('ob', `job-${imports}`)).toHaveLength(1)
  })

  it('gives no link to a user of another organization', async () => {
    const { outcomes, messages } = await importing([
      { orgId: 'evil6', userLinks: [{ userId: 'ob-vic', idpId: 'idp', providedUserId: 'x' }] },
    ])
    expect(outcomes['evil6 userLinks']).toBe('f')
    expect(messages).toEqual(['the organization has no such user'])
  })

  it('keeps an accepted role of another organization when an update repeats it', async () => {
    await importing([{ orgId: 'later1', humanUsers: [human('later1-h')] }])
    await importing([{ orgId: 'later2', orgMembers: [{ userId: 'later1-h', roles: ['ORG_OWNER'] }] }])
    expect(await pendingOf('later1-h')).toEqual(['ORG_OWNER later2'])
    await fixture.rows(`UPDATE directory.member SET accepted = true WHERE user_id = 'later1-h'`)
    const again = [{ orgId: 'later2', orgMembers: [{ userId: 'later1-h', roles: ['ORG_OWNER'] }] }]
    const { outcomes } = await importing(again, { named: ['later2'], onConflict: 'update' })
    expect(outcomes['later2 orgMembers']).toBe('u')
    expect(await rolesOf('later1-h')).toEqual(['ORG_OWNER later2'])
    expect(await eventsOf('later1', `job-${imports}`)).toEqual([])
  })

  it('asks a person of an organization that the call names, and counts for its service users', async () => {
    const entries = [
      { orgId: 'ob', orgMembers: [] },
      {
        orgId: 'evil',
        orgMembers: ['ob-own', 'ob-robot'].map((userId) => ({ userId, roles: ['ORG_OWNER_VIEWER'] })),
      },
    ]
    await importing(entries, { named: ['ob', 'evil'] })
    expect(await pendingOf('ob-own')).toEqual(['ORG_OWNER_VIEWER evil'])
    expect(await rolesOf('ob-robot')).toEqual(['ORG_OWNER_VIEWER evil'])
  })
})

describe('a document into the organization that the call names', () => {
  const named = { named: ['evil'], onConflict: 'update' }

  it('changes nothing of accounts whose roles reach further than an owner of it', async () => {
    const before = await passwordOf('resident')
    const { outcomes, messages } = await importing(
      [
        {
          orgId: 'evil',
          humanUsers: [human('resident', { hashedPassword: { value: HASH } })],
          machineUsers: [robot('steward')],
          userMetadata: [{ id: 'resident', key: 'k', value: 'eA==' }],
          machineKeys: [key('steward')],
          userLinks: [{ userId: 'resident', idpId: 'idp', providedUserId: 'x' }],
          orgMembers: [{ userId: 'resident', roles: ['ORG_OWNER_VIEWER'] }],
        },
      ],
      named,
    )
    const { 'evil organization': _, ...lists } = outcomes
    expect(lists).toEqual(Object.fromEntries(Object.keys(lists).map((list) => [list, 'f'])))
    expect(messages[0]).toBe(
      'user resident holds IAM_OWNER, which reaches further than this document may: change the account by the management API',
    )
    expect(await passwordOf('resident')).toBe(before)
    expect(await keysOf('machine_key', 'user_id', 'steward')).toEqual([])
  })

  it('changes accounts below it, and says of the key whose it is', async () => {
    const { outcomes, notes } = await importing(
      [
        {
          orgId: 'evil',
          humanUsers: [human('plain', { hashedPassword: { value: HASH } })],
          machineKeys: [key('worker')],
        },
      ],
      named,
    )
    expect(outcomes).toMatchObject({ 'evil humanUsers': 'u', 'evil machineKeys': 'c' })
    expect(await passwordOf('plain')).toBe(HASH)
    expect(notes).toEqual(
      expect.arrayContaining([
        '1 accounts of organization evil that were there before get the credentials of the document',
        'organization evil: service user worker gets the key zz1',
      ]),
    )
    expect(await eventsOf('evil', `job-${imports}`)).toEqual([
      { action: 'import.key', target: 'worker', details: { key_id: 'zz1' } },
    ])
  })

  it('changes the trusted issuers of accounts below it alone, and says whom these trust', async () => {
    const { outcomes, notes } = await importing(
      [
        {
          orgId: 'evil',
          machineTrustedIssuers: ['worker', 'steward'].map((userId) => ({
            userId,
            id: 't1',
            ...trust('ci'),
          })),
        },
      ],
      named,
    )
    expect(outcomes['evil machineTrustedIssuers']).toBe('cf')
    expect(notes).toContain('organization evil: service user worker trusts the issuer https://ci.example')
    expect(await eventsOf('evil', `job-${imports}`)).toEqual([
      {
        action: 'import.trusted_issuer',
        target: 'worker',
        details: { trust_id: 't1', issuer: 'https://ci.example' },
      },
    ])
  })

  it('adds no trusted issuer that the management API refuses, and none beyond the twentieth', async () => {
    const of = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ userId: 'limited', id: `a${from + at}`, ...trust('ci') }))
    const write = async (records: readonly object[]) =>
      importing([{ orgId: 'evil', machineTrustedIssuers: records }], named)
    await importing([{ orgId: 'evil', machineUsers: [robot('limited')] }], named)
    const refused = await write([
      { ...of(0, 1)[0], subject: '*' },
      { ...of(1, 1)[0], issuer: 'cluster' },
      { ...of(2, 1)[0], keySet: { keys: [] } },
    ])
    expect(refused.outcomes['evil machineTrustedIssuers']).toBe('fff')
    expect(refused.messages).toEqual([
      expect.stringContaining('only where claims names another claim'),
      expect.stringContaining('must be an https URL'),
      expect.stringContaining('keySet.keys'),
    ])
    const [one, other] = await Promise.all([write(of(0, 15)), write(of(15, 15))])
    const all = `${one.outcomes['evil machineTrustedIssuers']}${other.outcomes['evil machineTrustedIssuers']}`
    expect([...all].filter((outcome) => outcome === 'c')).toHaveLength(20)
    expect([...one.messages, ...other.messages]).toContain('it trusts 20 issuers, which is the most')
  })

  it('gives no role of impersonators, and keeps one that an IAM_OWNER gave', async () => {
    const give = (roles: readonly string[]) =>
      importing([{ orgId: 'evil', orgMembers: [{ userId: 'plain', roles: [...roles] }] }], named)
    expect((await give(['ORG_ADMIN_IMPERSONATOR'])).outcomes['evil orgMembers']).toBe('f')
    const { messages } = await give(['ORG_OWNER_VIEWER', 'ORG_ADMIN_IMPERSONATOR'])
    expect(messages).toEqual(['ORG_ADMIN_IMPERSONATOR is left out: only an IAM_OWNER gives it'])
    expect(await rolesOf('plain')).toEqual(['ORG_OWNER_VIEWER evil'])
    await fixture.rows(
      `INSERT INTO directory.member (user_id, level, organization_id, role) VALUES ('plain', 'organization', 'evil', 'ORG_ADMIN_IMPERSONATOR')`,
    )
    expect((await give(['ORG_OWNER_VIEWER', 'ORG_ADMIN_IMPERSONATOR'])).messages).toEqual([])
    await give(['ORG_OWNER_VIEWER'])
    expect(await rolesOf('plain')).toEqual(['ORG_OWNER_VIEWER evil'])
  })

  it('adds no key to an application that may call the API, and changes no audiences of its project', async () => {
    await fixture.rows(
      `UPDATE directory.project SET allowed_audiences = '{evil-web}' WHERE project_id = 'evil-p'`,
    )
    const { outcomes } = await importing(
      [
        {
          orgId: 'evil',
          appTrustedIssuers: ['evil-api', 'evil-web'].map((appId) => ({
            ...{ id: `t-${appId}`, appId, ...trust('other') },
          })),
          appKeys: ['evil-api', 'evil-web'].map((appId) => ({
            ...{ id: `k-${appId}`, appId, publicKey, expirationDate: '2099-01-01T00:00:00Z' },
          })),
          projects: [{ projectId: 'evil-p', project: { name: 'P', allowedAudiences: ['ob-web'] } }],
        },
      ],
      named,
    )
    expect(outcomes['evil appKeys']).toBe('fc')
    expect(outcomes['evil appTrustedIssuers']).toBe('fc')
    expect(
      await fixture.rows(
        `SELECT name, allowed_audiences FROM directory_read.project_v1 WHERE project_id = 'evil-p'`,
      ),
    ).toEqual([{ name: 'P', allowed_audiences: ['evil-web'] }])
  })

  it('verifies no domain of it, and does not end the access of an IAM_OWNER who lives there', async () => {
    const header = {
      orgId: 'evil',
      domains: [{ domainName: 'bigcorp.test', isVerified: true, isPrimary: true }],
    }
    const { messages } = await importing([header], named)
    expect(messages).toContain(
      'is left out: only an IAM_OWNER says that a domain of an organization that exists is verified',
    )
    expect(
      await fixture.rows(
        `SELECT primary_domain, d.is_verified FROM directory.organization o JOIN directory.organization_domain d USING (organization_id)
          WHERE o.organization_id = 'evil' AND d.domain = 'bigcorp.test'`,
      ),
    ).toEqual([{ primary_domain: 'evil.localhost', is_verified: false }])
    const ended = await importing([{ orgId: 'evil', orgState: 'ORG_STATE_INACTIVE' }], named)
    expect(ended.outcomes['evil organization']).toBe('f')
  })
})

describe('a verified e-mail address', () => {
  const address = (email: string) => ({ email: { email, isEmailVerified: true } })
  const verified = async (userId: string) =>
    (
      await fixture.rows(
        'SELECT email, email_verified FROM directory_read.account_claims_v1 WHERE user_id = $1',
        [userId],
      )
    )[0]

  it('in a domain that another organization has verified is stored as not verified', async () => {
    const { outcomes, messages } = await importing([
      {
        orgId: 'evil7',
        humanUsers: [human('x1', address('x1@OBmail.test')), human('x2', address('x2@mail.test'))],
      },
    ])
    expect(outcomes['evil7 humanUsers']).toBe('cc')
    expect(messages).toEqual([
      'user.email.isEmailVerified is left out: organization ob has verified the domain obmail.test',
    ])
    expect(await verified('x1')).toEqual({ email: 'x1@OBmail.test', email_verified: false })
    expect(await verified('x2')).toEqual({ email: 'x2@mail.test', email_verified: true })
  })

  it('stays verified where it was proven before', async () => {
    await fixture.rows(`UPDATE directory.account SET email_verified = true WHERE user_id = 'x1'`)
    const entries = [{ orgId: 'evil7', humanUsers: [human('x1', address('x1@obmail.test'))] }]
    await importing(entries, { named: ['evil7'], onConflict: 'update' })
    expect(await verified('x1')).toMatchObject({ email_verified: true })
  })
})

describe('a record that fails', () => {
  const app = { clientId: 'lost-app', redirectUris: [], responseTypes: [], grantTypes: [] }

  it('says in a member of its own that an object is missing, in each list', async () => {
    const { missing, messages } = await importing([
      {
        orgId: 'lost',
        projects: [{ projectId: 'lost-p', project: { name: 'Lost' } }],
        humanUsers: [human('lost-u')],
        userMetadata: [{ id: 'gone', key: 'plan', value: 'Z29sZA==' }],
        machineKeys: [key('gone')],
        machineTrustedIssuers: [{ userId: 'gone', trustId: 't1', ...trust('gone') }],
        projectRoles: [{ projectId: 'gone', roleKey: 'reader' }],
        apiApps: [{ appId: 'lost-app', app: { projectId: 'gone', ...app } }],
        appKeys: [{ ...key('gone'), appId: 'gone', projectId: 'lost-p' }],
        projectGrants: [{ grantId: 'lost-g', projectGrant: { projectId: 'lost-p', grantedOrgId: 'gone' } }],
        userGrants: [
          { userId: 'gone', projectId: 'lost-p', roleKeys: [] },
          { userId: 'lost-u', projectId: 'gone', roleKeys: [] },
          { userId: 'lost-u', projectId: 'lost-p', roleKeys: ['gone'] },
          { userId: 'lost-u', projectId: 'ob-p', roleKeys: [] },
        ],
        orgMembers: [{ userId: 'gone', roles: ['ORG_OWNER'] }],
        projectMembers: [{ userId: 'lost-u', projectId: 'gone', roles: ['PROJECT_OWNER'] }],
        userLinks: [{ userId: 'gone', idpId: 'corp', externalUserId: '7' }],
      },
      { orgId: 'acme', humanUsers: [human('lost-v')] },
    ])
    // The organization that the document does not write into fails for a rule of its own.
    expect([messages.length, missing.length]).toEqual([16, 15])
  })

  it('says nothing of the kind of a rule that is its own', async () => {
    const { missing, messages } = await importing([
      { orgId: 'own', humanUsers: [human('own-u')], orgMembers: [{ userId: 'own-u', roles: ['IAM_OWNER'] }] },
    ])
    expect([messages.length, missing]).toEqual([1, []])
  })
})
