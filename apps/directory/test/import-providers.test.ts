import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { pngSample } from '@signet/testing/branding-samples'
import { createSelfSigned } from '@signet/testing/client-certificates'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresAppliedBatches, storeUndoOutcomes } from '../src/transfer/applied-batches.repository.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import { postgresExportSource } from '../src/transfer/export.repository.ts'
import { createUndoBatches } from '../src/transfer/undo-batches.ts'
import { objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { actor, batchFixture } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'
import { documentImporter, type Entry, human, robot, TENANTS } from './import-document.ts'

// Identity providers and links in a document.

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
  return importDocument(entries, { jobId: `providers-${imports}`, ...more })
}

async function exported(id: string, withSecrets = true) {
  const source = postgresExportSource(fixture.owner, fixture.masterKeys)
  const choices = { withPasswords: true, withOtp: true, withPasskeys: true, withSecrets }
  return source.snapshot(async (tx) => {
    const lists: Record<string, unknown[]> = {}
    for await (const content of source.contents(tx, [id], choices)) {
      if (!('part' in content)) continue
      const { list, records } = content.part
      lists[list] = [...(lists[list] ?? []), ...JSON.parse(`[${records}]`)]
    }
    return lists as Record<string, Record<string, unknown>[]>
  })
}

const provider = (idpId: string, more: object = {}) => ({
  idpId,
  idp: {
    ...{
      name: 'Corporate',
      issuer: 'https://idp.example',
      clientId: 'signet',
      clientSecret: 'of-the-provider',
    },
    ...{ scopes: ['openid', 'email'], autoRegister: true, displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL' },
    ...more,
  },
})
const full = (orgId: string): Entry => ({
  orgId,
  domains: [{ domainName: `${orgId}.example`, isVerified: true, isPrimary: true }],
  humanUsers: [human(`${orgId}-ann`)],
  projects: [{ projectId: `${orgId}-p`, project: { name: 'p' } }],
  projectRoles: [{ projectId: `${orgId}-p`, roleKey: 'admin' }],
  oidcIdps: [
    {
      ...provider(`${orgId}-idp`, {
        ...{ preset: 'okta', clientAuthentication: 'client_secret_post', subjectClaim: 'oid' },
        ...{
          requiredClaims: { hd: 'acme.example' },
          mappedClaims: { userName: 'upn' },
          groupsClaim: 'groups',
        },
        roleMappings: [{ group: 'admins', projectId: `${orgId}-p`, roles: ['admin'] }],
        ...{ linkingAllowed: true, updatesProfile: true, trustsMethods: true, crossAppAccess: true },
        ...{ backchannelLogout: true, rpInitiatedLogout: true },
        trustedEmailDomains: [`${orgId}.example`],
      }),
      creationDate: '2025-01-01T00:00:00Z',
    },
  ],
  userLinks: [
    {
      ...{ userId: `${orgId}-ann`, idpId: `${orgId}-idp`, providedUserId: '77', providedUserName: 'ann@idp' },
      ...{ linkId: `${orgId}-link`, creationDate: '2025-02-01T00:00:00Z' },
    },
  ],
})

const linksOf = (providerId: string) =>
  fixture.rows(
    `SELECT link_id, user_id, issuer, subject, display_name FROM directory.identity_link WHERE provider_id = $1`,
    [providerId],
  )

it('makes providers and links of a document, and exports them as they came', async () => {
  const entry = full('moved')
  const { outcomes, messages, notes } = await importing([entry])
  expect([messages, notes]).toEqual([[], []])
  expect([outcomes['moved oidcIdps'], outcomes['moved userLinks']]).toEqual(['c', 'c'])
  expect(await linksOf('moved-idp')).toEqual([
    {
      ...{ link_id: 'moved-link', user_id: 'moved-ann', issuer: 'https://idp.example', subject: '77' },
      display_name: 'ann@idp',
    },
  ])
  const first = await exported('moved')
  expect(first.oidcIdps).toEqual([{ ...(entry.oidcIdps as object[])[0], state: 'IDP_STATE_ACTIVE' }])
  expect(first.userLinks).toEqual([
    { ...(entry.userLinks as object[])[0], idpName: 'Corporate', idpType: 'IDP_TYPE_OIDC' },
  ])
  const again = await importing([{ orgId: 'moved', ...first }], { named: ['moved'], onConflict: 'update' })
  expect([again.outcomes['moved oidcIdps'], again.outcomes['moved userLinks']]).toEqual(['u', 'u'])
  expect(await exported('moved')).toEqual(first)
})

it('keeps the secret in an export without the option, and the provider inactive where none comes', async () => {
  await importing([full('quiet')])
  const document = await exported('quiet', false)
  expect(JSON.stringify(document)).not.toContain('of-the-provider')
  // The stored secret stays.
  const onto = { named: ['quiet'], onConflict: 'update' }
  await importing([{ orgId: 'quiet', oidcIdps: document.oidcIdps }], onto)
  expect(await exported('quiet')).toMatchObject({ oidcIdps: [{ idp: { clientSecret: 'of-the-provider' } }] })
  const { notes } = await importing([
    { orgId: 'bare', oidcIdps: [provider('bare-idp', { clientSecret: '' })] },
  ])
  expect(notes).toEqual([
    'organization bare: identity provider bare-idp is inactive: it has no client secret; give it one and activate it',
  ])
  expect(
    await fixture.rows(`SELECT FROM directory_read.identity_provider_v1 WHERE provider_id = 'bare-idp'`),
  ).toEqual([])
  // A secret goes to no other issuer.
  const elsewhere = provider('quiet-idp', { issuer: 'https://evil.example', clientSecret: undefined })
  await importing([{ orgId: 'quiet', oidcIdps: [elsewhere] }], onto)
  const [found] = (await exported('quiet')).oidcIdps ?? []
  expect(found).toMatchObject({ state: 'IDP_STATE_INACTIVE', idp: { issuer: 'https://evil.example' } })
  expect(found?.idp).not.toHaveProperty('clientSecret')
})

it('stores only what makes no provider, and exports it again', async () => {
  const oidcIdps = [
    { idpId: 'half', idp: { name: 'Half' } },
    provider('plain-http', { issuer: 'http://idp.example' }),
  ]
  const userLinks = [{ userId: 'stored-ann', idpId: 'half', providedUserId: '1' }]
  const { outcomes, notes } = await importing([
    { orgId: 'stored', humanUsers: [human('stored-ann')], oidcIdps, userLinks },
  ])
  expect([outcomes['stored oidcIdps'], outcomes['stored userLinks']]).toEqual(['cc', 'c'])
  expect(notes).toEqual([
    'organization stored: identity provider half is stored, not used: idp.clientId: is required',
    expect.stringContaining(
      'identity provider plain-http is stored, not used: idp.issuer: must be an https URL',
    ),
    '1 records of userLinks are stored, not used: the organization has no such identity provider',
  ])
  expect(await exported('stored')).toMatchObject({ oidcIdps, userLinks })
})

it('leaves out domains and roles that the organization does not have', async () => {
  const oidcIdps = [
    provider('bold-idp', {
      ...{ trustedEmailDomains: ['obmail.test'], groupsClaim: 'groups' },
      roleMappings: [{ group: 'all', projectId: 'ob-p', roles: ['admin'] }],
    }),
  ]
  const { messages } = await importing([{ orgId: 'bold', oidcIdps }])
  expect(messages).toEqual([
    'idp.trustedEmailDomains is left out: it is no verified domain of the organization',
    'idp.roleMappings is left out: the organization has no role admin in ob-p',
  ])
  const [found] = (await exported('bold')).oidcIdps ?? []
  expect(found?.idp).not.toHaveProperty('trustedEmailDomains')
  expect(found?.idp).not.toHaveProperty('roleMappings')
})

it('refuses ids and identities of others, and links that reach further than the document', async () => {
  await importing([full('first')])
  const taken = await importing([
    {
      ...{ orgId: 'second', humanUsers: [human('second-ann')], machineUsers: [robot('second-robot')] },
      oidcIdps: [provider('first-idp'), provider('second-idp')],
      userLinks: [
        { userId: 'second-ann', idpId: 'second-idp', providedUserId: '1' },
        { userId: 'second-robot', idpId: 'second-idp', providedUserId: '2' },
        { userId: 'first-ann', idpId: 'second-idp', providedUserId: '3' },
      ],
    },
  ])
  expect([taken.outcomes['second oidcIdps'], taken.outcomes['second userLinks']]).toEqual(['fc', 'cff'])
  expect(taken.messages).toEqual([
    'the identity provider belongs to another organization',
    'a service user has no links',
    'the organization has no such user',
  ])
  const link = { userId: 'second-bob', idpId: 'second-idp', providedUserId: '1' }
  const other = { orgId: 'second', humanUsers: [human('second-bob')], userLinks: [link] }
  const identity = await importing([other], { named: ['second'] })
  expect(identity.messages).toEqual(['another account has this identity'])
  const more = [{ userId: 'second-bob', idpId: 'second-idp', providedUserId: '5' }]
  const { notes } = await importing([{ orgId: 'second', userLinks: more }], { named: ['second'] })
  expect(notes).toEqual(['organization second: the document gives its people 1 identity links'])
  const links = await linksOf('second-idp')
  expect(links).toMatchObject([
    { user_id: 'second-ann', subject: '1' },
    { user_id: 'second-bob', subject: '5' },
  ])
  // The organization was there before. A link that is there already is no news.
  const details = { provider_id: 'second-idp', user_id: 'second-bob' }
  const added = { action: 'identity_link.create', target: links[1]?.link_id, details }
  expect(await linkEvents(`providers-${imports}`)).toEqual([added])
  const renamed = [{ ...more[0], providedUserName: 'Bob' }]
  await importing([{ orgId: 'second', userLinks: renamed }], { named: ['second'], onConflict: 'update' })
  expect(await linkEvents(`providers-${imports}`)).toEqual([])
})

it('takes back no link that the record only names', async () => {
  const { apply, batchOf } = batchFixture(fixture)
  await importing([full('owner'), { orgId: 'namer', humanUsers: [human('namer-ann')] }])
  const [{ link_id: linkId } = {}] = await linksOf('owner-idp')
  const record = { userId: 'namer-ann', idpId: 'no-idp', providedUserId: '77', linkId }
  const [outcome] = await apply([
    batchOf('naming', 1, 'namer', [record], { list: 'userLinks', namedOrganizations: ['namer'] }),
  ])
  expect(outcome?.outcomes).toBe('c')
  expect(await linkEvents('naming')).toEqual([])
  expect(await undo('naming', 1)).toBe('d')
  expect(await linksOf('owner-idp')).toMatchObject([{ link_id: linkId }])
  expect(await linkEvents('undo-naming')).toEqual([])
})

it('changes no provider by which an administrator of the instance signs in', async () => {
  await importing([full('ruled')])
  await fixture.rows(
    `INSERT INTO directory.member (user_id, level, role) VALUES ('ruled-ann', 'instance', 'IAM_OWNER')`,
  )
  const onto = { named: ['ruled'], onConflict: 'update' }
  const userLinks = [{ userId: 'ruled-ann', idpId: 'ruled-idp', providedUserId: 'attacker' }]
  const { outcomes } = await importing(
    [{ orgId: 'ruled', oidcIdps: [provider('ruled-idp', { issuer: 'https://evil.example' })], userLinks }],
    onto,
  )
  expect([outcomes['ruled oidcIdps'], outcomes['ruled userLinks']]).toEqual(['f', 'f'])
  expect(await linksOf('ruled-idp')).toMatchObject([{ subject: '77', issuer: 'https://idp.example' }])
})

const linkEvents = async (jobId: string) =>
  (await fixture.audited())
    .filter(({ action, details }) => details.job_id === jobId && action.startsWith('identity_link.'))
    .map(({ action, targetId, details: { job_id, ...details } }) => ({ action, target: targetId, details }))
    .toReversed()

async function undo(jobId: string, batch: number): Promise<string> {
  const [outcome] = await createUndoBatches({
    database: fixture.owner,
    batches: postgresAppliedBatches,
    storeOutcomes: storeUndoOutcomes,
    readAuthorityFacts,
    undoBatches: createUndoBatchRepository({ masterKeys: fixture.masterKeys, random: randomBytes }),
    rows: objectRows,
    publishEndings: async () => undefined,
  })({
    ...{ jobId: `undo-${jobId}`, importJobId: jobId, batches: [{ batch, recordCount: 1 }] },
    ...{ force: false, actor },
  })
  return outcome?.outcomes ?? ''
}

it('plans providers and links, writes them as planned, and an undo takes them back', async () => {
  const { apply, batchOf } = batchFixture(fixture)
  await importing([{ orgId: 'undone', humanUsers: [human('undone-ann')] }])
  const named = { namedOrganizations: ['undone'], onConflict: 'update' as const }
  const one = async (jobId: string, list: string, record: object, more: object = {}) => {
    const batch = list === 'oidcIdps' ? 1 : 2
    const [outcome] = await apply([batchOf(jobId, batch, 'undone', [record], { list, ...named, ...more })])
    return outcome
  }
  const idp = provider('undone-idp')
  const link = { userId: 'undone-ann', idpId: 'undone-idp', providedUserId: '77' }
  const planned = [{ kind: 'idp', id: 'undone-idp', ownerId: 'undone' }]
  const dry = await one('planned', 'userLinks', link, { dryRun: true, planned })
  expect([dry?.outcomes, await linksOf('undone-idp')]).toEqual(['c', []])
  await one('planned', 'oidcIdps', idp)
  const plan = dry?.plan?.sealed
  expect(await one('planned', 'userLinks', link, { plan })).toMatchObject({ outcomes: 'c' })
  const before = await exported('undone')

  const renamed = { ...link, providedUserName: 'Ann' }
  await one('changed', 'oidcIdps', provider('undone-idp', { name: 'Other', clientSecret: 'another' }))
  await one('changed', 'userLinks', renamed)
  expect(await exported('undone')).toMatchObject({
    oidcIdps: [{ idp: { name: 'Other', clientSecret: 'another' } }],
    userLinks: [{ providedUserName: 'Ann' }],
  })
  expect([await undo('changed', 2), await undo('changed', 1)]).toEqual(['r', 'r'])
  expect(await exported('undone')).toEqual(before)

  const [{ link_id: linkId } = {}] = await linksOf('undone-idp')
  expect(await linkEvents('planned')).toMatchObject([{ action: 'identity_link.create', target: linkId }])
  expect(await linkEvents('undo-changed')).toEqual([])
  expect(await undo('planned', 2)).toBe('d')
  expect(await linksOf('undone-idp')).toEqual([])
  expect(await linkEvents('undo-planned')).toEqual([
    { action: 'identity_link.delete', target: linkId, details: { import_job_id: 'planned' } },
  ])
  expect(await undo('planned', 1)).toBe('d')
  expect(await exported('undone')).not.toHaveProperty('oidcIdps')
})

it('moves providers of SAML with their links, and takes them back', async () => {
  const [one, other] = await Promise.all([createSelfSigned(), createSelfSigned()])
  const der = (own: typeof one) => own.certificate.raw.toString('base64')
  const saml = (more: object = {}) => ({
    idpId: 'saml-idp',
    idp: {
      ...{
        type: 'saml',
        name: 'SAML',
        issuer: 'urn:idp',
        clientId: 'urn:signet',
        clientAuthentication: 'none',
      },
      ...{ ssoUrl: 'https://idp.example/sso', certificates: [der(one)], wantAssertionsSigned: true },
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      assertionConsumerPath: '/realms/acme/broker/saml/endpoint',
      ...{ sloUrl: 'https://idp.example/slo', providerInitiated: true },
      ...more,
    },
  })
  const link = { userId: 'saml-ann', idpId: 'saml-idp', providedUserId: '77' }
  const entry = { orgId: 'saml', humanUsers: [human('saml-ann')], oidcIdps: [saml()], userLinks: [link] }
  const { outcomes, notes } = await importing([entry])
  expect([outcomes['saml oidcIdps'], outcomes['saml userLinks'], notes]).toEqual(['c', 'c', []])
  expect(await linksOf('saml-idp')).toMatchObject([{ issuer: 'urn:idp', subject: '77' }])
  const before = await exported('saml')
  expect(before.oidcIdps).toEqual([
    { ...saml({ subjectClaim: 'sub', requiredClaims: {}, mappedClaims: {} }), ...STATE },
  ])
  expect(before.userLinks).toMatchObject([{ idpType: 'IDP_TYPE_SAML', providedUserId: '77' }])
  const onto = { named: ['saml'], onConflict: 'update' }
  const again = await importing([{ orgId: 'saml', ...before }], onto)
  expect(again.outcomes['saml oidcIdps']).toBe('u')
  expect(await exported('saml')).toEqual(before)

  const { apply, batchOf } = batchFixture(fixture)
  const changed = saml({
    ...{ certificates: [der(other)], ssoUrl: 'https://other.example/sso' },
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  })
  const more = { list: 'oidcIdps', namedOrganizations: ['saml'], onConflict: 'update' as const }
  await apply([batchOf('saml-changed', 1, 'saml', [changed], more)])
  expect(await exported('saml')).toMatchObject({ oidcIdps: [{ idp: { certificates: [der(other)] } }] })
  expect(await undo('saml-changed', 1)).toBe('r')
  expect(await exported('saml')).toEqual(before)

  // The path is that of a provider of another organization.
  const foreign = await importing([{ orgId: 'saml-two', oidcIdps: [{ ...saml(), idpId: 'saml-second' }] }])
  expect(JSON.stringify(foreign)).toContain('idp.assertionConsumerPath is left out')
  const { oidcIdps: [second] = [] } = (await exported('saml-two')) as { oidcIdps?: { idp: object }[] }
  expect(second?.idp).not.toHaveProperty('assertionConsumerPath')

  // The path is that of another provider of the document.
  const twins = ['one', 'two'].map((idpId) => ({ ...saml({ assertionConsumerPath: '/saml/acs' }), idpId }))
  const both = await importing([{ orgId: 'saml-twins', oidcIdps: twins }])
  expect(JSON.stringify(both).split('idp.assertionConsumerPath is left out')).toHaveLength(2)
  expect(await exported('saml-twins')).toMatchObject({
    oidcIdps: [
      { idpId: 'one', idp: { assertionConsumerPath: '/saml/acs' } },
      { idpId: 'two', idp: expect.not.objectContaining({ assertionConsumerPath: expect.anything() }) },
    ],
  })
})

it('moves the key of a provider sealed as a secret is, with its public half', async () => {
  const keyOf = (kid: string) => {
    const { privateKey } = generateKeyPairSync('ed25519')
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid })
  }
  const [one, other] = [keyOf('one'), keyOf('other')]
  const keyed = (more: object) =>
    provider('keyed-idp', { clientAuthentication: 'private_key_jwt', clientSecret: one, ...more })
  const kidOf = async () => {
    const [row] = await fixture.rows(
      `SELECT client_public_jwk ->> 'kid' AS kid FROM directory.identity_provider WHERE provider_id = 'keyed-idp'`,
    )
    return row?.kid
  }
  const { outcomes, notes } = await importing([{ orgId: 'keyed', oidcIdps: [keyed({})] }])
  expect([outcomes['keyed oidcIdps'], notes, await kidOf()]).toEqual(['c', [], 'one'])
  const before = await exported('keyed')
  expect(before).toMatchObject({ oidcIdps: [{ idp: { clientSecret: one } }] })
  const quiet = await exported('keyed', false)
  expect(JSON.stringify(quiet)).not.toContain(JSON.parse(one).d)
  await importing([{ orgId: 'keyed', oidcIdps: quiet.oidcIdps }], { named: ['keyed'], onConflict: 'update' })
  expect([await exported('keyed'), await kidOf()]).toEqual([before, 'one'])

  const { apply, batchOf } = batchFixture(fixture)
  const more = { list: 'oidcIdps', namedOrganizations: ['keyed'], onConflict: 'update' as const }
  const change = async (jobId: string, idp: object) => apply([batchOf(jobId, 1, 'keyed', [keyed(idp)], more)])
  await change('keyed-other', { clientSecret: other })
  expect([await exported('keyed'), await kidOf()]).toMatchObject([
    { oidcIdps: [{ idp: { clientSecret: other } }] },
    'other',
  ])
  expect(await undo('keyed-other', 1)).toBe('r')
  expect([await exported('keyed'), await kidOf()]).toEqual([before, 'one'])

  // A key is no secret of another way, also where the document names the way alone.
  await change('keyed-basic', { clientAuthentication: 'client_secret_basic', clientSecret: undefined })
  const [found] = (await exported('keyed')).oidcIdps ?? []
  expect([found?.state, await kidOf()]).toEqual(['IDP_STATE_INACTIVE', null])
  expect(JSON.stringify(found)).not.toContain(JSON.parse(one).d)
  const wrong = keyed({ clientSecret: 'a-secret' })
  const refused = await importing([{ orgId: 'wrong', oidcIdps: [{ ...wrong, idpId: 'wrong-idp' }] }])
  expect(refused.notes).toEqual([expect.stringContaining('idp.clientSecret: must be a private key')])
})

it('keeps the application at which sign-ins of a provider end, and leaves out one of another organization', async () => {
  const { certificate } = await createSelfSigned()
  const idp = {
    ...{ type: 'saml', name: 'SAML', issuer: 'urn:idp', clientId: 'urn:signet', providerInitiated: true },
    ...{ ssoUrl: 'https://idp.example/sso', certificates: [certificate.raw.toString('base64')] },
  }
  const entry = (orgId: string, providerInitiatedClientId: string): Entry => ({
    orgId,
    projects: [{ projectId: `${orgId}-p`, project: { name: 'p' } }],
    oidcApps: [
      {
        appId: `${orgId}-app`,
        app: {
          projectId: `${orgId}-p`,
          name: 'Shop',
          redirectUris: ['https://shop.example/cb'],
          clientId: `${orgId}-client`,
        },
      },
    ],
    oidcIdps: [{ idpId: `${orgId}-idp`, idp: { ...idp, providerInitiatedClientId } }],
  })
  const own = await importing([entry('ends', 'ends-client')])
  expect([own.outcomes['ends oidcIdps'], own.messages]).toEqual(['c', []])
  const before = await exported('ends')
  expect(before).toMatchObject({
    oidcIdps: [{ idp: { providerInitiated: true, providerInitiatedClientId: 'ends-client' } }],
  })
  const foreign = await importing([entry('ends2', 'ends-client')])
  expect(foreign.messages).toEqual([
    'idp.providerInitiatedClientId is left out: it is the client id of no application of the organization',
  ])
  const [found] = (await exported('ends2')).oidcIdps ?? []
  expect(found?.idp).not.toHaveProperty('providerInitiatedClientId')
  const { apply, batchOf } = batchFixture(fixture)
  const more = { list: 'oidcIdps', namedOrganizations: ['ends'], onConflict: 'update' as const }
  const changed = {
    idpId: 'ends-idp',
    idp: { ...idp, providerInitiated: false, providerInitiatedClientId: null },
  }
  await apply([batchOf('ends-changed', 1, 'ends', [changed], more)])
  expect((await exported('ends')).oidcIdps?.[0]?.idp).not.toHaveProperty('providerInitiated')
  expect(await undo('ends-changed', 1)).toBe('r')
  expect(await exported('ends')).toEqual(before)
})

it('moves the picture of a provider, and leaves out one that breaks a rule', async () => {
  const [one, other] = [
    [1, 1, 1],
    [2, 2, 2],
  ].map((colour) => pngSample({ colour: colour as [number, number, number] }).toString('base64'))
  const entry = (orgId: string, logo: unknown): Entry => ({
    orgId,
    oidcIdps: [provider(`${orgId}-idp`, { logo })],
  })
  const { messages } = await importing([entry('drawn', one)])
  expect(messages).toEqual([])
  const before = await exported('drawn')
  expect(before).toMatchObject({ oidcIdps: [{ idp: { logo: one } }] })
  // A document without it keeps it.
  await importing([entry('drawn', undefined)], { named: ['drawn'], onConflict: 'update' })
  expect(await exported('drawn')).toEqual(before)
  const bad = await importing([entry('undrawn', Buffer.from('<svg onload="x"/>').toString('base64'))])
  expect(bad.messages).toEqual([expect.stringContaining('idp.logo is left out: it ')])
  expect((await exported('undrawn')).oidcIdps?.[0]?.idp).not.toHaveProperty('logo')
  // Neither a text that is no Base64 nor one that is too long costs the provider more than its picture.
  for (const [orgId, logo] of [
    ['unreadable', '<svg'],
    ['oversized', 'A'.repeat(60_000)],
  ] as const) {
    const { messages } = await importing([entry(orgId, logo)])
    expect(messages).toEqual([expect.stringContaining('idp.logo is left out: it ')])
    expect((await exported(orgId)).oidcIdps?.[0]?.state).toBe('IDP_STATE_ACTIVE')
  }
  const { apply, batchOf } = batchFixture(fixture)
  const more = { list: 'oidcIdps', namedOrganizations: ['drawn'], onConflict: 'update' as const }
  await apply([batchOf('redrawn', 1, 'drawn', [provider('drawn-idp', { logo: other })], more)])
  expect(await exported('drawn')).toMatchObject({ oidcIdps: [{ idp: { logo: other } }] })
  expect(await undo('redrawn', 1)).toBe('r')
  expect(await exported('drawn')).toEqual(before)
})

it('moves the keys of Signet at a provider of SAML with the secrets, and makes new ones without them', async () => {
  const { certificate } = await createSelfSigned()
  const idp = {
    ...{ type: 'saml', name: 'SAML', issuer: 'urn:idp', clientId: 'urn:signet' },
    ...{ ssoUrl: 'https://idp.example/sso', certificates: [certificate.raw.toString('base64')] },
    ...{ assertionEncryption: 'required', signAuthnRequests: true },
  }
  const entry = (orgId: string, members: object) => ({
    orgId,
    oidcIdps: [{ idpId: `${orgId}-idp`, idp: members }],
  })
  const idpOf = async (id: string, withSecrets = true) =>
    (await exported(id, withSecrets)).oidcIdps?.[0]?.idp as Record<string, readonly string[]>
  const first = await importing([entry('keys-a', idp)])
  expect(first.notes).toEqual([expect.stringContaining('keys-a-idp has another key than at the source')])
  const made = await idpOf('keys-a')
  expect(made).toMatchObject(idp)
  expect([made.ownCertificates, made.ownPrivateKeys].map((list) => list?.length)).toEqual([1, 1])

  const moved = await importing([entry('keys-b', made)])
  expect([moved.notes, await idpOf('keys-b')]).toEqual([[], made])
  const onto = { named: ['keys-b'], onConflict: 'update' }
  expect((await importing([entry('keys-b', made)], onto)).outcomes['keys-b oidcIdps']).toBe('u')
  expect(await idpOf('keys-b')).toEqual(made)
  // A record without the keys takes none away.
  const { ownPrivateKeys, ...shown } = made
  expect(await idpOf('keys-b', false)).toEqual(shown)
  await importing([entry('keys-b', shown)], onto)
  expect(await idpOf('keys-b')).toEqual(made)

  const other = await importing([entry('keys-c', shown)])
  expect(other.notes).toEqual([expect.stringContaining('has another key')])
  expect((await idpOf('keys-c')).ownCertificates).not.toEqual(made.ownCertificates)
  const { apply, batchOf } = batchFixture(fixture)
  const more = { list: 'oidcIdps', namedOrganizations: ['keys-b'], onConflict: 'update' as const }
  const keysOfC = { ...(await idpOf('keys-c')), name: 'Changed' }
  await apply([batchOf('keys-changed', 1, 'keys-b', [{ idpId: 'keys-b-idp', idp: keysOfC }], more)])
  expect(await idpOf('keys-b')).toEqual(keysOfC)
  expect(await undo('keys-changed', 1)).toBe('r')
  expect(await idpOf('keys-b')).toEqual(made)

  const wrong = { ...made, ownPrivateKeys: (await idpOf('keys-c')).ownPrivateKeys }
  for (const members of [wrong, { ...made, ownCertificates: [] }]) {
    const { notes } = await importing([entry('keys-b', members)], onto)
    expect(notes).toEqual([])
    expect(await idpOf('keys-b')).toEqual(made)
  }
})

it('moves the key of Apple with the names of team and key', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const apple = (more: object = {}) => ({
    idpId: 'apple-idp',
    idp: {
      ...{ name: 'Apple', preset: 'apple', issuer: 'https://appleid.apple.com', clientId: 'example.signet' },
      ...{ clientAuthentication: 'apple_client_secret', teamId: 'DEF123GHIJ', keyId: 'ABC123DEFG' },
      clientSecret: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      ...more,
    },
  })
  const { outcomes, notes } = await importing([{ orgId: 'apple', oidcIdps: [apple()] }])
  expect([outcomes['apple oidcIdps'], notes]).toEqual(['c', []])
  const before = await exported('apple')
  expect(before).toMatchObject({ oidcIdps: [apple({ scopes: ['openid', 'name', 'email'] })] })
  const { apply, batchOf } = batchFixture(fixture)
  const more = { list: 'oidcIdps', namedOrganizations: ['apple'], onConflict: 'update' as const }
  await apply([batchOf('apple-changed', 1, 'apple', [apple({ keyId: 'ZZZ123DEFG' })], more)])
  expect(await exported('apple')).toMatchObject({ oidcIdps: [{ idp: { keyId: 'ZZZ123DEFG' } }] })
  expect(await undo('apple-changed', 1)).toBe('r')
  expect(await exported('apple')).toEqual(before)
  const half = await importing([
    { orgId: 'half', oidcIdps: [{ ...apple({ teamId: undefined }), idpId: 'half' }] },
  ])
  expect(half.notes).toEqual([expect.stringContaining('idp.teamId: is required for apple_client_secret')])
})

it('moves providers of GitHub with their links', async () => {
  const idp = {
    ...{ type: 'github', name: 'GitHub', issuer: 'https://github.com', clientId: 'Iv1.a' },
    ...{ clientSecret: 'of-github', clientAuthentication: 'client_secret_post', subjectClaim: 'id' },
    ...{ scopes: ['read:user', 'user:email'], requiredClaims: {}, mappedClaims: {}, autoRegister: true },
  }
  const record = { idpId: 'github-idp', idp }
  const link = { userId: 'github-ann', idpId: 'github-idp', providedUserId: '583231' }
  const entry = { orgId: 'github', humanUsers: [human('github-ann')], oidcIdps: [record], userLinks: [link] }
  const { outcomes, notes } = await importing([entry])
  expect([outcomes['github oidcIdps'], outcomes['github userLinks'], notes]).toEqual(['c', 'c', []])
  expect(await linksOf('github-idp')).toMatchObject([{ issuer: 'https://github.com', subject: '583231' }])
  const before = await exported('github')
  expect(before.oidcIdps).toEqual([{ ...record, ...STATE }])
  expect(before.userLinks).toMatchObject([{ idpType: 'IDP_TYPE_GITHUB', providedUserId: '583231' }])
  const again = await importing([{ orgId: 'github', ...before }], { named: ['github'], onConflict: 'update' })
  expect([again.outcomes['github oidcIdps'], await exported('github')]).toEqual(['u', before])
  // The other members have defaults.
  const short = { idpId: 'short-idp', idp: { type: 'github', name: 'GitHub', clientId: 'Iv1.a' } }
  await importing([{ orgId: 'short', oidcIdps: [short] }])
  expect(await exported('short')).toMatchObject({
    oidcIdps: [{ state: 'IDP_STATE_INACTIVE', idp: { issuer: 'https://github.com', subjectClaim: 'id' } }],
  })
})

const STATE = { state: 'IDP_STATE_ACTIVE', creationDate: expect.any(String) }

it('moves providers of LDAP with their links, and a password goes to no other server', async () => {
  const ldap = (more: object = {}) => ({
    idpId: 'ldap-idp',
    idp: {
      ...{
        type: 'ldap',
        name: 'Directory',
        issuer: 'dc=idp,dc=example',
        clientAuthentication: 'simple_bind',
      },
      ...{ clientId: 'cn=signet,dc=idp,dc=example', clientSecret: 'of-the-search' },
      ...{ servers: ['ldaps://one.example'], baseDn: 'dc=idp,dc=example', objectClass: 'person' },
      ...{ nameAttributes: ['uid'], subjectClaim: 'entryUUID', groupsClaim: 'memberOf' },
      ...more,
    },
  })
  const link = { userId: 'ldap-ann', idpId: 'ldap-idp', providedUserId: '77' }
  const entry = { orgId: 'ldap', humanUsers: [human('ldap-ann')], oidcIdps: [ldap()], userLinks: [link] }
  const { outcomes, notes } = await importing([entry])
  expect([outcomes['ldap oidcIdps'], outcomes['ldap userLinks'], notes]).toEqual(['c', 'c', []])
  const before = await exported('ldap')
  expect(before.oidcIdps).toEqual([{ ...ldap({ requiredClaims: {}, mappedClaims: {} }), ...STATE }])
  expect(before.userLinks).toMatchObject([{ idpType: 'IDP_TYPE_LDAP', providedUserId: '77' }])
  expect(JSON.stringify(await exported('ldap', false))).not.toContain('of-the-search')

  const { apply, batchOf } = batchFixture(fixture)
  const more = { list: 'oidcIdps', namedOrganizations: ['ldap'], onConflict: 'update' as const }
  const change = async (jobId: string, idp: object) =>
    apply([batchOf(jobId, 1, 'ldap', [ldap({ clientSecret: undefined, ...idp })], more)])
  await change('ldap-named', { name: 'Other' })
  expect(await exported('ldap')).toMatchObject({ oidcIdps: [{ idp: { clientSecret: 'of-the-search' } }] })
  await change('ldap-moved', { servers: ['ldaps://evil.example'] })
  const [moved] = (await exported('ldap')).oidcIdps ?? []
  expect(moved).toMatchObject({ state: 'IDP_STATE_INACTIVE', idp: { servers: ['ldaps://evil.example'] } })
  expect(moved?.idp).not.toHaveProperty('clientSecret')
  expect([await undo('ldap-moved', 1), await undo('ldap-named', 1)]).toEqual(['r', 'r'])
  expect(await exported('ldap')).toEqual(before)
})

it('stores only a record of SAML that breaks a rule, and changes no provider to another type', async () => {
  const idp = { type: 'saml', name: 'SAML', issuer: 'urn:idp', clientId: 'urn:signet' }
  const { notes } = await importing([{ orgId: 'half-saml', oidcIdps: [{ idpId: 'half-saml', idp }] }])
  expect(notes).toEqual([
    'organization half-saml: identity provider half-saml is stored, not used: idp.ssoUrl: must be an https URL of 2000 characters at most without fragment; http is for loopback hosts',
  ])
  await importing([{ orgId: 'typed', oidcIdps: [provider('typed-idp')] }])
  const { outcomes, messages } = await importing(
    [{ orgId: 'typed', oidcIdps: [{ idpId: 'typed-idp', idp }] }],
    { named: ['typed'], onConflict: 'update' },
  )
  expect([outcomes['typed oidcIdps'], messages]).toEqual([
    'f',
    ['idp.type: the provider with this id is of type oidc'],
  ])
})
