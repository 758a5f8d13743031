import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { HttpBrowser } from '@signet/testing/http-browser'
import { type Keycloak, startKeycloak } from '@signet/testing/keycloak-server'
import { shownCode } from '@signet/testing/shown-code'
import { basic } from '@signet/testing/system/client-credentials'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsOf, createTerminal, scopesOf, type Terminal, typeCommands } from './keycloak-checklist.ts'
import { type SigningIn, signInClient } from './keycloak-client-sign-ins.ts'
import { CLIENTS, giveServiceRoles, SERVICE_ROLE } from './keycloak-clients.ts'
import { createPeople, type OldPerson, OTP_BASE32, OTP_DEVICES } from './keycloak-people.ts'

// A realm of a real Keycloak, imported into it with hashes of many kinds, exported by `kc.sh export` and imported by
// `signet import --from keycloak`. `npm run test:interop` runs it where Java and Maven are installed.

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['java', 'mvn'].every((program) => programs.includes(program))

const REALM = 'old'
const SIGN_INS_AT_ONCE = 4
/** A page asks to try again when the slow hashes of others were checked for two seconds. */
const MOST_TRIES = 100
/** Kinds of clients without a counterpart, and those that Keycloak disabled. */
const WITHOUT_SIGN_IN: readonly string[] = ['saml', 'disabled']
/** Rounds of sign-ins and commands after which the list is to have none left. */
const MOST_ROUNDS = 6

async function fillRealm(keycloak: Keycloak, people: readonly OldPerson[]): Promise<void> {
  const night = { name: 'night', realmRoles: ['writer'] }
  await keycloak.call('POST', '/realms', {
    realm: REALM,
    enabled: true,
    registrationAllowed: true,
    roles: {
      realm: [{ name: 'reader' }, { name: 'writer', composites: { realm: ['reader'] } }],
      client: { 'api-0': [{ name: SERVICE_ROLE }] },
    },
    groups: [{ name: 'staff', realmRoles: ['reader'], subGroups: [night] }],
    clients: CLIENTS.map(({ representation }) => representation),
    users: people.flatMap(({ policy, representation }) => (policy === undefined ? [representation] : [])),
  })
  await giveServiceRoles(keycloak, REALM)
  // Without it the API keeps no attribute of its own.
  const profile = (await keycloak.call('GET', `/realms/${REALM}/users/profile`)) as object
  await keycloak.call('PUT', `/realms/${REALM}/users/profile`, {
    ...profile,
    unmanagedAttributePolicy: 'ENABLED',
  })
  for (const { policy, representation } of people) {
    if (policy === undefined) continue
    await keycloak.call('PUT', `/realms/${REALM}`, { passwordPolicy: policy })
    await keycloak.call('POST', `/realms/${REALM}/users`, representation)
  }
}

const minutesOf = (milliseconds: number) => (milliseconds / 60_000).toFixed(1)

describe.runIf(canRun)('a realm of 50 clients and 2,000 people', () => {
  const minutes: Record<string, string> = {}
  async function measured<T>(what: string, work: () => Promise<T>): Promise<T> {
    const from = performance.now()
    const result = await work()
    minutes[what] = minutesOf(performance.now() - from)
    return result
  }

  let people: readonly OldPerson[]
  let signet: StandaloneSystem
  let terminal: Terminal
  let folder: string
  let said: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signet-realm-'))
    people = await createPeople()
    const keycloak = await startKeycloak()
    const files = join(folder, 'realm')
    try {
      await measured('filling Keycloak', () => fillRealm(keycloak, people))
      await measured('kc.sh export', () => keycloak.exportRealm(REALM, files, 300))
    } finally {
      await keycloak.remove()
    }
    signet = await startSystem({ mode: 'standalone' })
    terminal = await createTerminal(folder, signet.issuer)
    said = await measured('signet import', () =>
      terminal(`signet import --from keycloak ${files} 2>&1; true`),
    )
  }, 1_800_000)
  afterAll(async () => {
    process.stdout.write(`minutes: ${JSON.stringify(minutes)}\n`)
    await signet?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('is imported without a failure', () => {
    expect(said).toMatch(/ created, 0 updated, 0 skipped, 0 failed/)
    // Passwords, codes, groups and attributes of people all arrive.
    expect(said).not.toMatch(/× (users|humanUsers)/)
  })

  it('has a list of tasks whose commands, typed as they are, let every client in', async () => {
    const [list = ''] = /signet migration checklist \w+/.exec(said) ?? []
    const person = people.find(({ hasCode, mustChange }, at) => at % 3 === 0 && !hasCode && !mustChange)
    const signingIn: SigningIn & { scopes: ReadonlyMap<string, string> } = {
      ...{ signet, scopes: new Map(), keys: new Map(), person: person as OldPerson },
      secrets: new Map(CLIENTS.flatMap(({ clientId, secret }) => (secret ? [[clientId, secret]] : []))),
    }
    const waiting = new Set(CLIENTS.filter(({ kind }) => !WITHOUT_SIGN_IN.includes(kind)))
    const problems = new Map<string, string>()
    const typed = new Set<string>()
    let checklist = ''
    await measured('checklist', async () => {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        for (const client of waiting) {
          try {
            await signInClient(client, signingIn)
            waiting.delete(client)
            problems.delete(client.clientId)
          } catch (error) {
            problems.set(client.clientId, String(error))
          }
        }
        // Refusals are kept, and changes of applications count, within a second.
        await pause(2_000)
        checklist = await terminal(list)
        signingIn.scopes = scopesOf(checklist)
        const commands = commandsOf(checklist).filter((line) => !typed.has(line) || line.includes(' why '))
        if (commands.length === 0) break
        for (const line of await typeCommands(terminal, commands, signingIn)) typed.add(line)
        await pause(2_000)
      }
    })
    process.stdout.write(`${typed.size} commands were typed\n`)
    expect(Object.fromEntries(problems)).toEqual({})
    expect(checklist).not.toContain('[ ]')
  }, 900_000)

  /** `signed in`, or what the page said instead. */
  async function signIn(
    { username, password, hasCode, mustChange }: OldPerson,
    given = password,
    code?: string,
  ): Promise<string> {
    const browser = new HttpBrowser(signet.issuer)
    const redirectUri = 'https://web-0.old.example/cb'
    const query = new URLSearchParams({
      ...{ client_id: 'web-0', redirect_uri: redirectUri, response_type: 'code', scope: 'openid' },
    })
    const form = await browser.open(`/oauth/v2/authorize?${query}`)
    let page = await browser.submit(form, { login_name: `${username}@old.example`, password: given })
    if (hasCode && code !== undefined && page.body.includes('id="totp-code"'))
      page = await browser.submit(page, { code })
    if (mustChange && page.body.includes('id="new-password"'))
      page = await browser.submit(page, { password: `New-${password}` })
    const location = page.headers.get('location') ?? ''
    if (location.startsWith(`${redirectUri}?code=`)) return 'signed in'
    return `${page.status} ${location} ${/role="alert"[^>]*>([^<]*)/.exec(page.body)?.[1] ?? page.body.slice(0, 200)}`
  }

  it('lets its people sign in with their old passwords, of each hash, and with the codes of their apps', async () => {
    const failed: string[] = []
    let tries = 0
    const waiting = people.entries()
    const work = async () => {
      for (const [number, person] of waiting) {
        if (!person.isEnabled) continue
        const { digits, period, algorithm } = OTP_DEVICES[number % 20 === 0 ? 0 : 1]
        const device = { digits, period, algorithm: algorithm.replace('Hmac', '') }
        const code = () => (person.hasCode ? shownCode(OTP_BASE32, device) : undefined)
        let result = ''
        do {
          if (result !== '') tries += 1
          result = await signIn(person, person.password, code()).catch(String)
        } while (result.startsWith('503') && tries < MOST_TRIES)
        if (result !== 'signed in') failed.push(`${person.username} (${person.hash}): ${result}`)
      }
    }
    await measured('sign-ins of people', async () => {
      await Promise.all(Array.from({ length: SIGN_INS_AT_ONCE }, work))
    })
    process.stdout.write(`${tries} sign-ins were tried again\n`)
    expect(failed).toEqual([])
  }, 900_000)

  it('refuses wrong passwords and people that Keycloak disabled', async () => {
    const [, second, third] = people
    expect(await signIn(second as OldPerson, (third as OldPerson).password)).toMatch(
      /^400 .*password is not right/,
    )
    expect(await signIn(people[49] as OldPerson)).toMatch(/^400 .*password is not right/)
  })

  it('refuses wrong secrets and applications that Keycloak disabled', async () => {
    const form = { grant_type: 'client_credentials', scope: 'openid' }
    const answers = CLIENTS.flatMap(({ clientId, kind, secret = '' }) => {
      if (kind !== 'service' && kind !== 'disabled') return []
      const given = kind === 'service' ? `${secret}x` : secret
      return [signet.post('/oauth/v2/token', form, basic(clientId, given))]
    })
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 401))
  })
})

it.skipIf(canRun)('needs java and mvn', ({ skip }) => skip('java or mvn is not installed'))
