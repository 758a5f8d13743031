// gRPC calls to the directory for the second factors of people: TOTP, recovery codes and trusted browsers.
import type { RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { callService } from '../dependency.ts'
import type { FactorDirectory } from '../factors/own-factors.service.ts'
import type { AddBrowserTrust } from '../sign-in/browser-trust.ts'

const OPTIONS = { timeoutMs: 2_000 }

export function browserTrustAdder(accounts: RpcClient<typeof AccountService>): AddBrowserTrust {
  return async ({ userEpoch, ...owner }) => {
    const request = { ...owner, userEpoch: BigInt(userEpoch) }
    const answer = await undefinedFor(['UNIMPLEMENTED'], () => accounts.trustBrowser(request, OPTIONS))
    return answer?.trustKey || undefined
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

export function factorDirectory(accounts: RpcClient<typeof AccountService>): FactorDirectory {
  return {
    async deleteTotp(owner) {
      await callService('directory', () => accounts.deleteTotp(owner, OPTIONS))
    },
    async makeRecoveryCodes(owner) {
      const refusals = ['FAILED_PRECONDITION', 'UNIMPLEMENTED']
      return (await undefinedFor(refusals, () => accounts.makeRecoveryCodes(owner, OPTIONS)))?.codes
    },
    async endBrowserTrust(owner) {
      await callService('directory', () => accounts.endBrowserTrust(owner, OPTIONS))
    },
  }
}
