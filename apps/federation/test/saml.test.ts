import { EMAIL_ADDRESS, PERSISTENT, TRANSIENT, UNSPECIFIED } from '@signet/protocol/saml-provider'
import { beforeEach, describe, expect, it } from 'vitest'
import { ISSUER } from './fixtures/running-federation.ts'
import {
  ACS,
  ENTITY_ID,
  OWN_ENTITY_ID,
  ofAssertion,
  ofResponse,
  on,
  serveSaml,
} from './fixtures/saml-environment.ts'
import {
  at,
  attributeXml,
  createSamlKey,
  type ResponseValues,
  requestIn,
  responseXml,
  signed,
  valuesOf,
} from './fixtures/saml-idp.ts'

serveSaml()
beforeEach(() => on.set())

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:'
const ofBoth = (values: ResponseValues) => signed(ofAssertion(values), 'Response', on.key)

describe('the request', () => {
  it('goes to the provider by redirect, with the entity ids, the own address and the state', async () => {
    const begun = await on.federation.begin('saml')
    const url = new URL(begun.location)
    expect([url.origin + url.pathname, url.searchParams.get('tenant')]).toEqual([
      'https://idp.example/sso',
      '1',
    ])
    const { xml, id, relayState } = requestIn(begun.location)
    expect(relayState).toBe(begun.state)
    expect(id).toMatch(/^_[0-9a-f]{64}$/)
    for (const part of [
      ...[`AssertionConsumerServiceURL="${ACS}"`, `>${OWN_ENTITY_ID}</saml:Issuer>`],
      ...['Destination="https://idp.example/sso?tenant=1"', 'bindings:HTTP-POST"'],
    ]) {
      expect(xml).toContain(part)
    }
    expect(xml).not.toMatch(/ForceAuthn|NameIDPolicy/)
  })

  it('asks for a new authentication where the person has to sign in again, and where an age is demanded', async () => {
    for (const beginning of [{ fresh: true }, { maxAgeSeconds: 300n }]) {
      expect(requestIn((await on.federation.begin('saml', beginning)).location).xml).toContain(
        'ForceAuthn="true"',
      )
    }
  })

  it('asks for the format of the NameID that is set', async () => {
    on.set({ nameIdFormat: PERSISTENT })
    expect(requestIn((await on.federation.begin('saml')).location).xml).toContain(
      `</saml:Issuer><samlp:NameIDPolicy Format="${PERSISTENT}" AllowCreate="true"/></samlp:AuthnRequest>`,
    )
  })

  it('has no markup of a value that is set [CVE-2026-46490]', async () => {
    on.set({ clientId: '"><evil a="&' })
    const { xml } = requestIn((await on.federation.begin('saml')).location)
    expect(xml).toContain('>&quot;>&lt;evil a=&quot;&amp;</saml:Issuer>')
    expect(xml).not.toContain('<evil')
  })

  it('names the address of another product where that is set', async () => {
    on.set({ assertionConsumerPath: '/login/callback?connection=a&b=c' })
    expect(requestIn((await on.federation.begin('saml')).location).xml).toContain(
      `AssertionConsumerServiceURL="${ISSUER}/login/callback?connection=a&amp;b=c"`,
    )
  })

  it('goes to no address without TLS', async () => {
    on.set({ ssoUrl: 'http://idp.example/sso' })
    expect((await on.federation.begin('saml')).refusal?.rule).toBe('issuer_without_tls')
  })
})

describe('a person signs in', () => {
  it.each([
    ['the assertion', ofAssertion],
    ['the response', ofResponse],
    ['both', ofBoth],
  ])('by a signature of %s', async (_, make) => {
    const { assertion, refusal } = await on.signIn(make)
    expect(refusal).toBeUndefined()
    expect(assertion).toMatchObject({
      ...{ providerId: 'saml', issuer: ENTITY_ID, subject: 'alice', amr: ['pwd'] },
      acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
    })
    expect(Number(assertion?.authenticatedAt?.seconds)).toBe(on.clock.now().getTime() / 1_000)
  })

  it('by ECDSA, and by each of several certificates', async () => {
    const ec = await createSamlKey('ec')
    on.set({ certificates: [on.key.certificate, ec.certificate] })
    for (const key of [on.key, ec]) {
      const { refusal } = await on.signIn((values) => signed(responseXml(values), 'Assertion', key))
      expect(refusal).toBeUndefined()
    }
  })

  it('by a message with inclusive prefixes, an XML declaration and line breaks in its base64', async () => {
    const { begun, values } = await on.begin({
      attributes: `<saml:Attribute xmlns:xs="http://www.w3.org/2001/XMLSchema" Name="mail"><saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">a&amp;b &lt;é&gt;&#13; @example.com</saml:AttributeValue></saml:Attribute>`,
    })
    const xml = signed(responseXml(values), 'Assertion', on.key, { inclusive: ['xs'] })
    const text = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`).toString('base64')
    const SAMLResponse = text.replaceAll(/(.{76})/g, '$1\r\n')
    const { refusal } = await on.federation.complete(begun, { SAMLResponse, RelayState: begun.state })
    expect(refusal).toBeUndefined()
  })

  it.each([
    [
      'eduPerson',
      [
        ['urn:oid:1.3.6.1.4.1.5923.1.1.1.6', 'al@acme.example'],
        ['urn:oid:2.5.4.42', 'Alice'],
        ['urn:oid:2.5.4.4', 'Liddell'],
        ['urn:oid:0.9.2342.19200300.100.1.3', 'alice@acme.example'],
      ],
    ],
    [
      'Entra ID',
      [
        ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name', 'al@acme.example'],
        ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname', 'Alice'],
        ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname', 'Liddell'],
        ['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress', 'alice@acme.example'],
      ],
    ],
    [
      'Okta',
      [
        ['login', 'al@acme.example'],
        ['firstName', 'Alice'],
        ['lastName', 'Liddell'],
        ['email', 'alice@acme.example'],
      ],
    ],
  ])('with the attributes of %s, of which no address counts as verified', async (_, attributes) => {
    const written = [...attributes, ['email_verified', 'true'], ['__proto__', 'x']]
    const { assertion } = await on.signIn(ofAssertion, {
      attributes: written.map(([name = '', value = '']) => attributeXml(name, value)).join(''),
    })
    expect(assertion?.profile).toMatchObject({
      ...{ userName: 'al@acme.example', givenName: 'Alice', familyName: 'Liddell' },
      ...{ email: 'alice@acme.example', emailVerified: false },
    })
  })

  it('with mapped attributes, groups and another subject', async () => {
    on.set({
      mappedClaims: [{ name: 'nick_name', value: 'http://x.example/nick' }],
      ...{ groupsClaim: 'http://x.example/groups', subjectClaim: 'objectId' },
    })
    const { assertion } = await on.signIn(ofAssertion, {
      nameIdAttributes: ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"',
      attributes: [
        attributeXml('http://x.example/nick', 'Al'),
        attributeXml('http://x.example/groups', 'staff', 'admins'),
        attributeXml('objectId', '4711'),
        attributeXml('sid', 'S-1-5-21'),
      ].join(''),
    })
    expect(assertion).toMatchObject({
      // Names of an ID token, which logout tokens and sign-outs of OpenID Connect go by.
      ...{ subject: '4711', tokenSubject: '', sessionId: '' },
      groups: ['staff', 'admins'],
      profile: { nickName: 'Al' },
    })
  })

  it.each([
    ['https://refeds.org/profile/mfa', ['mfa']],
    ['http://schemas.microsoft.com/claims/multipleauthn', ['mfa']],
    ['urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport', ['pwd']],
    ['urn:example:unknown', []],
    ['toString', []],
  ])('by %s, which counts as %j', async (name, amr) => {
    const { assertion } = await on.signIn(ofAssertion, (values) => ({
      statement: values.statement.replace(/urn:oasis:names:tc:SAML:2.0:ac:classes:Password/, name),
    }))
    expect(assertion?.amr).toEqual(amr)
    expect(assertion?.acr).toBe(amr.length === 0 ? '' : name)
  })
})

describe('the demanded format of the NameID', () => {
  const sent = (format: string) => ({ nameIdAttributes: format && ` Format="${format}"` })

  it.each([
    [PERSISTENT, PERSISTENT],
    [EMAIL_ADDRESS, EMAIL_ADDRESS],
    [UNSPECIFIED, UNSPECIFIED],
    [UNSPECIFIED, ''],
  ])('%s is taken from %s', async (nameIdFormat, format) => {
    on.set({ nameIdFormat })
    expect((await on.signIn(ofAssertion, sent(format))).assertion?.subject).toBe('alice')
  })

  it.each([
    [PERSISTENT, EMAIL_ADDRESS],
    [PERSISTENT, UNSPECIFIED],
    [PERSISTENT, ''],
    [PERSISTENT, PERSISTENT.toUpperCase()],
    [UNSPECIFIED, PERSISTENT],
    [EMAIL_ADDRESS, TRANSIENT],
  ])('%s refuses %s, for which a browser may have asked', async (nameIdFormat, format) => {
    on.set({ nameIdFormat })
    expect(await on.ruleOf(ofAssertion, sent(format))).toBe('subject_format_refused')
  })

  it('counts beside an attribute that identifies people', async () => {
    on.set({ nameIdFormat: TRANSIENT, subjectClaim: 'employeeNumber' })
    const attributes = attributeXml('employeeNumber', '4711')
    const { assertion } = await on.signIn(ofAssertion, { ...sent(TRANSIENT), attributes })
    expect(assertion?.subject).toBe('4711')
    expect(await on.ruleOf(ofAssertion, { ...sent(PERSISTENT), attributes })).toBe('subject_format_refused')
  })
})

const change =
  (part: keyof ResponseValues, from: RegExp | string, to: string) => (values: ResponseValues) => {
    const before = `${values[part]}`
    const after = before.replace(from, () => to)
    if (after === before) throw new Error('nothing was changed')
    return { [part]: after }
  }

describe('refuses, with each kind of signature,', () => {
  it.each<[title: string, rule: string, more: (values: ResponseValues) => Partial<ResponseValues>]>([
    ['another recipient [keycloak#45652]', 'recipient_differs', change('confirmation', ACS, `${ACS}/x`)],
    ['no recipient [keycloak#45652]', 'recipient_differs', change('confirmation', / Recipient="[^"]*"/, '')],
    [
      'another audience [CVE-2026-41577]',
      'audience_differs',
      change('conditions', OWN_ENTITY_ID, 'https://o'),
    ],
    [
      'no audience [CVE-2026-41577]',
      'audience_differs',
      change('conditions', /<saml:AudienceRestriction.*Restriction>/, ''),
    ],
    [
      'a second audience restriction without the own one',
      'audience_differs',
      change(
        'conditions',
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
    ],
    ['another issuer', 'issuer_differs', () => ({ entityId: 'https://other.example' })],
    [
      'another issuer of the response',
      'issuer_differs',
      () => ({ responseIssuer: '<saml:Issuer>https://other.example</saml:Issuer>' }),
    ],
    [
      'an issuer of another format',
      'issuer_differs',
      () => ({ responseIssuer: `<saml:Issuer Format="x">${ENTITY_ID}</saml:Issuer>` }),
    ],
    [
      'another destination',
      'destination_differs',
      change('responseAttributes', /Destination="[^"]*"/, 'Destination="https://other.example"'),
    ],
    [
      'a response to another request',
      'request_differs',
      change('responseAttributes', 'InResponseTo="_', 'InResponseTo="_0'),
    ],
    [
      'an assertion for another request',
      'request_differs',
      change('confirmation', 'InResponseTo="_', 'InResponseTo="_0'),
    ],
    [
      'an unsolicited response [CVE-2026-16442]',
      'response_unsolicited',
      change('responseAttributes', / InResponseTo="[^"]*"/, ''),
    ],
    [
      'an unsolicited assertion [CVE-2026-16442]',
      'response_unsolicited',
      change('confirmation', / InResponseTo="[^"]*"/, ''),
    ],
    ['another confirmation', 'assertion_malformed', change('confirmation', 'cm:bearer', 'cm:sender-vouches')],
    ['no confirmation', 'assertion_malformed', () => ({ confirmation: '' })],
    [
      'two confirmations',
      'assertion_malformed',
      ({ confirmation }) => ({ confirmation: confirmation + confirmation }),
    ],
    [
      'a confirmation without an end',
      'assertion_malformed',
      change('confirmation', / NotOnOrAfter="[^"]*"/, ''),
    ],
    ['no conditions', 'assertion_malformed', () => ({ conditions: '' })],
    [
      'an unknown condition',
      'condition_unknown',
      change('conditions', '</saml:Conditions>', '<saml:Condition/></saml:Conditions>'),
    ],
    ['no statement of the authentication', 'assertion_malformed', () => ({ statement: '' })],
    [
      'a time of another zone',
      'assertion_malformed',
      change('statement', /AuthnInstant="[^"]*"/, 'AuthnInstant="2030-01-01T00:00:00+01:00"'),
    ],
    [
      'a session that has ended',
      'assertion_expired',
      change(
        'statement',
        '<saml:AuthnStatement',
        '<saml:AuthnStatement SessionNotOnOrAfter="2020-01-01T00:00:00Z"',
      ),
    ],
    ['no subject', 'subject_missing', () => ({ nameId: '' })],
    ['a subject with an element inside', 'subject_missing', () => ({ nameId: 'alice<saml:x/>' })],
    ['a subject that is too long', 'subject_missing', () => ({ nameId: 'a'.repeat(256) })],
    [
      'a transient subject',
      'subject_format_refused',
      () => ({ nameIdAttributes: ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"' }),
    ],
    [
      'a subject of another format',
      'subject_format_refused',
      () => ({ nameIdAttributes: ' Format="urn:x"' }),
    ],
    [
      'a subject of another namespace',
      'subject_qualifier_differs',
      () => ({ nameIdAttributes: ' NameQualifier="x"' }),
    ],
    [
      'a subject for another service',
      'subject_qualifier_differs',
      () => ({ nameIdAttributes: ' SPNameQualifier="x"' }),
    ],
    [
      'another status of the response',
      'upstream_error',
      () => ({ status: `<samlp:Status><samlp:StatusCode Value="${STATUS}Responder"/></samlp:Status>` }),
    ],
    ['no status', 'assertion_malformed', () => ({ status: '' })],
  ])('%s', async (_, rule, more) => {
    for (const make of [ofAssertion, ofResponse, ofBoth]) expect(await on.ruleOf(make, more)).toBe(rule)
  })

  it('another version of the response and of the assertion', async () => {
    for (const name of ['Response', 'Assertion'] as const) {
      const make = (values: ResponseValues) =>
        signed(
          responseXml(values).replace(new RegExp(`(<[a-z]+:${name} [^>]*Version=)"2.0"`), '$1"1.1"'),
          'Response',
          on.key,
        )
      expect(await on.ruleOf(make)).toBe('assertion_malformed')
    }
  })

  it('another subject claim without one value', async () => {
    on.set({ subjectClaim: 'objectId' })
    expect(await on.ruleOf(ofAssertion)).toBe('subject_missing')
    const attributes = attributeXml('objectId', '1', '2')
    expect(await on.ruleOf(ofAssertion, { attributes })).toBe('subject_missing')
  })

  it('a required attribute with another value, with several, and without one', async () => {
    on.set({ requiredClaims: [{ name: 'tenant', value: 'acme' }] })
    for (const attributes of ['', attributeXml('tenant', 'other'), attributeXml('tenant', 'acme', 'other')]) {
      expect(await on.ruleOf(ofAssertion, { attributes })).toBe('required_claim_differs')
    }
    const { refusal } = await on.signIn(ofAssertion, { attributes: attributeXml('tenant', 'acme') })
    expect(refusal).toBeUndefined()
  })

  it('a refusal of the provider, by its code and as declined', async () => {
    const { refusal } = await on.signIn((values) =>
      responseXml(
        {
          ...values,
          status: `<samlp:Status><samlp:StatusCode Value="${STATUS}Responder"><samlp:StatusCode Value="${STATUS}AuthnFailed"/></samlp:StatusCode></samlp:Status>`,
        },
        '',
      ),
    )
    expect(refusal).toMatchObject({ rule: 'upstream_error', received: 'AuthnFailed', declined: true })
  })

  it.each<[title: string, parameters: (response: string, state: string) => Record<string, string>]>([
    ['no RelayState', (SAMLResponse) => ({ SAMLResponse })],
    ['another RelayState', (SAMLResponse, state) => ({ SAMLResponse, RelayState: `${state}x` })],
    ['no response', (_, RelayState) => ({ RelayState })],
    [
      'a response that is no base64',
      (response, RelayState) => ({ SAMLResponse: `${response}%`, RelayState }),
    ],
    [
      'a response that is no UTF-8',
      (_, RelayState) => ({ SAMLResponse: Buffer.from([0x3c, 0xff]).toString('base64'), RelayState }),
    ],
  ])('%s', async (_, parameters) => {
    const { begun, values } = await on.begin()
    const response = Buffer.from(ofAssertion(values)).toString('base64')
    const { refusal } = await on.federation.complete(begun, parameters(response, begun.state))
    expect(refusal?.rule).toBe('response_malformed')
  })
})

describe('times', () => {
  it.each<
    [title: string, rule: string | undefined, more: (values: ResponseValues) => Partial<ResponseValues>]
  >([
    ['59 s after the end', undefined, ends('confirmation', -59)],
    ['60 s after the end of the confirmation', 'assertion_expired', ends('confirmation', -60)],
    ['59 s after the end of the conditions', undefined, ends('conditions', -59)],
    ['60 s after the end of the conditions', 'assertion_expired', ends('conditions', -60)],
    ['60 s before the conditions', undefined, begins(60)],
    ['61 s before the conditions', 'assertion_not_yet_valid', begins(61)],
    [
      '61 s before the confirmation',
      'assertion_not_yet_valid',
      (values) =>
        change('confirmation', 'Recipient=', `NotBefore="${at(values.now, 61)}" Recipient=`)(values),
    ],
    [
      '61 s before the authentication',
      'assertion_not_yet_valid',
      (values) => change('statement', /AuthnInstant="[^"]*"/, `AuthnInstant="${at(values.now, 61)}"`)(values),
    ],
  ])('%s: %s', async (_, rule, more) => {
    expect((await on.signIn(ofAssertion, more)).refusal?.rule).toBe(rule)
  })

  function ends(part: 'conditions' | 'confirmation', seconds: number) {
    return (values: ResponseValues) =>
      change(part, / NotOnOrAfter="[^"]*"/, ` NotOnOrAfter="${at(values.now, seconds)}"`)(values)
  }
  function begins(seconds: number) {
    return (values: ResponseValues) =>
      change('conditions', / NotBefore="[^"]*"/, ` NotBefore="${at(values.now, seconds)}"`)(values)
  }

  it('an authentication before the age that the application demands is refused', async () => {
    for (const [beginning, seconds, rule] of [
      [{ maxAgeSeconds: 300n }, -360, undefined],
      [{ maxAgeSeconds: 300n }, -361, 'authentication_too_old'],
      [{ fresh: true }, -61, 'authentication_too_old'],
    ] as const) {
      const { begun, values } = await on.begin({}, beginning)
      const older = change('statement', /AuthnInstant="[^"]*"/, `AuthnInstant="${at(values.now, seconds)}"`)
      const { refusal } = await on.complete(begun, ofAssertion({ ...values, ...older(values) }))
      expect(refusal?.rule).toBe(rule)
    }
  })
})

describe('an assertion', () => {
  it('signs one person in once, with OneTimeUse or not, also for another request with the same ID [CVE-2026-18967]', async () => {
    for (const condition of ['', '<saml:OneTimeUse/>']) {
      const more = change('conditions', '</saml:Conditions>', `${condition} </saml:Conditions>`)
      const assertionId = `_once${condition.length}`
      const signIn = () => on.signIn(ofAssertion, (values) => ({ ...more(values), assertionId }))
      expect((await signIn()).refusal).toBeUndefined()
      expect((await signIn()).refusal?.rule).toBe('assertion_used')
    }
  })

  it('signs in once at two replicas at the same time', async () => {
    const { begun, values } = await on.begin()
    const xml = ofAssertion(values)
    const same = await Promise.all([0, 1, 0, 1].map((replica) => on.complete(begun, xml, replica)))
    expect(same.filter(({ assertion }) => assertion !== undefined)).toHaveLength(1)

    const requests = await Promise.all([0, 1, 2, 3].map(() => on.begin({ assertionId: '_raced' })))
    const raced = await Promise.all(
      requests.map((one, index) => on.complete(one.begun, ofAssertion(one.values), index % 2)),
    )
    expect(raced.filter(({ assertion }) => assertion !== undefined)).toHaveLength(1)
    expect(raced.filter(({ refusal }) => refusal?.rule === 'assertion_used')).toHaveLength(3)
  })

  it('of a provider that was deactivated or changed meanwhile is refused [CVE-2025-64717, CVE-2026-1486]', async () => {
    const key = await createSamlKey()
    const changes: readonly (readonly [Parameters<typeof on.set>[0], string])[] = [
      [{ usable: false }, 'provider_not_usable'],
      [{ issuer: 'https://other.example' }, 'provider_changed'],
      [{ clientId: 'https://other.example' }, 'provider_changed'],
      [{ certificates: [key.certificate] }, 'signature_invalid'],
      [{ certificates: [] }, 'signature_invalid'],
      [{ certificates: ['AAAA'] }, 'certificate_refused'],
    ]
    for (const [change, rule] of changes) {
      on.set()
      const { begun, values } = await on.begin()
      on.set(change)
      expect((await on.complete(begun, ofAssertion(values))).refusal?.rule).toBe(rule)
    }
  })
})

describe('with the path of another product', () => {
  const PATH = '/realms/acme/broker/okta/endpoint'
  const to = (acs: string) => (values: ResponseValues) => valuesOf({ ...values, acs })

  it('an assertion for that address signs in', async () => {
    on.set({ assertionConsumerPath: PATH })
    const { assertion, refusal } = await on.signIn(undefined, to(`${ISSUER}${PATH}`))
    expect(refusal).toBeUndefined()
    expect(assertion?.subject).toBe('alice')
  })

  it.each([ACS, `${ISSUER}/realms/acme/broker/other/endpoint`, `https://evil.example${PATH}`, PATH])(
    'one for %s does not',
    async (acs) => {
      on.set({ assertionConsumerPath: PATH })
      expect(await on.ruleOf(undefined, to(acs))).toBe('destination_differs')
      const recipient = (values: ResponseValues) => ({ confirmation: to(acs)(values).confirmation })
      const destination = (values: ResponseValues) => to(`${ISSUER}${PATH}`)(values)
      const both = (values: ResponseValues) => ({ ...destination(values), ...recipient(values) })
      expect(await on.ruleOf(undefined, both)).toBe('recipient_differs')
    },
  )

  it('one for that address does not without the path, nor when it was changed meanwhile', async () => {
    expect(await on.ruleOf(undefined, to(`${ISSUER}${PATH}`))).toBe('destination_differs')
    on.set({ assertionConsumerPath: PATH })
    const { begun, values } = await on.begin()
    on.set({ assertionConsumerPath: `${PATH}/other` })
    const changed = { ...values, ...to(`${ISSUER}${PATH}`)(values) }
    expect((await on.complete(begun, ofAssertion(changed))).refusal?.rule).toBe('destination_differs')
  })

  it('the metadata names that address', async () => {
    on.set({ assertionConsumerPath: '/login/callback?connection=a&b=c' })
    expect(await on.federation.metadata('saml')).toContain(
      `Location="${ISSUER}/login/callback?connection=a&amp;b=c"`,
    )
  })
})

describe('the metadata of Signet', () => {
  const values = (xml: string, name: string) =>
    [...xml.matchAll(new RegExp(`${name}[=>]"?([^"<]*)`, 'g'))].map(([, value]) => value)

  it('names the entity id, the address and what is demanded, and no key', async () => {
    const xml = await on.federation.metadata('saml')
    expect(values(xml, 'entityID')).toEqual([OWN_ENTITY_ID])
    expect(values(xml, 'Location')).toEqual([ACS])
    expect(values(xml, 'AuthnRequestsSigned')).toEqual(['false'])
    expect(values(xml, 'WantAssertionsSigned')).toEqual(['false'])
    expect(xml.match(/<md:NameIDFormat>/g)).toHaveLength(3)
    expect(xml).not.toMatch(/KeyDescriptor|SingleLogout|transient/)
    on.set({ wantAssertionsSigned: true, subjectClaim: 'employeeNumber', clientId: 'urn:a"<b' })
    const other = await on.federation.metadata('saml')
    expect(values(other, 'WantAssertionsSigned')).toEqual(['true'])
    expect(other).toContain('nameid-format:transient')
    on.set({ nameIdFormat: PERSISTENT })
    const named = await on.federation.metadata('saml')
    expect(named.match(/<md:NameIDFormat>.*/g)).toEqual([`<md:NameIDFormat>${PERSISTENT}</md:NameIDFormat>`])
    expect(other).toContain('entityID="urn:a&quot;&lt;b"')
  })

  it('is there before people may sign in, and not for other providers', async () => {
    on.set({ usable: false })
    expect(await on.federation.metadata('saml')).toContain(ACS)
    on.set({ type: 'oidc' }, 'oidc')
    for (const id of ['oidc', 'none']) {
      await expect(on.federation.metadata(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    await expect(on.federation.metadata('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

it('counts the provider as refusing for answers that it signed, and for none that a browser made', async () => {
  const refusing = async () =>
    Number(/^signet_upstream_providers_refusing (\d+)$/m.exec(await on.federation.metrics.text())?.[1])
  const forger = await createSamlKey()
  const forged: ((values: ResponseValues) => string)[] = [
    (values) => signed(responseXml(values), 'Assertion', forger),
    (values) => responseXml(values),
    (values) => signed(responseXml({ ...values, entityId: 'https://other.example' }), 'Assertion', forger),
    () => '<not-xml',
    () => 'x'.repeat(300_000),
  ]
  expect((await on.signIn()).assertion).toBeDefined()
  for (const make of [...forged, ...forged]) expect(await on.ruleOf(make)).toBeDefined()
  expect(await refusing()).toBe(0)
  const otherAudience = ({ conditions }: ResponseValues) => ({
    conditions: conditions.replace(OWN_ENTITY_ID, 'urn:other'),
  })
  for (let time = 0; time < 5; time += 1)
    expect(await on.ruleOf(undefined, otherAudience)).toBe('audience_differs')
  expect(await refusing()).toBe(1)
  expect((await on.signIn()).assertion).toBeDefined()
  expect(await refusing()).toBe(0)
})
