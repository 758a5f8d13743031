import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

const CALLBACK = 'https://shop.example/callback'

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
  for (const command of [
    ['project', 'create', '--set', 'id=portal', '--set', 'name=Portal', '--set', 'organizationId=home'],
    ['user', 'create', '--set', 'id=bob', '--set', 'userName=bob', '--set', 'organizationId=home'],
  ])
    expect(await fixture.signet(...command, ...PERSON(command))).toMatchObject({ code: 0 })
  const application = [
    ...['application', 'create', 'web', '--project', 'portal', '--name', 'Shop', '--redirect-uri', CALLBACK],
    ...['--set', 'id=shop-id', '--set', 'clientId=shop'],
  ]
  expect(await fixture.signet(...application)).toMatchObject({ code: 0 })
}, 60_000)
afterAll(() => fixture?.close())

const PERSON = ([noun]: readonly string[]) =>
  noun === 'user' ? ['--set', 'profile.givenName=B', '--set', 'profile.familyName=B'] : []

/** Asks for a sign-in of the application; returns the request id of the response. */
async function authorize(more: Readonly<Record<string, string>>): Promise<string> {
  const query = new URLSearchParams({
    client_id: 'shop',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    ...more,
  })
  const url = `${fixture.system.issuer}/oauth/v2/authorize?${query}`
  const response = await fetch(url, { redirect: 'manual' })
  return response.headers.get('x-request-id') ?? ''
}

const whyOf = async (requestId: string) => (await fixture.signet('why', requestId)).out

describe('signet why', () => {
  it('says for a request id what was refused and the command that cures it', async () => {
    const requestId = await authorize({ redirect_uri: 'https://shop.example/other' })
    await expect.poll(() => whyOf(requestId)).toContain('redirect_uri_unregistered')
    const out = await whyOf(requestId)
    expect(out).toMatch(/^\d{4}-.*Z: login refused: redirect_uri_unregistered$/m)
    expect(out).toContain(`application shop, from 127.0.0.1, request ${requestId}`)
    expect(out).toContain('received: https://shop.example/other')
    expect(out).toContain(
      'Cure: signet application update shop-id --set redirectUris+=https://shop.example/other',
    )
    // The command as it is printed cures it.
    const cure = ['application', 'update', 'shop-id', '--set', 'redirectUris+=https://shop.example/other']
    expect(await fixture.signet(...cure)).toMatchObject({ code: 0 })
  })

  it('shows nothing of a request that a terminal obeys', async () => {
    const requestId = await authorize({ redirect_uri: 'https://shop.example/\u001b[2J\u009b2Jx' })
    await expect.poll(() => whyOf(requestId)).toContain('redirect_uri_unregistered')
    expect(await whyOf(requestId)).not.toMatch(/[^\P{Cc}\n]/u)
    const list = await fixture.signet('refusal', 'list', '--request-id', requestId)
    expect([list.code, list.out]).toEqual([0, expect.not.stringMatching(/[^\P{Cc}\n]/u)])
  })

  it('says for an application what its requests asked for in vain', async () => {
    await authorize({ scope: 'openid profil' })
    const why = async () => (await fixture.signet('why', '--application', 'shop')).out
    await expect.poll(why).toContain('login answered otherwise than asked: scopes_dropped')
    expect(await why()).toContain('scopes: profil')
    expect(await why()).toContain('login answered otherwise than asked: offline_access_missing')
  })

  it('says that nothing is known of another request id', async () => {
    expect(await fixture.signet('why', 'no-such-request')).toMatchObject({
      code: 0,
      out: expect.stringContaining('no refusal is known'),
    })
    expect(JSON.parse((await fixture.signet('why', 'no-such-request', '--output', 'json')).out)).toEqual({
      items: [],
    })
  })

  it('evaluates each rule for a person and an application, by their names', async () => {
    const { code, out } = await fixture.signet(
      ...['why', '--user', 'bob@home.localhost', '--application', 'shop'],
    )
    expect(code).toBe(12)
    expect(out).toMatch(
      /^passes {2}account: the account and its organization are active \(active of the user\)$/m,
    )
    expect(out).toMatch(/^FAILS {3}password: the account has no password \(false of the user\)$/m)
    expect(out).toMatch(/^ +Cure: signet user invite bob$/m)
    expect(out).toMatch(/^The person does not get in\.$/m)
    const set = [
      'user',
      'set-password',
      'bob',
      '--set',
      'password=Correct-horse-9',
      '--set',
      'changeRequired=false',
    ]
    expect(await fixture.signet(...set)).toMatchObject({ code: 0 })
    const after = await fixture.signet('why', '--user', 'bob', '--application', 'shop-id')
    expect(after).toMatchObject({ code: 0, out: expect.stringContaining('The person gets in.') })
  })

  it('asks for a request id, a person or an application', async () => {
    expect(await fixture.signet('why')).toMatchObject({ code: 2 })
    expect(await fixture.signet('why', 'x', '--scope', 'openid')).toMatchObject({ code: 2 })
  })
})

describe('signet application review', () => {
  it('prints commands that cure each finding as a shell reads them', async () => {
    const settings = {
      ...{ id: 'loose', projectId: 'portal', name: 'Loose', type: 'web', devMode: true },
      redirectUris: ["http://shop.example/it's?a,b", 'https://shop.example/', 'http://localhost:3000/'],
      responseTypes: ['id_token', 'id_token token'],
      ...{ grantTypes: ['implicit', 'refresh_token'], accessTokenLifetimeSeconds: 86_400 },
    }
    const body = Object.entries(settings).flatMap(([name, value]) => [
      ...['--set', `${name}=${Array.isArray(value) ? JSON.stringify(value) : value}`],
    ])
    expect(await fixture.signet('application', 'create', ...body)).toMatchObject({ code: 0 })
    const review = async () => {
      const { out } = await fixture.signet('application', 'review', 'loose', '--output', 'json')
      return JSON.parse(out).findings as readonly { readonly rule: string; readonly fix: string }[]
    }
    const found = await review()
    expect(found.map(({ rule }) => rule)).toEqual([
      ...['implicit_access_token', 'redirect_uri_http', 'development_mode', 'implicit_id_token'],
      ...['redirect_uri_loopback', 'client_secret', 'unbound_tokens', 'long_lifetime'],
    ])
    const cure = async ({ fix }: { readonly fix: string }) => {
      const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${fix}`], { encoding: 'utf8' })
      const [, ...words] = printed.split('\0').slice(0, -1)
      expect(await fixture.signet(...words)).toMatchObject({ code: 0 })
    }
    for (const finding of found) await cure(finding)
    const [later, ...others] = await review()
    expect([later?.rule, others]).toEqual(['pkce_not_required', []])
    if (later !== undefined) await cure(later)
    expect(await review()).toEqual([])
    expect((await fixture.signet('application', 'review', 'loose')).out).toContain('kept')
  })
})
