import { create } from '@bufbuild/protobuf'
import {
  type AccountService,
  AddPasskeyRequestSchema,
  AnswerOfferedRolesRequestSchema,
  BeginPasskeyRequestSchema,
  BeginTotpRequestSchema,
  ConfirmTotpRequestSchema,
  DeletePasskeyRequestSchema,
  DeleteTotpRequestSchema,
  EndBrowserTrustRequestSchema,
  MakeRecoveryCodesRequestSchema,
  RecordConsentRequestSchema,
  RenamePasskeyRequestSchema,
  SkipPasskeyOfferRequestSchema,
  TrustBrowserRequestSchema,
  WithdrawConsentRequestSchema,
} from '@signet/grpc/gen/directory/v1/account_service_pb'
import type { OwnAccountService, OwnChange } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import type { RpcHandlers } from '@signet/grpc/service'

type Own = RpcHandlers<typeof OwnAccountService>
type Acts = RpcHandlers<typeof AccountService>
type ActOf<Method> = Method extends `${infer Verb}Own${infer Object}`
  ? Extract<`${Verb}${Object}`, keyof Acts>
  : never

/** The methods of AccountService with a counterpart here: `beginTotp` for `beginOwnTotp`. */
export type DelegatedActs = {
  readonly [Method in keyof Own as ActOf<Method>]: (
    request: Parameters<Acts[ActOf<Method>]>[0],
  ) => ReturnType<Own[Method]>
}

/** The methods of OwnAccountService that do what a method of AccountService does, in a session. */
export function delegatedHandlers(acts: DelegatedActs) {
  return {
    async recordOwnConsent({ change, clientId, scopes, detailTypes, client }) {
      const consent = { ...owner(change), clientId, scopes, detailTypes, ...(client && { client }) }
      return acts.recordConsent(create(RecordConsentRequestSchema, consent))
    },
    async withdrawOwnConsent({ change, clientId }) {
      return acts.withdrawConsent(create(WithdrawConsentRequestSchema, { ...owner(change), clientId }))
    },
    async beginOwnTotp({ change, enrolment, passkeyProven }) {
      return acts.beginTotp(create(BeginTotpRequestSchema, { ...person(change), enrolment, passkeyProven }))
    },
    async confirmOwnTotp({ change, enrolment, code, throttled, passkeyProven }) {
      return acts.confirmTotp(
        create(ConfirmTotpRequestSchema, { ...owner(change), enrolment, code, throttled, passkeyProven }),
      )
    },
    async deleteOwnTotp({ change }) {
      return acts.deleteTotp(create(DeleteTotpRequestSchema, { ...owner(change) }))
    },
    async makeOwnRecoveryCodes({ change }) {
      return acts.makeRecoveryCodes(create(MakeRecoveryCodesRequestSchema, { ...owner(change) }))
    },
    async trustOwnBrowser({ change, agent }) {
      return acts.trustBrowser(
        create(TrustBrowserRequestSchema, { ...owner(change), userEpoch: change?.userEpoch ?? 0n, agent }),
      )
    },
    async endOwnBrowserTrust({ change, browserId }) {
      return acts.endBrowserTrust(create(EndBrowserTrustRequestSchema, { ...owner(change), browserId }))
    },
    async answerOwnOfferedRoles({ change, objectId, roles, accepted }) {
      return acts.answerOfferedRoles(
        create(AnswerOfferedRolesRequestSchema, { ...owner(change), objectId, roles, accepted }),
      )
    },
    async beginOwnPasskey({ change }) {
      return acts.beginPasskey(create(BeginPasskeyRequestSchema, { ...person(change) }))
    },
    async addOwnPasskey({ change, response, challenge, factorProven }) {
      return acts.addPasskey(
        create(AddPasskeyRequestSchema, { ...owner(change), response, challenge, factorProven }),
      )
    },
    async renameOwnPasskey({ change, passkeyId, name }) {
      return acts.renamePasskey(create(RenamePasskeyRequestSchema, { ...owner(change), passkeyId, name }))
    },
    async deleteOwnPasskey({ change, passkeyId }) {
      return acts.deletePasskey(create(DeletePasskeyRequestSchema, { ...owner(change), passkeyId }))
    },
    async skipOwnPasskeyOffer({ change }) {
      return acts.skipPasskeyOffer(create(SkipPasskeyOfferRequestSchema, { ...person(change) }))
    },
  } satisfies Partial<RpcHandlers<typeof OwnAccountService>>
}

const person = (change: OwnChange | undefined) => ({ userId: change?.userId ?? '' })

const owner = (change: OwnChange | undefined) => ({
  ...person(change),
  clientAddress: change?.clientAddress ?? '',
})
