// Single logout with a SAML provider (SAML 2.0 Profiles section 4.4).
import { createPrivateKey, type KeyObject, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { TRANSIENT } from '@signet/protocol/saml-provider'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SignedXml } from 'xml-crypto'
import { ISSUER } from './fixtures/running-federation.ts'
import { ENTITY_ID, OWN_ENTITY_ID, on, serveSaml } from './fixtures/saml-environment.ts'
import { at, base64, createSamlKey, ENVELOPED, EXCLUSIVE, type SigningKey } from './fixtures/saml-idp.ts'

const SLO = `${ISSUER}/ui/identity-providers/saml/single-logout`
const THEIR_SLO = 'https://idp.example/slo?tenant=1'
const SAML = 'urn:oasis:names:tc:SAML:2.0'
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'

serveSaml()
let own: SigningKey
beforeAll(async () => {
  own = await createSamlKey()
})
beforeEach(() => setProvider())

function setProvider(more: object = {}, id = 'saml') {
  const der = createPrivateKey(own.key).export({ format: 'der', type: 'pkcs8' })
  on.set(
    {
      ...{ sloUrl: THEIR_SLO, rpInitiatedLogout: true, backchannelLogout: true },
      ...{ ownKeys: [der.toString('base64')], ownCertificates: [own.certificate] },
      ...more,
    },
    id,
  )
}

/** Values of a message of the provider; each is written as it is. */
interface Values {
  readonly name: string
  readonly id: string
  readonly attributes: string
  readonly issuer: string
  readonly destination: string
  readonly issuedAt: string
  readonly content: string
}

function messageXml(more: Partial<Values> = {}): string {
  const values: Values = {
    ...{ name: 'LogoutRequest', id: `_${randomBytes(8).toString('hex')}`, attributes: '' },
    ...{ issuer: `<saml:Issuer>${ENTITY_ID}</saml:Issuer>`, destination: ` Destination="${SLO}"` },
    issuedAt: at(on.clock.now(), 0),
    content: '<saml:NameID>alice</saml:NameID><samlp:SessionIndex>s1</samlp:SessionIndex>',
    ...more,
  }
  const { name, id, attributes, issuer, destination, issuedAt, content } = values
  return `<samlp:${name} xmlns:samlp="${SAML}:protocol" xmlns:saml="${SAML}:assertion" ID="${id}" Version="2.0" IssueInstant="${issuedAt}"${destination}${attributes}>${issuer}${content}</samlp:${name}>`
}

interface Query {
  readonly key?: string
  readonly relayState?: string | undefined
  /** Encoder of the RelayState. */
  readonly encode?: (text: string) => string
  readonly algorithm?: string
  readonly name?: string
}

/** The query of a signed message. */
function queryOf(
  xml: string,
  { key = on.key.key, relayState, algorithm = RSA_SHA256, name = 'SAMLRequest', ...more }: Query = {},
) {
  const { encode = encodeURIComponent } = more
  const parts = [
    `${name}=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}`,
    ...(relayState === undefined ? [] : [`RelayState=${encode(relayState)}`]),
    `SigAlg=${encodeURIComponent(algorithm)}`,
  ]
  const hash = algorithm === RSA_SHA1 ? 'sha1' : 'sha256'
  const signature = sign(hash, Buffer.from(parts.join('&')), key).toString('base64')
  return [...parts, `Signature=${encodeURIComponent(signature)}`].join('&')
}

/** The base64 of a message with its signature in it. */
function formOf(xml: string, { key, algorithm }: SigningKey = on.key): string {
  const signature = new SignedXml({
    ...{ privateKey: key, signatureAlgorithm: algorithm, canonicalizationAlgorithm: EXCLUSIVE },
    getKeyInfoContent: () => null,
  })
  signature.addReference({
    ...{ xpath: '/*', transforms: [ENVELOPED, EXCLUSIVE] },
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  signature.computeSignature(xml, {
    location: { reference: "/*/*[local-name(.)='Issuer']", action: 'after' },
  })
  return base64(signature.getSignedXml())
}

const receive = (brought: { query?: string; posted?: string; relayState?: string }, providerId = 'saml') =>
  on.federation.readLogoutRequest({ providerId, ...brought })
const ruleOf = async (...parameters: Parameters<typeof receive>) => {
  const { refusal, logout, location } = await receive(...parameters)
  expect([logout, location]).toEqual([undefined, ''])
  return refusal?.rule
}

/** The message in an address of the provider, whose signature is verified by the certificate of the own key. */
function sentTo(location: string, name: 'SAMLRequest' | 'SAMLResponse') {
  const { search, searchParams, origin, pathname } = new URL(location)
  const covered = /(SAML(?:Request|Response)=.*)&Signature=/.exec(search)?.[1] ?? ''
  const key: KeyObject = new X509Certificate(Buffer.from(own.certificate, 'base64')).publicKey
  const signature = Buffer.from(searchParams.get('Signature') ?? '', 'base64')
  expect(searchParams.get('SigAlg')).toBe(RSA_SHA256)
  expect(verify('sha256', Buffer.from(covered), key, signature)).toBe(true)
  expect([origin + pathname, searchParams.get('tenant')]).toEqual(['https://idp.example/slo', '1'])
  const xml = inflateRawSync(Buffer.from(searchParams.get(name) ?? '', 'base64')).toString()
  return { xml, id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '', relayState: searchParams.get('RelayState') }
}

describe('a request of the provider', () => {
  it('by redirect gets the RelayState of a form encoder back, which writes a space as a plus', async () => {
    const query = queryOf(messageXml(), { relayState: 'a b', encode: (text) => text.replaceAll(' ', '+') })
    const { location, refusal } = await receive({ query })
    expect(refusal).toBeUndefined()
    expect(sentTo(location, 'SAMLResponse').relayState).toBe('a b')
  })

  it('by redirect names the person and the sessions, and gets a signed answer', async () => {
    const content =
      '<saml:NameID>alice</saml:NameID><samlp:SessionIndex>s1</samlp:SessionIndex><samlp:SessionIndex>s2</samlp:SessionIndex>'
    const xml = messageXml({ id: '_request', content })
    const { logout, sessionIds, location, refusal } = await receive({
      query: queryOf(xml, { relayState: 'a b&c' }),
    })
    expect(refusal).toBeUndefined()
    expect([logout, sessionIds]).toEqual([
      expect.objectContaining({ issuer: ENTITY_ID, subject: 'alice', sessionId: 's1', tokenId: '_request' }),
      ['s1', 's2'],
    ])
    const answer = sentTo(location, 'SAMLResponse')
    expect(answer.relayState).toBe('a b&c')
    for (const part of [
      ...['InResponseTo="_request"', 'status:Success"', `>${OWN_ENTITY_ID}</saml:Issuer>`],
      `Destination="${THEIR_SLO}"`,
    ]) {
      expect(answer.xml).toContain(part)
    }
  })

  it('by a form has its signature in it', async () => {
    const { logout, location, refusal } = await receive({ posted: formOf(messageXml()), relayState: 'r' })
    expect(refusal).toBeUndefined()
    expect([logout?.subject, sentTo(location, 'SAMLResponse').relayState]).toEqual(['alice', 'r'])
  })

  it('without a session names all of the person', async () => {
    const query = queryOf(messageXml({ content: '<saml:NameID>alice</saml:NameID>' }))
    expect((await receive({ query })).sessionIds).toEqual([])
  })

  it('is verified over the octets that came, however they are encoded', async () => {
    const parts = queryOf(messageXml())
      .split('&')
      .slice(0, 2)
      .join('&')
      .replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())
    const signature = encodeURIComponent(sign('sha256', Buffer.from(parts), on.key.key).toString('base64'))
    expect((await receive({ query: `${parts}&Signature=${signature}&utm=1` })).refusal).toBeUndefined()
  })

  it.each<[string, string, (xml: string) => string | Promise<string>]>([
    ['no signature', 'signature_missing', (xml) => queryOf(xml).replace(/&SigAlg.*/, '')],
    ['no algorithm', 'signature_missing', (xml) => queryOf(xml).replace(/&SigAlg=[^&]*/, '')],
    ['another key', 'signature_invalid', async (xml) => queryOf(xml, { key: (await createSamlKey()).key })],
    ['SHA-1', 'algorithm_refused', (xml) => queryOf(xml, { algorithm: RSA_SHA1 })],
    [
      'another RelayState',
      'signature_invalid',
      (xml) => queryOf(xml, { relayState: 'a' }).replace('RelayState=a', 'RelayState=b'),
    ],
    [
      'a RelayState that was added',
      'signature_invalid',
      (xml) => queryOf(xml).replace('&SigAlg', '&RelayState=b&SigAlg'),
    ],
    ['a message twice', 'logout_message_malformed', (xml) => `${queryOf(xml)}&SAMLRequest=AAAA`],
    ['an encoded name', 'logout_message_malformed', (xml) => `${queryOf(xml)}&%53igAlg=x`],
    ['another encoding', 'logout_message_malformed', (xml) => `${queryOf(xml)}&SAMLEncoding=none`],
    [
      'broken percent-encoding',
      'logout_message_malformed',
      (xml) => queryOf(xml).replace('Signature=', 'Signature=%GG'),
    ],
    ['no message', 'signature_invalid', (xml) => queryOf(xml).replace(/^[^&]*&/, '')],
    ['the message of a form', 'signature_missing', (xml) => `SAMLRequest=${encodeURIComponent(formOf(xml))}`],
    [
      'a signature in it',
      'signature_misplaced',
      (xml) => queryOf(Buffer.from(formOf(xml), 'base64').toString()),
    ],
    ['a DTD', 'xml_refused', (xml) => queryOf(`<!DOCTYPE a [<!ENTITY b "c">]>${xml}`)],
    ['too much unpacked', 'logout_message_malformed', (xml) => queryOf(xml + ' '.repeat(5_000_000))],
  ])('by redirect is refused with %s', async (_, rule, make) => {
    expect(await ruleOf({ query: await make(messageXml()) })).toBe(rule)
  })

  it.each<[string, string, (xml: string) => string | Promise<string>]>([
    ['no signature', 'signature_missing', base64],
    ['another key', 'signature_invalid', async (xml) => formOf(xml, await createSamlKey())],
    [
      'another person beside the signature',
      'signature_invalid',
      (xml) => base64(Buffer.from(formOf(xml), 'base64').toString().replace('>alice<', '>bob<')),
    ],
    [
      'a signed message inside another',
      'signature_misplaced',
      (xml) =>
        base64(
          messageXml({
            content: `<saml:NameID>bob</saml:NameID><samlp:Extensions>${Buffer.from(formOf(xml), 'base64')}</samlp:Extensions>`,
          }),
        ),
    ],
    ['a DTD', 'xml_refused', (xml) => base64(`<!DOCTYPE a>${Buffer.from(formOf(xml), 'base64')}`)],
    ['no base64', 'logout_message_malformed', () => '<xml>'],
    ['no UTF-8', 'logout_message_malformed', () => Buffer.from([0xff, 0xfe, 0xfd]).toString('base64')],
  ])('by a form is refused with %s', async (_, rule, make) => {
    expect(await ruleOf({ posted: await make(messageXml()) })).toBe(rule)
  })

  it.each<[string, string, () => Partial<Values>]>([
    [
      'another destination',
      'destination_differs',
      () => ({ destination: ` Destination="${ISSUER}/ui/identity-providers/other/single-logout"` }),
    ],
    ['no destination', 'destination_differs', () => ({ destination: '' })],
    ['another issuer', 'issuer_differs', () => ({ issuer: '<saml:Issuer>urn:other</saml:Issuer>' })],
    ['no issuer', 'logout_message_malformed', () => ({ issuer: '<saml:Subject/>' })],
    [
      'two issuers',
      'logout_message_malformed',
      () => ({ issuer: `<saml:Issuer>${ENTITY_ID}</saml:Issuer><saml:Issuer>x</saml:Issuer>` }),
    ],
    ['an old time', 'logout_message_expired', () => ({ issuedAt: at(on.clock.now(), -361) })],
    ['a time to come', 'logout_message_malformed', () => ({ issuedAt: at(on.clock.now(), 61) })],
    ['no time', 'logout_message_malformed', () => ({ issuedAt: 'now' })],
    [
      'an end that is over',
      'logout_message_expired',
      () => ({ attributes: ` NotOnOrAfter="${at(on.clock.now(), -61)}"` }),
    ],
    ['another name', 'logout_message_malformed', () => ({ name: 'LogoutResponse' })],
    ['an ID that is none', 'logout_message_malformed', () => ({ id: '1' })],
    ['no person', 'logout_message_malformed', () => ({ content: '' })],
    [
      'two persons',
      'logout_message_malformed',
      () => ({ content: '<saml:NameID>alice</saml:NameID><saml:NameID>bob</saml:NameID>' }),
    ],
    ['an empty person', 'logout_message_malformed', () => ({ content: '<saml:NameID></saml:NameID>' })],
    [
      'a person in parts',
      'logout_message_malformed',
      () => ({ content: '<saml:NameID>al<saml:b/>ice</saml:NameID>' }),
    ],
    ['an encrypted person', 'assertion_encrypted', () => ({ content: '<saml:EncryptedID/>' })],
    [
      'a person of another service',
      'subject_qualifier_differs',
      () => ({ content: '<saml:NameID SPNameQualifier="urn:other">alice</saml:NameID>' }),
    ],
    [
      'too many sessions',
      'logout_message_malformed',
      () => ({
        content: `<saml:NameID>a</saml:NameID>${'<samlp:SessionIndex>s</samlp:SessionIndex>'.repeat(21)}`,
      }),
    ],
  ])('is refused with %s', async (_, rule, more) => {
    expect(await ruleOf({ query: queryOf(messageXml(more())) })).toBe(rule)
    if (more().issuer === undefined && more().id === undefined)
      expect(await ruleOf({ posted: formOf(messageXml(more())) })).toBe(rule)
  })

  it('is refused where the provider is not set up for it, does not sign people in, or is none of SAML', async () => {
    const query = queryOf(messageXml())
    setProvider({ backchannelLogout: false })
    expect(await ruleOf({ query })).toBe('logout_not_enabled')
    setProvider({ usable: false })
    expect(await ruleOf({ query })).toBe('provider_not_usable')
    setProvider({ type: 'oidc', issuer: 'https://idp.example' })
    expect(await ruleOf({ query })).toBe('provider_type_differs')
    expect(await ruleOf({ query }, 'nobody')).toBe('provider_unknown')
  })

  it('of one provider does not count at another with the same key', async () => {
    setProvider({}, 'other')
    expect(await ruleOf({ query: queryOf(messageXml()) }, 'other')).toBe('destination_differs')
  })
})

describe('a sign-out that goes on at the provider', () => {
  const NAMES = { tokenSubject: 'alice & "co"', sessionId: 's<1', nameIdFormat: TRANSIENT }
  const begin = async (names: object = NAMES) => {
    const state = randomBytes(32).toString('base64url')
    return { state, ...(await on.federation.beginLogout('saml', state, names)) }
  }
  const answerTo = (id: string, more: Partial<Values> = {}) =>
    messageXml({
      ...{ name: 'LogoutResponse', attributes: ` InResponseTo="${id}"` },
      content: `<samlp:Status><samlp:StatusCode Value="${SAML}:status:Success"/></samlp:Status>`,
      ...more,
    })
  const complete = (xml: string, relayState: string, query: Query = {}, replica = 0) =>
    on.federation.completeLogout(
      { providerId: 'saml', query: queryOf(xml, { relayState, name: 'SAMLResponse', ...query }) },
      replica,
    )

  it('sends a signed request that names the session, and takes the answer once', async () => {
    const { state, location } = await begin()
    const { xml, id, relayState } = sentTo(location, 'SAMLRequest')
    expect(relayState).toBe(state)
    for (const part of [
      ...[
        `Format="${TRANSIENT}">alice &amp; "co"</saml:NameID>`,
        '<samlp:SessionIndex>s&lt;1</samlp:SessionIndex>',
      ],
      ...[`Destination="${THEIR_SLO}"`, `>${OWN_ENTITY_ID}</saml:Issuer>`],
    ]) {
      expect(xml).toContain(part)
    }
    const answers = await Promise.all([0, 1].map((replica) => complete(answerTo(id), state, {}, replica)))
    expect(answers.map(({ refusal }) => refusal?.rule ?? 'done').sort()).toEqual(['done', 'request_unknown'])
  })

  it('takes an answer that a form brings', async () => {
    const { state, location } = await begin()
    const { id } = sentTo(location, 'SAMLRequest')
    const { refusal } = await on.federation.completeLogout({
      providerId: 'saml',
      posted: formOf(answerTo(id)),
      relayState: state,
    })
    expect(refusal).toBeUndefined()
  })

  it('leads nowhere without an address, the setting, or a name of the person', async () => {
    expect((await begin({ ...NAMES, tokenSubject: '' })).location).toBe('')
    setProvider({ rpInitiatedLogout: false })
    expect((await begin()).location).toBe('')
    setProvider({ sloUrl: '' })
    expect((await begin()).location).toBe('')
  })

  it.each<[string, string, (id: string) => readonly [xml: string, query?: Query]]>([
    ['another request', 'request_differs', () => [answerTo('_other')]],
    [
      'another destination',
      'destination_differs',
      (id) => [answerTo(id, { destination: ' Destination="https://a.example"' })],
    ],
    [
      'another issuer',
      'issuer_differs',
      (id) => [answerTo(id, { issuer: '<saml:Issuer>urn:other</saml:Issuer>' })],
    ],
    ['the name of a request', 'logout_message_malformed', (id) => [answerTo(id, { name: 'LogoutRequest' })]],
    ['no status', 'logout_message_malformed', (id) => [answerTo(id, { content: '' })]],
    ['SHA-1', 'algorithm_refused', (id) => [answerTo(id), { algorithm: RSA_SHA1 }]],
    ['an unknown state', 'request_unknown', (id) => [answerTo(id), { relayState: 'x'.repeat(43) }]],
    ['no state', 'request_unknown', (id) => [answerTo(id), { relayState: undefined }]],
  ])('refuses an answer with %s', async (_, rule, make) => {
    const { state, location } = await begin()
    const [xml, query] = make(sentTo(location, 'SAMLRequest').id)
    expect((await complete(xml, state, query)).refusal?.rule).toBe(rule)
  })

  it('is not used up by an answer that another key signed', async () => {
    const { state, location } = await begin()
    const { id } = sentTo(location, 'SAMLRequest')
    const { key } = await createSamlKey()
    expect((await complete(answerTo(id), state, { key })).refusal?.rule).toBe('signature_invalid')
    expect((await complete(answerTo(id), state)).refusal).toBeUndefined()
  })

  it('says where the provider keeps sessions', async () => {
    const { state, location } = await begin()
    const content = `<samlp:Status><samlp:StatusCode Value="${SAML}:status:Responder"><samlp:StatusCode Value="${SAML}:status:PartialLogout"/></samlp:StatusCode></samlp:Status>`
    const { refusal } = await complete(answerTo(sentTo(location, 'SAMLRequest').id, { content }), state)
    expect(refusal).toMatchObject({ rule: 'upstream_error', received: 'PartialLogout', declined: true })
  })

  it('is no sign-in, and a sign-in is no sign-out', async () => {
    const { state, location } = await begin()
    const begun = { providerId: 'saml', state, browser: 'logout' }
    const { id } = sentTo(location, 'SAMLRequest')
    const response = await on.federation.complete(begun, {
      SAMLResponse: base64(answerTo(id)),
      RelayState: state,
    })
    expect(response.refusal?.rule).toBe('purpose_differs')
    const signIn = await on.begin()
    const { refusal } = await complete(answerTo(signIn.values.requestId), signIn.begun.state)
    expect(refusal?.rule).toBe('purpose_differs')
  })

  it('ends after ten minutes', async () => {
    const { state, location } = await begin()
    on.clock.advance(601_000)
    expect((await complete(answerTo(sentTo(location, 'SAMLRequest').id), state)).refusal?.rule).toBe(
      'request_expired',
    )
  })
})

describe('a sign-in', () => {
  const statement = `<saml:AuthnStatement AuthnInstant="TIME" SessionIndex="s&amp;1"><saml:AuthnContext/></saml:AuthnStatement>`
  const signIn = () =>
    on.signIn(undefined, () => ({ statement: statement.replace('TIME', at(on.clock.now(), 0)) }))

  it('has the names of the session where a sign-out needs them, and only there', async () => {
    const named = {
      tokenSubject: 'alice',
      sessionId: 's&1',
      nameIdFormat: `${SAML}:nameid-format:persistent`,
    }
    expect((await signIn()).assertion).toMatchObject(named)
    setProvider({ rpInitiatedLogout: false, backchannelLogout: false })
    expect((await signIn()).assertion).toMatchObject({ tokenSubject: '', sessionId: '', nameIdFormat: '' })
  })
})

describe('the metadata of Signet', () => {
  it('names the service and the key that signs where a sign-out needs them, in the order of the schema', async () => {
    const xml = await on.federation.metadata('saml')
    const names = [...xml.matchAll(/<md:(\w+)/g)].map(([, name]) => name)
    expect([...new Set(names)]).toEqual([
      ...['EntityDescriptor', 'SPSSODescriptor', 'KeyDescriptor', 'SingleLogoutService'],
      ...['NameIDFormat', 'AssertionConsumerService'],
    ])
    expect(xml).toContain(`bindings:HTTP-Redirect" Location="${SLO}"`)
    expect(xml).toContain('use="signing"')
    setProvider({ rpInitiatedLogout: false, backchannelLogout: false })
    expect(await on.federation.metadata('saml')).not.toMatch(/SingleLogoutService|KeyDescriptor/)
  })
})
