import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { type RpcHandlers, rpcService } from '@signet/grpc/service'

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
  findEmailChange: async ({ secret }) =>
    secret.startsWith('token-of-')
      ? { userId: secret.slice(9), address: 'new@acme.localhost' }
      : { refused: 'invalid' },
  confirmEmailChange: async () => ({ refused: 'invalid' }),
}

export const fakeOwnAccounts = rpcService(OwnAccountService, handlers)

/** Returns `fakeOwnAccounts` with other answers to some calls. */
export const ownAccountsWith = (changed: Partial<typeof handlers>) =>
  rpcService(OwnAccountService, { ...handlers, ...changed })

/** Returns `fakeOwnAccounts` with another answer to the link of a new address. */
export const fakeOwnAccountsFinding = (findEmailChange: (typeof handlers)['findEmailChange']) =>
  ownAccountsWith({ findEmailChange })
