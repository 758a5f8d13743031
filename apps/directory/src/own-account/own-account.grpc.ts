import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import {
  OwnAccountService,
  type OwnChange as OwnChangeMessage,
} from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { type RpcHandlers, type RpcService, rpcService } from '@signet/grpc/service'
import { accountMessage } from '../credentials/account-message.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import { orExhausted } from '../credentials/or-exhausted.ts'
import type { PasswordChangeOutcome } from '../credentials/password-change.ts'
import type { VerifiedAccount } from '../credentials/verify-password.ts'
import type { EmailChanges } from '../recovery/email-changes.ts'
import { inLiveSession, ownSession, refusal } from './live-session.ts'
import type { OwnAccounts, OwnChange } from './own-account.service.ts'
import { type DelegatedActs, delegatedHandlers } from './session-changes.grpc.ts'

interface Dependencies {
  readonly attemptKeys: AttemptKeys
  readonly accounts: OwnAccounts
  /** The methods of AccountService, which do the same without the session. */
  readonly acts: DelegatedActs
  /** Whether the person may sign in and the session has not ended. */
  readonly isLive: Parameters<typeof inLiveSession>[1]
  readonly emailChanges: EmailChanges
  readonly replacePassword: (
    change: OwnChange & { readonly password: string; readonly clientAddress?: string },
  ) => Promise<PasswordChangeOutcome | undefined>
}

const WIRE_NAMES = {
  givenName: 'given_name',
  familyName: 'family_name',
  nickName: 'nick_name',
  displayName: 'display_name',
  preferredLanguage: 'preferred_language',
} as const

export function ownAccountService(dependencies: Dependencies): RpcService {
  const { attemptKeys, accounts, acts, isLive, emailChanges, replacePassword } = dependencies
  const changed = (account: VerifiedAccount) => ({ account: accountMessage(account, attemptKeys) })
  const handlers: RpcHandlers<typeof OwnAccountService> = {
    ...delegatedHandlers(acts),
    async findOwnAccount({ userId }) {
      const found = await accounts.find(userId)
      if (found === undefined) throw new RpcError('NOT_FOUND', 'there is no such person')
      const {
        givenName = '',
        familyName = '',
        nickName = '',
        displayName,
        preferredLanguage = '',
      } = found.profile
      return {
        profile: { givenName, familyName, nickName, displayName, preferredLanguage },
        userName: found.userName,
        email: found.email?.address ?? '',
        emailVerified: found.email?.verified === true,
        phone: found.phone?.number ?? '',
        createdAt: timestampFromDate(found.createdAt),
        hasPassword: found.hasPassword,
        mayDelete: found.mayDelete,
      }
    },
    async listOwnActivity({ userId }) {
      const entries = await accounts.activity(userId)
      return {
        entries: entries.map(({ at, action, result, clientAddress = '' }) => ({
          ...{ at: timestampFromDate(at), action, result, clientAddress },
        })),
      }
    },
    async updateProfile({ change, profile }) {
      if (profile === undefined) throw new RpcError('INVALID_ARGUMENT', 'profile is required')
      const problems = orRefused(await accounts.updateProfile(ownChange(change), profile))
      return { problems: problems.map(({ field, code }) => ({ field: WIRE_NAMES[field], code })) }
    },
    async replacePassword({ change, password }) {
      const outcome = orRefused(await orExhausted(replacePassword({ ...ownChange(change), password })))
      return 'problems' in outcome ? { problems: [...outcome.problems] } : changed(outcome.account)
    },
    async deleteAccount({ change }) {
      orRefused(await accounts.delete(ownChange(change)))
      return {}
    },
    async requestEmailChange({ change, address, language }) {
      const outcome = await emailChanges.request({ ...ownChange(change), address, language })
      return { refused: outcome === 'queued' ? '' : outcome }
    },
    async requestEmailVerification({ change, language }) {
      const outcome = await emailChanges.requestVerification({ ...ownChange(change), language })
      return { refused: outcome === 'queued' ? '' : outcome }
    },
    async findEmailChange({ secret, clientAddress }) {
      return emailChanges.find({ secret, ...(clientAddress !== '' && { clientAddress }) })
    },
    async confirmEmailChange({ change, secret }) {
      const outcome = await emailChanges.confirm({ ...ownChange(change), secret })
      return 'refused' in outcome ? outcome : {}
    },
    async signOutEverywhere({ change }) {
      return changed(orRefused(await accounts.signOutEverywhere(ownChange(change))))
    },
  }
  return rpcService(OwnAccountService, inLiveSession(handlers, isLive))
}

function ownChange(message: OwnChangeMessage | undefined): OwnChange & { readonly clientAddress?: string } {
  const { clientAddress = '' } = message ?? {}
  return { ...ownSession(message), ...(clientAddress !== '' && { clientAddress }) }
}

function orRefused<T>(outcome: T | undefined): T {
  if (outcome === undefined) throw refusal()
  return outcome
}
