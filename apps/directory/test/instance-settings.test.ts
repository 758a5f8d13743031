import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RpcError } from '@signet/grpc/error'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { InstanceStore } from '../src/instance/instance.repository.ts'
import { acme, directoryFixture, PASSWORD, type SampleDocument, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const { features: _, ...document } = sampleDocument()
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  await management.directory.rows('DELETE FROM directory.feature')
  await management.directory.rows('UPDATE directory.setting SET enable_impersonation = false')
})

const FEATURES = '/v2/features/instance'
const SECURITY_PUT = '/v2/policies/security'
const SECURITY_GET = '/v2/settings/security'
const DETAILS = {
  sequence: expect.stringMatching(/^\d+$/),
  changeDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  resourceOwner: 'instance',
}

describe('/v2/features/instance', () => {
  it.each(['oidcTokenExchange', 'oidc_token_exchange'])('sets %s, reads and resets it', async (name) => {
    expect((await management.call('GET', FEATURES)).body).toEqual({ details: DETAILS })
    expect((await management.call('GET', `${FEATURES}?inheritance=true`)).body).toEqual({
      details: DETAILS,
      oidcTokenExchange: { enabled: false, source: 'SOURCE_UNSPECIFIED' },
      clientDocuments: { enabled: false, source: 'SOURCE_UNSPECIFIED' },
    })
    const put = await management.call('PUT', FEATURES, { [name]: true })
    expect(put).toMatchObject({ status: 200, body: { details: DETAILS } })
    expect(put.headers.get('cache-control')).toBe('no-store')
    for (const query of ['', '?inheritance=true', '?inheritance=false']) {
      expect((await management.call('GET', FEATURES + query)).body).toEqual({
        details: put.body.details,
        oidcTokenExchange: { enabled: true, source: 'SOURCE_INSTANCE' },
        ...(query === '?inheritance=true' && {
          clientDocuments: { enabled: false, source: 'SOURCE_UNSPECIFIED' },
        }),
      })
    }
    const reset = await management.call('DELETE', FEATURES)
    expect(reset).toMatchObject({ status: 200, body: { details: DETAILS } })
    expect(Number(reset.body.details.sequence)).toBe(Number(put.body.details.sequence) + 1)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toBeUndefined()
  })

  it('keeps settings that are not named, and does not count a change without effect', async () => {
    const first = await management.call('PUT', FEATURES, { oidcTokenExchange: true })
    const empty = await management.call('PUT', FEATURES, {})
    const again = await management.call('PUT', FEATURES, { oidcTokenExchange: true })
    expect([empty.body, again.body]).toEqual([first.body, first.body])
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange.enabled).toBe(true)
  })

  it('an explicit false is a setting too', async () => {
    await management.call('PUT', FEATURES, { oidcTokenExchange: false })
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toEqual({
      enabled: false,
      source: 'SOURCE_INSTANCE',
    })
  })

  it.each([
    ['an unknown feature', { loginDefaultOrg: true }, 'loginDefaultOrg'],
    ['text', { oidcTokenExchange: 'true' }, 'oidcTokenExchange'],
    ['null', { oidcTokenExchange: null }, 'oidcTokenExchange'],
    ['both spellings', { oidcTokenExchange: true, oidc_token_exchange: true }, 'oidcTokenExchange'],
  ])('refuses %s and names it', async (_, body, field) => {
    const answer = await management.call('PUT', FEATURES, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 3, details: [{ field }] } })
    expect(answer.body.message).toContain(field)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toBeUndefined()
  })

  it('refuses another value of inheritance, and other methods', async () => {
    expect(await management.call('GET', `${FEATURES}?inheritance=yes`)).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ field: 'inheritance' }] },
    })
    const posted = await management.call('POST', FEATURES, {})
    expect(posted.status).toBe(405)
    expect(posted.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
  })

  it('a restart does not undo a reset by the API', async () => {
    const document = sampleDocument()
    await management.directory.apply(document)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange.enabled).toBe(true)
    await management.call('DELETE', FEATURES)
    await management.directory.apply(document)
    expect((await management.call('GET', FEATURES)).body.oidcTokenExchange).toBeUndefined()
  })
})

describe('the security policy, put under policies and read under settings', () => {
  const settings = (enableImpersonation: boolean) => ({
    embeddedIframe: { enabled: false, allowedOrigins: [] },
    enableImpersonation,
    allowImpersonatedApiCalls: false,
    iamSignInMaxAgeSeconds: null,
    iamRequiresMfa: false,
    requirePushedAuthorization: false,
    requireDpopNonce: false,
  })

  it.each(['enableImpersonation', 'enable_impersonation'])('sets and reads %s', async (name) => {
    expect((await management.call('GET', SECURITY_GET)).body.settings).toEqual(settings(false))
    const put = await management.call('PUT', SECURITY_PUT, { [name]: true })
    expect(put).toMatchObject({ status: 200, body: { details: DETAILS } })
    expect((await management.call('GET', SECURITY_GET)).body).toEqual({
      details: put.body.details,
      settings: settings(true),
    })
  })

  it('keeps the requirements for callers with IAM_ roles until a policy has them, and counts the change', async () => {
    const rules = { iamSignInMaxAgeSeconds: 600, iamRequiresMfa: true }
    const first = await management.call('PUT', SECURITY_PUT, { ...rules, allowImpersonatedApiCalls: true })
    const second = await management.call('PUT', SECURITY_PUT, {})
    expect(Number(second.body.details.sequence)).toBe(Number(first.body.details.sequence) + 1)
    expect((await management.call('GET', SECURITY_GET)).body.settings).toEqual({
      ...settings(false),
      ...rules,
    })
    await management.call('PUT', SECURITY_PUT, { iamSignInMaxAgeSeconds: null, iamRequiresMfa: false })
    expect((await management.call('GET', SECURITY_GET)).body.settings).toEqual(settings(false))
  })

  it('replaces the whole policy: an absent member becomes false', async () => {
    await management.call('PUT', SECURITY_PUT, { enableImpersonation: true })
    const put = await management.call('PUT', SECURITY_PUT, {
      embedded_iframe: { enabled: false, allowed_origins: [] },
    })
    expect(put.status).toBe(200)
    expect((await management.call('GET', SECURITY_GET)).body.settings).toEqual(settings(false))
  })

  it.each([
    ['frames', { embeddedIframe: { enabled: true } }, 'embeddedIframe.enabled'],
    [
      'origins',
      { embeddedIframe: { allowedOrigins: ['https://a.example'] } },
      'embeddedIframe.allowedOrigins',
    ],
    ['text', { enableImpersonation: 'yes' }, 'enableImpersonation'],
    ['an unknown member', { impersonation: true }, 'impersonation'],
  ])('refuses %s and names it', async (_, body, field) => {
    expect(await management.call('PUT', SECURITY_PUT, body)).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ field }] },
    })
  })

  it('has no reading under policies and no writing under settings', async () => {
    expect((await management.call('GET', SECURITY_PUT)).status).toBe(405)
    expect((await management.call('PUT', SECURITY_GET, {})).status).toBe(405)
  })
})

it.each([
  ['GET', FEATURES],
  ['PUT', FEATURES],
  ['DELETE', FEATURES],
  ['PUT', SECURITY_PUT],
  ['GET', SECURITY_GET],
])('%s %s needs a bearer', async (method, path) => {
  const answer = await management.call(method, path, method === 'PUT' ? {} : undefined, null)
  expect(answer).toMatchObject({ status: 401, body: { code: 16 } })
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
})

describe('POST /management/v1/apply', () => {
  const APPLY = '/management/v1/apply'
  const apply = (file: unknown) => management.call('POST', APPLY, file)
  /** The document that the instance was filled with, without the members that these tests change. */
  const applied = (): SampleDocument => {
    const { features: _, ...document } = sampleDocument()
    return document
  }
  const alice = (document: SampleDocument) => acme(document).users?.[0] ?? {}
  const stored = () => management.directory.digests()
  const state = async () => (await management.call('GET', '/users/alice')).body.state
  beforeEach(() => void management.published.splice(0))

  it('changes nothing for the file that the instance was started with', async () => {
    const before = await stored()
    expect(await apply(applied())).toMatchObject({
      status: 200,
      body: { dryRun: false, changes: [], unchanged: 10 },
    })
    expect(await stored()).toEqual(before)
  })

  it('returns created and changed objects, field by field, and no secret', async () => {
    const document = applied()
    Object.assign(alice(document), {
      password: 'Another-horse-10',
      email: { address: 'alice@new.example', verified: true },
      metadata: { customer_no: '4712' },
      roles: ['ORG_OWNER'],
    })
    acme(document).loginPolicy = { allowRegister: false }
    acme(document).projects?.[0]?.applications?.push({
      id: 'spa',
      clientId: 'spa',
      name: 'SPA',
      type: 'userAgent',
    })
    acme(document).projects?.[0]?.roles?.push({ key: 'auditor' })
    const dryRun = await management.call('POST', `${APPLY}?dryRun=true`, document)
    const before = await stored()
    const { status, body } = await apply(document)
    expect(status).toBe(200)
    // A dry run says the same and changes nothing.
    expect(dryRun.body).toEqual({ ...body, dryRun: true })
    expect(await stored()).not.toEqual(before)
    expect(body.unchanged).toBe(8)
    const field = (name: string, from: unknown, to: unknown) => ({
      name,
      secret: false,
      before: from,
      after: to,
    })
    expect(body.changes).toEqual([
      {
        change: 'created',
        kind: 'policy',
        path: 'organizations[0].loginPolicy',
        id: 'login',
        organizationId: 'acme',
        fields: [{ name: 'allowRegister', secret: false, after: false }],
      },
      {
        change: 'updated',
        kind: 'user',
        path: 'organizations[0].users[0]',
        id: 'alice',
        organizationId: 'acme',
        fields: [
          field(
            'email',
            { address: 'Alice@acme.localhost', verified: true },
            { address: 'alice@new.example', verified: true },
          ),
          field('roles', ['IAM_OWNER_VIEWER', 'ORG_OWNER'], ['ORG_OWNER']),
          { name: 'password', secret: true },
        ],
      },
      expect.objectContaining({ kind: 'metadata', fields: [field('value', '4711', '4712')] }),
      expect.objectContaining({ change: 'created', kind: 'project_role', id: 'auditor' }),
      expect.objectContaining({ change: 'created', kind: 'application', id: 'spa' }),
    ])
    for (const secret of ['Another-horse-10', PASSWORD, 'argon2'])
      expect(JSON.stringify(body)).not.toContain(secret)
    expect((await apply(document)).body.changes).toEqual([])
  })

  it('keeps later changes and deletions, reports objects that stay deleted, and adopts matching ones', async () => {
    const document = applied()
    await apply(document)
    await management.directory.rows(
      "UPDATE directory.account SET given_name = 'Alicia' WHERE user_id = 'alice'",
    )
    await management.directory.rows("DELETE FROM directory.application WHERE application_id = 'web'")
    // The role exists before the file has it: only the differing field is a change.
    const role = { displayName: 'Reader', key: 'reader' }
    await management.call('POST', '/projects/portal/roles', { ...role, group: 'staff' })
    acme(document).projects?.[0]?.roles?.push({ ...role, group: 'people' })
    const { body } = await apply(document)
    expect(body.changes).toEqual([
      expect.objectContaining({
        change: 'updated',
        id: 'reader',
        fields: [{ name: 'group', secret: false, before: 'staff', after: 'people' }],
      }),
      {
        change: 'left_deleted',
        kind: 'application',
        path: 'organizations[0].projects[0].applications[0]',
        id: 'web',
        organizationId: 'acme',
        fields: [],
      },
    ])
    expect((await management.call('GET', '/users/alice')).body).toMatchObject({
      profile: { givenName: 'Alicia' },
    })
  })

  it.each([
    ['an unknown key', { organisations: [] }, 'organisations', 'unknown key'],
    [
      'a role of nobody',
      { defaultOrganization: 'nowhere' },
      'defaultOrganization',
      /there is no organization/,
    ],
    [
      'a reference to our environment',
      {
        organizations: [
          {
            ...acme(sampleDocument()),
            users: [{ ...acme(sampleDocument()).users?.[0], password: `\${HOME}` }],
          },
        ],
      },
      'organizations[0].users[0].password',
      /^refers to a file or to the environment/,
    ],
    [
      'a reference to our files',
      {
        organizations: [
          {
            ...acme(sampleDocument()),
            serviceUsers: [{ userName: 's', clientSecret: 'file:///etc/passwd' }],
          },
        ],
      },
      'organizations[0].serviceUsers[0].clientSecret',
      /^refers to a file or to the environment/,
    ],
    [
      'a file of ours to write',
      {
        organizations: [
          {
            ...acme(sampleDocument()),
            name: 'Renamed',
            serviceUsers: [
              { userName: 's', personalAccessTokens: [{ id: 'pat', outputFile: '/tmp/signet-pat' }] },
            ],
          },
        ],
      },
      'organizations[0].serviceUsers[0].personalAccessTokens[0].token',
      /^is required/,
    ],
  ])('refuses %s by its path and changes nothing', async (_, file, path, rule) => {
    const before = await stored()
    expect(await apply(file)).toMatchObject({
      status: 400,
      body: { code: 3, details: [{ id: 'field_invalid', field: path, rule: expect.stringMatching(rule) }] },
    })
    expect(await stored()).toEqual(before)
  })

  it('accepts a token that the start has made and written to its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signet-apply-'))
    try {
      const outputFile = join(folder, 'nightly.pat')
      const nightly = { userName: 'nightly', personalAccessTokens: [{ id: 'first', outputFile }] }
      const document = applied()
      acme(document).serviceUsers?.push(nightly)
      await management.directory.apply(document)
      const token = await readFile(outputFile)
      const { status, body } = await apply(document)
      expect([status, body.changes.filter(({ kind }: { kind: string }) => kind !== 'application')]).toEqual([
        200,
        [],
      ])
      expect(await readFile(outputFile)).toEqual(token)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('publishes deactivations and replaced secrets before the response', async () => {
    const document = applied()
    Object.assign(alice(document), { state: 'inactive' })
    Object.assign(acme(document).serviceUsers?.[0] ?? {}, { clientSecret: 'another-secret-of-theirs' })
    await management.call('POST', `${APPLY}?dryRun=true`, document)
    expect([await state(), management.published]).toEqual(['active', []])

    management.beforePublished(async () => {
      throw new RpcError('UNAVAILABLE', 'the log cannot be written')
    })
    expect(await apply(document)).toMatchObject({
      status: 503,
      body: { details: [{ id: 'endings_unpublished' }] },
    })
    expect(await state()).toBe('inactive')
    management.beforePublished(async () => undefined)
    // Nothing is left to change, but what has ended is published.
    expect((await apply(document)).body.changes).toEqual([
      expect.objectContaining({ change: 'left_deleted' }),
    ])
    const [epochs = []] = management.published
    expect(epochs).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^USER alice [1-9]/),
        expect.stringMatching(/^CLIENT migrator [1-9]/),
        expect.stringMatching(/^USER migrator-id [1-9]/),
      ]),
    )
  })

  it('RFC 9110 section 13: waits for a change of the same object that compares an ETag', async () => {
    const document = applied()
    Object.assign(alice(document), { phone: { number: '+41790000000' } })
    const applying = await management.directory.owner.transaction(async (tx) => {
      // The lock that PATCH /users/alice holds from the comparison to the commit.
      await tx.query({ name: '', text: "SELECT pg_advisory_xact_lock(7331007, hashtext('user alice'))" })
      const answer = apply(document)
      await expect
        .poll(() =>
          // Tests with databases of their own wait on the same server.
          management.directory.rows(
            `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
              WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
          ),
        )
        .toHaveLength(1)
      return { answer }
    })
    expect((await applying.answer).status).toBe(200)
  })

  it('the audit log names the caller for each object, and a dry run once', async () => {
    management.bearers.set('operator', { userId: 'operator', tokenId: 'laptop', roles: ['IAM_OWNER'] })
    const document = applied()
    acme(document).users?.push({ id: 'zoe', userName: 'zoe', profile: { givenName: 'Z', familyName: 'E' } })
    const trailOf = async (path: string) => {
      await management.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
      expect((await management.call('POST', path, document, 'operator')).status).toBe(200)
      return management.directory.audited()
    }
    const operator = { actorId: 'operator', clientAddress: expect.stringContaining('127.0.0.1') }
    const call = { ...operator, action: 'instance.apply', targetId: 'bootstrap_file' }
    expect(await trailOf(`${APPLY}?dryRun=true`)).toEqual([
      expect.objectContaining({
        ...call,
        details: { request_id: expect.any(String), token_id: 'laptop', dry_run: true },
      }),
    ])
    const rows = await trailOf(APPLY)
    expect(rows).toContainEqual(
      expect.objectContaining({ ...call, details: { request_id: expect.any(String), token_id: 'laptop' } }),
    )
    expect(rows).toContainEqual(
      expect.objectContaining({
        ...operator,
        action: 'user.created',
        targetId: 'zoe',
        organizationId: 'acme',
        details: {
          request_id: expect.any(String),
          token_id: 'laptop',
          fields: expect.arrayContaining(['userName', 'displayName']),
        },
      }),
    )
  })
})

describe('a second factor for roles of the instance, on a new instance', () => {
  const published = 'SELECT iam_requires_mfa FROM directory_read.setting_v1'

  it.each([
    ['https://id.example', true],
    ['https://10.0.0.7:8443', true],
    ['http://localhost:8080', false],
    ['http://[::1]:8080', false],
  ])('is stored by the first start: with the issuer %s it is %s', async (issuer, isRequired) => {
    const fixture = await managementFixture({ issuer })
    try {
      fixture.bearers.set('owner', { roles: ['IAM_OWNER'] })
      expect((await fixture.call('GET', SECURITY_GET)).body.settings.iamRequiresMfa).toBe(isRequired)
      expect(await fixture.directory.rows(published)).toEqual([{ iam_requires_mfa: isRequired }])
      // A later start with another issuer.
      await new InstanceStore(fixture.directory.owner).setIamRequiresMfaOnce(!isRequired)
      expect(await fixture.directory.rows(published)).toEqual([{ iam_requires_mfa: isRequired }])
    } finally {
      await fixture.stop()
    }
  })

  it('is what the bootstrap file says, also before the first start', async () => {
    const fixture = await directoryFixture()
    try {
      const { features: _, ...document } = sampleDocument()
      await fixture.apply({ ...document, security: { iamRequiresMfa: false } })
      await new InstanceStore(fixture.owner).setIamRequiresMfaOnce(true)
      expect(await fixture.rows(published)).toEqual([{ iam_requires_mfa: false }])
    } finally {
      await fixture.stop()
    }
  })
})
