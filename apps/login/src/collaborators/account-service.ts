import type { RpcClient } from '@signet/rpc/client'
import type { AccountService } from '@signet/rpc/gen/directory/v1/account_service_pb'
import type { Consents } from '../consent/consent.ts'
import { call } from './call.ts'

const TIMEOUT_MS = 2_000

export function consentKeeper(accounts: RpcClient<typeof AccountService>): Consents {
  return {
    async find(userId, clientId) {
      const { scopes } = await call('directory', () =>
        accounts.findConsent({ userId, clientId }, { timeoutMs: TIMEOUT_MS }),
      )
      return new Set(scopes)
    },
    async record({ scopes, ...consent }) {
      const request = { ...consent, scopes: [...scopes] }
      await call('directory', () => accounts.recordConsent(request, { timeoutMs: TIMEOUT_MS }))
    },
  }
}
