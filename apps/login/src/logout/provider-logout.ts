// Leads a browser whose sessions have ended to their identity providers, one after the other, and back (OpenID Connect RP-Initiated
// Logout 1.0, SAML 2.0 Profiles section 4.4). The sessions end before, and not here, so that no act of a provider changes the sign-out.
import { type Browser, isRandomValue, newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import type { SessionNames, Upstreams } from '../upstream/upstream.ts'

/** The rest of a sign-out that is at a provider. */
interface LogoutReturn {
  /** The checked URI of the application; undefined: the page of this service. */
  readonly target?: string | undefined
  /** The providers that come next. */
  readonly providers: readonly string[]
  /** The session of each provider, as the provider names it. Absent in a return of the previous release. */
  readonly names?: Readonly<Record<string, SessionNames>> | undefined
}

/** Stores returns. Lost, the person sees the last page of a sign-out. */
export interface LogoutReturns {
  store(browserId: string, state: string, rest: LogoutReturn): Promise<void>
  /** Removes the return of this browser and resolves with it: one of concurrent calls gets it. */
  take(browserId: string, state: string): Promise<LogoutReturn | undefined>
}

/** The way on after a sign-out. */
export interface WayOut {
  /** The address of a provider, or the target of the application; undefined: the page of this service. */
  readonly target: string | undefined
  /** The browser goes to a provider, and has to be known when it comes back. */
  readonly isAtProvider: boolean
  /** Providers that take no sign-out, with the reason for the log. */
  readonly refused: readonly { readonly providerId: string; readonly reason: string }[]
}

export interface ProviderLogout {
  leave(browser: Browser, rest: LogoutReturn): Promise<WayOut>
  /** Goes on after a provider; an unknown state leads to the page of this service. */
  comeBack(browser: Browser | undefined, state: string): Promise<WayOut>
}

interface Dependencies {
  readonly upstreams: Pick<Upstreams, 'beginLogout'>
  readonly logoutReturns: LogoutReturns
  readonly random: RandomBytes
}

/** Providers that one sign-out leads to. */
const MOST_PROVIDERS = 5

export function createProviderLogout({ upstreams, logoutReturns, random }: Dependencies): ProviderLogout {
  async function locationOf(providerId: string, browser: Browser, rest: LogoutReturn) {
    const state = newRandomValue(random)
    const begun = await upstreams.beginLogout({ providerId, state, names: rest.names?.[providerId] })
    if (begun.kind === 'begun' && begun.location !== undefined)
      await logoutReturns.store(browser.id, state, rest)
    return begun
  }

  async function leave(browser: Browser, { target, providers, names }: LogoutReturn): Promise<WayOut> {
    const refused: { providerId: string; reason: string }[] = []
    const asked = providers.slice(0, MOST_PROVIDERS)
    for (const [index, providerId] of asked.entries()) {
      // The sessions have ended: a service that is away does not keep the browser from going on.
      const begun = await locationOf(providerId, browser, {
        ...{ target, names },
        providers: asked.slice(index + 1),
      }).catch(() => ({ kind: 'unavailable', rule: 'sign_out_unavailable' }) as const)
      if (begun.kind !== 'begun') refused.push({ providerId, reason: begun.rule })
      else if (begun.location !== undefined) return { target: begun.location, isAtProvider: true, refused }
    }
    return { target, isAtProvider: false, refused }
  }

  return {
    leave,
    async comeBack(browser, state) {
      const isOurs = browser !== undefined && isRandomValue(state)
      const rest = isOurs ? await logoutReturns.take(browser.id, state) : undefined
      if (browser === undefined || rest === undefined)
        return { target: undefined, isAtProvider: false, refused: [] }
      return leave(browser, rest)
    },
  }
}
