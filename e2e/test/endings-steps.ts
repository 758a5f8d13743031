import { setTimeout as pause } from 'node:timers/promises'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { POST_LOGOUT_URI, REDIRECT_URI } from '@signet/testing/system/test-directory'
import fc, { type Arbitrary, type AsyncCommand } from 'fast-check'
import { ACTING_ROLE, type Person } from './endings-environment.ts'
import { type EndingsDriver, type EndingsModel, hintOf, inTime } from './endings-model.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const COMMITTED_MS = 5_000
const RECOVERED_MS = 20_000
const LONG_DELAY_SECONDS = 15
const MINUTE_MS = 60_000
/** A process reads the clock of PostgreSQL each second. */
const NOT_READY_MS = 10_000
/** Differences by which the clock of a process is ahead, or behind. */
const WRONG_CLOCKS_MS = [2 * HOUR_MS, 50 * HOUR_MS, MINUTE_MS, 3 * DAY_MS] as const
/** Services that make the partitions of the next days when they start and each hour, by a timer that is not moved. */
const MAKE_PARTITIONS: readonly ServiceName[] = ['directory', 'keys', 'token']

/** The result of a step: `done`, or `refused` without a successful response of the suite. */
type Outcome = 'done' | 'refused'
type Run = (model: EndingsModel, driver: EndingsDriver, choice: number) => Promise<Outcome>
export type Step = AsyncCommand<EndingsModel, EndingsDriver>

/** How often each kind of step ran, and how many of its runs the suite refused. */
export class StepRates {
  readonly kinds = new Map<string, { ran: number; refused: number; ms: number }>()

  count(kind: string, outcome: Outcome, ms: number): void {
    const rate = this.kinds.get(kind) ?? { ran: 0, refused: 0, ms: 0 }
    rate.ran += 1
    rate.refused += outcome === 'refused' ? 1 : 0
    rate.ms += ms
    this.kinds.set(kind, rate)
  }

  toString(): string {
    const rows = [...this.kinds].map(
      ([kind, { ran, refused, ms }]) => `${kind}: ${ran} (${refused} refused, ${Math.round(ms / ran)} ms)`,
    )
    return rows.sort().join('\n')
  }
}

type RequestKind =
  | 'sign in'
  | 'refresh'
  | 'exchange'
  | 'revoke access token'
  | 'revoke refresh token'
  | 'replay code'
  | 'sign out'
  | 'create personal access token'
  | 'delete personal access token'
  | 'sign out everywhere'
  | 'deactivate client'
  | 'deactivate organization'
  | 'act as a person'
  | 'end an act as a person'
  | 'sign out an administrator'
  | 'take the role of an administrator'
  | 'deactivate an administrator'
  | 'deactivate a person'

/** A request that succeeds while all servers are healthy. */
const REQUESTS: Readonly<Record<RequestKind, Run>> = {
  async 'sign in'(model, driver, choice) {
    const client = at(driver.share.clients, choice >> 2)
    // Every third sign-in uses a browser that is signed in already.
    const known = choice % 3 === 0 ? model.sessions.filter(model.isKept).at(-1) : undefined
    const session = known ?? {
      name: model.name('session'),
      client,
      person: at(driver.share.people, choice),
      marks: [] as string[],
      at: driver.now(),
      browser: driver.on.system.newBrowser(),
      idTokens: new Map<string, string>(),
    }
    const { loginName } = session.person
    const personMarks = marksOf(model, session.person)
    const clientMark = model.epoch(`c:${client}`)
    const received = await inTime(
      driver.on.system.tokens({ clientId: client, loginName, browser: session.browser }),
    )
    if (received === undefined) return 'refused'
    const sid = sidOf(received.id_token)
    const sessionMarks = [`s:${sid}`, ...personMarks]
    // A browser whose session was lost with Redis has another one now, with ID tokens of its own.
    const present = known?.marks.includes(`s:${sid}`)
      ? known
      : { ...session, marks: sessionMarks, at: driver.now(), idTokens: new Map<string, string>() }
    if (present !== known) {
      if (known) model.sessions.splice(model.sessions.indexOf(known), 1)
      model.sessions.push(present)
    }
    present.idTokens.set(client, received.id_token)
    const familyName = model.name('family')
    const marks = [`g:${familyName}`, clientMark, ...sessionMarks]
    const made = { client, at: driver.now() }
    model.families.push({ ...made, name: familyName, marks, value: received.refresh_token })
    addToken(model, made, marks, received.access_token)
    return 'done'
  },

  async refresh(model, driver, choice) {
    const family = pick(model.families.filter(model.isKept), choice)
    if (family === undefined) return REQUESTS['sign in'](model, driver, choice)
    const answer = await driver.refresh(choice % 2, family)
    if (answer?.status !== 200) {
      for (const mark of family.marks.slice(0, 1)) model.record(mark, false)
      return 'refused'
    }
    family.value = String(answer.json.refresh_token)
    const { client, marks } = family
    addToken(model, { client, at: driver.now() }, marks, String(answer.json.access_token))
    return 'done'
  },

  async exchange(model, driver, choice) {
    const subject = pick([...model.tokens, ...model.personalTokens].filter(model.isKept), choice)
    if (subject === undefined) return REQUESTS['sign in'](model, driver, choice)
    const client = subject.client
    // It is encrypted or signed again, so a key that is revoked ends one of the two and not the other.
    const origins = subject.marks.filter((mark) => !mark.startsWith('k:'))
    const marks = [...origins, model.epoch(`c:${client}`)]
    const answer = await driver.exchange(choice % 2, client, subject.value)
    if (answer?.status !== 200) return 'refused'
    // A token of an impersonation outlasts it in no form.
    const made = { client, at: driver.now(), endsAt: 'endsAt' in subject ? subject.endsAt : undefined }
    addToken(model, made, marks, String(answer.json.access_token))
    return 'done'
  },

  async 'revoke access token'(model, driver, choice) {
    const token = pick(model.tokens.filter(model.isKept), choice)
    if (token === undefined) return REQUESTS['sign in'](model, driver, choice)
    const succeeded = await driver.revoke(choice % 2, token.client, token.value)
    model.record(`t:${token.name}`, succeeded)
    return outcome(succeeded)
  },

  async 'revoke refresh token'(model, driver, choice) {
    const family = pick(model.families.filter(model.isKept), choice)
    if (family === undefined) return REQUESTS['sign in'](model, driver, choice)
    const succeeded = await driver.revoke(choice % 2, family.client, family.value)
    model.record(`g:${family.name}`, succeeded)
    return outcome(succeeded)
  },

  async 'replay code'(model, driver, choice) {
    const client = at(driver.share.clients, choice >> 2)
    const { loginName } = at(driver.share.people, choice)
    const { system } = driver.on
    const code = await inTime(system.code({ clientId: client, loginName, scope: 'openid offline_access' }))
    const first = code && (await inTime(system.redeem(code)))
    if (code === undefined || first?.status !== 200) return 'refused'
    const name = model.name('family')
    const made = { client, at: driver.now() }
    const marks = [`g:${name}`]
    model.families.push({ ...made, name, marks, value: String(first.json.refresh_token) })
    addToken(model, made, marks, String(first.json.access_token))
    const answer = await driver.tokenCall(choice % 2, client, {
      grant_type: 'authorization_code',
      code: code.code,
      redirect_uri: REDIRECT_URI,
      code_verifier: code.verifier,
    })
    if (answer?.status === 200) throw new Error('a code was redeemed twice')
    // RFC 6749 section 4.1.2: the tokens of the first use end. A call without this response may have ended them, too.
    model.record(`g:${name}`, answer?.status === 400)
    return outcome(answer?.status === 400)
  },

  async 'sign out'(model, driver, choice) {
    const session = pick(model.sessions.filter(model.isKept), choice)
    const idToken = session && [...session.idTokens.values()].at(-1)
    if (session === undefined || idToken === undefined) return REQUESTS['sign in'](model, driver, choice)
    const query = new URLSearchParams({
      id_token_hint: idToken,
      post_logout_redirect_uri: POST_LOGOUT_URI,
    })
    const page = await inTime(session.browser.open(`/oidc/v1/end_session?${query}`))
    const succeeded = page?.headers.get('location')?.startsWith(POST_LOGOUT_URI) === true
    model.record(session.marks[0] ?? '', succeeded)
    return outcome(succeeded)
  },

  async 'create personal access token'(model, driver) {
    const answer = await driver.manage('POST', `/users/${driver.share.robot}/tokens`, {})
    if (answer?.status !== 201) return 'refused'
    const name = model.name('personal')
    model.personalTokens.push({
      name,
      client: driver.share.clients[0],
      marks: [`p:${name}`, model.epoch(`u:${driver.share.robot}`)],
      at: driver.now(),
      id: String(answer.json.id),
      value: String(answer.json.token),
    })
    return 'done'
  },

  async 'delete personal access token'(model, driver, choice) {
    const token = pick(model.personalTokens.filter(model.isKept), choice)
    if (token === undefined) return REQUESTS['create personal access token'](model, driver, choice)
    // A token exchanged for it must end with it.
    await REQUESTS.exchange(model, driver, model.tokens.filter(model.isKept).length)
    const answer = await driver.manage('DELETE', `/users/${driver.share.robot}/tokens/${token.id}`)
    model.record(`p:${token.name}`, answer?.status === 204)
    return outcome(answer?.status === 204)
  },

  async 'sign out everywhere'(model, driver, choice) {
    const { id } = at(driver.share.people, choice)
    const answer = await driver.manage('POST', `/users/${id}/sign-out`)
    const succeeded = answer !== undefined && answer.status < 300
    model.record(model.epoch(`u:${id}`), succeeded)
    return outcome(succeeded)
  },

  async 'deactivate client'(model, driver, choice) {
    const client = at(driver.share.clients, choice)
    return deactivate(model, driver, `/applications/${client}`, `c:${client}`)
  },

  async 'deactivate organization'(model, driver) {
    const { organization } = driver.share
    if (!model.sessions.filter(model.isKept).some(({ person }) => person.organization)) {
      await REQUESTS['sign in'](model, driver, GUEST)
    }
    return deactivate(model, driver, `/organizations/${organization}`, `o:${organization}`)
  },

  async 'act as a person'(model, driver, choice) {
    const begun = await actAs(model, driver, choice)
    if (begun === undefined) return 'refused'
    model.administrators.push(begun.administrator)
    model.impersonations.push(begun.session)
    const { client, at: madeAt, endsAt, marks } = begun.session
    addToken(model, { client, at: madeAt, endsAt }, marks, begun.accessToken)
    return 'done'
  },

  async 'end an act as a person'(model, driver, choice) {
    const session = await impersonationToEnd(model, driver, choice)
    if (session === undefined) return 'refused'
    const page = await inTime(session.browser.open('/ui/impersonation'))
    const answer = page?.status === 200 ? await inTime(session.browser.submit(page, {})) : undefined
    const succeeded = answer?.status === 200 && !answer.body.includes('id="impersonation-banner"')
    model.record(session.marks[0] ?? '', succeeded)
    return outcome(succeeded)
  },

  async 'sign out an administrator'(model, driver, choice) {
    const session = await impersonationToEnd(model, driver, choice)
    const own = session && model.administrators.find(({ browser }) => browser === session.browser)
    const hint = own && hintOf(own)
    if (own === undefined || hint === undefined) return 'refused'
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: POST_LOGOUT_URI })
    const page = await inTime(own.browser.open(`/oidc/v1/end_session?${query}`))
    const succeeded = page?.headers.get('location')?.startsWith(POST_LOGOUT_URI) === true
    model.record(own.marks[0] ?? '', succeeded)
    return outcome(succeeded)
  },

  async 'take the role of an administrator'(model, driver, choice) {
    await impersonationToEnd(model, driver, choice)
    const { id } = driver.share.administrator
    const answer = await driver.manage('DELETE', `/members/${id}`)
    const succeeded = answer?.status === 204
    model.record(model.epoch(`r:${id}`), succeeded)
    const found = await driver.revived(model)
    if (found.length > 0) throw new Error(`while ${id} has no role: ${found.join(', ')}`)
    await driver.manage('PUT', `/members/${id}`, { roles: [ACTING_ROLE] })
    return outcome(succeeded)
  },

  async 'deactivate an administrator'(model, driver, choice) {
    await impersonationToEnd(model, driver, choice)
    const { id } = driver.share.administrator
    return deactivate(model, driver, `/users/${id}`, `u:${id}`)
  },

  async 'deactivate a person'(model, driver, choice) {
    const session = await impersonationToEnd(model, driver, choice)
    const { id } = session?.person ?? at(driver.share.people, choice)
    return deactivate(model, driver, `/users/${id}`, `u:${id}`)
  },
}

/** The marks of the present epochs of a person. */
const marksOf = (model: EndingsModel, { id, organization }: Person) =>
  [`u:${id}`, ...(organization ? [`o:${organization}`] : [])].map((subject) => model.epoch(subject))

/** The session that an ID token names. */
function sidOf(idToken: string): string {
  const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())
  return (claims as { sid: string }).sid
}

/**
 * Signs the administrator of a share in with a new browser, begins to act there as a person, and gets a token of an application.
 * Returns undefined when one of these calls fails.
 */
async function actAs(model: EndingsModel, driver: EndingsDriver, choice: number) {
  const { system } = driver.on
  const { administrator, clients, desk, people } = driver.share
  const [client, person] = [at(clients, choice >> 2), at(people, choice)]
  const browser = system.newBrowser()
  const [ownMarks, personMarks] = [marksOf(model, administrator), marksOf(model, person)]
  const otherMarks = [model.epoch(`r:${administrator.id}`), model.epoch(`c:${client}`)]
  const { loginName } = administrator
  const own = await inTime(system.tokens({ clientId: desk, loginName, browser, scope: API_SCOPES }))
  const link = own && (await findLink(driver, person.id, own.access_token))
  if (own === undefined || link === undefined) return undefined
  const endsAt = driver.now() + HOUR_MS
  const page = await inTime(browser.open(link.pathname + link.search))
  const begun = page?.status === 200 ? await inTime(browser.submit(page, {})) : undefined
  if (!begun?.body.includes('id="impersonation-banner"')) return undefined
  // One of two sessions of the browser answers: that of the person.
  const claims = JSON.stringify({ id_token: { sub: { value: person.id } } })
  const code = await inTime(system.code({ clientId: client, browser, parameters: { claims } }))
  const answer = code && (await inTime(system.redeem(code)))
  if (answer?.status !== 200) return undefined
  const idToken = String(answer.json.id_token)
  const [sid, ownSid] = [`s:${sidOf(idToken)}`, `s:${sidOf(own.id_token)}`]
  const made = { browser, at: driver.now() }
  const marks = [sid, ownSid, ...otherMarks, ...ownMarks, ...personMarks]
  return {
    administrator: {
      ...{ ...made, client: desk, name: model.name('administrator'), person: administrator },
      ...{ marks: [ownSid, ...ownMarks], idTokens: new Map([[desk, own.id_token]]) },
    },
    session: {
      ...{ ...made, client, name: model.name('impersonation'), person, marks, endsAt },
      ...{ idTokens: new Map([[client, idToken]]) },
    },
    accessToken: String(answer.json.access_token),
  }
}

const API_SCOPES = 'openid offline_access urn:service:iam:org:project:id:signet:aud'
const LINK_TRIES = 20

/** The link by which the administrator acts as a person. Services may not know yet that the administrator has the role again. */
async function findLink(driver: EndingsDriver, userId: string, bearer: string): Promise<URL | undefined> {
  for (let tries = 0; tries < LINK_TRIES; tries += 1) {
    const answer = await inTime(
      driver.on.system.fetch(`/management/v1/users/${userId}/impersonations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'Ticket 4711: an ending is tested' }),
      }),
    )
    if (answer?.status === 200) return new URL(String(answer.json.url))
    if (answer === undefined) return undefined
    await pause(100)
  }
  return undefined
}

/** An impersonation that goes on; begins one when there is none. */
async function impersonationToEnd(model: EndingsModel, driver: EndingsDriver, choice: number) {
  const going = () => model.impersonations.filter(model.isKept)
  if (going().length === 0) await REQUESTS['act as a person'](model, driver, choice)
  return pick(going(), choice)
}

/** The choice with which the first person of a share signs in with a new browser. */
const GUEST = 4

/** Deactivates what a path of the management API names, checks that nothing of it is accepted, and activates it again. */
async function deactivate(
  model: EndingsModel,
  driver: EndingsDriver,
  path: string,
  subject: string,
): Promise<Outcome> {
  const answer = await driver.manage('PATCH', path, { state: 'inactive' })
  const succeeded = answer !== undefined && answer.status < 300
  model.record(model.epoch(subject), succeeded)
  const found = await driver.revived(model)
  if (found.length > 0) throw new Error(`while ${subject} is inactive: ${found.join(', ')}`)
  await driver.manage('PATCH', path, { state: 'active' })
  // Every replica serves it again before the sequence goes on, as far as the databases answer.
  await pause(1_100)
  return outcome(succeeded)
}

type FaultKind =
  | 'kill between COMMIT and XADD'
  | 'delay a COMMIT and kill its process'
  | 'flush Redis'
  | 'restore an old snapshot of Redis'
  | 'fail over to a replica that lacks entries'
  | 'silence Redis'
  | 'silence PostgreSQL'
  | 'fill Redis'
  | 'restart PostgreSQL'
  | 'stop and start a token replica'
  | 'stop and start a reader'
  | 'move the clock'
  | 'set the clock of a token replica wrong'
  | 'set the clock of a reader wrong'
  | 'revoke key'

/** A fault; stopped and silenced components stay so until `heal`. */
const FAULTS: Readonly<Record<FaultKind, Run>> = {
  async 'kill between COMMIT and XADD'(model, driver, choice) {
    const { on } = driver
    const token = await tokenToEnd(model, driver, choice)
    if (token === undefined) return 'refused'
    const before = await revocations(driver)
    on.redisRelay.silenceAll()
    const unanswered = driver.revoke(0, token.client, token.value)
    const committed = await until(COMMITTED_MS, async () => (await revocations(driver)) > before)
    await on.system.replica('token', 0).end('SIGKILL')
    const succeeded = await unanswered
    on.redisRelay.pass()
    await on.system.replica('token', 0).start()
    if (succeeded) model.record(`t:${token.name}`, true)
    else if (!committed) model.record(`t:${token.name}`, false)
    else {
      await driver.untilInactive(token.value)
      model.record(`t:${token.name}`, true)
    }
    return outcome(committed)
  },

  async 'delay a COMMIT and kill its process'(model, driver, choice) {
    const { on } = driver
    const [slow, quick] = [
      await tokenToEnd(model, driver, choice),
      await tokenToEnd(model, driver, choice + 1),
    ]
    if (slow === undefined || quick === undefined || slow === quick) return 'refused'
    const before = await revocations(driver)
    const seconds = driver.thorough && choice % 3 === 2 ? LONG_DELAY_SECONDS : 1 + (choice % 3)
    await delayNextCommit(driver, seconds)
    const unanswered = driver.revoke(0, slow.client, slow.value)
    const delayed = await until(COMMITTED_MS, () => isTrue(driver, COMMIT_IS_DELAYED))
    // It is later by its transaction id and visible earlier.
    model.record(`t:${quick.name}`, await driver.revoke(1, quick.client, quick.value))
    if (choice % 2 === 0) await on.system.replica('token', 0).end('SIGKILL')
    const succeeded = await unanswered
    const committed = await until(
      seconds * 1_000 + COMMITTED_MS,
      async () => (await revocations(driver)) > before + 1,
    )
    if (choice % 2 === 0) await on.system.replica('token', 0).start()
    if (!succeeded && committed) await driver.untilInactive(slow.value)
    model.record(`t:${slow.name}`, succeeded || committed)
    return outcome(delayed)
  },

  async 'flush Redis'(model, { on }) {
    model.redisLost = true
    await on.redis().admin.flushall()
    return 'done'
  },

  async 'restore an old snapshot of Redis'(model, driver, choice) {
    const { on } = driver
    await on.redis().save()
    await REQUESTS['revoke access token'](model, driver, choice)
    await REQUESTS['sign out'](model, driver, choice)
    model.redisLost = true
    await on.redis().restart()
    return 'done'
  },

  async 'fail over to a replica that lacks entries'(model, driver, choice) {
    const { on } = driver
    await on.cutReplica()
    await REQUESTS['revoke access token'](model, driver, choice)
    await REQUESTS['sign out'](model, driver, choice)
    model.redisLost = true
    await on.promoteReplica()
    return 'done'
  },

  async 'silence Redis'(_, { on }) {
    on.redisRelay.silenceAll()
    return 'done'
  },

  async 'silence PostgreSQL'(_, { on }) {
    on.postgresRelay.silenceAll()
    return 'done'
  },

  async 'fill Redis'(_, { on }) {
    await on.redis().admin.config('SET', 'maxmemory', '1mb')
    return 'done'
  },

  async 'restart PostgreSQL'(_, { on }) {
    await on.postgres.restart()
    return 'done'
  },

  async 'stop and start a token replica'(_, { on }, choice) {
    const replica = on.system.replica('token', choice % 2)
    await replica.end(choice % 4 < 2 ? 'SIGTERM' : 'SIGKILL')
    await replica.start()
    return 'done'
  },

  async 'stop and start a reader'(model, driver, choice) {
    const replica = driver.on.system.replica('introspection', choice % 2)
    await replica.end(choice % 4 < 2 ? 'SIGTERM' : 'SIGKILL')
    await REQUESTS['revoke access token'](model, driver, choice)
    await replica.start()
    return 'done'
  },

  async 'move the clock'(model, driver, choice) {
    const { on } = driver
    // It ends by itself within the shortest of these times.
    await REQUESTS['act as a person'](model, driver, choice)
    const ms = at([2 * HOUR_MS, 25 * HOUR_MS, 8 * DAY_MS, 31 * DAY_MS, 400 * DAY_MS], choice)
    await on.system.whileStopped(ms > DAY_MS ? MAKE_PARTITIONS : [], () => on.clock.move(ms))
    return 'done'
  },

  async 'set the clock of a token replica wrong'(model, driver, choice) {
    const ms = at(WRONG_CLOCKS_MS, choice)
    for (const aheadMs of [ms, -ms]) {
      await setWrongClock(driver, 'token', aheadMs)
      // The replica with the wrong clock decides about the tokens of the other one.
      for (const kind of ['sign in', 'revoke access token', 'revoke refresh token', 'replay code'] as const) {
        await REQUESTS[kind](model, driver, 2 * choice)
      }
      const found = await driver.revived(model)
      if (found.length > 0) throw new Error(`${found.join(', ')} with a clock ${aheadMs} ms ahead`)
    }
    return 'done'
  },

  async 'set the clock of a reader wrong'(model, driver, choice) {
    const ms = at(WRONG_CLOCKS_MS, choice)
    for (const aheadMs of [ms, -ms]) {
      await setWrongClock(driver, 'introspection', aheadMs)
      await REQUESTS['revoke access token'](model, driver, choice)
      const found = [...(await driver.revived(model)), ...(await driver.lost(model))]
      if (found.length > 0) throw new Error(`${found.join(', ')} with a clock ${aheadMs} ms ahead`)
    }
    return 'done'
  },

  async 'revoke key'(model, driver, choice) {
    const token = await tokenToEnd(model, driver, choice)
    const mark = token?.marks.find((mark) => mark.startsWith('k:'))
    if (mark === undefined) return 'refused'
    const answer = await driver.manage('POST', `/keys/${mark.slice(2)}/revoke`)
    model.record(mark, answer?.status === 200)
    return outcome(answer?.status === 200)
  },
}

type LongFaultKind = 'promote a standby of PostgreSQL that lacks commits' | 'restore PostgreSQL from a copy'

/** Faults that take many seconds: PostgreSQL goes back to a copy that lacks a few endings. */
const LONG_FAULTS: Readonly<Record<LongFaultKind, Run>> = {
  async 'promote a standby of PostgreSQL that lacks commits'(model, driver, choice) {
    await endSinceCopy(model, driver, choice)
    const known = await revocations(driver)
    await driver.on.postgres.loseCommits()
    await driver.on.system.processes.untilReady()
    const recovered = await until(RECOVERED_MS, async () => {
      const rows = await revocations(driver).catch(() => 0)
      return rows >= known && (await driver.revived(model)).length === 0
    })
    if (!recovered) throw new Error(`endings that PostgreSQL lost are not recovered after ${RECOVERED_MS} ms`)
    return 'done'
  },

  async 'restore PostgreSQL from a copy'(model, driver, choice) {
    const { postgres, system } = driver.on
    await endSinceCopy(model, driver, choice)
    await system.whileStopped(SERVICE_NAMES, async () => {
      await postgres.restore()
      await system.processes.migrate('restored')
    })
    await system.processes.untilReady()
    for (const { marks } of [...model.tokens, ...model.families, ...model.sessions]) {
      for (const own of marks.slice(0, 1)) model.record(own, true)
    }
    return 'done'
  },
}

/** Copies PostgreSQL and then ends a token, a family and a session. */
async function endSinceCopy(model: EndingsModel, driver: EndingsDriver, choice: number): Promise<void> {
  await heal(driver)
  await driver.on.postgres.backUp()
  await driver.untilHealthy()
  const lists = [model.tokens, model.families, model.sessions, model.personalTokens]
  const copied = new Set(lists.flat())
  for (const kind of ['revoke access token', 'revoke refresh token', 'sign out'] as const) {
    await REQUESTS[kind](model, driver, choice)
  }
  // Tokens issued since then are lost when the copy returns.
  for (const issued of lists.flat()) {
    if (!copied.has(issued)) for (const own of issued.marks.slice(0, 1)) model.uncertain.add(own)
  }
}

export const KINDS = {
  requests: Object.keys(REQUESTS) as RequestKind[],
  faults: Object.keys(FAULTS) as FaultKind[],
  longFaults: Object.keys(LONG_FAULTS) as LongFaultKind[],
}
type Kind = RequestKind | FaultKind | LongFaultKind

/** Ends every fault and waits until the suite works, unless there was none. */
export async function heal(driver: EndingsDriver): Promise<void> {
  const { on } = driver
  const faults = [...KINDS.faults, ...KINDS.longFaults]
  if (!faults.some((kind) => driver.trail.some((line) => line.startsWith(kind)))) return
  for (const pid of driver.wrongClocks) await on.clock.setAhead(pid, 0)
  driver.wrongClocks.clear()
  on.postgresRelay.pass()
  on.redisRelay.pass()
  await on.redis().admin.config('SET', 'maxmemory', '0')
  await driver.untilHealthy()
}

/** A step of one of `kinds`, with the choice of what it acts on. After it nothing that was ended may be accepted. */
export function stepOf(kinds: readonly Kind[], rates: StepRates): Arbitrary<Step> {
  return fc.tuple(fc.constantFrom(...kinds), fc.nat(59)).map(([kind, choice]) => {
    const name = `${kind} (${choice})`
    return {
      check: () => true,
      async run(model, driver) {
        const from = performance.now()
        const run: Run = { ...REQUESTS, ...FAULTS, ...LONG_FAULTS }[kind]
        driver.trail.push(name)
        const result = await run(model, driver, choice)
        driver.trail.splice(-1, 1, `${name}: ${result}`)
        rates.count(kind, result, performance.now() - from)
        const found = await driver.revived(model)
        if (found.length > 0) throw new Error(`accepted although it was ended: ${found.join(', ')}`)
      },
      toString: () => name,
    }
  })
}

type Made = { readonly client: string; readonly at: number; readonly endsAt?: number | undefined }

function addToken(model: EndingsModel, made: Made, marks: readonly string[], value: string): void {
  const name = model.name('token')
  model.tokens.push({ ...made, name, marks: [`t:${name}`, ...marks, `k:${kidOf(value)}`], value })
}

/** The key that signed a JWT or encrypted an opaque token; the latter names a part of it, too. */
function kidOf(token: string): string {
  const header = Buffer.from(token.replace(/^sgat_/, '').split('.')[0] ?? '', 'base64url').toString()
  const { kid } = JSON.parse(header) as { kid: string }
  return kid.split('.')[0] ?? ''
}

const outcome = (succeeded: boolean): Outcome => (succeeded ? 'done' : 'refused')

function at<T>(list: readonly [T, ...T[]], choice: number): T {
  return list[choice % list.length] ?? list[0]
}

function pick<T>(list: readonly T[], choice: number): T | undefined {
  return list[choice % Math.max(list.length, 1)]
}

/** A token that is not ended; signs in when there is none. */
async function tokenToEnd(model: EndingsModel, driver: EndingsDriver, choice: number) {
  if (model.tokens.filter(model.isKept).length < 2) {
    await REQUESTS['sign in'](model, driver, choice)
    await REQUESTS['sign in'](model, driver, choice + 1)
  }
  return pick(model.tokens.filter(model.isKept), choice)
}

/** Sets the clock of the first replica of a service wrong until `heal`, and waits until the replica reports it. */
async function setWrongClock(
  driver: EndingsDriver,
  service: 'token' | 'introspection',
  aheadMs: number,
): Promise<void> {
  const { pid } = driver.on.system.replica(service, 0)
  driver.wrongClocks.add(pid)
  await driver.on.clock.setAhead(pid, aheadMs)
  const reported = await until(NOT_READY_MS, async () =>
    (await driver.notReady(service, 0)).includes('clock'),
  )
  if (!reported) throw new Error(`${service}-1 is ready although its clock is ${aheadMs} ms ahead`)
}

async function revocations({ on }: EndingsDriver): Promise<number> {
  const { rows } = await on.database.query<{ count: string }>({
    name: '',
    text: 'SELECT count(*) FROM grants.revocation',
    values: [],
  })
  return Number(rows[0]?.count)
}

async function isTrue({ on }: EndingsDriver, text: string): Promise<boolean> {
  const { rows } = await on.database.query<{ yes: boolean }>({
    name: '',
    text: `SELECT (${text}) AS yes`,
    values: [],
  })
  return rows[0]?.yes ?? false
}

async function until(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const from = performance.now(); performance.now() - from < ms; await pause(10)) {
    if (await holds()) return true
  }
  return false
}

const COMMIT_IS_DELAYED = `EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')`

/**
 * The next transaction that adds a revocation sleeps inside its COMMIT; its row becomes visible after that. The limit
 * of a statement is lifted for it, as where operators make the roles.
 */
async function delayNextCommit({ on }: EndingsDriver, seconds: number): Promise<void> {
  await on.database.query({
    name: '',
    text: `
      DO $do$ DECLARE partition regclass; BEGIN
        CREATE SEQUENCE IF NOT EXISTS test_clock.delayed;
        CREATE OR REPLACE FUNCTION test_clock.delay_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $f$
          BEGIN
            IF nextval('test_clock.delayed') = 1 THEN PERFORM pg_sleep(${seconds}); END IF;
            RETURN NULL;
          END $f$;
        CREATE OR REPLACE FUNCTION test_clock.lift_limit() RETURNS trigger LANGUAGE plpgsql AS $f$
          BEGIN
            PERFORM set_config('statement_timeout', '0', true);
            RETURN NULL;
          END $f$;
        PERFORM setval('test_clock.delayed', 1, false);
        FOR partition IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'grants.revocation'::regclass LOOP
          IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = partition AND tgname = 'delay_commit') THEN
            EXECUTE format('CREATE CONSTRAINT TRIGGER delay_commit AFTER INSERT ON %s DEFERRABLE INITIALLY DEFERRED
              FOR EACH ROW EXECUTE FUNCTION test_clock.delay_commit()', partition);
            EXECUTE format('CREATE TRIGGER lift_limit AFTER INSERT ON %s
              FOR EACH ROW EXECUTE FUNCTION test_clock.lift_limit()', partition);
          END IF;
        END LOOP;
      END $do$`,
    values: [],
  })
}
