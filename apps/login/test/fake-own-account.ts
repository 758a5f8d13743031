import { RpcError } from '@signet/grpc/error'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { type RpcHandlers, rpcService } from '@signet/grpc/service'

/** Answers as a directory of the previous release: login calls the method of AccountService instead. */
const unknown = async () => {
  throw new RpcError('UNIMPLEMENTED', 'no such method')
}

/** Answers for every account alike and changes nothing. */
const handlers: RpcHandlers<typeof OwnAccountService> = {
  findOwnAccount: async () => ({
    profile: { givenName: 'Alice', familyName: 'Example', displayName: 'Alice Example' },
    email: 'alice@acme.localhost',
    hasPassword: true,
    mayDelete: true,
  }),
  listOwnActivity: async () => ({}),
  updateProfile: async () => ({
    problems: [
      { field: 'display_name', code: 'required' },
      { field: 'preferred_language', code: 'invalid' },
    ],
  }),
  replacePassword: async () => ({ problems: ['password_too_short'] }),
  signOutEverywhere: async () => ({}),
  deleteAccount: async () => ({}),
  requestEmailChange: async ({ address }) => ({ refused: address.includes('@') ? '' : 'invalid' }),
  requestEmailVerification: async () => ({}),
  findEmailChange: async ({ secret }) =>
    secret.startsWith('token-of-')
      ? { userId: secret.slice(9), address: 'new@acme.localhost' }
      : { refused: 'invalid' },
  confirmEmailChange: async () => ({ refused: 'invalid' }),
  recordOwnConsent: unknown,
  withdrawOwnConsent: unknown,
  beginOwnTotp: unknown,
  confirmOwnTotp: unknown,
  deleteOwnTotp: unknown,
  makeOwnRecoveryCodes: unknown,
  trustOwnBrowser: unknown,
  endOwnBrowserTrust: unknown,
  answerOwnOfferedRoles: unknown,
  beginOwnPasskey: unknown,
  addOwnPasskey: unknown,
  renameOwnPasskey: unknown,
  deleteOwnPasskey: unknown,
  skipOwnPasskeyOffer: unknown,
}

export const fakeOwnAccounts = rpcService(OwnAccountService, handlers)

/** Returns `fakeOwnAccounts` with other answers to some calls. */
export const ownAccountsWith = (changed: Partial<typeof handlers>) =>
  rpcService(OwnAccountService, { ...handlers, ...changed })

/** Returns `fakeOwnAccounts` with another answer to the link of a new address. */
export const fakeOwnAccountsFinding = (findEmailChange: (typeof handlers)['findEmailChange']) =>
  ownAccountsWith({ findEmailChange })
