// Where SAML providers send assertions (Assertion Consumer Service, SAML 2.0 Metadata section 2.4.4).
import { identityProviderCallback } from './identity-provider-callback.ts'

/**
 * Prefixes below which other products take assertions. A provider may have its address below one of them, so that its partner changes
 * nothing when an organization moves. No page of Signet is there.
 */
export const CONSUMER_PREFIXES = [
  // Keycloak, and before version 17.
  '/realms',
  '/auth/realms',
  // ZITADEL.
  '/idps',
  // Auth0, Spring Security.
  '/login',
  // FusionAuth, Cognito and others.
  '/saml',
  '/saml2',
  '/samlv2',
  '/sso',
  // authentik.
  '/source',
  '/Shibboleth.sso',
] as const

const MOST_CHARACTERS = 500
const SEGMENT = '(?!\\.{1,2}(?:[/?]|$))[A-Za-z0-9._~@:+-]+'
const CONSUMER_PATH = new RegExp(
  `^(?:${CONSUMER_PREFIXES.map((prefix) => prefix.replace('.', '\\.')).join('|')})(?:/${SEGMENT})+/?(?:\\?[A-Za-z0-9._~=&+-]+)?$`,
)

/** Whether a provider may take assertions at this path, with its query: one spelling only, which no proxy rewrites. */
export function isConsumerPath(text: string): boolean {
  return text.length <= MOST_CHARACTERS && CONSUMER_PATH.test(text)
}

/** The address to which a provider sends assertions. `issuer` is SIGNET_ISSUER; an empty path is that of Signet. */
export function assertionConsumer(issuer: string, providerId: string, path: string): string {
  return path === '' ? identityProviderCallback(issuer, providerId) : issuer + path
}
