// Sign-ins by SAML 2.0: Web Browser SSO profile (Profiles section 4.1), the request by redirect and the response by POST. Signet is
// the service provider. The values about a person come from the bytes that a signature covers, and from nowhere else.
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/platform/sealing/sealed-value'
import { assertionConsumer } from '@signet/protocol/assertion-consumer'
import { NAME_ID_CLAIM } from '@signet/protocol/saml-provider'
import { createAssertion } from '../conversation/assertion.ts'
import { Refused, unproven } from '../conversation/refusal.ts'
import type { Answer, Way } from '../conversation/way.ts'
import { type CheckedAssertion, checkAssertion, requireResponseRules } from './assertion-rules.ts'
import { claimsOf } from './attributes.ts'
import { authnRequestUrl } from './authn-request.ts'
import { privateKey } from './decryption.ts'
import { parseResponse, verifyResponse } from './response.ts'
import { keysOf, signingKey } from './saml-keys.ts'
import type { UsedAssertionStore } from './used-assertion.repository.ts'

interface SamlParts {
  readonly issuer: string
  readonly used: Pick<UsedAssertionStore, 'add'>
  readonly now: Clock
  readonly random: RandomBytes
}

const ID_BYTES = 32

export function createSamlWay({ issuer, used, now, random }: SamlParts): Way {
  const consumerOf = ({ id, assertionConsumerPath }: Answer['provider']) =>
    assertionConsumer(issuer, id, assertionConsumerPath)
  return {
    async begin(provider, { state }, maxAge) {
      const { ssoUrl, clientId, nameIdFormat } = provider
      // An id is an NCName, which begins with no digit.
      const id = `_${random(ID_BYTES).toString('hex')}`
      const location = authnRequestUrl({
        ...{ id, at: now(), ssoUrl, entityId: clientId, relayState: state, nameIdFormat },
        consumer: consumerOf(provider),
        // No member of a request asks for an age.
        forced: maxAge !== undefined,
        key: provider.signAuthnRequests ? signingKey(provider) : undefined,
      })
      const request = { nonce: id, codeVerifier: '', issuer: provider.issuer, clientId }
      return { location, secrets: { ...request, ...(maxAge !== undefined && { maxAge }) } }
    },
    async complete({ provider, secrets, state, parameters, authenticatedSince }) {
      const expected = {
        ...{ issuer: provider.issuer, audience: provider.clientId, requestId: secrets.nonce },
        nameIdFormat: provider.nameIdFormat,
        consumer: consumerOf(provider),
        ...{ now: now(), authenticatedSince },
      }
      const demand = {
        ...{ keys: keysOf(provider), both: provider.wantAssertionsSigned },
        encryption: provider.assertionEncryption,
        ownKeys: provider.ownKeys.map(privateKey),
      }
      const assertion = unproven(() => {
        const received = parseResponse(responseText(parameters, state))
        // A response without an assertion says why; it signs in no person.
        requireResponseRules(received, expected)
        const verified = verifyResponse(received, demand)
        // It may be unsigned around a signed assertion.
        requireResponseRules(verified.response, expected)
        return verified.assertion
      })
      const checked = checkAssertion(assertion, expected)
      const claims = claimsOf(assertion, checked, provider)
      const asserted = {
        ...createAssertion({ ...provider, subjectClaim: NAME_ID_CLAIM }, claims, undefined),
        ...namesOfSession(provider, checked),
      }
      if (!(await used.add(provider.id, checked.id, checked.expiresAt))) throw new Refused('assertion_used')
      return { assertion: asserted, documents: [{ name: 'saml_assertion', claims }] }
    },
  }
}

/** The names by which a sign-out goes on at the provider, or comes from there. No other provider needs them in a session. */
function namesOfSession(
  { sloUrl, rpInitiatedLogout, backchannelLogout }: Answer['provider'],
  { nameId, sessionIndex }: CheckedAssertion,
) {
  const isNamed = sloUrl !== '' && (rpInitiatedLogout || backchannelLogout)
  if (!isNamed || nameId.value.length > MOST_NAME_CHARACTERS) return {}
  const isBounded = sessionIndex.length <= MOST_NAME_CHARACTERS
  return {
    ...{ tokenSubject: nameId.value, nameIdFormat: nameId.format ?? '' },
    sessionId: isBounded ? sessionIndex : '',
  }
}

const MOST_NAME_CHARACTERS = 255

/** The XML of the response. Throws Refused. */
function responseText(parameters: URLSearchParams, state: string): string {
  const responses = parameters.getAll('SAMLResponse')
  const states = parameters.getAll('RelayState')
  const [encoded = ''] = responses
  if (responses.length !== 1 || states.length !== 1 || states[0] !== state) {
    throw new Refused('response_malformed', {
      expected: 'one SAMLResponse and the RelayState of the request',
    })
  }
  const base64 = encoded.replaceAll(/[\r\n]/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new Refused('response_malformed', { expected: 'base64' })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch (cause) {
    throw new Refused('response_malformed', { expected: 'UTF-8', cause })
  }
}
