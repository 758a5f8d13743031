import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HttpBrowser } from '@signet/testing/http-browser'
import { shownCode } from '@signet/testing/shown-code'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserLogin, loginFile, storeLogin } from '../src/access/stored-login.ts'
import type { CommandContext } from '../src/context.ts'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

const PASSWORD = 'Correct-horse-7'

let fixture: CommandFixture
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  fixture = await startCommandFixture()
  env = { XDG_CONFIG_HOME: fixture.folder }
  for (const line of [
    'project create --set id=tools --set organizationId=home --set name=Tools',
    `user create --set id=erin --set organizationId=home --set userName=erin --set profile.givenName=Erin --set profile.familyName=E --set password=${PASSWORD}`,
    'instance-member set erin --set roles=IAM_OWNER_VIEWER',
  ]) {
    expect(await fixture.signet(...line.split(' '))).toMatchObject({ code: 0, err: '' })
  }
})
afterAll(() => fixture.close())

/** Runs a command as the person whose login is stored. */
const asPerson = (line: string, change: Partial<CommandContext> = {}) =>
  fixture.signetWith({ env, ...change }, ...line.split(' '))
const stored = async () => JSON.parse(await readFile(loginFile(env), 'utf8')) as BrowserLogin
/** Rejects when the browser fails, which the command goes on waiting for. */
async function login(browse: (url: string) => Promise<void>, ...more: string[]) {
  const failed = Promise.withResolvers<never>()
  let browsed: Promise<void> | undefined
  const openBrowser = (url: string) => {
    browsed = browse(url)
    return browsed.catch(failed.reject)
  }
  const words = ['login', '--issuer', fixture.system.issuer, ...more]
  const outcome = await Promise.race([fixture.signetWith({ env, openBrowser }, ...words), failed.promise])
  await browsed
  return outcome
}

/** Erin signs in on the pages of the suite. Returns the address of the callback. */
async function signIn(url: string, browser = new HttpBrowser(fixture.system.issuer)): Promise<string> {
  const asked = await browser.submit(await browser.open(url), { login_name: 'erin', password: PASSWORD })
  expect(asked.body).toContain('Signet command line')
  const { headers, body } = await browser.submit(asked, { decision: 'allow' })
  return headers.get('location') ?? body
}

const signsIn = async (url: string) => {
  const page = await fetch(await signIn(url))
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('You are signed in')])
  // The address bar and the history of the browser keep no code.
  expect(new URL(page.url)).toMatchObject({ pathname: '/done', search: '' })
}

describe('signet login in the browser', () => {
  it('says what to do as long as no application allows it', async () => {
    const noBrowser = () => Promise.reject(new Error('opened'))
    expect(await login(noBrowser)).toEqual({
      code: 3,
      out: '',
      err: `${fixture.system.issuer} does not let people sign in to the command line as client signet-cli; an IAM_OWNER allows it with signet application create cli --project ID. Or sign in with --token-file\n`,
    })
    const unmarked = 'application create native --project tools --redirect-uri http://127.0.0.1/callback'
    const { code } = await fixture.signet(...unmarked.split(' '), '--set', 'clientId=unmarked')
    expect(code).toBe(0)
    expect(await login(noBrowser, '--client-id', 'unmarked')).toMatchObject({
      code: 3,
      err: expect.stringContaining('as client unmarked (invalid_scope)'),
    })
    const created = await fixture.signet('application', 'create', 'cli', '--project', 'tools')
    expect(created.code).toBe(0)
    expect(created.err).toMatch(
      /^client_id of the application is signet-cli; its id, for commands, is \w+\n$/,
    )
    expect(created.out).toMatch(/^clientId +signet-cli$/m)
    expect(created.out).toMatch(/^firstParty +false$/m)
    // A second at most, in which the services learn of it.
    const query = new URLSearchParams({
      client_id: 'signet-cli',
      redirect_uri: 'http://127.0.0.1/callback',
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const authorize = `${fixture.system.issuer}/oauth/v2/authorize?${query}`
    await expect.poll(async () => (await fetch(authorize, { redirect: 'manual' })).status).toBe(303)
  })

  it('keeps the tokens of the person where only the user can read them', async () => {
    const outcome = await login(signsIn)
    expect(outcome).toMatchObject({ code: 0, out: expect.stringContaining('signed in at') })
    expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600)
    const { accessToken, refreshToken } = await stored()
    expect(outcome.out + outcome.err).not.toContain(accessToken)
    expect(outcome.out + outcome.err).not.toContain(refreshToken)
    expect(await asPerson('organization read home')).toMatchObject({ code: 0, err: '' })
    // With the roles of the person, no more.
    expect(await asPerson('organization update home --set name=Other')).toMatchObject({ code: 4 })
  })

  it('renews the access token, also in two commands at the same time', async () => {
    const before = await stored()
    const now = () => new Date(Date.parse(before.expiresAt) - 10_000)
    const both = await Promise.all([
      asPerson('organization read home', { now }),
      asPerson('user read erin', { now }),
    ])
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }])
    const after = await stored()
    expect(after.refreshToken).not.toBe(before.refreshToken)
    expect(after.accessToken).not.toBe(before.accessToken)
    expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600)
    expect(await asPerson('organization read home')).toMatchObject({ code: 0 })
  })

  it('is stored whole by each of many commands at the same time', async () => {
    const before = await stored()
    const file = join(fixture.folder, 'many', 'login.json')
    const tokens = Array.from({ length: 30 }, (_, index) => ({ ...before, accessToken: `token-${index}` }))
    await Promise.all(tokens.map((one) => storeLogin(file, one)))
    expect(tokens).toContainEqual(JSON.parse(await readFile(file, 'utf8')))
    expect(await readdir(dirname(file))).toEqual(['login.json'])
  })

  it('ignores requests that do not answer it, and names a refusal of the sign-in', async () => {
    const strange = async (url: string) => {
      const callback = new URL(new URL(url).searchParams.get('redirect_uri') ?? '')
      for (const query of ['code=stolen', 'code=stolen&state=other', 'error=access_denied', '']) {
        callback.search = query
        expect((await fetch(callback)).status).toBe(400)
      }
      callback.search = new URLSearchParams({
        code: 'stolen',
        state: new URL(url).searchParams.get('state') ?? '',
        iss: 'https://other.example',
      }).toString()
      expect((await fetch(callback)).status).toBe(400)
      await signsIn(url)
    }
    expect(await login(strange)).toMatchObject({ code: 0 })
    const kept = await stored()
    const declines = async (url: string) => {
      const { searchParams } = new URL(url)
      const callback = new URL(searchParams.get('redirect_uri') ?? '')
      callback.searchParams.set('state', searchParams.get('state') ?? '')
      callback.searchParams.set('error', 'access_denied')
      expect(await (await fetch(callback)).text()).toContain('You are not signed in')
    }
    expect(await login(declines)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/the sign-in was refused: access_denied\n$/),
    })
    expect(await stored()).toEqual(kept)
  })

  it('sends a challenge, without whose verifier a code is worth nothing', async () => {
    const taken = async (url: string) => {
      expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
      const callback = new URL(await signIn(url))
      const response = await fetch(`${fixture.system.issuer}/oauth/v2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: 'signet-cli',
          code: callback.searchParams.get('code') ?? '',
          redirect_uri: `${callback.origin}/callback`,
          code_verifier: 'a'.repeat(43),
        }),
      })
      expect(response.status).toBe(400)
      await fetch(callback)
    }
    await login(taken)
  })

  it('asks for password and consent in a browser with a session, for which a link alone brings no code', async () => {
    const browser = new HttpBrowser(fixture.system.issuer)
    const again = async (url: string) => {
      await fetch(await signIn(url, browser))
      // Another process of the device could send this to the browser.
      const link = new URL(url)
      link.searchParams.delete('prompt')
      const page = await browser.open(link.href)
      expect(page.headers.get('location')).toBeNull()
      expect(page.body).toContain('id="consent-allow"')
    }
    expect(await login(again)).toMatchObject({ code: 0 })
    expect(await login(again)).toMatchObject({ code: 0 })
  })

  it('writes the address without opening it with --no-browser', async () => {
    const opened: string[] = []
    let addressed: Promise<void> | undefined
    const outcome = await fixture.signetWith(
      {
        env,
        openBrowser: async (url) => void opened.push(url),
        note: (line) => {
          const [, url] = /(http\S+)$/.exec(line) ?? []
          if (url !== undefined) addressed = signsIn(url)
        },
      },
      ...['login', '--issuer', fixture.system.issuer, '--no-browser'],
    )
    await addressed
    expect([outcome.code, opened]).toEqual([0, []])
  })

  it('is ended by signet logout, and by the suite', async () => {
    const { accessToken, refreshToken } = await stored()
    expect(await asPerson('logout')).toMatchObject({ code: 0, err: '' })
    const as = { ...env, SIGNET_ISSUER: fixture.system.issuer, SIGNET_TOKEN: accessToken }
    expect(await asPerson('organization read home', { env: as })).toMatchObject({ code: 3 })
    const response = await fetch(`${fixture.system.issuer}/oauth/v2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'signet-cli',
        refresh_token: refreshToken,
      }),
    })
    expect(response.status).toBe(400)

    expect(await login(signsIn)).toMatchObject({ code: 0 })
    expect((await fixture.signet('user', 'sign-out', 'erin')).code).toBe(0)
    expect(await asPerson('organization read home')).toMatchObject({ code: 3 })
    const later = { now: () => new Date(Date.now() + 86_400_000) }
    expect(await asPerson('organization read home', later)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^the sign-in has ended; repeat signet login: /),
    })
  })

  it('signs an administrator in again where the instance wants a second factor, which is added there', async () => {
    expect(await login(signsIn)).toMatchObject({ code: 0 })
    const policy = await fixture.signet('security-policy', 'set', '--set', 'iamRequiresMfa=true')
    expect(policy.code).toBe(0)
    await expect
      .poll(() => asPerson('organization list'))
      .toMatchObject({ code: 3, err: expect.stringContaining('/ui/account/factors') })
    const browser = new HttpBrowser(fixture.system.issuer)
    const requested: (string | null)[] = []
    const addsFactor = async (url: string) => {
      const acr = new URL(url).searchParams.get('acr_values')
      requested.push(acr)
      if (acr === null) return void (await fetch(await signIn(url, browser)))
      const offered = await browser.open(url)
      const secret = (/id="enrolment-secret"[^>]*>([^<]+)/.exec(offered.body)?.[1] ?? '').replaceAll(' ', '')
      const codes = await browser.submit(offered, { code: shownCode(secret) })
      const onward = /id="recovery-codes-kept" href="([^"]+)"/.exec(codes.body)?.[1] ?? ''
      const asked = await browser.open(onward.replaceAll('&amp;', '&'))
      const { headers } = await browser.submit(asked, { decision: 'allow' })
      await fetch(headers.get('location') ?? '')
    }
    const outcome = await login(addsFactor)
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('need a second factor') })
    expect(requested).toEqual([null, 'urn:service:acr:mfa'])
    expect(await asPerson('organization read home')).toMatchObject({ code: 0, err: '' })
  })
})
