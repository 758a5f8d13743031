import { ENDPOINT_PATHS } from '@signet/protocol/endpoint-paths'
import type { Interaction } from '../authorize/authorize.service.ts'
import type { SignInStep } from '../sign-in/password-proof.ts'

// Where this service sends a browser to. Ids are made of characters that need no encoding.
export const PATHS = {
  authorize: ENDPOINT_PATHS.authorize,
  endSession: ENDPOINT_PATHS.endSession,
  login: '/ui/login',
  register: '/ui/register',
  totp: '/ui/totp',
  enrolment: '/ui/totp/new',
  newPassword: '/ui/password',
  accounts: '/ui/accounts',
  consent: '/ui/consent',
  roles: '/ui/roles',
  applications: '/ui/applications',
  logout: '/ui/logout',
  signedOut: '/ui/logout/done',
  asset: '/ui/assets/:file',
} as const

const INTERACTION_PATHS = {
  'sign-in': PATHS.login,
  'choose-account': PATHS.accounts,
  register: PATHS.register,
  consent: PATHS.consent,
  'accept-roles': PATHS.roles,
  'second-factor': PATHS.totp,
} satisfies Record<Interaction, string>

const STEP_PATHS = {
  code: PATHS.totp,
  enrolment: PATHS.enrolment,
  'new-password': PATHS.newPassword,
} satisfies Record<SignInStep, string>

/** The page on which a person does what a pending authorization request needs. */
export const interactionPath = (interaction: Interaction, requestId: string) =>
  `${INTERACTION_PATHS[interaction]}?request=${requestId}`
/** The page of something that is to be done between the password and the session. */
export const stepPath = (step: SignInStep, requestId: string) => `${STEP_PATHS[step]}?request=${requestId}`
export const continuePath = (requestId: string) => `${PATHS.authorize}?continue=${requestId}`
export const postedPath = (handle: string) => `${PATHS.authorize}?posted=${handle}`
/** `query` is encoded already; an empty one leaves no question mark. */
export const withRawQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)
