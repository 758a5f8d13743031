import { setTimeout as pause } from 'node:timers/promises'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { basic, type ClientCredentials } from '@signet/testing/system/client-credentials'
import { API_SECRET, OTHER_SECRET, REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { Answer } from '@signet/testing/system/test-system'
import type { EndingsEnvironment, Person, Share } from './endings-environment.ts'

/** Longer than any part of the suite takes when its databases answer. */
const CALL_MS = 4_000
const SETTLED_MS = 15_000
/** A reader responds so long after its start at the latest. */
const STARTED_MS = 45_000
const STABLE_MS = 2_000
const HEALTHY_MS = 20_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TOLERANCE_MS = 5_000
/** How long what was not ended is sure to be usable, by the default lifetimes. */
const USABLE_MS = { token: HOUR_MS, impersonation: HOUR_MS, family: 30 * DAY_MS, session: 7 * DAY_MS }
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * A token, family or session that the service issued. It is revoked as soon as one of its marks was ended.
 */
interface Issued {
  readonly name: string
  readonly client: string
  readonly marks: readonly string[]
  /** Time by the moved clock; milliseconds. */
  readonly at: number
  /** Time from which it has ended without a call; only of what an impersonation issued. */
  readonly endsAt?: number | undefined
}
export interface AccessToken extends Issued {
  readonly value: string
}
export interface Family extends Issued {
  /** The last one received. */
  value: string
}
export interface Session extends Issued {
  readonly person: Person
  readonly browser: HttpBrowser
  readonly idTokens: Map<string, string>
}
/** The session in which an administrator acts as a person, beside the own one of the administrator in the same browser. */
export interface Impersonation extends Session {
  readonly endsAt: number
}
export interface PersonalToken extends Issued {
  readonly id: string
  readonly value: string
}

/** The expected state of all tokens and sessions after a sequence of steps. */
export class EndingsModel {
  readonly tokens: AccessToken[] = []
  readonly families: Family[] = []
  readonly sessions: Session[] = []
  /** Sessions of administrators, each in a browser with an impersonation. */
  readonly administrators: Session[] = []
  readonly impersonations: Impersonation[] = []
  readonly personalTokens: PersonalToken[] = []
  /** Marks whose ending call returned 2xx. */
  readonly ended = new Set<string>()
  /** Marks whose ending or use had no clear response. */
  readonly uncertain = new Set<string>()
  readonly epochs = new Map<string, number>()
  /** Set when Redis lost what it held; sessions and pending requests may be gone. */
  redisLost = false
  #count = 0
  readonly #now: () => number

  /** `now` is the moved clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  name(kind: string): string {
    this.#count += 1
    return `${kind}${this.#count}`
  }

  /** The mark of the present epoch of a user (`u:ann-1`), a client (`c:jwt-1`), an organization (`o:guests-1`) or a role (`r:boss-1`). */
  epoch(subject: string): string {
    return `${subject}:${this.epochs.get(subject) ?? 0}`
  }

  /** Records the response to a call that was to end `mark`. */
  record(mark: string, succeeded: boolean): void {
    ;(succeeded ? this.ended : this.uncertain).add(mark)
    // Tokens issued after a change of the epoch carry the next one.
    const subject = /^[ucor]:/.test(mark) ? mark.slice(0, mark.lastIndexOf(':')) : undefined
    if (subject) this.epochs.set(subject, (this.epochs.get(subject) ?? 0) + 1)
  }

  /** Has more than the tolerance of clocks passed since it ended by itself? */
  #isOver = ({ endsAt }: Issued) => endsAt !== undefined && this.#now() > endsAt + TOLERANCE_MS
  isEnded = (issued: Issued) => issued.marks.some((mark) => this.ended.has(mark)) || this.#isOver(issued)
  isKept = ({ marks, endsAt }: Issued) =>
    !marks.some((mark) => this.ended.has(mark) || this.uncertain.has(mark)) &&
    (endsAt === undefined || this.#now() < endsAt - TOLERANCE_MS)
}

/** The suite together with the calls that the steps and the invariant make. */
export class EndingsDriver {
  readonly on: EndingsEnvironment
  readonly share: Share
  /** Whether steps may take many seconds. */
  readonly thorough: boolean
  /** Processes whose clock was set wrong. */
  readonly wrongClocks = new Set<number>()
  /** The steps in order, for the message of a failure. */
  readonly trail: string[] = []

  constructor(on: EndingsEnvironment, share: Share, thorough = false) {
    this.on = on
    this.share = share
    this.thorough = thorough
  }

  now(): number {
    return Date.now() + this.on.clock.offsetMs()
  }

  /** POSTs a form to one replica. Resolves with undefined when no response came in time. */
  async ask(
    service: 'token' | 'introspection',
    index: number,
    path: string,
    form: Readonly<Record<string, string>> | undefined,
    headers: ClientCredentials['headers'],
  ): Promise<{ status: number; json: Readonly<Record<string, unknown>> } | undefined> {
    const { http } = this.on.system.replica(service, index).ports
    try {
      const response = await fetch(`http://127.0.0.1:${http}${path}`, {
        headers,
        signal: AbortSignal.timeout(CALL_MS),
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      })
      const text = await response.text()
      return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : {} }
    } catch {
      return undefined
    }
  }

  /** The dependencies that a replica reports as missing. */
  async notReady(service: 'token' | 'introspection', index: number): Promise<readonly string[]> {
    const { operations } = this.on.system.replica(service, index).ports
    const response = await fetch(`http://127.0.0.1:${operations}/readyz`).catch(() => undefined)
    const { notReady = [] } = ((await response?.json()) ?? {}) as { readonly notReady?: readonly string[] }
    return notReady
  }

  tokenCall(index: number, client: string, form: Readonly<Record<string, string>>) {
    return this.ask('token', index, '/oauth/v2/token', form, basic(client, OTHER_SECRET).headers)
  }

  refresh(index: number, family: Family) {
    const form = { grant_type: 'refresh_token', refresh_token: family.value }
    return this.tokenCall(index, family.client, form)
  }

  exchange(index: number, client: string, token: string) {
    const form = { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN }
    return this.tokenCall(index, client, form)
  }

  async revoke(index: number, client: string, token: string): Promise<boolean> {
    const { headers } = basic(client, OTHER_SECRET)
    return (await this.ask('token', index, '/oauth/v2/revoke', { token }, headers))?.status === 200
  }

  async introspect(index: number, token: string): Promise<boolean | undefined> {
    const { headers } = basic('api', API_SECRET)
    const answer = await this.ask('introspection', index, '/oauth/v2/introspect', { token }, headers)
    return answer?.status === 200 ? answer.json.active === true : undefined
  }

  async manage(method: string, path: string, body?: object): Promise<Answer | undefined> {
    return inTime(this.on.system.manage(method, path, body))
  }

  /** `hint` is an ID token of the session, where its browser has others. */
  async silentSignIn({ browser, client }: Session, hint?: string): Promise<URLSearchParams | undefined> {
    const query = new URLSearchParams({
      client_id: client,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid',
      prompt: 'none',
      ...(hint !== undefined && { id_token_hint: hint }),
    })
    const page = await inTime(browser.open(`/oauth/v2/authorize?${query}`))
    const location = page?.headers.get('location')
    return location ? new URL(location).searchParams : undefined
  }

  readers(): readonly number[] {
    return this.on.system.processes.replicas('introspection').map((_, index) => index)
  }

  /** Names what a service accepts although its ending was confirmed. */
  async revived(model: EndingsModel): Promise<readonly string[]> {
    const found: string[] = []
    const report = (accepted: boolean, what: string) => {
      if (accepted) found.push(what)
    }
    const checks: Promise<void>[] = []
    const credentials = [...model.tokens, ...model.personalTokens].filter(model.isEnded)
    for (const { name, value, client } of credentials) {
      for (const index of this.readers()) {
        checks.push(
          this.introspect(index, value).then((active) =>
            report(active === true, `introspection-${index + 1} answers ${name} as active`),
          ),
          this.ask('introspection', index, '/oidc/v1/userinfo', undefined, {
            authorization: `Bearer ${value}`,
          }).then((answer) => report(answer?.status === 200, `userinfo-${index + 1} accepts ${name}`)),
        )
      }
      for (const index of [0, 1]) {
        checks.push(
          this.exchange(index, client, value).then((answer) =>
            report(answer?.status === 200, `token-${index + 1} exchanges ${name}`),
          ),
        )
      }
    }
    for (const family of model.families.filter(model.isEnded)) {
      for (const index of [0, 1]) {
        checks.push(
          this.refresh(index, family).then((answer) =>
            report(answer?.status === 200, `token-${index + 1} refreshes ${family.name}`),
          ),
        )
      }
    }
    for (const session of model.sessions.filter(model.isEnded)) {
      checks.push(
        this.silentSignIn(session).then((received) =>
          report(received?.has('code') === true, `login uses ${session.name}`),
        ),
      )
    }
    for (const session of [...model.administrators, ...model.impersonations].filter(model.isEnded)) {
      checks.push(
        this.silentSignIn(session, hintOf(session)).then((received) =>
          report(received?.has('code') === true, `login uses ${session.name}`),
        ),
      )
    }
    await Promise.all(checks)
    return found
  }

  /** Names what is refused although it was not ended; all servers must be healthy. */
  async lost(model: EndingsModel): Promise<readonly string[]> {
    const found: string[] = []
    const usable = (issued: Issued, kind: keyof typeof USABLE_MS) =>
      model.isKept(issued) && this.now() - issued.at < USABLE_MS[kind] - HOUR_MS / 2
    const credentials = [
      ...model.tokens.filter((token) => usable(token, 'token')),
      ...model.personalTokens.filter((token) => usable(token, 'family')),
    ]
    const introspections = this.readers().flatMap((index) =>
      credentials.map(async ({ name, value }) => {
        const active = await this.introspect(index, value)
        if (active === undefined) found.push(`introspection-${index + 1} does not respond about ${name}`)
        else if (!active) found.push(`introspection-${index + 1} answers ${name} as inactive`)
      }),
    )
    await Promise.all(introspections)
    for (const [index, family] of model.families.filter((family) => usable(family, 'family')).entries()) {
      const answer = await this.refresh(index % 2, family)
      if (answer?.status === 200) family.value = String(answer.json.refresh_token)
      else found.push(`token-${(index % 2) + 1} refuses ${family.name}: ${JSON.stringify(answer)}`)
    }
    if (model.redisLost) return found
    for (const session of model.sessions.filter((session) => usable(session, 'session'))) {
      const received = await this.silentSignIn(session)
      if (!received?.has('code')) found.push(`login refuses ${session.name}: ${received}`)
    }
    for (const session of model.impersonations.filter((session) => usable(session, 'impersonation'))) {
      const received = await this.silentSignIn(session, hintOf(session))
      if (!received?.has('code')) found.push(`login refuses ${session.name}: ${received}`)
    }
    return found
  }

  /**
   * Waits until every reader has answered the token as inactive for two seconds: until a poll has delivered the ending,
   * a response from PostgreSQL may be followed by one without it. Throws 15 seconds after all of them responded for the
   * first time: one that the step before started needs longer on a busy machine.
   */
  async untilInactive(token: string): Promise<void> {
    let since = Number.POSITIVE_INFINITY
    let responding = Number.POSITIVE_INFINITY
    const others: string[] = []
    for (const from = performance.now(); ; await pause(50)) {
      const answers = await Promise.all(this.readers().map((index) => this.introspect(index, token)))
      const now = performance.now()
      for (const [index, active] of answers.entries()) {
        if (active === false) continue
        others.push(
          `introspection-${index + 1} ${active ?? 'unavailable'} after ${Math.round(now - from)} ms`,
        )
      }
      since = answers.every((active) => active === false) ? Math.min(since, now) : Number.POSITIVE_INFINITY
      if (now - since > STABLE_MS) return
      if (answers.every((active) => active !== undefined)) responding = Math.min(responding, now)
      if (now - Math.min(responding, from + STARTED_MS) > SETTLED_MS) {
        throw new Error(`a committed revocation is not in force: ${others.join(', ')}`)
      }
    }
  }

  /** Waits until all databases and replicas are in use again. */
  async untilHealthy(): Promise<void> {
    const { system } = this.on
    await system.processes.untilReady()
    for (const from = performance.now(); ; await pause(50)) {
      const problem = await this.#problem().catch((error: unknown) => String(error))
      if (problem === undefined) return
      if (performance.now() - from > HEALTHY_MS) {
        throw new Error(
          `the suite does not work ${HEALTHY_MS} ms after the fault: ${problem} (${system.issuer})`,
        )
      }
    }
  }

  async #problem(): Promise<string | undefined> {
    const clientId = this.share.clients[1]
    const loginName = this.share.people[1]?.loginName ?? ''
    const { access_token, refresh_token } = await this.on.system.tokens({ clientId, loginName })
    for (const index of this.readers()) {
      if ((await this.introspect(index, access_token)) !== true) return `introspection-${index + 1}`
    }
    let value = refresh_token
    for (const index of [0, 1]) {
      const answer = await this.tokenCall(index, clientId, {
        grant_type: 'refresh_token',
        refresh_token: value,
      })
      if (answer?.status !== 200) return `token-${index + 1}: ${JSON.stringify(answer)}`
      value = String(answer.json.refresh_token)
      if (!(await this.revoke(index, clientId, String(answer.json.access_token)))) {
        return `token-${index + 1} does not revoke`
      }
    }
    return undefined
  }
}

/** The last ID token of a session. */
export const hintOf = ({ idTokens }: Session): string | undefined => [...idTokens.values()].at(-1)

/** Resolves with undefined when the call fails or takes longer than a healthy suite needs. */
export async function inTime<T>(call: Promise<T>): Promise<T | undefined> {
  return Promise.race([call.catch(() => undefined), pause(CALL_MS, undefined)])
}
