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
    const { trustKey } = await callService('directory', () =>
      accounts.trustBrowser({ ...owner, userEpoch: BigInt(userEpoch) }, OPTIONS),
    )
    return trustKey === '' ? undefined : trustKey
  }
}

export function factorDirectory(accounts: RpcClient<typeof AccountService>): FactorDirectory {
  return {
    async deleteTotp(owner) {
      await callService('directory', () => accounts.deleteTotp(owner, OPTIONS))
    },
    async makeRecoveryCodes(owner) {
      try {
        return (await callService('directory', () => accounts.makeRecoveryCodes(owner, OPTIONS))).codes
      } catch (error) {
        if (error instanceof RpcError && error.code === 'FAILED_PRECONDITION') return undefined
        throw error
      }
    },
    async endBrowserTrust(owner) {
      await callService('directory', () => accounts.endBrowserTrust(owner, OPTIONS))
    },
  }
}
