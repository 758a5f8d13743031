import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { Application } from '../applications/application.schema.ts'
import { type Finding, type ReviewInput, RULES, reviewApplication } from './application-review.ts'

const NOW = new Date('2030-06-01T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

/** A confidential application that keeps every rule. */
const GOOD = {
  ...{ id: 'shop', clientId: 'shop', type: 'web', state: 'active', authMethod: 'private_key_jwt' },
  redirectUris: ['https://shop.example/callback'],
  responseTypes: ['code'],
  grantTypes: ['authorization_code', 'refresh_token'],
  ...{ requirePkce: true, pkceOptional: false, fapi2: false, devMode: false, dpopBoundAccessTokens: true },
  ...{ accessTokenLifetimeSeconds: null, idTokenLifetimeSeconds: null, createdAt: daysAgo(400) },
}
const PUBLIC = { type: 'userAgent', authMethod: 'none', requirePkce: false }
const WITH_SECRET = { authMethod: 'client_secret_basic' }

interface Given extends Partial<Omit<ReviewInput, 'application'>> {
  readonly application?: Partial<Record<keyof Application, unknown>>
}

const input = ({ application, ...given }: Given = {}): ReviewInput => ({
  application: { ...GOOD, ...application } as never,
  ...{ secrets: [{ createdAt: daysAgo(10), isLong: true }], hints: [], sessions: 0, now: NOW },
  ...{ lifetimes: { accessTokenLifetimeSeconds: 900, idTokenLifetimeSeconds: 900 }, lastTokenAt: daysAgo(1) },
  ...given,
})

const findings = (rule: string, given: Given): readonly Finding[] =>
  reviewApplication(input(given)).findings.filter((finding) => finding.rule === rule)

const hint = (reason: string, values = {}) => ({ reason, at: daysAgo(2), values })

/** The cases of each rule: settings and traffic that break it, the fix, and the nearest that keep it. */
const TABLE: Readonly<Record<string, readonly (readonly [Given, string | undefined, Given])[]>> = {
  implicit_access_token: [
    [
      { application: { responseTypes: ['id_token token'], grantTypes: ['implicit'] } },
      "signet application update shop --set responseTypes-='id_token token' --set responseTypes+=code --set grantTypes+=authorization_code",
      { application: { responseTypes: ['id_token'] } },
    ],
  ],
  pkce_optional: [
    [
      { application: { ...PUBLIC, pkceOptional: true } },
      'signet application update shop --set pkceOptional=false',
      { application: PUBLIC },
    ],
  ],
  redirect_uri_refused: [
    [
      { application: { redirectUris: ['https://*.shop.example/'] } },
      "signet application update shop --set redirectUris-='https://*.shop.example/'",
      {},
    ],
    [
      { application: { redirectUris: ['http://shop.example/'] } },
      'signet application update shop --set redirectUris-=http://shop.example/',
      { application: { redirectUris: ['http://localhost/'] } },
    ],
    [
      { application: { redirectUris: ['shop.app:/callback'] } },
      'signet application update shop --set redirectUris-=shop.app:/callback',
      { application: { type: 'native', redirectUris: ['shop.app:/callback'] } },
    ],
  ],
  redirect_uri_http: [
    [
      { application: { devMode: true, redirectUris: ['http://shop.example/?a,b'] } },
      `signet application update shop --set redirectUris-='["http://shop.example/?a,b"]'`,
      { application: { devMode: true, redirectUris: ['http://127.0.0.1/'] } },
    ],
  ],
  pkce_not_required: [
    [
      { application: { requirePkce: false } },
      'signet application update shop --set requirePkce=true',
      { application: { requirePkce: false, fapi2: true } },
    ],
  ],
  development_mode: [
    [{ application: { devMode: true } }, 'signet application update shop --set devMode=false', {}],
  ],
  short_secret: [
    [
      { application: WITH_SECRET, secrets: [{ createdAt: NOW, isLong: false }] },
      'signet application rotate-secret shop --set overlapSeconds=86400',
      { application: WITH_SECRET },
    ],
  ],
  old_secret: [
    [
      { application: WITH_SECRET, secrets: [{ createdAt: daysAgo(366), isLong: true }] },
      'signet application rotate-secret shop --set overlapSeconds=86400',
      {
        application: WITH_SECRET,
        secrets: [366, 364].map((age) => ({ createdAt: daysAgo(age), isLong: true })),
      },
    ],
  ],
  unused: [
    [{ lastTokenAt: daysAgo(91) }, 'signet application update shop --set state=inactive', {}],
    [
      { lastTokenAt: undefined },
      'signet application update shop --set state=inactive',
      { lastTokenAt: undefined, sessions: 1 },
    ],
    [
      { lastTokenAt: undefined },
      'signet application update shop --set state=inactive',
      { lastTokenAt: undefined, application: { createdAt: daysAgo(89) } },
    ],
    [
      { lastTokenAt: undefined },
      'signet application update shop --set state=inactive',
      { lastTokenAt: undefined, application: { grantTypes: [], responseTypes: [] } },
    ],
  ],
  implicit_id_token: [
    [
      { application: { responseTypes: ['code', 'id_token', 'id_token token'] } },
      'signet application update shop --set responseTypes-=id_token',
      {},
    ],
  ],
  redirect_uri_loopback: [
    [
      { application: { redirectUris: ['https://shop.example/', 'http://localhost:3000/'] } },
      'signet application update shop --set redirectUris-=http://localhost:3000/',
      { application: { redirectUris: ['http://localhost:3000/'] } },
    ],
  ],
  redirect_uri_scheme: [
    [
      { application: { type: 'native', redirectUris: ['shop.app:/callback'] } },
      'signet application update shop --set redirectUris-=shop.app:/callback',
      { application: { type: 'native', redirectUris: ['https://shop.example/', 'http://127.0.0.1/'] } },
    ],
  ],
  client_secret: [
    [
      { application: WITH_SECRET },
      'signet application update shop --set authMethod=private_key_jwt',
      { application: { authMethod: 'tls_client_auth' } },
    ],
  ],
  unbound_tokens: [
    [
      { application: { dpopBoundAccessTokens: false } },
      'signet application update shop --set dpopBoundAccessTokens=true',
      { application: { dpopBoundAccessTokens: false, tlsClientCertificateBoundAccessTokens: true } },
    ],
  ],
  long_lifetime: [
    [
      { application: { accessTokenLifetimeSeconds: 901 } },
      'signet application update shop --set accessTokenLifetimeSeconds=null',
      { application: { accessTokenLifetimeSeconds: 900 } },
    ],
    [
      { application: { idTokenLifetimeSeconds: 901 } },
      'signet application update shop --set idTokenLifetimeSeconds=null',
      { application: { idTokenLifetimeSeconds: 900 } },
    ],
  ],
  unused_refresh_grant: [
    [
      { hints: [hint('offline_access_missing')] },
      'signet application update shop --set grantTypes-=refresh_token',
      { hints: [hint('offline_access_missing')], application: { grantTypes: ['authorization_code'] } },
    ],
  ],
  scopes_without_effect: [
    [{ hints: [hint('scopes_dropped', { scopes: 'profil roles' })] }, undefined, { hints: [] }],
  ],
}

it('finds nothing at an application that keeps every rule', () => {
  const rules = Object.keys(RULES).length
  expect(reviewApplication(input())).toEqual({ rules, kept: rules, findings: [] })
  expect(reviewApplication(input({ application: PUBLIC }))).toEqual({ rules, kept: rules, findings: [] })
  expect(Object.keys(TABLE)).toEqual(Object.keys(RULES))
})

describe.each(Object.entries(TABLE))('%s', (rule, cases) => {
  it.each(cases)('finds what breaks it: %j', (broken, fix, kept) => {
    expect(findings(rule, broken).map((finding) => finding.fix)).toEqual([fix])
    expect(findings(rule, kept)).toEqual([])
  })
})

it('says what the traffic of the last week shows about PKCE and scopes', () => {
  const application = { requirePkce: false }
  expect(findings('pkce_not_required', { application })[0]?.text).toContain(
    'No request of the last seven days',
  )
  const hints = [hint('code_challenge_absent'), hint('scopes_dropped', { scopes: 'profil roles' })]
  expect(findings('pkce_not_required', { application, hints })[0]?.text).toContain(
    'A request of 2030-05-30 came without code_challenge',
  )
  expect(findings('scopes_without_effect', { hints })[0]?.text).toContain('profil roles.')
})

it('lists the highest severity first, and counts a rule once', () => {
  const application = {
    devMode: true,
    redirectUris: ['http://a.example/', 'http://b.example/'],
    ...WITH_SECRET,
  }
  const { rules, kept, findings: found } = reviewApplication(input({ application }))
  expect(found.map(({ severity }) => severity)).toEqual(['high', 'high', 'medium', 'advice'])
  expect(rules - kept).toBe(3)
})

it('hands each value of a fix to a shell as one word', () => {
  const uri = "https://shop.example/'$(touch x)`id`;*\n"
  const [{ fix = '' } = {}] = findings('redirect_uri_refused', { application: { redirectUris: [uri] } })
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${fix}`], { encoding: 'utf8' }).split('\0')
  expect(words.slice(0, 6)).toEqual([
    'signet',
    'application',
    'update',
    'shop',
    '--set',
    `redirectUris-=${uri}`,
  ])
})
