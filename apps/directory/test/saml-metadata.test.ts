// Metadata of SAML providers in the management API.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSelfSigned } from '@signet/testing/client-certificates'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const PROFILE = { givenName: 'A', familyName: 'B' }
let management: ManagementFixture
let first: string
let second: string
let served: Server
let answer: { readonly status: number; readonly text: string; readonly location?: string }
beforeAll(async () => {
  management = await managementFixture()
  const document = sampleDocument()
  acme(document).users?.push({
    ...{ id: 'root', userName: 'root', profile: PROFILE, password: PASSWORD, roles: ['IAM_OWNER'] },
  })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('acme-owner', { roles: ['ORG_OWNER acme'] })
  const certificates = await Promise.all([createSelfSigned(), createSelfSigned()])
  ;[first = '', second = ''] = certificates.map(({ certificate }) => certificate.raw.toString('base64'))
  served = createServer((_req, res) => {
    res.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
    res.end(answer.text)
  })
  await new Promise<void>((listening) => served.listen(0, '127.0.0.1', listening))
})
afterAll(async () => {
  served?.close()
  await management?.stop()
})
beforeEach(() => management.directory.rows('DELETE FROM directory.identity_provider'))

const ENTITY_ID = 'https://idp.acme.example/entity'
const SSO_URL = 'https://idp.acme.example/sso'
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const SAML2 = 'urn:oasis:names:tc:SAML:2.0:protocol'

interface Values {
  readonly entityId: string
  readonly entityAttributes: string
  readonly roleAttributes: string
  readonly protocols: string
  readonly keys: string
  readonly services: string
  readonly more: string
}

const key = (certificate: string, use = ' use="signing"') =>
  `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>
     ${certificate.replace(/.{64}/g, '$&\n')}
   </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
const service = (location: string, binding = REDIRECT) =>
  `<md:SingleSignOnService Binding="${binding}" Location="${location}"/>`

function metadata(values: Partial<Values> = {}): string {
  const { entityId = ENTITY_ID, entityAttributes = '', roleAttributes = '', protocols = SAML2 } = values
  const { keys = key(first), services = service(SSO_URL), more = '' } = values
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"${entityAttributes}>
  <md:IDPSSODescriptor protocolSupportEnumeration="${protocols}"${roleAttributes}>${keys}
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>${services}
  </md:IDPSSODescriptor>${more}
</md:EntityDescriptor>`
}

const NEW = { id: 'saml', organizationId: 'acme', type: 'saml', name: 'SAML', clientId: 'urn:signet' }
const create = (more: object = { metadata: metadata() }) =>
  management.call('POST', '/identity-providers', { ...NEW, ...more }, 'owner')
const importInto = (body: object, bearer = 'owner') =>
  management.call('POST', '/identity-providers/saml/metadata', body, bearer)
const stored = async () =>
  (await management.call('GET', '/identity-providers/saml', undefined, 'owner')).body as Readonly<
    Record<string, unknown>
  >
const servedUrl = () => `http://localhost:${(served.address() as AddressInfo).port}/metadata`

describe('a new provider', () => {
  it('gets entity id, address and certificates of a document', async () => {
    const services = `${service('https://idp.acme.example/post', POST)}${service(SSO_URL)}`
    const keys = `${key(first)}${key(second, '')}${key('AAAA', ' use="encryption"')}`
    const { status, body } = await create({
      metadata: `\ufeff<?xml version="1.0"?>\n${metadata({ keys, services })}`,
    })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        ...{ issuer: ENTITY_ID, ssoUrl: SSO_URL, certificates: [first, second], wantAssertionsSigned: false },
        nameIdFormat: null,
        assertionConsumerPath: null,
        assertionEncryption: 'none',
      }),
    ])
  })

  it('is read from a document with comments between its tags, as Shibboleth writes them', async () => {
    const commented = `<!-- <IDPSSODescriptor entityID="urn:evil"> & more -->`
    const text = metadata({ keys: `\n  ${commented}\n<!--\n\n-->\n${key(first)}${commented}` })
    const { status, body } = await create({
      metadata: `<?xml version="1.0" encoding="UTF-8"?>\n${commented}\n${text}\n${commented}\n`,
    })
    expect([status, body]).toMatchObject([201, { issuer: ENTITY_ID, certificates: [first] }])
  })

  it('is read from the one provider of a list', async () => {
    const list = (...entities: readonly string[]) =>
      `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${entities.join('')}</md:EntitiesDescriptor>`
    const other = `<md:EntityDescriptor entityID="urn:sp"><md:SPSSODescriptor/></md:EntityDescriptor>`
    expect((await create({ metadata: list(metadata(), metadata()) })).status).toBe(400)
    const over = list(list(metadata())).replace(
      /(.*)<md:EntitiesDescriptor/,
      '$1<md:EntitiesDescriptor validUntil="2026-01-01T00:00:00Z"',
    )
    expect((await create({ metadata: over })).body.message).toContain('is over')
    expect((await create({ metadata: list(other, metadata()) })).body.issuer).toBe(ENTITY_ID)
  })

  it('names itself what the document has, or leaves it out', async () => {
    const { status, body } = await create({ metadata: metadata(), issuer: ENTITY_ID, ssoUrl: SSO_URL })
    expect([status, body.message]).toEqual([
      400,
      'issuer: must be left out: the metadata has it; ssoUrl: must be left out: the metadata has it',
    ])
    const oidc = await create({ metadata: metadata(), type: 'oidc' })
    expect([oidc.status, oidc.body.message]).toEqual([400, 'type: must be saml with metadata'])
  })

  it.each<[string, Partial<Values> | string, string]>([
    ['another document', '<html/>', 'must be an EntityDescriptor'],
    ['no XML', 'entityID: x', 'must be well-formed XML'],
    ['a comment after text', metadataWith('a<!-- c -->'), 'without comments inside texts'],
    ['a comment before text', metadataWith('<!-- c -->a'), 'without comments inside texts'],
    ['a comment in a comment', metadataWith('<!-- <!-- -->'), 'without comments inside texts'],
    ['a comment that ends otherwise', metadataWith('<!-- --->'), 'without comments inside texts'],
    ['a comment in a certificate', { keys: key('AAAA<!-- c -->AAAA') }, 'without comments inside texts'],
    ['a comment in an attribute', { entityId: '<!-- c -->' }, 'without comments inside texts'],
    ['a comment about CDATA', metadataWith('<![CDATA[ ><!-- c --><x ]]>'), 'without comments inside texts'],
    [
      'a document type',
      metadataWith('<!DOCTYPE a [<!ENTITY b "c">]>'),
      'without comments inside texts, document types',
    ],
    [
      'a service provider',
      { protocols: 'urn:oasis:names:tc:SAML:1.1:protocol' },
      'must have one IDPSSODescriptor',
    ],
    ['no entity id', { entityId: '' }, 'must have an entityID'],
    ['no address by redirect', { services: service(SSO_URL, POST) }, 'the binding HTTP-Redirect'],
    [
      'an address without TLS',
      { services: service('http://idp.acme.example/sso') },
      'ssoUrl: must be an https URL',
    ],
    ['a script as address', { services: service('javascript:alert(1)') }, 'ssoUrl: must be an https URL'],
    ['a long entity id', { entityId: `urn:${'x'.repeat(500)}` }, 'issuer: is required'],
    ['a long address', { services: service(`${SSO_URL}?${'x'.repeat(2_000)}`) }, 'ssoUrl: must be'],
    ['no key', { keys: '' }, 'must have a KeyDescriptor for signing'],
    ['a document that is over', { entityAttributes: ' validUntil="2026-01-01T00:00:00Z"' }, 'is over'],
    ['a role that is over', { roleAttributes: ' validUntil="2026-01-01T00:00:00Z"' }, 'is over'],
    ['a date that is none', { entityAttributes: ' validUntil="soon"' }, 'is over'],
  ])('is refused with %s', async (_, given, rule) => {
    const { status, body } = await create({ metadata: typeof given === 'string' ? given : metadata(given) })
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
    expect((await stored()).code).toBe(5)
  })

  it('takes no key that is not taken as a certificate either', async () => {
    const keys = key(ED25519)
    expect((await create({ metadata: metadata({ keys }) })).body.message).toContain(
      'must have a KeyDescriptor',
    )
    await create({ metadata: metadata({ keys: keys + key(first) }) })
    const { body } = await importInto({ metadata: metadata({ keys: keys + key(first) }), dryRun: true })
    expect(body.remarks).toEqual(['certificates: 1 left out, whose keys are not taken here'])
  })
})

/** A certificate of an Ed25519 key. */
const ED25519 =
  'MIIBHzCB0qADAgECAgEBMAUGAytlcDAOMQwwCgYDVQQDDANpZHAwIBcNMjYxMTMwMDQ1MDEwWhgPMjEyNjExMDYwNDUwMTBaMA4x' +
  'DDAKBgNVBAMMA2lkcDAqMAUGAytlcAMhACk2ysnt+8AXbrAvDv8RfpLFai3GzvwhEZqg+vHp9ytYo1MwUTAdBgNVHQ4EFgQUQlww' +
  'y0kmkiFamrRRqLRzPKI7TwAwHwYDVR0jBBgwFoAUQlwwy0kmkiFamrRRqLRzPKI7TwAwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD' +
  'QQCl8Wg9rWrFQjb3tIM4kw9UTcgUWd7dNqAhgS+iVg0URW70snkXOFPabcQ0gsXPsunJO577mhYpaYS9Rg6mX7YA'

function metadataWith(part: string): string {
  return `${part}<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="urn:x"/>`
}

describe('the address of a document', () => {
  it('is read once', async () => {
    answer = { status: 200, text: metadata() }
    expect((await create({ metadataUrl: servedUrl() })).body).toMatchObject({
      issuer: ENTITY_ID,
      certificates: [first],
    })
    answer = { status: 200, text: metadata({ keys: key(second) }) }
    expect((await importInto({ metadataUrl: servedUrl() })).body.provider).toMatchObject({
      certificates: [first, second],
    })
  })

  it.each<[string, () => object, typeof answer | undefined, string]>([
    ['another status', () => ({}), { status: 404, text: '' }, 'it answered 404'],
    ['a redirect', () => ({}), { status: 302, text: '', location: 'https://x.example' }, 'it answered 302'],
    [
      'an address without TLS',
      () => ({ metadataUrl: 'http://idp.acme.example' }),
      undefined,
      'must be an https URL',
    ],
    ['a file', () => ({ metadataUrl: 'file:///etc/passwd' }), undefined, 'must be an https URL'],
    [
      'a private address',
      () => ({ metadataUrl: 'https://10.0.0.1/m' }),
      undefined,
      'must have a public address',
    ],
    ['a document beside it', () => ({ metadata: metadata() }), undefined, 'must be left out beside metadata'],
    [
      'a long document',
      () => ({}),
      { status: 200, text: ' '.repeat(300_000) },
      'metadata: must have at most 256 KiB',
    ],
  ])('is refused with %s', async (_, more, given, rule) => {
    if (given !== undefined) answer = given
    const { status, body } = await create({ metadataUrl: servedUrl(), ...more() })
    expect([status, body.message]).toEqual([400, expect.stringContaining(rule)])
  })
})

describe('metadata that is imported again', () => {
  beforeEach(() => create())

  it('adds keys, and takes none out', async () => {
    const both = metadata({ keys: key(second) })
    const plan = await importInto({ metadata: both, dryRun: true })
    expect(plan.body).toMatchObject({
      ...{ applied: false, needs: [], changes: [], remarks: [] },
      certificates: [
        { state: 'only_here' },
        { state: 'added', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
      provider: { certificates: [first] },
    })
    expect((await stored()).certificates).toEqual([first])
    const done = await importInto({ metadata: both })
    expect(done.body).toMatchObject({
      ...plan.body,
      applied: true,
      provider: { certificates: [first, second] },
    })
    expect((await stored()).certificates).toEqual([first, second])
    const again = await importInto({ metadata: both })
    expect(again.body.certificates).toMatchObject([{ state: 'only_here' }, { state: 'kept' }])
  })

  it('turns no check of signatures off, nor encryption [CVE-2026-16443]', async () => {
    const demands = { wantAssertionsSigned: true, assertionEncryption: 'required', signAuthnRequests: true }
    await management.call('PATCH', '/identity-providers/saml', demands, 'owner')
    const before = await stored()
    const without = await importInto({ metadata: metadata({ keys: '' }) })
    expect([without.status, without.body.message]).toEqual([400, expect.stringContaining('KeyDescriptor')])
    expect(await stored()).toEqual(before)
    const roleAttributes = ' WantAuthnRequestsSigned="false" WantAssertionsSigned="false"'
    expect((await importInto({ metadata: metadata({ roleAttributes }) })).status).toBe(200)
    const { changedAt, ...after } = await stored()
    expect({ changedAt: before.changedAt, ...after }).toEqual(before)
  })

  it('changes entity id and host where the caller says so for each of them', async () => {
    const entityId = 'https://other.example/entity'
    const other = metadata({ entityId, services: service('https://other.example/sso') })
    const plan = await importInto({ metadata: other, dryRun: true })
    expect(plan.body).toMatchObject({
      needs: ['otherEntityId', 'otherHost'],
      changes: [
        { member: 'issuer', before: ENTITY_ID, after: entityId },
        { member: 'ssoUrl', before: SSO_URL, after: 'https://other.example/sso' },
      ],
    })
    for (const [flags, named] of [
      [{}, ['otherEntityId', 'otherHost']],
      [{ otherHost: true }, ['otherEntityId']],
      [{ otherEntityId: true }, ['otherHost']],
    ] as const) {
      const { status, body } = await importInto({ metadata: other, ...flags })
      expect([status, body.details.map(({ field }: { readonly field: string }) => field)]).toEqual([
        400,
        named,
      ])
    }
    expect(await stored()).toMatchObject({ issuer: ENTITY_ID, ssoUrl: SSO_URL })
    expect((await importInto({ metadata: other, otherEntityId: true, otherHost: true })).status).toBe(200)
    expect(await stored()).toMatchObject({ issuer: entityId, ssoUrl: 'https://other.example/sso' })
  })

  it('leads to another path or port of the host as it says', async () => {
    const path = metadata({ services: service('https://idp.acme.example/other') })
    expect((await importInto({ metadata: path })).body.changes).toMatchObject([{ member: 'ssoUrl' }])
    const port = metadata({ services: service('https://idp.acme.example:8443/other') })
    expect((await importInto({ metadata: port })).status).toBe(400)
  })

  it('is refused by a plan as by the import', async () => {
    const open = metadata({ services: service('http://idp.acme.example/sso') })
    for (const dryRun of [true, false]) {
      const { status, body } = await importInto({ metadata: open, otherHost: true, dryRun })
      expect([status, body.message]).toEqual([400, expect.stringContaining('ssoUrl: must be an https URL')])
    }
  })

  it('gives the address of sign-outs, keeps it where the document has none, and asks for another host', async () => {
    const slo = (location: string, more = '') =>
      `<md:SingleLogoutService Binding="${REDIRECT}" Location="${location}"${more}/>`
    const withSlo = (...services: readonly string[]) =>
      metadata({ services: `${services.join('')}${service(SSO_URL)}` })
    const first = 'https://idp.acme.example/slo'
    const unusable = [slo('http://idp.acme.example/slo'), slo(first, ' ResponseLocation="https://a.example"')]
    expect((await importInto({ metadata: withSlo(...unusable) })).body.provider.sloUrl).toBe(null)
    const { body } = await importInto({ metadata: withSlo(...unusable, slo(first)) })
    expect([body.changes, body.provider.sloUrl]).toEqual([
      [{ member: 'sloUrl', before: '', after: first }],
      first,
    ])
    expect((await importInto({ metadata: metadata() })).body.provider.sloUrl).toBe(first)
    const other = { metadata: withSlo(slo('https://other.example/slo')) }
    expect((await importInto({ ...other, dryRun: true })).body.needs).toEqual(['otherHost'])
    expect((await importInto(other)).status).toBe(400)
    expect((await importInto({ ...other, otherHost: true })).body.provider.sloUrl).toContain('other.example')
    const created = await create({ metadata: withSlo(slo(first)), sloUrl: first })
    expect([created.status, created.body.message]).toEqual([
      400,
      'sloUrl: must be left out: the metadata has it',
    ])
  })

  it('says that requests are not signed', async () => {
    const { body } = await importInto({
      metadata: metadata({ roleAttributes: ' WantAuthnRequestsSigned="1"' }),
    })
    expect(body.remarks).toEqual([
      expect.stringContaining('WantAuthnRequestsSigned: requests are not signed'),
    ])
  })

  it('is refused where more keys would be stored than a provider may have', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => createSelfSigned()))
    const many = keys.map(({ certificate }) => key(certificate.raw.toString('base64'))).join('')
    const refused = [400, expect.stringContaining('certificates: may have 10 at most')]
    const imported = await importInto({ metadata: metadata({ keys: many }) })
    expect([imported.status, imported.body.message]).toEqual(refused)
    const created = await create({ id: 'other', metadata: metadata({ keys: key(first) + many }) })
    expect([created.status, created.body.message]).toEqual(refused)
  })

  it('is refused without a document, and for a provider that is none of SAML', async () => {
    expect((await importInto({})).body.message).toBe('metadata: is required, or metadataUrl')
    await management.call(
      'POST',
      '/identity-providers',
      { id: 'oidc', organizationId: 'acme', preset: 'google', name: 'G', clientId: 'g', clientSecret: 's' },
      'owner',
    )
    const { status, body } = await management.call(
      ...(['POST', '/identity-providers/oidc/metadata', { metadata: metadata() }, 'owner'] as const),
    )
    expect([status, body.message]).toEqual([400, 'metadata: is for providers of type saml'])
  })

  it('adds no key of a caller whose roles reach less far than those of a linked person', async () => {
    const userId = 'root'
    const link = { providerId: 'saml', subject: userId }
    expect((await management.call('POST', `/users/${userId}/identity-links`, link, 'owner')).status).toBe(201)
    const more = { metadata: metadata({ keys: key(second) }) }
    expect((await importInto(more, 'acme-owner')).status).toBe(403)
    expect((await stored()).certificates).toEqual([first])
    expect((await importInto({ metadata: metadata() }, 'acme-owner')).status).toBe(200)
  })

  it('loses no key to another import at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => createSelfSigned()))
    const ders = keys.map(({ certificate }) => certificate.raw.toString('base64'))
    await Promise.all(ders.map((der) => importInto({ metadata: metadata({ keys: key(der) }) })))
    expect(new Set((await stored()).certificates as string[])).toEqual(new Set([first, ...ders]))
  })
})
