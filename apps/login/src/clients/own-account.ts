// gRPC calls to the directory for the account pages.

import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { RpcClient } from '@signet/grpc/client'
import type { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { callService, unavailable } from '../dependency.ts'
import { type OwnDirectory, PROFILE_FIELDS } from '../own-account/own-directory.ts'
import type { ReplacePassword, SignOutEverywhere } from '../own-account/own-security.service.ts'
import { knownProblem, undefinedIfRefused, verifiedAccount } from './directory.ts'
import { changeMessage, inSession, isUnknownMethod } from './own-call.ts'

type Accounts = RpcClient<typeof OwnAccountService>

// A transaction and the publication of endings.
const TIMEOUT_MS = 6_000
// One argon2id run, after waiting for a free thread, and the publication of endings.
const PASSWORD_TIMEOUT_MS = 10_000

export function createPasswordReplacer(accounts: Accounts): ReplacePassword {
  return async ({ password, ...change }) => {
    const answer = await undefinedIfRefused(() =>
      accounts.replacePassword(
        { change: changeMessage(change), password },
        { timeoutMs: PASSWORD_TIMEOUT_MS },
      ),
    )
    if (answer === undefined) return undefined
    const { account, problems } = answer
    return account === undefined ? { problems: problems.map(knownProblem) } : epochsOf(account)
  }
}

export function createEverywhereSignOut(accounts: Accounts): SignOutEverywhere {
  return async (change) => {
    const answer = await undefinedIfRefused(() =>
      accounts.signOutEverywhere({ change: changeMessage(change) }, { timeoutMs: TIMEOUT_MS }),
    )
    return answer?.account && epochsOf(answer.account)
  }
}

function epochsOf(account: Parameters<typeof verifiedAccount>[0]) {
  const { userEpoch, organizationEpoch } = verifiedAccount(account)
  return { userEpoch, organizationEpoch }
}

/** Runs a call that a directory of the previous version does not know: it refuses the caller or the method. */
async function unavailableIfUnknown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isUnknownMethod(error) ? unavailable('directory', error) : error
  }
}

export function ownDirectory(accounts: Accounts): OwnDirectory {
  const call = <T>(work: () => Promise<T>) => callService('directory', work)
  const options = { timeoutMs: TIMEOUT_MS }
  return {
    async find(userId) {
      const { profile, createdAt, userName, email, emailVerified, phone, hasPassword, mayDelete } =
        await call(() => accounts.findOwnAccount({ userId }, options))
      return {
        profile: {
          given_name: profile?.givenName ?? '',
          family_name: profile?.familyName ?? '',
          nick_name: profile?.nickName ?? '',
          display_name: profile?.displayName ?? '',
          preferred_language: profile?.preferredLanguage ?? '',
        },
        ...{ userName, email, emailVerified, phone, hasPassword, mayDelete },
        createdAt: createdAt === undefined ? new Date(0) : timestampDate(createdAt),
      }
    },
    async activity(userId) {
      const { entries } = await call(() => accounts.listOwnActivity({ userId }, options))
      return entries.map(({ at, action, result, clientAddress }) => ({
        ...{ at: at === undefined ? new Date(0) : timestampDate(at), action, result, clientAddress },
      }))
    },
    async deleteAccount(change) {
      const answer = await undefinedIfRefused(() =>
        accounts.deleteAccount({ change: changeMessage(change) }, options),
      )
      return answer !== undefined
    },
    async requestEmailChange(change, wanted) {
      const { refused } = await inSession(() =>
        call(() => accounts.requestEmailChange({ change: changeMessage(change), ...wanted }, options)),
      )
      if (refused === '') return 'sent'
      return refused === 'same' || refused === 'no_server' || refused === 'limited' ? refused : 'invalid'
    },
    async requestEmailVerification(change, language) {
      const { refused } = await inSession(() =>
        unavailableIfUnknown(() =>
          call(() => accounts.requestEmailVerification({ change: changeMessage(change), language }, options)),
        ),
      )
      if (refused === '') return 'sent'
      return refused === 'verified' || refused === 'no_server' ? refused : 'limited'
    },
    async findEmailChange(presented) {
      const { refused, userId, address } = await unavailableIfUnknown(() =>
        call(() => accounts.findEmailChange(presented, options)),
      )
      return refused === '' ? { userId, address } : undefined
    },
    async confirmEmailChange(change, secret) {
      const { refused } = await inSession(() =>
        call(() => accounts.confirmEmailChange({ change: changeMessage(change), secret }, options)),
      )
      if (refused === '') return 'done'
      return refused === 'throttled' ? refused : 'invalid'
    },
    async updateProfile(change, profile) {
      const message = {
        givenName: profile.given_name,
        familyName: profile.family_name,
        nickName: profile.nick_name,
        displayName: profile.display_name,
        preferredLanguage: profile.preferred_language,
      }
      const { problems } = await inSession(() =>
        call(() => accounts.updateProfile({ change: changeMessage(change), profile: message }, options)),
      )
      return problems.map(({ field, code }) => ({
        field: PROFILE_FIELDS.find((known) => known === field) ?? 'display_name',
        code: code === 'required' || code === 'too_long' ? code : 'invalid',
      }))
    },
  }
}
