// Lists the applications that have access to the accounts of a browser, and ends their access.
import type { Branding } from '@signet/directory-reader/branding'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccounts } from '../sessions/own-accounts.service.ts'
import { type OwnChange, ownChange } from '../sessions/sign-in-proof.ts'

/** The scopes that one application may use for a user. */
interface Access {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Whether it got access by an identity assertion of another issuer, without a page of Signet. */
  readonly byAssertion?: boolean
}

/** Lists and ends access: the directory for consents, the token service for grants. */
export interface AccessStore {
  list(userId: string): Promise<readonly Access[]>
  /** Does nothing where no access exists. */
  end(owner: OwnChange, clientId: string): Promise<void>
}

/** How pages show an application; `start` is where people begin to use it, undefined where it names no page. */
interface NamedApplication {
  readonly name: string
  readonly start: string | undefined
}

type ApplicationWithAccess = Access & NamedApplication

/** An account that is signed in to this browser, with the applications that have access. */
export interface AccountWithApplications {
  readonly sid: string
  readonly loginName: string
  /** The account has an address that is not verified. */
  readonly isUnconfirmed: boolean
  readonly branding: Branding | undefined
  /** The preferred language of the person. */
  readonly language: string | undefined
  readonly applications: readonly ApplicationWithAccess[]
}

export interface OwnApplications {
  /** The accounts that are signed in to this browser. */
  list(browser: Browser): Promise<readonly AccountWithApplications[]>
  /**
   * Ends the consent and all tokens of an application for the user of a session. Throws PageExpiredError when the
   * session is not one of this browser.
   */
  endAccess(
    browser: Browser,
    choice: { readonly sid: string; readonly clientId: string; readonly clientAddress: string },
  ): Promise<void>
}

/** Returns undefined for a deleted application. */
export type FindNamedApplication = (clientId: string) => Promise<NamedApplication | undefined>

interface OwnApplicationsDependencies {
  readonly ownAccounts: OwnAccounts
  /** Consents of users. */
  readonly consentAccess: AccessStore
  /** Grants of applications, with or without consent. */
  readonly grantAccess: AccessStore
  readonly findNamedApplication: FindNamedApplication
}

export function createOwnApplications(dependencies: OwnApplicationsDependencies): OwnApplications {
  const { ownAccounts, consentAccess, grantAccess, findNamedApplication } = dependencies

  async function applicationsOf(userId: string): Promise<readonly ApplicationWithAccess[]> {
    const scopesOf = new Map<string, Set<string>>()
    const asserted = new Set<string>()
    const lists = await Promise.all([consentAccess.list(userId), grantAccess.list(userId)])
    for (const { clientId, scopes, byAssertion } of lists.flat()) {
      if (byAssertion) asserted.add(clientId)
      scopesOf.set(clientId, new Set([...(scopesOf.get(clientId) ?? []), ...scopes]))
    }
    const applications = await Promise.all(
      [...scopesOf].map(async ([clientId, scopes]) => {
        const { name = clientId, start } = (await findNamedApplication(clientId)) ?? {}
        return { clientId, name, start, scopes: [...scopes], byAssertion: asserted.has(clientId) }
      }),
    )
    return applications.sort((one, other) => one.name.localeCompare(other.name))
  }

  return {
    async list(browser) {
      const accounts = await ownAccounts.list(browser)
      return Promise.all(
        accounts.map(async ({ session: { sid, userId }, loginName, isUnconfirmed, branding, language }) => ({
          ...{ sid, loginName, isUnconfirmed, branding, language },
          applications: await applicationsOf(userId),
        })),
      )
    },
    async endAccess(browser, { sid, clientId, clientAddress }) {
      const { session } = await ownAccounts.require(browser, sid)
      const owner = ownChange(session, clientAddress)
      // Consents first: otherwise the application could get a new grant without asking.
      await consentAccess.end(owner, clientId)
      await grantAccess.end(owner, clientId)
    },
  }
}
