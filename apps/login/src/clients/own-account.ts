// Reads and gRPC calls to the directory for the account pages.
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { RpcClient } from '@signet/grpc/client'
import type { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import type { FindAccountDetails } from '../account/own-accounts.service.ts'
import type { ReplacePassword, SignOutEverywhere } from '../account/own-security.service.ts'
import { queryStore } from '../dependency.ts'
import { knownProblem, undefinedIfRefused, verifiedAccount } from './directory.ts'

type Accounts = RpcClient<typeof OwnAccountService>

// A transaction and the publication of endings.
const TIMEOUT_MS = 6_000
// One argon2id run, after waiting for a free thread, and the publication of endings.
const PASSWORD_TIMEOUT_MS = 10_000

export function accountDetails(directory: DirectoryReader): FindAccountDetails {
  return async (userId) => {
    const account = await queryStore('postgres', () => directory.account(userId))
    if (account === undefined) return undefined
    const { name, loginName, email, emailVerified } = account
    return { name, loginName, email: email ?? undefined, emailVerified }
  }
}

export function passwordReplacer(accounts: Accounts): ReplacePassword {
  return async ({ password, ...change }) => {
    const answer = await undefinedIfRefused(() =>
      accounts.replacePassword({ change, password }, { timeoutMs: PASSWORD_TIMEOUT_MS }),
    )
    if (answer === undefined) return undefined
    const { account, problems } = answer
    return account === undefined ? { problems: problems.map(knownProblem) } : epochsOf(account)
  }
}

export function everywhereSignOut(accounts: Accounts): SignOutEverywhere {
  return async (change) => {
    const answer = await undefinedIfRefused(() =>
      accounts.signOutEverywhere({ change }, { timeoutMs: TIMEOUT_MS }),
    )
    return answer?.account && epochsOf(answer.account)
  }
}

function epochsOf(account: Parameters<typeof verifiedAccount>[0]) {
  const { userEpoch, organizationEpoch } = verifiedAccount(account)
  return { userEpoch, organizationEpoch }
}
