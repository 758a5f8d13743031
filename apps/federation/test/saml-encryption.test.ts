import { createVerify, X509Certificate } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  AES128_GCM,
  AES256_CBC,
  AES256_GCM,
  createOwnKey,
  type Encryption,
  encryptedXml,
  MGF1_SHA256,
  OAEP,
  OAEP_MGF1P,
  type OwnKey,
  RSA_1_5,
  SHA1,
  SHA256,
} from './fixtures/saml-encryption.ts'
import { on, serveSaml, signedAssertion } from './fixtures/saml-environment.ts'
import { assertionXml, attributeXml, type ResponseValues, responseXml, signed } from './fixtures/saml-idp.ts'

serveSaml()
let own: OwnKey
let other: OwnKey
beforeAll(async () => {
  own = await createOwnKey()
  other = await createOwnKey()
})
beforeEach(() => on.set(withKeys('optional', own)))

const withKeys = (assertionEncryption: string, ...keys: readonly OwnKey[]) => ({
  ...{ assertionEncryption, ownCertificates: keys.map(({ certificate }) => certificate) },
  ownKeys: keys.map(({ privateKey }) => privateKey),
})

const around = (values: ResponseValues, assertion: string) => responseXml(values, assertion)
const inResponse = (xml: string) => signed(xml, 'Response', on.key)
const encrypting = (encryption?: Encryption) => (values: ResponseValues) =>
  around(values, encryptedXml(signedAssertion(values), own, encryption))

describe('a person signs in by an encrypted assertion', () => {
  it.each<[form: string, encryption: Encryption]>([
    ['AES-256-GCM, and RSA-OAEP with SHA-1', {}],
    ['AES-128-GCM', { algorithm: AES128_GCM }],
    ['a named SHA-1', { digest: SHA1 }],
    ['RSA-OAEP of XML Encryption 1.1 with SHA-1', { keyAlgorithm: OAEP }],
    ['RSA-OAEP with SHA-256', { keyAlgorithm: OAEP, digest: SHA256, mask: MGF1_SHA256 }],
    ['a key beside the data', { place: 'beside' }],
    ['a key beside the data that is named', { place: 'named' }],
  ])('%s', async (_, encryption) => {
    const { assertion, refusal } = await on.signIn(encrypting(encryption))
    expect([assertion?.subject, refusal?.rule]).toEqual(['alice', undefined])
  })

  it('with its attributes, a signature of the response alone, and one of both', async () => {
    const attributes = attributeXml('mail', 'alice@example.com')
    on.set({ ...withKeys('required', own), mappedClaims: [{ name: 'email', value: 'mail' }] })
    const plain = (values: ResponseValues) =>
      inResponse(around(values, encryptedXml(assertionXml(values), own)))
    const { assertion } = await on.signIn(plain, { attributes })
    expect([assertion?.subject, assertion?.profile?.email]).toEqual(['alice', 'alice@example.com'])
    on.set({ ...withKeys('required', own), wantAssertionsSigned: true })
    expect(await on.ruleOf(plain)).toBe('signature_missing')
    expect(await on.ruleOf(encrypting())).toBe('signature_missing')
    const both = await on.signIn((values) => inResponse(encrypting()(values)))
    expect(both.assertion?.subject).toBe('alice')
  })

  it('by the key of before and by the next one', async () => {
    on.set(withKeys('required', other, own))
    expect((await on.signIn(encrypting())).assertion?.subject).toBe('alice')
    on.set(withKeys('required', own, other))
    expect((await on.signIn(encrypting())).assertion?.subject).toBe('alice')
  })

  it('once', async () => {
    const { begun, values } = await on.begin()
    const xml = encrypting()(values)
    expect((await on.complete(begun, xml)).assertion?.subject).toBe('alice')
    const again = await on.begin({ requestId: values.requestId })
    expect((await on.complete(again.begun, xml)).refusal?.rule).toBe('request_differs')
  })
})

describe('the rules of plain assertions hold', () => {
  it('an encrypted assertion that nothing signed is refused [CVE-2026-2092]', async () => {
    expect(await on.ruleOf((values) => around(values, encryptedXml(assertionXml(values), own)))).toBe(
      'signature_missing',
    )
  })

  it('an injected encrypted assertion beside a signed one is refused, in both orders [CVE-2026-2092]', async () => {
    const injected = (values: ResponseValues) =>
      encryptedXml(assertionXml({ ...values, assertionId: '_evil', nameId: 'admin' }), own)
    for (const make of [
      (values: ResponseValues) => around(values, injected(values) + signedAssertion(values)),
      (values: ResponseValues) => around(values, signedAssertion(values) + injected(values)),
      (values: ResponseValues) =>
        inResponse(around(values, signedAssertion(values))).replace(
          '<saml:Assertion',
          `${injected(values)}<saml:Assertion`,
        ),
    ]) {
      expect(await on.ruleOf(make)).toBe('assertion_not_one')
    }
  })

  it('two encrypted assertions are refused, inside each other too', async () => {
    const one = (values: ResponseValues) => encryptedXml(signedAssertion(values), own)
    expect(await on.ruleOf((values) => around(values, one(values) + one(values)))).toBe('assertion_not_one')
    const within = (values: ResponseValues) =>
      signedAssertion(values).replace('<saml:Subject>', `${one(values)}<saml:Subject>`)
    expect(await on.ruleOf((values) => around(values, encryptedXml(within(values), own)))).toBe(
      'assertion_encrypted',
    )
    const inside = (values: ResponseValues) => around(values, `<saml:Advice>${one(values)}</saml:Advice>`)
    expect(await on.ruleOf(inside)).toBe('assertion_not_one')
  })

  it.each<[form: string, rule: string, change: (xml: string) => string]>([
    ['a changed value', 'signature_invalid', (xml) => xml.replace('>alice<', '>admin<')],
    [
      'another assertion inside',
      'assertion_not_one',
      (xml) =>
        xml.replace('<saml:Subject>', '<saml:Advice><saml:Assertion ID="_x"/></saml:Advice><saml:Subject>'),
    ],
    [
      'an id of the response',
      'id_repeated',
      (xml) => xml.replace('<saml:Subject>', '<saml:Subject ID="_response">'),
    ],
    [
      'a signature at another place',
      'signature_misplaced',
      (xml) =>
        xml.replace(
          '<saml:Subject>',
          '<saml:Subject><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>',
        ),
    ],
    [
      'an encrypted NameID',
      'assertion_encrypted',
      (xml) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '<saml:EncryptedID/>'),
    ],
  ])('%s in the text is refused', async (_, rule, change) => {
    const make = (values: ResponseValues) =>
      around(values, encryptedXml(change(signedAssertion(values)), own))
    expect(await on.ruleOf(make)).toBe(rule)
  })

  it('a changed encrypted text in a signed response is refused before its decryption', async () => {
    const make = (values: ResponseValues) =>
      inResponse(encrypting()(values)).replace(
        /(<xenc:CipherValue>)(.)/,
        (_, tag: string, first: string) => `${tag}${first === 'A' ? 'B' : 'A'}`,
      )
    expect(await on.ruleOf(make)).toBe('signature_invalid')
  })

  it.each<[what: string, rule: string, more: Partial<ResponseValues>]>([
    ['audience', 'audience_differs', { audience: 'https://other.example' }],
    ['recipient', 'recipient_differs', { acs: 'https://other.example/acs' }],
  ])('the %s is compared', async (_, rule, more) => {
    const make = ({ acs, ...values }: ResponseValues) => {
      const changed = { ...values, acs, ...more }
      const { confirmation, conditions } = valuesWith(changed)
      return around(
        { ...values, acs },
        encryptedXml(signedAssertion({ ...values, acs, confirmation, conditions }), own),
      )
    }
    expect(await on.ruleOf(make)).toBe(rule)
  })
})

const valuesWith = ({ acs, audience, requestId, confirmation, conditions }: ResponseValues) => ({
  confirmation: confirmation
    .replace(/Recipient="[^"]*"/, `Recipient="${acs}"`)
    .replace(/InResponseTo="[^"]*"/, `InResponseTo="${requestId}"`),
  conditions: conditions.replace(/<saml:Audience>[^<]*/, `<saml:Audience>${audience}`),
})

describe('the setting', () => {
  it('none refuses encrypted assertions, although there is a key', async () => {
    on.set(withKeys('none', own))
    expect(await on.ruleOf(encrypting())).toBe('assertion_encrypted')
  })

  it('required refuses plain assertions, and optional takes them', async () => {
    on.set(withKeys('required', own))
    expect(await on.ruleOf()).toBe('encryption_missing')
    on.set(withKeys('optional', own))
    expect((await on.signIn()).assertion?.subject).toBe('alice')
  })
})

describe('one result for everything that does not decrypt', () => {
  it.each<[form: string, encryption: Encryption, with_?: 'other']>([
    ['the key of another provider', {}, 'other'],
    ['a changed text', { change: (bytes) => flipped(bytes, 20) }],
    ['a changed tag', { change: (bytes) => flipped(bytes, bytes.length - 1) }],
    ['a changed key', { changeKey: (bytes) => flipped(bytes, 5) }],
    ['a key of fewer octets', { changeKey: (bytes) => bytes.subarray(1) }],
    ['a key by PKCS #1 v1.5 that says OAEP', { keyAlgorithm: RSA_1_5 }],
    ['another hash than it names', { keyAlgorithm: OAEP, digest: SHA256, mask: MGF1_SHA256 }],
  ])('%s', async (form, encryption, key) => {
    const lines = on.federation.lines.length
    const make = (values: ResponseValues) => {
      const xml = encryptedXml(signedAssertion(values), key === 'other' ? other : own, encryption)
      if (form.includes('PKCS')) return around(values, xml.replace(RSA_1_5, OAEP_MGF1P))
      return around(values, form.includes('hash') ? withoutMethods(xml) : xml)
    }
    expect(await on.ruleOf(make)).toBe('decryption_failed')
    const [line] = on.federation.lines
      .slice(lines)
      .filter((one) => one.rule === 'decryption_failed' && 'received' in one)
    expect(line).toMatchObject({ received: '', expected: '' })
  })

  it.each([
    ['no XML', 'alice'],
    ['another element', '<a xmlns="urn:a"/>'],
    ['a document type', '<!DOCTYPE a><a/>'],
  ])('a text that is %s', async (_, text) => {
    expect(await on.ruleOf((values) => inResponse(around(values, encryptedXml(text, own))))).toBe(
      'decryption_failed',
    )
  })

  it('a text that is no UTF-8', async () => {
    const make = (values: ResponseValues) =>
      inResponse(around(values, encryptedXml(Buffer.from([0xff, 0xfe]) as never, own)))
    expect(await on.ruleOf(make)).toBe('decryption_failed')
  })
})

const flipped = (bytes: Buffer, at: number) => {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}
const withoutMethods = (xml: string) =>
  xml.replace(/<ds:DigestMethod[^>]*>/, '').replace(/<xenc11:MGF[^>]*>/, '')

describe('other forms', () => {
  it.each<[form: string, encryption: Encryption]>([
    ['AES-CBC', { algorithm: AES256_CBC }],
    ['RSA PKCS #1 v1.5', { keyAlgorithm: RSA_1_5 }],
    ['another digest', { digest: 'http://www.w3.org/2001/04/xmlenc#sha512' }],
    ['another hash in the mask', { keyAlgorithm: OAEP, digest: SHA256 }],
    ['a hash that the algorithm fixes', { digest: SHA256 }],
  ])('%s is refused by its name', async (_, encryption) => {
    expect(await on.ruleOf(encrypting(encryption))).toBe('algorithm_refused')
  })

  const inXml = (from: RegExp | string, to: string) => (values: ResponseValues) => {
    const xml = encrypting()(values)
    const changed = xml.replace(from, to)
    if (changed === xml) throw new Error('nothing changed')
    return changed
  }
  it.each<[form: string, make: (values: ResponseValues) => string]>([
    ['content in place of an element', encrypting({ type: 'http://www.w3.org/2001/04/xmlenc#Content' })],
    ['no key', inXml(/<ds:KeyInfo.*<\/ds:KeyInfo>/s, '')],
    ['two keys', inXml(/<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/s, '$&<xenc:EncryptedKey/>')],
    [
      'a reference in place of a value',
      inXml(
        /<xenc:CipherValue>.*?<\/xenc:CipherValue>/s,
        '<xenc:CipherReference URI="https://evil.example"/>',
      ),
    ],
    ['no base64', inXml(/(<xenc:CipherValue>)..../, '$1....')],
    [
      'two data',
      inXml(
        '</saml:EncryptedAssertion>',
        '<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"/></saml:EncryptedAssertion>',
      ),
    ],
    ['a text of too few octets', encrypting({ change: (bytes) => bytes.subarray(0, 27) })],
    ['a key of too many octets', encrypting({ changeKey: (bytes) => Buffer.concat([bytes, bytes, bytes]) })],
    ['a name of another key', encrypting({ place: 'named', id: '_other' })],
  ])('%s is malformed', async (_, make) => {
    expect(await on.ruleOf(make)).toBe('encryption_malformed')
  })

  it('a huge value is refused for its size', async () => {
    const make = encrypting({ change: (bytes) => Buffer.concat([bytes, Buffer.alloc(200_000)]) })
    expect(await on.ruleOf(make)).toBe('response_too_large')
  })
})

describe('the metadata and the requests of Signet', () => {
  it('names the key for assertions where it acts, the newest one, with its algorithms', async () => {
    on.set(withKeys('optional', own, other))
    const metadata = await on.federation.metadata('saml')
    expect(metadata.match(/use="[a-z]+"/g)).toEqual(['use="encryption"'])
    expect(metadata).toContain(`<ds:X509Certificate>${other.certificate}</ds:X509Certificate>`)
    expect(metadata.match(/EncryptionMethod Algorithm="[^"]+"/g)).toEqual(
      [AES256_GCM, AES128_GCM, OAEP, OAEP_MGF1P].map((name) => `EncryptionMethod Algorithm="${name}"`),
    )
    on.set(withKeys('none', own))
    expect(await on.federation.metadata('saml')).not.toContain('KeyDescriptor')
  })

  it('names each key that signs or will sign', async () => {
    on.set({ ...withKeys('none', own, other), signAuthnRequests: true })
    const metadata = await on.federation.metadata('saml')
    expect(metadata).toContain('AuthnRequestsSigned="true"')
    expect(metadata.match(/use="[a-z]+"/g)).toEqual(['use="signing"', 'use="signing"'])
  })

  it('signs a request by the oldest key, over the octets of the address', async () => {
    on.set({ ...withKeys('none', own, other), signAuthnRequests: true })
    const { location, state } = await on.federation.begin('saml')
    const [, query = '', signature = ''] = /[?&](SAMLRequest=.*)&Signature=([^&]+)$/.exec(location) ?? []
    expect(query).toContain(
      `&RelayState=${state}&SigAlg=${encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`,
    )
    const isValid = ({ certificate }: OwnKey) =>
      createVerify('sha256')
        .update(query)
        .verify(
          new X509Certificate(Buffer.from(certificate, 'base64')).publicKey,
          Buffer.from(decodeURIComponent(signature), 'base64'),
        )
    expect([own, other].map(isValid)).toEqual([true, false])
    expect(new URL(location).searchParams.get('tenant')).toBe('1')
    on.set()
    expect((await on.federation.begin('saml')).location).not.toMatch(/SigAlg|Signature/)
  })
})
