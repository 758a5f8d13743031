// The rules of an identity provider whose client secret is a token of its own kind, signed for each request: Apple.
import type { ClientAuthentication, ProviderSettings } from '@signet/protocol/fields/identity-provider'

type Rule = readonly [isBroken: boolean, field: string, rule: string]

/** The rules about members of Apple. */
export function appleRules(
  provider: Pick<ProviderSettings, 'clientAuthentication' | 'keyId' | 'teamId'>,
): readonly Rule[] {
  const isApple = provider.clientAuthentication === 'apple_client_secret'
  return (['teamId', 'keyId'] as const).flatMap((member): readonly Rule[] => [
    [isApple && provider[member] === null, member, 'is required for apple_client_secret'],
    [!isApple && provider[member] !== null, member, 'must be left out without apple_client_secret'],
  ])
}

/** The ways to authenticate whose secret is a private key. It signs and is never sent. */
const KEY_METHODS: readonly ClientAuthentication[] = ['private_key_jwt', 'apple_client_secret']

/** The kind of a secret: a text that is sent, or the key of a way that signs. */
export const secretKind = (method: ClientAuthentication) => (KEY_METHODS.includes(method) ? method : 'secret')
