import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import type { RpcHandlers } from '@signet/grpc/service'
import type { BrowserTrust } from './browser-trust.service.ts'
import type { OwnPasskeys } from './own-passkeys.ts'
import type { OwnPasskey } from './passkey.ts'
import type { RecoveryCodes } from './recovery-codes.service.ts'
import type { TotpEnrolments } from './totp.service.ts'

export interface OwnFactors {
  readonly findSecondFactors: (userId: string) => Promise<{
    readonly totp: boolean
    readonly passkey: { readonly isSet: boolean; readonly isAllowed: boolean } | undefined
    /** Whether there is a passkey, also one that does not count. */
    readonly anyPasskey: boolean
  }>
  readonly enrolments: TotpEnrolments
  readonly recoveryCodes: RecoveryCodes
  readonly browserTrust: BrowserTrust
}

/** The methods of `signet.directory.v1.AccountService` for TOTP, recovery codes and trusted browsers. */
export function ownFactorHandlers(dependencies: OwnFactors) {
  const { findSecondFactors, enrolments, recoveryCodes, browserTrust } = dependencies
  return {
    async findSecondFactor({ userId }) {
      const [{ totp, passkey, anyPasskey }, left, isTrusted] = await Promise.all([
        findSecondFactors(userId),
        recoveryCodes.count(userId),
        browserTrust.isSet(userId),
      ])
      return {
        totp,
        passkey: passkey?.isSet === true,
        passkeyAllowed: passkey?.isAllowed === true,
        anyPasskey,
        recoveryCodes: left,
        trustedBrowsers: isTrusted,
      }
    },
    async beginTotp({ userId, enrolment, passkeyProven }) {
      const begun = await enrolments.begin({ userId, enrolment: Buffer.from(enrolment), passkeyProven })
      if (begun === undefined)
        throw new RpcError('FAILED_PRECONDITION', 'the account can add no second factor')
      return begun
    },
    async confirmTotp({ userId, enrolment, passkeyProven, code, clientAddress, throttled }) {
      const accepted = await enrolments.confirm({
        userId,
        enrolment: Buffer.from(enrolment),
        passkeyProven,
        code,
        throttled,
        ...(clientAddress !== '' && { clientAddress }),
      })
      return { accepted }
    },
    async deleteTotp({ userId, clientAddress }) {
      await enrolments.delete(owner(userId, clientAddress))
      return {}
    },
    async makeRecoveryCodes({ userId, clientAddress }) {
      const codes = await recoveryCodes.make(owner(userId, clientAddress))
      if (codes === undefined) throw new RpcError('FAILED_PRECONDITION', 'the account has no second factor')
      return { codes: [...codes] }
    },
    async trustBrowser({ userId, userEpoch, clientAddress, agent }) {
      const trusted = { ...owner(userId, clientAddress), userEpoch: Number(userEpoch), agent }
      return (await browserTrust.add(trusted)) ?? {}
    },
    async useTrustedBrowser({ userId, browserId }) {
      return { trusted: await browserTrust.use(userId, browserId) }
    },
    async listTrustedBrowsers({ userId }) {
      const browsers = await browserTrust.list(userId)
      return {
        browsers: browsers.map(({ id, agent, trustedAt, lastUsedAt }) => ({
          ...{ id, agent },
          trustedAt: timestampFromDate(trustedAt),
          lastUsedAt: timestampFromDate(lastUsedAt),
        })),
      }
    },
    async endBrowserTrust({ userId, clientAddress, browserId }) {
      await browserTrust.end(owner(userId, clientAddress), browserId === '' ? undefined : browserId)
      return {}
    },
  } satisfies Partial<RpcHandlers<typeof AccountService>>
}

const owner = (userId: string, clientAddress: string) => ({
  userId,
  ...(clientAddress !== '' && { clientAddress }),
})

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
      const added = await passkeys.add({ ...request, ...(clientAddress !== '' && { clientAddress }) })
      return added === undefined ? {} : { amr: [...added.amr], passkeyId: added.passkeyId }
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
