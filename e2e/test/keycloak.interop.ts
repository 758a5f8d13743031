import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { HttpBrowser } from '@signet/testing/http-browser'
import { shownCode } from '@signet/testing/shown-code'
import { basic } from '@signet/testing/system/client-credentials'
import { discover } from '@signet/testing/system/sign-in-journey'
import { signetCommand } from '@signet/testing/system/signet-command'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN } from '@signet/testing/system/test-directory'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, giveServiceRoles, SERVICE_ROLE } from './keycloak-clients.ts'
import { type Keycloak, startKeycloak } from './keycloak-server.ts'

// A realm of a real Keycloak, made through its administration API, exported by `kc.sh export` and imported by
// `signet import --from keycloak`. `npm run test:interop` runs it where Java and Maven are installed.

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['java', 'mvn'].every((program) => programs.includes(program))

const REALM = 'old'
const PEOPLE = 2_000
const CALLS_AT_ONCE = 4
const DEPARTMENT = 'night shift'
const REDIRECT_URI = 'https://web.old.example/callback'
const WEB_SECRET = 'a-secret-of-the-old-web-client'
/** Text whose bytes are the seed without `secretEncoding`. */
const OTP_TEXT = 'DJmQfC73VGFhw7D4QJ8A'
const OTP_BASE32 = 'IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB'
/** People with a code have two devices; the second has the parameters of the realm's OTP policy. */
const OTP_DEVICES = [
  { digits: 6, period: 30, algorithm: 'HmacSHA1' },
  { digits: 8, period: 60, algorithm: 'HmacSHA256' },
] as const

/**
 * The hashes that the password policy of a realm can ask for, each with the rounds that Keycloak takes by default. Most
 * people get fewer rounds, because a thousand hashes of the last kind take twenty minutes.
 */
const HASHES = [
  { algorithm: 'argon2', rounds: 5, fewer: 2 },
  { algorithm: 'pbkdf2-sha512', rounds: 210_000, fewer: 5_000 },
  { algorithm: 'pbkdf2-sha256', rounds: 600_000, fewer: 27_500 },
  { algorithm: 'pbkdf2', rounds: 1_300_000, fewer: 20_000 },
] as const

interface OldUser {
  readonly username: string
  readonly password: string
  readonly policy: string
  readonly representation: Readonly<Record<string, unknown>>
}

const hasCode = (number: number) => number % 10 === 0

/** Ten of a kind have the default rounds; every tenth person has a code, every third a group. */
const people: readonly OldUser[] = Array.from({ length: PEOPLE }, (_, number) => {
  const { algorithm, rounds, fewer } = HASHES[number % HASHES.length] ?? HASHES[0]
  const username = `person-${number}`
  const password = `Old-password-${number}`
  const codes = OTP_DEVICES.map((parameters) => ({
    type: 'otp',
    userLabel: `device ${parameters.digits}`,
    secretData: JSON.stringify({ value: OTP_TEXT }),
    credentialData: JSON.stringify({ subType: 'totp', counter: 0, ...parameters }),
  }))
  return {
    username,
    password,
    policy: `hashAlgorithm(${algorithm}) and hashIterations(${number < 40 ? rounds : fewer})`,
    representation: {
      username,
      enabled: number % 50 !== 49,
      firstName: 'Given',
      lastName: `Family ${number}`,
      email: `${username}@old.example`,
      emailVerified: true,
      attributes: { locale: ['de'], department: [DEPARTMENT] },
      groups: number % 3 === 0 ? ['/staff/night'] : [],
      credentials: [
        { type: 'password', value: password, temporary: false },
        ...(hasCode(number) ? codes : []),
      ],
    },
  }
})
const PERSON_WITH_GROUP = people[3] as OldUser
const isEnabled = ({ representation }: OldUser) => representation.enabled === true

async function fillRealm(keycloak: Keycloak): Promise<void> {
  await keycloak.call('POST', '/realms', {
    realm: REALM,
    enabled: true,
    registrationAllowed: true,
    roles: {
      realm: [{ name: 'reader' }, { name: 'writer', composites: { realm: ['reader'] } }],
      client: { 'api-0': [{ name: SERVICE_ROLE }] },
    },
    groups: [
      { name: 'staff', realmRoles: ['reader'], subGroups: [{ name: 'night', realmRoles: ['writer'] }] },
    ],
    clients: [
      ...CLIENTS.map(({ representation }) => representation),
      {
        clientId: 'old-web',
        name: 'Old web',
        secret: WEB_SECRET,
        publicClient: false,
        standardFlowEnabled: true,
        serviceAccountsEnabled: true,
        redirectUris: [REDIRECT_URI, 'https://web.old.example/*'],
        webOrigins: ['+'],
      },
      {
        clientId: 'old-spa',
        publicClient: true,
        standardFlowEnabled: true,
        redirectUris: ['https://spa.old.example/'],
      },
    ],
  })
  await giveServiceRoles(keycloak, REALM)
  // Without it a realm keeps no attribute of its own.
  const profile = (await keycloak.call('GET', `/realms/${REALM}/users/profile`)) as object
  await keycloak.call('PUT', `/realms/${REALM}/users/profile`, {
    ...profile,
    unmanagedAttributePolicy: 'ENABLED',
  })
  // The policy of the realm at the moment of the call decides how a password is hashed.
  for (const policy of new Set(people.map((person) => person.policy))) {
    await keycloak.call('PUT', `/realms/${REALM}`, { passwordPolicy: policy })
    const waiting = people.filter((person) => person.policy === policy).values()
    const work = async () => {
      for (const { representation } of waiting) {
        await keycloak.call('POST', `/realms/${REALM}/users`, representation)
      }
    }
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  }
}

describe.runIf(canRun)('a realm of 52 clients and 2,000 people', () => {
  let signet: StandaloneSystem
  let folder: string
  let said: string
  let leftOut: readonly { readonly record?: string; readonly what: string; readonly next?: string }[]
  const signetHere = (...args: readonly string[]) =>
    signetCommand(args, { issuer: signet.issuer, token: ADMIN_TOKEN })
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signet-realm-'))
    const keycloak = await startKeycloak()
    try {
      await fillRealm(keycloak)
      await keycloak.exportRealm(REALM, folder, 300)
    } finally {
      await keycloak.remove()
    }
    signet = await startSystem({ mode: 'standalone' })
    const list = join(folder, 'left-out.ndjson')
    said = await signetHere('import', '--from', 'keycloak', folder, '--left-out', list)
    leftOut = (await readFile(list, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }, 1_800_000)
  afterAll(async () => {
    await signet?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** `signed in`, or what the page said instead. */
  async function signIn(username: string, password: string, code?: string): Promise<string> {
    const browser = new HttpBrowser(signet.issuer)
    const query = new URLSearchParams({
      client_id: 'old-web',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid',
    })
    const form = await browser.open(`/oauth/v2/authorize?${query}`)
    let page = await browser.submit(form, { login_name: `${username}@old.example`, password })
    if (code !== undefined) {
      expect(page.body, username).toContain('id="totp-code"')
      page = await browser.submit(page, { code })
    }
    const location = page.headers.get('location') ?? ''
    return location.startsWith(`${REDIRECT_URI}?code=`)
      ? 'signed in'
      : `${page.status} ${location} ${/role="alert"[^>]*>([^<]*)/.exec(page.body)?.[1]}`
  }

  it('is imported without a failure', () => {
    expect(said).toMatch(/ created, 0 updated, 0 skipped, 0 failed/)
    // Passwords, codes, groups and attributes of people all arrive.
    expect(leftOut.filter(({ what }) => /^users|^humanUsers/.test(what))).toEqual([])
  })

  it('lets its people sign in with their old passwords, of each hash, and with the codes of their apps', async () => {
    const failed: string[] = []
    for (const [number, person] of people.entries()) {
      if (!isEnabled(person)) continue
      const { digits, period, algorithm } = OTP_DEVICES[number % 20 === 0 ? 0 : 1]
      const device = { digits, period, algorithm: algorithm.replace('Hmac', '') }
      const code = hasCode(number) ? shownCode(OTP_BASE32, device) : undefined
      const result = await signIn(person.username, person.password, code)
      if (result !== 'signed in') failed.push(`${person.username} (${person.policy}): ${result}`)
    }
    expect(failed).toEqual([])
  }, 600_000)

  it('refuses wrong passwords and people that Keycloak disabled', async () => {
    expect(await signIn('person-1', 'Old-password-2')).toMatch(/^400 .*password is not right/)
    expect(await signIn('person-49', 'Old-password-49')).toMatch(/^400 .*password is not right/)
  })

  it('keeps the secret of its client', async () => {
    const form = { grant_type: 'client_credentials', scope: 'openid' }
    expect(await signet.post('/oauth/v2/token', form, basic('old-web', WEB_SECRET))).toMatchObject({
      status: 200,
    })
    const wrong = await signet.post('/oauth/v2/token', form, basic('old-web', `${WEB_SECRET}x`))
    expect(wrong.status).toBe(401)
  })

  it('has a list of tasks whose commands let every client work', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const publicKeyJwk = JSON.stringify(await exportJWK(publicKey))
    const secrets = new Map(CLIENTS.map(({ clientId, secret }) => [clientId, secret]))
    const scopes = new Map<string, string>()
    const tasks = leftOut.filter(({ next }) => next !== undefined)
    const startedAt = performance.now()
    for (const { record = '', next = '' } of tasks) {
      const update = (...changes: readonly string[]) =>
        signetHere('application', 'update', record, ...changes.flatMap((change) => ['--set', change]))
      const [, uri] = /register the exact URI in place of (\S+)/.exec(next) ?? []
      if (uri !== undefined) await update(`redirectUris+=${uri.replace('*', 'callback')}`)
      else if (next.includes('application rotate-secret')) {
        const made = await signetHere('application', 'rotate-secret', record, '--yes', '--output', 'json')
        secrets.set(record, JSON.parse(made).clientSecret)
      } else if (next.includes('application-key create')) {
        await signetHere('application-key', 'create', record, '--set', `publicKeyJwk=${publicKeyJwk}`)
      } else if (/authorization code flow|use a grant type/.test(next)) {
        const ownUri = `redirectUris+=https://${record}.old.example/callback`
        await update('responseTypes+=code', 'grantTypes+=authorization_code', ownUri)
      }
      const [, asked] = /ask for the scopes? (.+?)(, which .*)?$/.exec(next) ?? []
      if (asked !== undefined)
        scopes.set(record, `${scopes.get(record) ?? ''} ${asked.replaceAll(' and ', ' ')}`.trim())
    }
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
    process.stdout.write(`${tasks.length} tasks took ${minutes} minutes\n`)
    // A change of an application counts within a second.
    await pause(1_500)

    const failed: string[] = []
    for (const { clientId, kind } of CLIENTS) {
      if (kind === 'saml' || kind === 'api') continue
      const config = await discover(
        signet.issuer,
        clientId,
        kind === 'jwt' ? oidc.PrivateKeyJwt(privateKey) : authenticationWith(secrets.get(clientId)),
      )
      const scope = ['openid', 'profile', scopes.get(clientId)].filter(Boolean).join(' ')
      try {
        const tokens =
          kind === 'service'
            ? await oidc.clientCredentialsGrant(config, { scope })
            : await codeFlow(config, await firstRedirectUri(clientId), scope)
        const claims = decodeJwt(tokens.access_token)
        if (kind === 'service') expect(JSON.stringify(claims)).toContain(`api-0:${SERVICE_ROLE}`)
        if (kind !== 'mapped') continue
        expect(claims).toMatchObject({ department: DEPARTMENT, roles: ['reader', 'writer'] })
        expect(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub ?? '')).toMatchObject({
          preferred_username: PERSON_WITH_GROUP.username,
          department: DEPARTMENT,
        })
      } catch (error) {
        failed.push(`${clientId}: ${error}`)
      }
    }
    expect(failed).toEqual([])
  }, 600_000)

  const authenticationWith = (secret: string | undefined) =>
    secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret)

  async function firstRedirectUri(clientId: string): Promise<string> {
    const shown = JSON.parse(await signetHere('application', 'read', clientId, '--output', 'json'))
    return shown.redirectUris[0]
  }

  /** The tokens of a person for a client that sends a code challenge. */
  async function codeFlow(config: oidc.Configuration, redirectUri: string, scope: string) {
    const verifier = oidc.randomPKCECodeVerifier()
    const { pathname, search } = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const { username, password } = PERSON_WITH_GROUP
    const browser = new HttpBrowser(signet.issuer)
    const form = await browser.open(`${pathname}${search}`)
    const page = await browser.submit(form, { login_name: `${username}@old.example`, password })
    const location = page.headers.get('location')
    if (location === null)
      throw new Error(`${page.status} ${/role="alert"[^>]*>([^<]*)/.exec(page.body)?.[1]}`)
    return oidc.authorizationCodeGrant(config, new URL(location), { pkceCodeVerifier: verifier })
  }
})

it.skipIf(canRun)('needs java and mvn', ({ skip }) => skip('java or mvn is not installed'))
