// gRPC calls to the directory for the second factors of people: TOTP, recovery codes and trusted browsers.
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { callService } from '../dependency.ts'
import type { FactorDirectory } from '../own-account/own-factors.service.ts'
import type { AddBrowserTrust, UseTrustedBrowser } from '../sign-in/browser-trust.ts'
import { callOwn, changeMessage, inSession, type OwnCalls, ownerOf } from './own-call.ts'

const OPTIONS = { timeoutMs: REPEATED_CALL_TIMEOUT_MS }

export function createBrowserTrustAdder({ own, accounts }: OwnCalls): AddBrowserTrust {
  return async (owner, agent) => {
    const change = changeMessage(owner)
    const request = { ...ownerOf(owner), userEpoch: change.userEpoch, agent }
    const answer = await undefinedFor(['UNIMPLEMENTED'], () =>
      inSession(() =>
        callOwn(
          () => own.trustOwnBrowser({ change, agent }, OPTIONS),
          () => accounts.trustBrowser(request, OPTIONS),
        ),
      ),
    )
    return answer?.trustKey ? answer : undefined
  }
}

/** A directory of the previous version knows no single browsers: the key alone decides there. */
export function createTrustedBrowserUse(accounts: RpcClient<typeof AccountService>): UseTrustedBrowser {
  return async (use) => {
    const answer = await undefinedFor(['UNIMPLEMENTED'], () => accounts.useTrustedBrowser(use, OPTIONS))
    return answer?.trusted ?? true
  }
}

/**
 * Undefined for errors with these codes. During a rollout, a directory of the previous version has neither recovery codes
 * nor trusted browsers, and a sign-in goes on without.
 */
async function undefinedFor<T>(codes: readonly string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callService('directory', work)
  } catch (error) {
    if (error instanceof RpcError && codes.includes(error.code)) return undefined
    throw error
  }
}

const dateOf = (time: Timestamp | undefined) => (time === undefined ? new Date(0) : timestampDate(time))

export function factorDirectory({ own, accounts }: OwnCalls): FactorDirectory {
  return {
    async deleteTotp(owner) {
      await inSession(() =>
        callOwn(
          () => own.deleteOwnTotp({ change: changeMessage(owner) }, OPTIONS),
          () => accounts.deleteTotp(ownerOf(owner), OPTIONS),
        ),
      )
    },
    async makeRecoveryCodes(owner) {
      const refusals = ['FAILED_PRECONDITION', 'UNIMPLEMENTED']
      const answer = await undefinedFor(refusals, () =>
        callOwn(
          () => own.makeOwnRecoveryCodes({ change: changeMessage(owner) }, OPTIONS),
          () => accounts.makeRecoveryCodes(ownerOf(owner), OPTIONS),
        ),
      )
      return answer?.codes
    },
    async listTrustedBrowsers(userId) {
      const answer = await undefinedFor(['UNIMPLEMENTED'], () =>
        accounts.listTrustedBrowsers({ userId }, OPTIONS),
      )
      return (answer?.browsers ?? []).map(({ id, agent, trustedAt, lastUsedAt }) => ({
        ...{ id, agent, trustedAt: dateOf(trustedAt), lastUsedAt: dateOf(lastUsedAt) },
      }))
    },
    async endBrowserTrust(owner, browserId = '') {
      await inSession(() =>
        callOwn(
          () => own.endOwnBrowserTrust({ change: changeMessage(owner), browserId }, OPTIONS),
          () => accounts.endBrowserTrust({ ...ownerOf(owner), browserId }, OPTIONS),
        ),
      )
    },
  }
}
