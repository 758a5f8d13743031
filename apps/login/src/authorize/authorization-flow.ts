// The authorization request that waits for a sign-in, as its pages read it.
import type { Branding } from '@signet/directory-reader/branding'
import type { OAuthError } from '@signet/protocol/errors'
import type { AccountChoice } from '../sessions/account-names.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserSession, SessionCookie } from '../sessions/browser-session.ts'
import type { PreparedSession } from '../sessions/browser-sessions.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Interaction } from './interaction.ts'
import type { RequestParameters } from './parameters.ts'
import type { FinishedRequest, Progress, UpstreamPerson } from './pending-authorization.ts'
import type { AuthorizationResponse, ProvenRedirect } from './redirect.ts'
import type { RegistrationPolicy } from './registration-rules.ts'
import type { RoleOffer } from './role-offers.ts'

/** A request with valid parameters. */
export interface ValidRequest {
  readonly redirect: ProvenRedirect
  readonly request: AuthorizationRequest
  /** The parameters that a pending request stores. */
  readonly stored: Readonly<Record<string, string>>
  /** Only users of this organization may sign in; undefined: all users. */
  readonly organizationId: string | undefined
  readonly progress: Progress
}

/** A request whose user is known as far as the browser and the progress tell. */
interface AssessedRequest extends ValidRequest {
  /** The branding of its pages. */
  findBranding(): Promise<Branding | undefined>
}

/** A response, and the session cookie when its lifetime changed with this use of the session. */
export interface IssuedResponse {
  readonly response: AuthorizationResponse
  readonly sessionCookie: SessionCookie | undefined
}

/** The state of a valid request: it can be answered, or the user has to do something first. */
export type Assessment = AssessedRequest &
  (
    | { readonly interaction: 'none'; respond(): Promise<IssuedResponse> }
    | {
        readonly interaction: 'consent'
        readonly session: BrowserSession
        /** Login name of the account that is asked. */
        readonly loginName: string
      }
    | {
        readonly interaction: 'link-account'
        readonly session: BrowserSession
        readonly person: UpstreamPerson
        /** Login name of the account that is asked. */
        readonly loginName: string
      }
    | {
        readonly interaction: 'accept-roles'
        readonly session: BrowserSession
        readonly offer: RoleOffer
        /** Login name of the account that is asked. */
        readonly loginName: string
      }
    | {
        readonly interaction: 'sign-in' | 'choose-account' | 'hinted-sign-in' | 'register' | 'second-factor'
        /** The session that needs a new authentication or a second factor. */
        readonly session: BrowserSession | undefined
        /** The sessions of this browser that the user can choose instead. */
        readonly accounts: readonly AccountChoice[]
        /** Prefills the login name; empty when it is unknown. */
        readonly loginName: string
        /** The rules for new accounts; undefined where registration is not allowed. */
        readonly registration: RegistrationPolicy | undefined
      }
  )

export type AuthorizationOutcome =
  | ({ readonly kind: 'respond' } & IssuedResponse)
  | { readonly kind: 'interact'; readonly interaction: Interaction; readonly requestId: string }

export interface AuthorizationFlow {
  /** Checks a posted request before it is stored. Returns its known parameters. */
  check(parameters: RequestParameters): Promise<Readonly<Record<string, string>>>
  /** Answers a new request, or stores it until the user has completed its interactions. */
  begin(
    parameters: RequestParameters,
    browser: Browser,
    about: {
      readonly clientAddress: string
      /** Called with the request once it is valid, before it is answered or stored. */
      readonly onRead: (request: Pick<ValidRequest, 'redirect' | 'request'>) => void
    },
  ): Promise<AuthorizationOutcome>
  /** Continues a pending request. A second response throws PageExpiredError. */
  resume(requestId: string, browser: Browser): Promise<AuthorizationOutcome>
  /**
   * Assesses a pending request. Throws PageExpiredError when this browser has no such request. `sentAgain` as in
   * PendingAuthorizations.
   */
  assess(requestId: string, browser: Browser, options?: { readonly sentAgain?: boolean }): Promise<Assessment>
  /**
   * Returns the response to a pending request for a session that is not stored yet. Undefined where its user has to do something
   * first, and where `resume` has to respond: with an error, or with a page, which would lead the browser back to a form.
   */
  answer(
    assessment: Assessment,
    made: Pick<PreparedSession, 'session' | 'sessions'> & Pick<Progress, 'noRolesOffered'>,
  ): Promise<AuthorizationResponse | undefined>
  /** Ends a pending request that `answer` responded to; false where `resume` responded to it before. */
  finish(requestId: string, browser: Browser, assessment: Assessment): Promise<boolean>
  /** Finishes a pending request with an error to its client, by throwing AuthorizationResponseError. */
  refuse(requestId: string, browser: Browser, error: OAuthError): Promise<never>
  /** The application of a request that this browser finished. */
  finished(requestId: string, browser: Browser): Promise<FinishedRequest | undefined>
  /** Stores a completed step of a pending request. Throws PageExpiredError when this browser has no such request. */
  update(requestId: string, browser: Browser, progress: Progress): Promise<void>
}
