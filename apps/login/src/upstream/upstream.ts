// The calls of a sign-in by an identity provider (docs/sign-in-gates.md).
import type { OwnChange, SignInProof, VerifiedAccount } from '../sessions/sign-in-proof.ts'

/** The reason for which a sign-in by an identity provider does not happen; the text of `rule` is for the log. */
export interface UpstreamRefusal {
  /** `declined`: the person or the provider ended the sign-in; `unavailable`: the person may try again. */
  readonly kind: 'declined' | 'refused' | 'unavailable'
  readonly rule: string
  /** The value that the provider sent and the expected one, without secrets; for its administrators. */
  readonly sent?: string
  readonly expected?: string
}

interface UpstreamRequest {
  readonly providerId: string
  /** 256 random bits or more, sent back by the provider. */
  readonly state: string
  /** Hash that binds the sign-in to one browser. */
  readonly browser: string
}

/** A verified logout token. One of subject and session may be empty. */
export interface UpstreamLogout {
  readonly issuer: string
  readonly subject: string
  readonly sessionId: string
  readonly tokenId: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** A message of a sign-out of SAML, as the browser brought it: the query byte by byte, or the parameters of a form. */
export interface LogoutMessage {
  readonly providerId: string
  readonly query: string
  readonly posted: string
  readonly relayState: string
}

/** A session as its provider names it. */
export interface SessionNames {
  readonly subject: string
  readonly sessionId?: string | undefined
  readonly nameIdFormat?: string | undefined
}

interface NamedPerson {
  readonly providerId: string
  /** Empty: any. */
  readonly organizationId: string
  readonly name: string
}

export interface AssertedAnswer {
  readonly kind: 'asserted'
  /** Name or address of the account at the provider. */
  readonly account: string
  readonly assertion: string
}

/** The service that talks to identity providers. */
export interface Upstreams {
  begin(
    request: UpstreamRequest & {
      readonly organizationId: string
      readonly loginHint: string
      /** The person has to authenticate again at the provider. */
      readonly fresh: boolean
      readonly maxAgeSeconds: number | undefined
      readonly acrValues: readonly string[]
      readonly uiLocales: readonly string[]
    },
  ): Promise<{ readonly kind: 'begun'; readonly location: string } | UpstreamRefusal>
  /** Finds the counter of failed passwords of a person in a directory. */
  findPerson(
    person: NamedPerson & { readonly isTest: boolean },
  ): Promise<
    { readonly kind: 'found'; readonly attemptKey: string } | { readonly kind: 'wrong' } | UpstreamRefusal
  >
  /** Verifies a password by the server of a directory. `wrong` is every reason for which name and password are refused. */
  verifyPassword(
    person: NamedPerson & { readonly password: string },
  ): Promise<AssertedAnswer | { readonly kind: 'wrong' } | UpstreamRefusal>
  /** Verifies a password in the same way, for a test. `outcome` is for `StoredTests`. It asserts no person. */
  testPassword(person: NamedPerson & { readonly password: string }): Promise<{
    readonly answer: { readonly kind: 'accepted' } | { readonly kind: 'wrong' } | UpstreamRefusal
    readonly outcome: string
  }>
  complete(
    request: UpstreamRequest & {
      readonly parameters: readonly (readonly [name: string, value: string])[]
    },
  ): Promise<AssertedAnswer | UpstreamRefusal>
  /** The metadata of Signet for a SAML provider; undefined for another one. */
  findMetadata(providerId: string): Promise<string | undefined>
  /** Finds where a browser signs out at a provider; undefined: the provider is not set up for it. */
  beginLogout(request: {
    readonly providerId: string
    readonly state: string
    /** Undefined: a session of a release before. A provider of SAML is asked for nothing without them. */
    readonly names?: SessionNames | undefined
  }): Promise<{ readonly kind: 'begun'; readonly location: string | undefined } | UpstreamRefusal>
  /** Verifies a request of a SAML provider to sign a person out. The answer to it goes to `location`. */
  readLogoutRequest(message: LogoutMessage): Promise<
    | {
        readonly kind: 'logout'
        readonly logout: UpstreamLogout
        /** Empty: all sessions of the person. */
        readonly sessionIds: readonly string[]
        readonly location: string
      }
    | UpstreamRefusal
  >
  /** Verifies the answer of a SAML provider to a sign-out that went on there. It counts once. */
  completeLogout(message: LogoutMessage): Promise<{ readonly kind: 'ended' } | UpstreamRefusal>
  /** Verifies a logout token of a provider. */
  readLogoutToken(token: {
    readonly providerId: string
    readonly logoutToken: string
  }): Promise<{ readonly kind: 'logout'; readonly logout: UpstreamLogout } | UpstreamRefusal>
  /** Begins a test, which `completeTest` alone ends. `outcome` is for `StoredTests`. */
  beginTest(
    request: UpstreamRequest & { readonly organizationId: string },
  ): Promise<
    | { readonly kind: 'begun'; readonly location: string }
    | { readonly kind: 'ended'; readonly outcome: string }
  >
  /** Ends a test, and returns its outcome for `StoredTests`. It asserts no person. */
  completeTest(
    request: UpstreamRequest & {
      readonly parameters: readonly (readonly [name: string, value: string])[]
    },
  ): Promise<string>
}

interface AssertedPerson {
  readonly assertion: string
  /** The organization of the request; undefined: any. */
  readonly organizationId: string | undefined
  readonly clientId: string
  readonly clientAddress: string
  readonly responseId?: string
  /** The person wants a new account. */
  readonly create: boolean
}

/** The accounts of people whom a provider asserts. */
export interface UpstreamAccounts {
  resolve(person: AssertedPerson): Promise<
    | {
        readonly kind: 'account'
        readonly account: VerifiedAccount
        /** The methods that count for the session. */
        readonly amr: readonly string[]
        readonly factor: string
        readonly noRolesOffered: boolean
        /** When the person authenticated at the provider, in Unix milliseconds; undefined when the provider does not say. */
        readonly authenticatedAt: number | undefined
        /** The sign-in as logout tokens of the provider name it; undefined: they do not. */
        readonly upstream: Omit<NonNullable<SignInProof['upstream']>, 'assertedAt'> | undefined
      }
    | { readonly kind: 'forbidden'; readonly rule: string }
    | { readonly kind: 'unlinked'; readonly mayLink: boolean; readonly mayCreate: boolean }
  >
  /** Finds the SAML provider that takes assertions at a path of another product. */
  findByConsumer(path: string): Promise<string | undefined>
  /** Links the account of a session. Returns the rule that refuses it. Throws PageExpiredError when the session has ended. */
  link(owner: OwnChange, assertion: string): Promise<string | undefined>
}
