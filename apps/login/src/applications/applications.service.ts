import type { FindAccountNames } from '../sessions/account-names.ts'
import { type Browser, PageExpiredError } from '../sessions/browser.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'

/** The scopes that one application may use for a person. */
interface Access {
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** Somebody who keeps what people let applications do. */
export interface AccessKeeper {
  list(userId: string): Promise<readonly Access[]>
  /** Ends it; that there was nothing is no error. */
  end(ending: {
    readonly userId: string
    readonly clientId: string
    readonly clientAddress: string
  }): Promise<void>
}

interface ApplicationWithAccess extends Access {
  readonly name: string
}

/** A person signed in to this browser and the applications that have access. */
export interface OwnAccount {
  readonly sid: string
  readonly loginName: string
  readonly applications: readonly ApplicationWithAccess[]
}

/** F-38: what people let applications do, for them to see and to take back. */
export interface OwnApplications {
  /** The accounts that are signed in to this browser; empty when there is none. */
  list(browser: Browser): Promise<readonly OwnAccount[]>
  /**
   * When it resolves, the application has to ask again and no token that it holds for the person is active. Throws
   * PageExpiredError when the session is none of this browser's.
   */
  endAccess(
    browser: Browser,
    choice: { readonly sid: string; readonly clientId: string; readonly clientAddress: string },
  ): Promise<void>
}

/** Undefined for an application that is gone. */
export type FindApplicationName = (clientId: string) => Promise<string | undefined>

interface OwnApplicationsDependencies {
  readonly sessions: Pick<BrowserSessions, 'live'>
  /** What people have agreed to. */
  readonly consents: AccessKeeper
  /** What applications hold because of it, or without having had to ask. */
  readonly grants: AccessKeeper
  readonly findAccountNames: FindAccountNames
  readonly findApplicationName: FindApplicationName
}

export function createOwnApplications(dependencies: OwnApplicationsDependencies): OwnApplications {
  const { sessions, consents, grants, findAccountNames, findApplicationName } = dependencies

  async function applicationsOf(userId: string): Promise<readonly ApplicationWithAccess[]> {
    const scopesOf = new Map<string, Set<string>>()
    const lists = await Promise.all([consents.list(userId), grants.list(userId)])
    for (const { clientId, scopes } of lists.flat()) {
      scopesOf.set(clientId, new Set([...(scopesOf.get(clientId) ?? []), ...scopes]))
    }
    const applications = await Promise.all(
      [...scopesOf].map(async ([clientId, scopes]) => {
        const name = (await findApplicationName(clientId)) ?? clientId
        return { clientId, name, scopes: [...scopes] }
      }),
    )
    return applications.sort((one, other) => one.name.localeCompare(other.name))
  }

  return {
    async list({ sessionCookie }) {
      const accounts = (await sessions.live(sessionCookie)).map(async ({ sid, userId }) => {
        const names = await findAccountNames(userId)
        if (names === undefined) return []
        return [{ sid, loginName: names.loginName, applications: await applicationsOf(userId) }]
      })
      return (await Promise.all(accounts)).flat()
    },
    async endAccess({ sessionCookie }, { sid, clientId, clientAddress }) {
      const session = (await sessions.live(sessionCookie)).find((live) => live.sid === sid)
      if (session === undefined) throw new PageExpiredError('the session has ended')
      const ending = { userId: session.userId, clientId, clientAddress }
      // In this order nothing new is granted silently after the old has ended.
      await consents.end(ending)
      await grants.end(ending)
    },
  }
}
