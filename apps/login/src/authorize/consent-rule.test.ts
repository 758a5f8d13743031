import { describe, expect, it } from 'vitest'
import { createConsentRule } from './consent-rule.ts'
import type { Client } from './oauth-client.ts'

const API = 'urn:service:iam:org:project:id:signet:aud'
const NATIVE: Pick<Client, 'portRule'> = { portRule: 'any of a loopback address' }
const client = (change: Partial<Client> = {}): Client => ({
  clientId: 'app',
  name: 'App',
  projectId: 'p',
  organizationId: 'acme',
  portRule: 'registered',
  devMode: false,
  requiresPkce: true,
  requiresPush: false,
  requiresSignedRequests: false,
  requiresSignedResponses: false,
  bindsAccessTokens: false,
  firstParty: false,
  keys: [],
  signatureAlgorithms: [],
  idTokenSigningAlg: 'RS256',
  redirectUris: [],
  postLogoutRedirectUris: [],
  responseTypes: ['code'],
  grantTypes: [],
  ...change,
})

function needsConsent(
  application: Client,
  scopes: readonly string[],
  facts = { own: true, allowed: scopes },
) {
  const rule = createConsentRule({
    isOwnApplication: async () => facts.own,
    findConsent: async () => new Set(facts.allowed),
  })
  return rule(application, 'user', scopes)
}

describe('a client that registered itself', () => {
  const registered = client({ isRegistered: true })

  it('needs consent in its own organization, until each scope was allowed', async () => {
    expect(await needsConsent(registered, ['openid'], { own: true, allowed: [] })).toBe(true)
    expect(await needsConsent(registered, ['openid', 'email'], { own: true, allowed: ['openid'] })).toBe(true)
    expect(await needsConsent(registered, ['openid'])).toBe(false)
  })

  it('needs it each time when it is native', async () => {
    expect(await needsConsent({ ...registered, ...NATIVE }, ['openid'])).toBe(true)
  })
})

describe('a native application that asks for the management API', () => {
  it.each([API, 'urn:zitadel:iam:org:project:id:zitadel:aud'])(
    'needs consent each time, also in its own organization: %s',
    async (scope) => {
      expect(await needsConsent(client(NATIVE), ['openid', scope])).toBe(true)
      const localhost = client({ portRule: 'any of a loopback address or localhost' })
      expect(await needsConsent(localhost, ['openid', scope])).toBe(true)
    },
  )

  it('needs none when an IAM_OWNER made it first-party', async () => {
    expect(await needsConsent(client({ ...NATIVE, firstParty: true }), ['openid', API])).toBe(false)
  })

  it('needs none for other scopes, and neither does a web application', async () => {
    const other = 'urn:service:iam:org:project:id:shop:aud'
    expect(await needsConsent(client(NATIVE), ['openid', other])).toBe(false)
    expect(await needsConsent(client(), ['openid', API])).toBe(false)
  })
})

describe('an application of another organization', () => {
  it('needs consent each time when it is native, because any process can listen for its code', async () => {
    const allowed = { own: false, allowed: ['openid'] }
    expect(await needsConsent(client(NATIVE), ['openid'], allowed)).toBe(true)
    expect(await needsConsent(client({ ...NATIVE, firstParty: true }), ['openid'], allowed)).toBe(false)
  })

  it('needs consent until each scope has been allowed', async () => {
    const asks = (allowed: string[]) => needsConsent(client(), ['openid', 'email'], { own: false, allowed })
    expect([await asks([]), await asks(['openid']), await asks(['openid', 'email'])]).toEqual([
      true,
      true,
      false,
    ])
  })
})
