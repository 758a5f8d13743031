// gRPC calls to the directory: accounts, credentials, consents and role offers.
import { createHash } from 'node:crypto'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import type {
  CredentialService,
  VerifiedAccount as VerifiedAccountMessage,
} from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { userNameKey } from '@signet/protocol/user-name'
import {
  NEW_PASSWORD_PROBLEMS,
  type NewPasswordProblem,
  REGISTRATION_CODES,
  REGISTRATION_FIELDS,
  type RegistrationProblem,
} from '../authorize/registration-rules.ts'
import type { RoleOffers } from '../authorize/role-offers.ts'
import type { Consents, GivenConsent } from '../consent/consent.service.ts'
import { callService } from '../dependency.ts'
import type { AccessStore } from '../own-account/applications.service.ts'
import type { RegisterAccount } from '../registration/register.service.ts'
import type { FindSecondFactors } from '../sessions/factor-policy.ts'
import type { VerifiedAccount } from '../sessions/sign-in-proof.ts'
import type { ChangePassword } from '../sign-in/new-password.service.ts'
import type { BeginEnrolment, ConfirmEnrolment, VerifyCode } from '../sign-in/totp.service.ts'
import type { AttemptKey, FindAttemptKey, VerifyPassword } from '../sign-in/verify-password.ts'
import { callOwn, changeMessage, inSession, type OwnCalls, ownerOf } from './own-call.ts'

const TIMEOUT_MS = REPEATED_CALL_TIMEOUT_MS
const OPTIONS = { timeoutMs: TIMEOUT_MS }
// Two seconds of waiting for a free thread, one argon2id run and the look-up of breaches.
const REGISTER_TIMEOUT_MS = 10_000

export function consentStore({ own, accounts }: OwnCalls): Consents {
  return {
    async find(userId, clientId) {
      const { scopes } = await callService('directory', () =>
        accounts.findConsent({ userId, clientId }, { timeoutMs: TIMEOUT_MS }),
      )
      return new Set(scopes)
    },
    async record(owner, { clientId, scopes, detailTypes, documented }) {
      const given = {
        clientId,
        scopes: [...scopes],
        detailTypes: [...detailTypes],
        ...(documented && { client: clientMessage(documented) }),
      }
      await inSession(() =>
        callOwn(
          () => own.recordOwnConsent({ change: changeMessage(owner), ...given }, OPTIONS),
          () => accounts.recordConsent({ ...ownerOf(owner), ...given }, OPTIONS),
        ),
      )
    },
  }
}

function clientMessage({
  name,
  redirectUris,
  grantTypes,
  signsAssertions = false,
}: NonNullable<GivenConsent['documented']>) {
  return {
    name,
    redirectUris: [...redirectUris],
    mayRefresh: grantTypes.includes(GRANT_TYPES.refreshToken),
    signsAssertions,
  }
}

export function roleOffers({ own, accounts }: OwnCalls): RoleOffers {
  return {
    async list(userId) {
      const { offers } = await callService('directory', async () => {
        try {
          return await accounts.listOfferedRoles({ userId }, { timeoutMs: TIMEOUT_MS })
        } catch (error) {
          // During a rollout, a directory of the previous version does not implement offers. The user is asked at a
          // later sign-in.
          if (error instanceof RpcError && error.code === 'UNIMPLEMENTED') return { offers: [] }
          throw error
        }
      })
      return offers.map(({ organizationId, organizationName, projectId, projectName, roles }) => ({
        objectId: projectId || organizationId,
        organizationName,
        ...(projectId !== '' && { projectName }),
        roles,
      }))
    },
    async answer(owner, { objectId, roles, accepted }) {
      const answer = { objectId, roles: [...roles], accepted }
      await inSession(() =>
        callOwn(
          () => own.answerOwnOfferedRoles({ change: changeMessage(owner), ...answer }, OPTIONS),
          () => accounts.answerOfferedRoles({ ...ownerOf(owner), ...answer }, OPTIONS),
        ),
      )
    },
  }
}

export function consentAccess({ own, accounts }: OwnCalls): AccessStore {
  return {
    async list(userId) {
      const { consents } = await callService('directory', () =>
        accounts.listConsents({ userId }, { timeoutMs: TIMEOUT_MS }),
      )
      return consents
    },
    async end(owner, clientId) {
      await inSession(() =>
        callOwn(
          () => own.withdrawOwnConsent({ change: changeMessage(owner), clientId }, OPTIONS),
          () => accounts.withdrawConsent({ ...ownerOf(owner), clientId }, OPTIONS),
        ),
      )
    },
  }
}

export function createAccountRegistrar(accounts: RpcClient<typeof AccountService>): RegisterAccount {
  return async ({ organizationId = '', ...registration }) => {
    const { outcome } = await callService('directory', () =>
      accounts.register({ ...registration, organizationId }, { timeoutMs: REGISTER_TIMEOUT_MS }),
    )
    switch (outcome.case) {
      case 'account':
        return { account: verifiedAccount(outcome.value) }
      case 'problems':
        return { problems: outcome.value.problems.map(problemOf) }
      case undefined:
        throw new Error('the directory answered a registration with nothing')
    }
  }
}

/** Maps a code that this release does not know to `invalid`, and an unknown field to the whole form. */
function problemOf({ field, code }: { field: string; code: string }): RegistrationProblem {
  return {
    field: REGISTRATION_FIELDS.find((known) => known === field),
    code: REGISTRATION_CODES.find((known) => known === code) ?? 'invalid',
  }
}

export function createSecondFactorFinder(accounts: RpcClient<typeof AccountService>): FindSecondFactors {
  return async (userId) => {
    const found = await callService('directory', () =>
      accounts.findSecondFactor({ userId }, { timeoutMs: TIMEOUT_MS }),
    )
    const { totp, passkey, anyPasskey, passkeyAllowed, recoveryCodes, trustedBrowsers } = found
    return {
      totp,
      passkey,
      anyPasskey: anyPasskey || passkey,
      passkeyAllowed,
      recoveryCodes,
      trustedBrowsers,
    }
  }
}

export function createEnrolmentStarter({ own, accounts }: OwnCalls): BeginEnrolment {
  return async (owner, { enrolment, passkeyProven }) => {
    const known = { enrolment: Buffer.from(enrolment, 'base64'), passkeyProven }
    const begun = await undefinedIfRefused(() =>
      callOwn(
        () => own.beginOwnTotp({ change: changeMessage(owner), ...known }, OPTIONS),
        () => accounts.beginTotp({ userId: owner.userId, ...known }, OPTIONS),
      ),
    )
    if (begun === undefined) return undefined
    const { secret, uri } = begun
    return { secret, uri, enrolment: Buffer.from(begun.enrolment).toString('base64') }
  }
}

export function createEnrolmentConfirmer({ own, accounts }: OwnCalls): ConfirmEnrolment {
  return async (owner, { enrolment, code, throttled, passkeyProven }) => {
    const typed = { enrolment: Buffer.from(enrolment, 'base64'), code, throttled, passkeyProven }
    const { accepted } = await inSession(() =>
      callOwn(
        () => own.confirmOwnTotp({ change: changeMessage(owner), ...typed }, OPTIONS),
        () => accounts.confirmTotp({ ...ownerOf(owner), ...typed }, OPTIONS),
      ),
    )
    return accepted
  }
}

export function createPasswordChanger(accounts: RpcClient<typeof AccountService>): ChangePassword {
  return async (change) => {
    const answer = await undefinedIfRefused(() =>
      accounts.changePassword(change, { timeoutMs: REGISTER_TIMEOUT_MS }),
    )
    if (answer?.account === undefined) {
      return answer && { problems: answer.problems.map((code) => knownProblem(code)) }
    }
    const { userId, organizationId, userEpoch, organizationEpoch, deviceKey } = verifiedAccount(
      answer.account,
    )
    return { account: { userId, organizationId, userEpoch, organizationEpoch, deviceKey } }
  }
}

export function knownProblem(code: string): NewPasswordProblem {
  return NEW_PASSWORD_PROBLEMS.find((known) => known === code) ?? 'password_policy'
}

/** Returns undefined when the directory refuses with FAILED_PRECONDITION. */
export async function undefinedIfRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callService('directory', work)
  } catch (error) {
    if (error instanceof RpcError && error.code === 'FAILED_PRECONDITION') return undefined
    throw error
  }
}

// Two seconds of waiting for a free thread, twice for a decomposed password, and the slowest imported hash.
const VERIFY_TIMEOUT_MS = 15_000
const TOTP_TIMEOUT_MS = 2_000

type Credentials = RpcClient<typeof CredentialService>

export function createAttemptKeyFinder(credentials: Credentials): FindAttemptKey {
  return async (loginName, { organizationId = '', clientId = '' }) => {
    try {
      return await callService('directory', () =>
        credentials.findAttemptKey({ loginName, organizationId, clientId }, { timeoutMs: TIMEOUT_MS }),
      )
    } catch (error) {
      if (error instanceof RpcError && error.code === 'UNIMPLEMENTED') return keyOfName(loginName)
      throw error
    }
  }
}

/** During a rollout, a directory of the previous version returns no keys: each login name has its own counter. */
function keyOfName(loginName: string): AttemptKey {
  const attemptKey = createHash('sha256').update(userNameKey(loginName)).digest('base64url')
  return { attemptKey, deviceKey: '', maxPasswordAttempts: 5 }
}

export function createPasswordVerifier(credentials: Credentials): VerifyPassword {
  return async ({ organizationId = '', clientId = '', responseId = '', ...credential }) => {
    const message = { ...credential, organizationId, clientId, requestId: responseId }
    const { account, refusedRule, newBrowserAnnounced, noRolesOffered } = await callService('directory', () =>
      credentials.verifyPassword(message, { timeoutMs: VERIFY_TIMEOUT_MS }),
    )
    if (refusedRule !== '') return { kind: 'forbidden', rule: refusedRule }
    return account && { account: verifiedAccount(account), newBrowserAnnounced, noRolesOffered }
  }
}

export function createTotpVerifier(credentials: Credentials): VerifyCode {
  return async ({ responseId = '', ...request }) => {
    const { accepted } = await callService('directory', () =>
      credentials.verifyTotp({ ...request, requestId: responseId }, { timeoutMs: TOTP_TIMEOUT_MS }),
    )
    return accepted
  }
}

export function createRecoveryCodeVerifier(credentials: Credentials): VerifyCode {
  return async ({ responseId = '', ...request }) => {
    try {
      const { accepted } = await callService('directory', () =>
        credentials.verifyRecoveryCode({ ...request, requestId: responseId }, { timeoutMs: TOTP_TIMEOUT_MS }),
      )
      return accepted
    } catch (error) {
      // During a rollout, a directory of the previous version has no recovery codes.
      if (error instanceof RpcError && error.code === 'UNIMPLEMENTED') return false
      throw error
    }
  }
}

/** Converts the epochs to numbers. They are far below 2^53. */
export function verifiedAccount(account: VerifiedAccountMessage): VerifiedAccount {
  const { userId, organizationId, userEpoch, organizationEpoch, deviceKey } = account
  const { secondFactorRequired, secondFactorEnrolmentRequired, passwordChangeRequired, passkeyOffered } =
    account
  return {
    userId,
    organizationId,
    userEpoch: Number(userEpoch),
    organizationEpoch: Number(organizationEpoch),
    secondFactorRequired,
    deviceKey,
    secondFactorEnrolmentRequired,
    passwordChangeRequired,
    passkeyOffered,
    trustKey: account.trustKey,
  }
}
