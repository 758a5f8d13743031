import {
  IDENTITY_PROVIDER_LOGOUT_RETURN,
  SERVICE_PROVIDER_METADATA,
  SINGLE_LOGOUT_SERVICE,
} from '@signet/protocol/identity-provider-callback'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { Interaction } from '../authorize/interaction.ts'
import type { SignInStep } from '../sessions/sign-in-proof.ts'

// Paths of this service. Request ids need no encoding.
export const PATHS = {
  first: '/',
  accountShort: '/account',
  ui: '/ui',
  language: '/ui/language',
  authorize: ENDPOINT_PATHS.authorize,
  pushedAuthorization: ENDPOINT_PATHS.pushedAuthorization,
  deviceAuthorization: ENDPOINT_PATHS.deviceAuthorization,
  endSession: ENDPOINT_PATHS.endSession,
  login: '/ui/login',
  upstream: '/ui/login/identity-provider',
  upstreamPassword: '/ui/login/identity-provider/password',
  unlinked: '/ui/login/identity-provider/unlinked',
  upstreamLink: '/ui/login/identity-provider/link',
  /** The link of a test of an identity provider. */
  upstreamTest: '/ui/identity-providers/test',
  /** The post-logout redirect URI at every identity provider. */
  upstreamLogoutReturn: IDENTITY_PROVIDER_LOGOUT_RETURN,
  /** Takes logout tokens of an identity provider. */
  upstreamLogout: '/ui/identity-providers/:providerId/backchannel-logout',
  /** The redirect URI at an identity provider. */
  upstreamCallback: '/ui/identity-providers/:providerId/callback',
  /** Begins a sign-in by a SAML provider at which a person asked for it. */
  upstreamStart: '/ui/identity-providers/:providerId/sign-in',
  /** The end of such a sign-in, which leads on to its application. */
  upstreamEnd: '/ui/identity-providers/signed-in',
  /** The metadata of Signet for a SAML provider. */
  upstreamMetadata: SERVICE_PROVIDER_METADATA,
  /** Takes messages of a sign-out from a SAML provider. */
  upstreamSingleLogout: SINGLE_LOGOUT_SERVICE,
  register: '/ui/register',
  totp: '/ui/totp',
  enrolment: '/ui/totp/new',
  newPassword: '/ui/password',
  passkey: '/ui/passkey',
  passkeyChallenge: '/ui/passkey/challenge',
  passkeyFactor: '/ui/totp/passkey',
  passkeyEnrolment: '/ui/totp/new/passkey',
  passkeys: '/ui/passkeys',
  passkeyAdd: '/ui/passkeys/add',
  passkeyOffer: '/ui/passkeys/offer',
  confirm: '/ui/passkeys/confirm',
  confirmByPasskey: '/ui/passkeys/confirm/passkey',
  account: '/ui/account',
  ownPassword: '/ui/account/password',
  ownProfile: '/ui/account/profile',
  ownData: '/ui/account/data',
  ownDeletion: '/ui/account/delete',
  ownEmail: '/ui/account/email',
  ownSessions: '/ui/account/sessions',
  ownLinks: '/ui/account/identity-providers',
  factors: '/ui/account/factors',
  newTotp: '/ui/account/factors/totp',
  relatedOrigins: '/.well-known/webauthn',
  forgot: '/ui/password/forgot',
  reset: '/ui/password/reset',
  invitation: '/ui/invitation',
  verifyEmail: '/ui/email/verify',
  /** The link by which an administrator signs in as another person. */
  impersonation: '/ui/impersonation',
  impersonationEnd: '/ui/impersonation/end',
  accounts: '/ui/accounts',
  consent: '/ui/consent',
  roles: '/ui/roles',
  applications: '/ui/applications',
  device: '/ui/device',
  deviceDone: '/ui/device/done',
  logout: '/ui/logout',
  signedOut: '/ui/logout/done',
  asset: '/ui/assets/:file',
} as const

/** The account pages that a person can open by their address: each leads a browser without a session to the sign-in and back. */
const ACCOUNT_PAGES: readonly string[] = [
  ...[PATHS.account, PATHS.ownProfile, PATHS.ownEmail, PATHS.ownPassword, PATHS.passkeys, PATHS.factors],
  ...[PATHS.newTotp, PATHS.applications, PATHS.ownSessions, PATHS.ownLinks, PATHS.ownData, PATHS.ownDeletion],
]

/** Pages to which a sign-in of this service itself returns. */
export const OWN_PAGES: readonly string[] = [...ACCOUNT_PAGES, PATHS.verifyEmail, PATHS.upstreamEnd]

const INTERACTION_PATHS = {
  'sign-in': PATHS.login,
  'choose-account': PATHS.accounts,
  // `login_hint` names an account without a session here: its page leads to the choice of the sessions, too.
  'hinted-sign-in': PATHS.login,
  register: PATHS.register,
  consent: PATHS.consent,
  'link-account': PATHS.upstreamLink,
  'accept-roles': PATHS.roles,
  'second-factor': PATHS.totp,
} satisfies Record<Interaction, string>

const STEP_PATHS = {
  code: PATHS.totp,
  enrolment: PATHS.enrolment,
  'new-password': PATHS.newPassword,
} satisfies Record<SignInStep, string>

/** The page of an interaction of a pending request. */
export const interactionPath = (interaction: Interaction, requestId: string) =>
  `${INTERACTION_PATHS[interaction]}?request=${requestId}`
/** The page of a step between the password and the session. */
export const stepPath = (step: SignInStep, requestId: string) => `${STEP_PATHS[step]}?request=${requestId}`
/** The page for the name and the password at a provider that verifies passwords. */
export const upstreamPasswordPath = (requestId: string, providerId: string) =>
  `${PATHS.upstreamPassword}?request=${requestId}&provider=${encodeURIComponent(providerId)}`
/** The page of a person of an identity provider who has no account. */
export const unlinkedPath = (requestId: string) => `${PATHS.unlinked}?request=${requestId}`
/** The page that offers a passkey after a sign-in. */
export const offerPath = (requestId: string) => `${PATHS.passkeyOffer}?request=${requestId}`
/** The pages that ask the user to authenticate again, by the name in the query of that page. */
const CONFIRMED_PATHS = {
  passkeys: PATHS.passkeys,
  factors: PATHS.factors,
  password: PATHS.ownPassword,
  sessions: PATHS.ownSessions,
  links: PATHS.ownLinks,
  email: PATHS.ownEmail,
  data: PATHS.ownData,
  deletion: PATHS.ownDeletion,
  impersonation: PATHS.impersonation,
}
export type ConfirmedPage = keyof typeof CONFIRMED_PATHS
export const isConfirmedPage = (name: string | undefined): name is ConfirmedPage =>
  name !== undefined && Object.hasOwn(CONFIRMED_PATHS, name)
/** The address of the page of an account that asked for a confirmation, without the account. */
export const pageToConfirm = (page: ConfirmedPage): string => CONFIRMED_PATHS[page]
/** A page of one account among several of this browser. */
export const ofAccount = (path: string, sid: string) => `${path}?account=${encodeURIComponent(sid)}`
export const confirmedPath = (page: ConfirmedPage, sid: string): string =>
  page === 'passkeys' || page === 'factors' ? CONFIRMED_PATHS[page] : ofAccount(CONFIRMED_PATHS[page], sid)
/** The page on which the user of a session authenticates again, before a change on another page. */
export const confirmPath = (sid: string, page: ConfirmedPage) =>
  `${PATHS.confirm}?account=${encodeURIComponent(sid)}&for=${page}`
/** The page that adds a TOTP secret to the account of a session. */
export const newTotpPath = (sid: string) => ofAccount(PATHS.newTotp, sid)
export const continuePath = (requestId: string) => `${PATHS.authorize}?continue=${requestId}`
export const postedPath = (handle: string) => `${PATHS.authorize}?posted=${handle}`
/** The page that goes on with the response of an identity provider that came by POST. */
export const upstreamPostedPath = (providerId: string, handle: string) =>
  `${PATHS.upstreamCallback.replace(':providerId', () => encodeURIComponent(providerId))}?posted=${handle}`
/** The page that begins a sign-in by a SAML provider at which a person asked for it. */
export const upstreamStartPath = (providerId: string) =>
  PATHS.upstreamStart.replace(':providerId', () => encodeURIComponent(providerId))
/** `query` is already encoded; an empty one adds no question mark. */
export const withRawQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)
