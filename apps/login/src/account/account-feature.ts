// Composes the services behind the pages on which people look after their own accounts.
import type { RpcTransport } from '@signet/grpc/client'
import { rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { createOwnApplications } from '../applications/applications.service.ts'
import { everywhereSignOut, ownDirectory, passwordReplacer } from '../clients/own-account.ts'
import { createOwnSecurity } from './own-security.service.ts'

type Dependencies = Omit<Parameters<typeof createOwnSecurity>[0], 'replacePassword' | 'signOutEverywhere'> &
  Parameters<typeof createOwnApplications>[0] & {
    /** To the directory. */
    readonly transport: RpcTransport
  }

export function createAccountFeature(dependencies: Dependencies) {
  const client = rpcClient(OwnAccountService, dependencies.transport)
  return {
    ownAccounts: dependencies.ownAccounts,
    ownDirectory: ownDirectory(client),
    ownSecurity: createOwnSecurity({
      ...dependencies,
      replacePassword: passwordReplacer(client),
      signOutEverywhere: everywhereSignOut(client),
    }),
    ownApplications: createOwnApplications(dependencies),
  }
}
