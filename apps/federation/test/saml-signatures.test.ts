// The corpus of signature wrapping and of messages that parsers read in different ways. Each message keeps a signature of the
// provider over a real assertion of alice, and names mallory beside it, or plays with the form of XML or of the signature.
import { beforeEach, describe, expect, it } from 'vitest'
import { ofAssertion, ofResponse, on, serveSaml, signedAssertion } from './fixtures/saml-environment.ts'
import {
  assertionXml,
  createSamlKey,
  ECDSA_SHA256,
  ENVELOPED,
  EXCLUSIVE,
  type ResponseValues,
  responseXml,
  signed,
} from './fixtures/saml-idp.ts'

serveSaml()
beforeEach(() => on.set())

const mallory = (values: ResponseValues, assertionId = '_evil') =>
  assertionXml({ ...values, nameId: 'mallory', assertionId })

const SIGNATURE = /<ds:Signature .*<\/ds:Signature>/s
const part = (text: string, pattern: RegExp) => {
  const [found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`there is no ${pattern}`)
  return found
}
const unsigned = (xml: string) => xml.replace(SIGNATURE, '')
const replaced = (xml: string, from: RegExp | string, to: string) => {
  const after = xml.replace(from, () => to)
  if (after === xml) throw new Error('nothing was replaced')
  return after
}
const withChild = (xml: string, child: string) => replaced(xml, /<\/saml:Issuer>/, `</saml:Issuer>${child}`)
const object = (content: string) => `<ds:Object>${content}</ds:Object></ds:Signature>`

describe('signature wrapping', () => {
  it.each<[form: string, rule: string, make: (values: ResponseValues) => string]>([
    [
      'XSW1: an evil response around the signature with the real response',
      'assertion_not_one',
      (values) => {
        const real = ofResponse(values)
        const signature = replaced(part(real, SIGNATURE), '</ds:Signature>', object(unsigned(real)))
        const evil = responseXml({ ...values, responseId: '_evil-response' }, mallory(values))
        return withChild(evil, signature)
      },
    ],
    [
      'XSW2: an evil response with the real one beside the signature',
      'assertion_not_one',
      (values) => {
        const real = ofResponse(values)
        const evil = responseXml({ ...values, responseId: '_evil-response' }, mallory(values))
        return withChild(evil, unsigned(real) + part(real, SIGNATURE))
      },
    ],
    [
      'XSW3: an evil assertion before the real one',
      'assertion_not_one',
      (values) => responseXml(values, mallory(values) + signedAssertion(values)),
    ],
    [
      'XSW3: an evil assertion after the real one',
      'assertion_not_one',
      (values) => responseXml(values, signedAssertion(values) + mallory(values)),
    ],
    [
      'XSW4: an evil assertion around the real one',
      'assertion_not_one',
      (values) =>
        responseXml(
          values,
          replaced(mallory(values), '</saml:Assertion>', `${signedAssertion(values)}</saml:Assertion>`),
        ),
    ],
    [
      'XSW5: an evil assertion with the signature, and the real one without',
      'assertion_not_one',
      (values) => {
        const real = signedAssertion(values)
        return responseXml(values, withChild(mallory(values), part(real, SIGNATURE)) + unsigned(real))
      },
    ],
    [
      'XSW6: an evil assertion with the signature that has the real one',
      'assertion_not_one',
      (values) => {
        const real = signedAssertion(values)
        const signature = replaced(
          part(real, SIGNATURE),
          '</ds:Signature>',
          `${unsigned(real)}</ds:Signature>`,
        )
        return responseXml(values, withChild(mallory(values), signature))
      },
    ],
    [
      'XSW7: an evil assertion with the same ID in Extensions',
      'assertion_not_one',
      (values) =>
        responseXml(
          {
            ...values,
            beforeAssertion: `<samlp:Extensions>${mallory(values, values.assertionId)}</samlp:Extensions>`,
          },
          signedAssertion(values),
        ),
    ],
    [
      'XSW8: an evil assertion with the real one as an object of the signature',
      'assertion_not_one',
      (values) => {
        const real = signedAssertion(values)
        const signature = replaced(part(real, SIGNATURE), '</ds:Signature>', object(unsigned(real)))
        return responseXml(values, withChild(mallory(values, values.assertionId), signature))
      },
    ],
    [
      'the signature of a real assertion at an evil one with the same ID',
      'signature_invalid',
      (values) =>
        responseXml(
          values,
          withChild(mallory(values, values.assertionId), part(signedAssertion(values), SIGNATURE)),
        ),
    ],
    [
      'an evil assertion beside a signed part of the response [CVE-2025-47949]',
      'signature_misplaced',
      (values) => {
        const signature = part(signedAssertion(values), SIGNATURE)
        const status = replaced(values.status, '</samlp:Status>', `${signature}</samlp:Status>`)
        return responseXml({ ...values, status }, mallory(values))
      },
    ],
    [
      'the signature of the assertion as that of the response',
      'signature_reference_differs',
      (values) => withChild(responseXml(values, mallory(values)), part(signedAssertion(values), SIGNATURE)),
    ],
    [
      'an assertion of another namespace beside the real one',
      'assertion_not_one',
      (values) =>
        responseXml(values, `<x:Assertion xmlns:x="urn:x">x</x:Assertion>${signedAssertion(values)}`),
    ],
    [
      'the real response inside an element of another name',
      'response_malformed',
      (values) => `<x>${ofAssertion(values)}</x>`,
    ],
    [
      'a signed assertion changed afterwards [CVE-2025-54369, CVE-2025-54419]',
      'signature_invalid',
      (values) => replaced(ofAssertion(values), '>alice<', '>mallory<'),
    ],
    [
      'a signed response changed afterwards',
      'signature_invalid',
      (values) => replaced(ofResponse(values), '>alice<', '>mallory<'),
    ],
    [
      'a response whose own signature is broken around a signed assertion',
      'signature_invalid',
      (values) =>
        replaced(signed(ofAssertion(values), 'Response', on.key), '"_response"', '"_response" Consent="x"'),
    ],
  ])('%s', async (_, rule, make) => {
    expect(await on.ruleOf(make)).toBe(rule)
  })

  it('an injected encrypted assertion is refused, and one alone [CVE-2026-2092]', async () => {
    const encrypted = '<saml:EncryptedAssertion><x/></saml:EncryptedAssertion>'
    for (const make of [
      (values: ResponseValues) => responseXml(values, encrypted + signedAssertion(values)),
      (values: ResponseValues) => responseXml(values, encrypted),
      (values: ResponseValues) =>
        signed(
          replaced(responseXml(values), /<saml:NameID.*<\/saml:NameID>/, '<saml:EncryptedID/>'),
          'Response',
          on.key,
        ),
    ]) {
      expect(await on.ruleOf(make)).toBe('assertion_encrypted')
    }
  })

  it('a response without a signature is refused, and of both where both are demanded [CVE-2026-16443]', async () => {
    expect(await on.ruleOf((values) => responseXml(values))).toBe('signature_missing')
    on.set({ wantAssertionsSigned: true })
    expect(await on.ruleOf(ofAssertion)).toBe('signature_missing')
    expect(await on.ruleOf(ofResponse)).toBe('signature_missing')
    const { assertion } = await on.signIn((values) => signed(ofAssertion(values), 'Response', on.key))
    expect(assertion?.subject).toBe('alice')
  })
})

describe('the form of a signature', () => {
  const inAssertion = (from: RegExp | string, to: string) => (values: ResponseValues) =>
    replaced(ofAssertion(values), from, to)

  it.each<[form: string, rule: string, make: (values: ResponseValues) => string]>([
    [
      'two SignedInfo [CVE-2025-29774]',
      'signature_malformed',
      (values) => {
        const info = part(ofAssertion(values), /<ds:SignedInfo>.*<\/ds:SignedInfo>/s)
        return replaced(ofAssertion(values), info, info + info)
      },
    ],
    [
      'two References [CVE-2025-29774]',
      'signature_malformed',
      (values) => signed(responseXml(values), 'Assertion', on.key, { twice: true }),
    ],
    [
      'a comment in DigestValue [CVE-2025-29775]',
      'xml_refused',
      inAssertion('<ds:DigestValue>', '<ds:DigestValue><!--x-->'),
    ],
    [
      'an element in DigestValue [CVE-2025-29775]',
      'signature_malformed',
      inAssertion('<ds:DigestValue>', '<ds:DigestValue><x/>'),
    ],
    [
      'two signatures of one element',
      'signature_malformed',
      (values) => {
        const signature = part(ofAssertion(values), SIGNATURE)
        return replaced(ofAssertion(values), signature, signature + signature)
      },
    ],
    [
      'an empty reference',
      'signature_reference_differs',
      (values) => signed(responseXml(values), 'Response', on.key, { isEmptyUri: true }),
    ],
    [
      'a reference to another element',
      'signature_reference_differs',
      (values) =>
        signed(responseXml(values), 'Response', on.key, { target: `//*[@ID='${values.assertionId}']` }),
    ],
    ['another reference that was not signed', 'signature_invalid', inAssertion('URI="#', 'URI="#x')],
    [
      'no canonicalization of the element',
      'signature_malformed',
      (values) => signed(responseXml(values), 'Assertion', on.key, { transforms: [ENVELOPED] }),
    ],
    [
      'transforms in another order',
      'algorithm_refused',
      (values) => signed(responseXml(values), 'Assertion', on.key, { transforms: [EXCLUSIVE, ENVELOPED] }),
    ],
    [
      'a canonicalization with comments',
      'algorithm_refused',
      (values) =>
        signed(responseXml(values), 'Assertion', on.key, {
          transforms: [ENVELOPED, `${EXCLUSIVE}WithComments`],
        }),
    ],
    [
      'another canonicalization of SignedInfo',
      'algorithm_refused',
      (values) =>
        signed(responseXml(values), 'Assertion', on.key, {
          canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
        }),
    ],
    [
      'SHA-1 as digest',
      'algorithm_refused',
      (values) =>
        signed(responseXml(values), 'Assertion', on.key, {
          digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
        }),
    ],
    [
      'SHA-1 as signature',
      'algorithm_refused',
      (values) =>
        signed(responseXml(values), 'Assertion', {
          ...on.key,
          algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
        }),
    ],
    [
      'HMAC with the certificate',
      'algorithm_refused',
      inAssertion(/xmldsig-more#rsa-sha256/, 'xmldsig-more#hmac-sha256'),
    ],
    ['an algorithm of another key', 'signature_invalid', inAssertion(/http:[^"]*#rsa-sha256/, ECDSA_SHA256)],
    [
      'a signature that is no base64',
      'signature_malformed',
      inAssertion('<ds:SignatureValue>', '<ds:SignatureValue>='),
    ],
    ['text in a signature', 'signature_malformed', inAssertion('<ds:SignedInfo>', 'x<ds:SignedInfo>')],
    ['text in SignedInfo', 'signature_malformed', inAssertion('<ds:SignedInfo>', '<ds:SignedInfo><x/>')],
    ['an object in a signature', 'signature_malformed', inAssertion('</ds:Signature>', object(''))],
    [
      'no ID that a reference may have',
      'signature_reference_differs',
      (values) => replaced(ofAssertion(values), `ID="${values.assertionId}"`, 'ID=""'),
    ],
  ])('%s', async (_, rule, make) => {
    expect(await on.ruleOf(make)).toBe(rule)
  })

  it('the key in a message is not read, and another key signs no person in', async () => {
    const other = await createSamlKey()
    const keyInfo = `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${other.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`
    const forged = (values: ResponseValues) =>
      replaced(signed(responseXml(values), 'Assertion', other), '</ds:Signature>', keyInfo)
    expect(await on.ruleOf(forged)).toBe('signature_invalid')
    const { assertion } = await on.signIn((values) =>
      replaced(ofAssertion(values), '</ds:Signature>', keyInfo),
    )
    expect(assertion?.subject).toBe('alice')
  })
})

describe('the form of XML', () => {
  const inside = (from: RegExp | string, to: string) => (values: ResponseValues) =>
    replaced(ofAssertion(values), from, to)

  it.each<[form: string, rule: string, make: (values: ResponseValues) => string]>([
    ['a comment inside text [CVE-2024-45409]', 'xml_refused', inside('>alice<', '>alice<!---->.evil<')],
    [
      'a signed comment inside text',
      'xml_refused',
      (values) => signed(responseXml({ ...values, nameId: 'alice<!---->@x' }), 'Assertion', on.key),
    ],
    ['a processing instruction', 'xml_refused', inside('>alice<', '>alice<?x y?><')],
    ['a CDATA section', 'xml_refused', inside('>alice<', '><![CDATA[alice]]><')],
    [
      'a document type with an entity',
      'xml_refused',
      (values) => `<!DOCTYPE r [<!ENTITY a "alice">]>${ofAssertion(values)}`,
    ],
    [
      'a document type after the XML declaration',
      'xml_refused',
      (values) => `<?xml version="1.0"?><!DOCTYPE r [<!ATTLIST r ID ID #IMPLIED>]>${ofAssertion(values)}`,
    ],
    ['an entity that no document type has', 'xml_malformed', inside('>alice<', '>&alice;<')],
    [
      'another encoding',
      'xml_refused',
      (values) => `<?xml version="1.0" encoding="utf-7"?>${ofAssertion(values)}`,
    ],
    ['a control character', 'xml_refused', inside('>alice<', '>alice\u0001<')],
    ['a message after the message', 'xml_malformed', (values) => ofAssertion(values) + ofAssertion(values)],
    ['text after the message', 'xml_malformed', (values) => `${ofAssertion(values)}x`],
    ['an attribute twice', 'xml_malformed', inside('Version="2.0"', 'Version="2.0" Version="2.0"')],
    ['an element that does not end', 'xml_malformed', inside('</samlp:Response>', '')],
    ['the same ID twice', 'id_repeated', inside('<saml:Subject>', '<saml:Subject Id="_response">')],
    [
      'the same ID twice under another name of it',
      'id_repeated',
      inside('<samlp:Status>', '<samlp:Status xml:id="_response">'),
    ],
    [
      'an element of SAML whose prefix was bound to another namespace',
      'assertion_not_one',
      inside(/<samlp:Response /, '<samlp:Response xmlns:evil="urn:x" '),
    ],
    [
      'more than 3,000 elements',
      'xml_refused',
      inside('</samlp:Status>', `${'<x/>'.repeat(3_001)}</samlp:Status>`),
    ],
    [
      'elements inside each other',
      'xml_refused',
      inside('</samlp:Status>', `${'<x>'.repeat(50)}${'</x>'.repeat(50)}</samlp:Status>`),
    ],
    [
      'more than 256 KiB',
      'response_too_large',
      inside('</samlp:Status>', `${' '.repeat(262_000)}</samlp:Status>`),
    ],
  ])('%s', async (title, rule, make) => {
    if (title.includes('whose prefix')) {
      const rebound = (values: ResponseValues) =>
        ofAssertion(values).replace(
          'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_a',
          'xmlns:saml="urn:x" ID="_a',
        )
      return expect(await on.ruleOf(rebound)).toBe(rule)
    }
    expect(await on.ruleOf(make)).toBe(rule)
  })

  it.each([
    ['a relative namespace', ' xmlns:x="relative/path"'],
    ['a namespace that canonicalizers stumble over', ' xmlns:x="1"'],
    ['a namespace with markup', ' xmlns:x="&quot; ID=&quot;_evil"'],
    ['a prefix without a namespace', ' xmlns:x=""'],
  ])('void canonicalization: %s makes a signature count for no other message', async (_, declaration) => {
    const forged = (values: ResponseValues) => {
      const xml = ofAssertion(values)
      return replaced(xml, '<ds:SignedInfo>', `<ds:SignedInfo${declaration} x:y="z">`)
    }
    expect(['signature_invalid', 'xml_malformed']).toContain(await on.ruleOf(forged))
    const evil = (values: ResponseValues) =>
      replaced(
        forged(values).replace('>alice<', '>mallory<'),
        /<ds:SignedInfo[^>]*>/,
        `<ds:SignedInfo${declaration}>`,
      )
    expect(['signature_invalid', 'xml_malformed']).toContain(await on.ruleOf(evil))
  })

  it.each(['\u0085', '\u2028', '\u2029'])(
    'a line end of XML 1.1 is text as it was signed: %j',
    async (end) => {
      const named = (name: string, value: string) =>
        `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`
      const reference = `&#${end.charCodeAt(0)};`
      const attributes = named(`employee${reference}id`, 'mallory') + named('note', `one${reference}two`)
      const make = (values: ResponseValues) => ofAssertion({ ...values, attributes })
      const asReference = (values: ResponseValues) => replaced(make(values), new RegExp(end, 'g'), reference)
      // No provider signed an attribute with this name.
      on.set({ subjectClaim: 'employee id' })
      expect(await on.ruleOf(asReference)).toBe('subject_missing')
      on.set()
      for (const one of [make, asReference]) expect((await on.signIn(one)).assertion?.subject).toBe('alice')
    },
  )

  it('the values are those of the signed bytes: a namespace that moved changes nothing', async () => {
    const { assertion } = await on.signIn((values) =>
      replaced(ofAssertion(values), '<samlp:Status>', '<samlp:Status xmlns:unused="urn:x" >'),
    )
    expect(assertion?.subject).toBe('alice')
  })
})
