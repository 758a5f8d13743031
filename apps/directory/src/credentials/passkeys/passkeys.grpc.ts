import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import type { RpcHandlers } from '@signet/grpc/service'
import type { OwnPasskeys } from './own-passkeys.ts'
import type { OwnPasskey } from './passkey.ts'

const MOST_NAME_CHARACTERS = 100

/** The methods of `signet.directory.v1.AccountService` for passkeys. */
export function passkeyHandlers(passkeys: OwnPasskeys) {
  return {
    async listPasskeys({ userId }) {
      const { passkeys: held, mayAdd } = await passkeys.list(userId)
      return { passkeys: held.map(passkeyMessage), mayAdd }
    },
    async beginPasskey({ userId }) {
      const begun = await passkeys.begin(userId)
      if (begun === undefined) throw new RpcError('FAILED_PRECONDITION', 'the account can add no passkey')
      const { handle, loginName, displayName } = begun
      return { userHandle: handle, loginName, displayName, passkeys: begun.passkeys.map(passkeyMessage) }
    },
    async addPasskey({ clientAddress, ...request }) {
      const amr = await passkeys.add({ ...request, ...(clientAddress !== '' && { clientAddress }) })
      return { amr: [...(amr ?? [])] }
    },
    async renamePasskey({ userId, passkeyId: id, name, clientAddress }) {
      if (!isName(name)) {
        throw new RpcError('INVALID_ARGUMENT', `name must have 1 to ${MOST_NAME_CHARACTERS} characters`)
      }
      await passkeys.rename({ userId, id, name, ...(clientAddress !== '' && { clientAddress }) })
      return {}
    },
    async deletePasskey({ userId, passkeyId: id, clientAddress }) {
      await passkeys.delete({ userId, id, ...(clientAddress !== '' && { clientAddress }) })
      return {}
    },
    async skipPasskeyOffer({ userId }) {
      await passkeys.skipOffer(userId)
      return {}
    },
  } satisfies Partial<RpcHandlers<typeof AccountService>>
}

function isName(name: string): boolean {
  const length = [...name].length
  return length >= 1 && length <= MOST_NAME_CHARACTERS && !name.includes('\0')
}

function passkeyMessage(passkey: OwnPasskey) {
  const { id, credentialId, transports, name, createdAt, lastUsedAt, clonedAt } = passkey
  return {
    id,
    credentialId: credentialId.toString('base64url'),
    transports: [...transports],
    name,
    createdAt: timestampFromDate(createdAt),
    ...(lastUsedAt !== null && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    backupEligible: passkey.backupEligible,
    backedUp: passkey.backedUp,
    cloned: clonedAt !== null,
  }
}
