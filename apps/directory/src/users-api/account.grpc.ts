import { RpcError } from '@signet/grpc/error'
import type { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import type { RpcHandlers } from '@signet/grpc/service'
import type { FindConsent, ListConsents, RecordConsent, WithdrawConsent } from '../consents/consent.ts'
import { accountMessage } from '../credentials/account-message.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import { type OwnFactors, ownFactorHandlers, passkeyHandlers } from '../credentials/factors.grpc.ts'
import { orExhausted } from '../credentials/or-exhausted.ts'
import type { OwnPasskeys } from '../credentials/own-passkeys.ts'
import type { PasswordChangeOutcome } from '../credentials/password-change.ts'
import type { OwnOfferedRoles } from '../members/offered-roles.service.ts'
import type { RegistrationOutcome, RegistrationRequest } from '../registration/register-account.ts'

interface Dependencies extends OwnFactors {
  readonly attemptKeys: AttemptKeys
  readonly register: (request: RegistrationRequest) => Promise<RegistrationOutcome>
  readonly findConsent: FindConsent
  readonly recordConsent: RecordConsent
  readonly listConsents: ListConsents
  readonly withdrawConsent: WithdrawConsent
  readonly passkeys: OwnPasskeys
  readonly changePassword: (change: {
    readonly userId: string
    readonly password: string
    readonly clientAddress?: string
  }) => Promise<PasswordChangeOutcome | undefined>
  readonly offeredRoles: OwnOfferedRoles
}

const MOST_SCOPES = 100
const MOST_SCOPE_CHARACTERS = 1000

/** The methods of `signet.directory.v1.AccountService`. */
export type AccountHandlers = ReturnType<typeof accountHandlers>

/** Creates the methods of `signet.directory.v1.AccountService`; OwnAccountService delegates to some of them. */
export function accountHandlers(dependencies: Dependencies) {
  const { attemptKeys, register, findConsent, recordConsent, listConsents, withdrawConsent } = dependencies
  const { changePassword, offeredRoles, passkeys } = dependencies
  return {
    async register({ organizationId, clientAddress, clientId, ...form }) {
      const outcome = await orExhausted(
        register({
          form,
          ...(organizationId !== '' && { organizationId }),
          ...(clientAddress !== '' && { clientAddress }),
          ...(clientId !== '' && { clientId }),
        }),
      )
      if ('account' in outcome)
        return { outcome: { case: 'account', value: accountMessage(outcome.account, attemptKeys) } }
      return { outcome: { case: 'problems', value: { problems: [...outcome.problems] } } }
    },
    async findConsent({ userId, clientId }) {
      return { scopes: [...(await findConsent(userId, clientId))] }
    },
    async recordConsent({ userId, clientId, scopes, detailTypes, clientAddress, client }) {
      const tooLong = scopes.some((scope) => scope === '' || scope.length > MOST_SCOPE_CHARACTERS)
      if (tooLong || scopes.length > MOST_SCOPES) {
        throw new RpcError(
          'INVALID_ARGUMENT',
          `scopes: at most ${MOST_SCOPES}, each of 1 to ${MOST_SCOPE_CHARACTERS} characters`,
        )
      }
      const recorded = await recordConsent({
        userId,
        clientId,
        scopes,
        detailTypes,
        ...(clientAddress !== '' && { clientAddress }),
        ...(client && { documented: client }),
      })
      if (!recorded) {
        throw new RpcError('FAILED_PRECONDITION', 'there is no such person or no such application')
      }
      return {}
    },
    async listConsents({ userId }) {
      const consents = await listConsents(userId)
      return { consents: consents.map(({ clientId, scopes }) => ({ clientId, scopes: [...scopes] })) }
    },
    async withdrawConsent({ userId, clientId, clientAddress }) {
      await withdrawConsent({ userId, clientId, ...(clientAddress !== '' && { clientAddress }) })
      return {}
    },
    async changePassword({ userId, password, clientAddress }) {
      const outcome = await orExhausted(
        changePassword({ userId, password, ...(clientAddress !== '' && { clientAddress }) }),
      )
      if (outcome === undefined)
        throw new RpcError('FAILED_PRECONDITION', 'no change of the password is required')
      if ('problems' in outcome) return { problems: [...outcome.problems] }
      return { account: accountMessage(outcome.account, attemptKeys) }
    },
    async listOfferedRoles({ userId }) {
      const offers = await offeredRoles.list(userId)
      return {
        offers: offers.map(
          ({ organizationId, organizationName, projectId = '', projectName = '', roles }) => ({
            ...{ organizationId, organizationName, projectId, projectName },
            roles: [...roles],
          }),
        ),
      }
    },
    async answerOfferedRoles({ clientAddress, ...answer }) {
      await offeredRoles.answer({ ...answer, ...(clientAddress !== '' && { clientAddress }) })
      return {}
    },
    ...ownFactorHandlers(dependencies),
    ...passkeyHandlers(passkeys),
  } satisfies RpcHandlers<typeof AccountService>
}
