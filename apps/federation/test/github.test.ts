import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { createRunningClock } from '@signet/testing/fake-clock'
import { EMAILS, MEMBERSHIP, OCTOCAT, startFakeGithub } from '@signet/testing/fake-github'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ISSUER, PROVIDER, type RunningFederation, runFederation } from './fixtures/running-federation.ts'

let federation: RunningFederation
let github: Awaited<ReturnType<typeof startFakeGithub>>
beforeAll(async () => {
  federation = await runFederation({ clock: createRunningClock() })
  github = await startFakeGithub()
})
afterAll(async () => {
  await github?.stop()
  await federation?.stop()
})
beforeEach(() => {
  github.reset()
  use()
})

function use(more: object = {}) {
  federation.providers.set('github', {
    ...{ ...PROVIDER, type: 'github', issuer: github.url, subjectClaim: 'id' },
    ...{ clientId: github.client.id, clientSecret: github.client.secret },
    ...{ clientAuthentication: 'client_secret_post', scopes: ['read:user', 'user:email'] },
    ...more,
  })
}

async function signIn() {
  const begun = await federation.begin('github')
  return federation.complete(begun, github.agree(begun.location))
}

describe('a sign-in by GitHub', () => {
  it('finds the person by the number of the account, with the verified primary address', async () => {
    const begun = await federation.begin('github', { loginHint: 'octocat' })
    const { origin, pathname, searchParams } = new URL(begun.location)
    expect([origin, pathname]).toEqual([github.url, '/login/oauth/authorize'])
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ response_type: 'code', client_id: github.client.id, login: 'octocat', state: begun.state },
      ...{ scope: 'read:user user:email', redirect_uri: identityProviderCallback(ISSUER, 'github') },
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: 'S256' },
    })
    const { assertion, refusal } = await federation.complete(begun, github.agree(begun.location))
    expect(refusal).toBeUndefined()
    expect(assertion).toMatchObject({
      ...{ providerId: 'github', issuer: github.url, subject: '583231', amr: [], acr: '', groups: [] },
      ...{ tokenSubject: '', sessionId: '' },
      profile: {
        ...{ userName: 'octocat', displayName: 'The Octocat', givenName: '', familyName: '' },
        ...{ email: 'octocat@octo.example', emailVerified: true },
      },
    })
    expect(assertion?.authenticatedAt).toBeUndefined()
    expect(github.calls).toEqual([
      'POST /login/oauth/access_token',
      'GET /api/v3/user',
      'GET /api/v3/user/emails',
    ])
  })

  it('asks for no address without a scope for it, and never takes that of the public profile', async () => {
    use({ scopes: ['read:user'] })
    const { assertion } = await signIn()
    expect(assertion?.profile).toMatchObject({ email: '', emailVerified: false })
    expect(github.calls).not.toContain('GET /api/v3/user/emails')
  })

  it.each([
    ['the primary one is not verified', [{ ...EMAILS[0], verified: false }, EMAILS[1]]],
    ['there is none', []],
    ['none is the primary one', [EMAILS[1]]],
    ['two are the primary one', [EMAILS[0], { ...EMAILS[1], primary: true }]],
  ])('has no address where %s', async (_, emails) => {
    github.answers.emails = emails
    const { assertion, refusal } = await signIn()
    expect([refusal, assertion?.subject]).toEqual([undefined, '583231'])
    expect(assertion?.profile).toMatchObject({ email: '', emailVerified: false })
  })

  it.each([
    ['the text "true" for verified', [{ ...EMAILS[0], verified: 'true' }]],
    ['the number 1 for primary', [{ ...EMAILS[0], primary: 1 }]],
    ['an object for the list', { email: 'a@octo.example', primary: true, verified: true }],
    ['a list without end', Array.from({ length: 101 }, () => EMAILS[1])],
    ['no JSON', '<html>'],
  ])('is refused for addresses with %s', async (_, emails) => {
    github.answers.emails = emails
    expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule: 'answer_malformed' } })
  })

  it.each([
    ['a text', '583231'],
    ['missing', undefined],
    ['null', null],
    ['0', 0],
    ['negative', -583_231],
    ['a fraction', 583_231.5],
    ['a list', [583_231]],
    ['an object', { id: 583_231 }],
    ['true', true],
  ])('is refused where the id is %s', async (_, id) => {
    github.answers.user = { ...OCTOCAT, id }
    expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule: 'subject_missing' } })
  })

  it.each(['9007199254740993', '1e400'])(
    'is refused for the number %s, which JSON does not hold',
    async (id) => {
      github.answers.user = JSON.stringify({ ...OCTOCAT, id: 1 }).replace('"id":1', `"id":${id}`)
      expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule: 'subject_missing' } })
    },
  )

  it('is refused for an id that is nested too deeply, and shows a test of such an answer', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    github.answers.user = JSON.stringify({ ...OCTOCAT, id: 1 }).replace('"id":1', `"id":${deep}`)
    expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule: 'subject_missing' } })
    github.answers.user = JSON.stringify({ ...OCTOCAT, bio: 1 }).replace('"bio":1', `"bio":${deep}`)
    const begun = await federation.begin('github', { test: true })
    const { documents } = await federation.completeTest(begun, github.agree(begun.location))
    expect(JSON.parse(documents[0]?.claims ?? '')).toMatchObject({ bio: '(nested too deeply)' })
  })

  it('leaves out names that are no texts, and takes no methods, groups and claims of the answer', async () => {
    use({ subjectClaim: 'login', mappedClaims: [{ name: 'email', value: 'bio' }], groupsClaim: 'plan' })
    github.answers.user = {
      ...{ ...OCTOCAT, login: { a: 1 }, name: 'a\u0000b', amr: ['mfa'], acr: 'high', sub: '1', plan: ['x'] },
      ...{ auth_time: 1, sid: 's', email_verified: true, phone_number: '+4930123', bio: 'root@octo.example' },
    }
    const { assertion } = await signIn()
    expect(assertion?.authenticatedAt).toBeUndefined()
    expect(assertion).toMatchObject({
      ...{ subject: '583231', amr: [], acr: '', groups: [], sessionId: '' },
      profile: { userName: '', displayName: '', phone: '', email: 'octocat@octo.example' },
    })
  })

  it.each([
    ['another token_type', { access_token: 'x', token_type: 'mac' }, 'answer_malformed'],
    ['no token_type', { access_token: 'x' }, 'answer_malformed'],
    ['no access token', { token_type: 'bearer' }, 'answer_malformed'],
    ['a token that is no text', { access_token: 7, token_type: 'bearer' }, 'answer_malformed'],
    ['an error with the status 200', { error: 'bad_verification_code' }, 'token_refused'],
    ['an error beside a token', { error: 'x', access_token: 'x', token_type: 'bearer' }, 'token_refused'],
    ['a token that the API does not take', { access_token: 'x', token_type: 'bearer' }, 'userinfo_refused'],
    ['a form', 'access_token=x&token_type=bearer', 'answer_malformed'],
  ])('is refused where the token endpoint answers %s', async (_, token, rule) => {
    github.answers.token = token
    expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule } })
  })

  it.each([
    ['/api/v3/user', 403, 'userinfo_refused', false],
    ['/api/v3/user/emails', 404, 'userinfo_refused', false],
    ['/api/v3/user', 302, 'redirect_refused', false],
    ['/api/v3/user', 500, 'provider_failed', true],
    ['/login/oauth/access_token', 401, 'token_refused', false],
  ])('is refused where %s answers %i', async (path, status, rule, temporary) => {
    github.answers.status = { [path]: status }
    expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule, temporary } })
  })

  it('ignores an ID token, which a signature none would make', async () => {
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"1"}').toString('base64url')}.`
    github.answers.token = { ...(github.answers.token as object), id_token: none }
    expect((await signIn()).assertion?.subject).toBe('583231')
  })

  it('takes no response of another issuer, state, browser or code', async () => {
    const begun = await federation.begin('github')
    const callback = github.agree(begun.location)
    callback.searchParams.set('iss', 'https://github.com/login/oauth')
    expect((await federation.complete(begun, callback)).refusal?.rule).toBe('response_issuer_differs')

    const own = await federation.begin('github')
    const named = github.agree(own.location)
    named.searchParams.set('iss', `${github.url}/login/oauth`)
    expect((await federation.complete(own, named)).assertion?.subject).toBe('583231')
    expect((await federation.complete(own, named)).refusal?.rule).toBe('request_unknown')

    const [one, two] = [await federation.begin('github'), await federation.begin('github')]
    const injected = github.agree(two.location)
    injected.searchParams.set('state', one.state)
    // The code was issued for another code challenge (RFC 7636).
    expect(await federation.complete(one, injected)).toMatchObject({
      refusal: { rule: 'token_refused', received: 'bad_verification_code' },
    })
    const elsewhere = { ...two, browser: one.browser }
    expect((await federation.complete(elsewhere, injected)).refusal?.rule).toBe('browser_differs')
  })

  it('does not begin where the time of the authentication counts, which GitHub does not say', async () => {
    const begun = await federation.begin('github', { fresh: true })
    expect(begun).toMatchObject({ location: '', refusal: { rule: 'authentication_time_missing' } })
  })

  it('counts as refusing where GitHub refuses the client, and not for what a browser asks', async () => {
    const refusing = async () =>
      Number(/^signet_upstream_providers_refusing (\d+)$/m.exec(await federation.metrics.text())?.[1])
    await signIn()
    for (let time = 0; time < 5; time += 1) await federation.begin('github', { fresh: true })
    expect(await refusing()).toBe(0)
    use({ clientSecret: 'replaced-at-github' })
    for (let time = 0; time < 5; time += 1)
      expect((await signIn()).refusal?.received).toBe('incorrect_client_credentials')
    expect(await refusing()).toBe(1)
    use()
    await signIn()
    expect(await refusing()).toBe(0)
  })

  it('shows a test the answers, and no token is in the log', async () => {
    const begun = await federation.begin('github', { test: true })
    const callback = github.agree(begun.location)
    const { documents } = await federation.completeTest(begun, callback)
    const shown = documents.map(({ name, claims }) => [name, JSON.parse(claims)] as const)
    expect(shown).toMatchObject([
      ['user', { id: 583_231, login: 'octocat' }],
      ['emails', { emails: [{ email: 'octocat@octo.example', primary: true, verified: true }, {}] }],
    ])
    const log = JSON.stringify(federation.lines)
    for (const secret of ['gho_', github.client.secret, callback.searchParams.get('code') ?? '-'])
      expect(log).not.toContain(secret)
  })
})

describe('a provider of GitHub with a required organization', () => {
  const scopes = ['read:user', 'read:org']
  const useOrganization = (value = '9919', more: object = { scopes }) =>
    use({ requiredClaims: [{ name: 'organization', value }], ...more })
  const other = (id: number, state = 'active') => ({
    ...{ ...MEMBERSHIP, state },
    organization: { ...MEMBERSHIP.organization, id },
  })
  const others = (count: number) => Array.from({ length: count }, (_, at) => other(100_000 + at))

  it('signs an active member in, and shows the membership in a test', async () => {
    useOrganization()
    expect(await signIn()).toMatchObject({ refusal: undefined, assertion: { subject: '583231', groups: [] } })
    const begun = await federation.begin('github', { test: true })
    const { documents } = await federation.completeTest(begun, github.agree(begun.location))
    expect(documents.map(({ name }) => name)).toEqual(['user', 'membership'])
  })

  it('finds the membership on a later page, and asks for five pages at most', async () => {
    useOrganization()
    github.answers.memberships = [...others(450), MEMBERSHIP]
    expect((await signIn()).assertion?.subject).toBe('583231')
    github.answers.memberships = [...others(500), MEMBERSHIP]
    github.calls.splice(0)
    expect((await signIn()).refusal?.rule).toBe('required_claim_differs')
    expect(github.calls.filter((call) => call.endsWith('/orgs'))).toHaveLength(5)
  })

  it.each<[string, unknown]>([
    ['is a member of none', []],
    ['is a member of another one', [other(99_190)]],
    ['is invited', [other(9_919, 'pending')]],
    ['is a member of one with its name', [other(1)]],
  ])('refuses a person who %s', async (_, memberships) => {
    useOrganization()
    github.answers.memberships = memberships
    expect(await signIn()).toMatchObject({
      assertion: undefined,
      refusal: { rule: 'required_claim_differs', received: '' },
    })
  })

  it.each<[string, unknown]>([
    ['no list', { organizations: [MEMBERSHIP] }],
    ['a number that is a text', [{ ...MEMBERSHIP, organization: { login: 'octo-org', id: '9919' } }]],
    ['more than a page has', 'x'],
  ])('refuses an answer that is %s', async (_, memberships) => {
    useOrganization()
    github.answers.memberships = memberships
    expect(await signIn()).toMatchObject({ assertion: undefined, refusal: { rule: 'answer_malformed' } })
  })

  it('refuses where GitHub does not let the application read memberships, and where its API is away', async () => {
    useOrganization('9919', { scopes: ['read:user'] })
    expect((await signIn()).refusal?.rule).toBe('userinfo_refused')
    useOrganization()
    github.answers.status = { '/api/v3/user/memberships/orgs': 502 }
    expect((await signIn()).refusal).toMatchObject({ rule: 'provider_failed', temporary: true })
  })

  it('asks for no membership without the condition', async () => {
    use({ scopes })
    await signIn()
    expect(github.calls.some((call) => call.includes('memberships'))).toBe(false)
  })
})
