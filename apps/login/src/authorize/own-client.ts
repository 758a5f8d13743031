import type { createAssessAuthorization } from './assess-authorization.ts'
import type { Client } from './oauth-client.ts'
import { OWN_CLIENT_ID } from './own-sign-in.ts'

type Dependencies = Parameters<typeof createAssessAuthorization>[0]
type ClientDependencies = Pick<Dependencies, 'findClient' | 'requireAudiences' | 'issueResponse'>

export const isOwnClient = ({ clientId }: Pick<Client, 'clientId'>): boolean => clientId === OWN_CLIENT_ID

/**
 * Adds the client with which people sign in to the account pages of this service. It gets neither code nor tokens, so its
 * authorization request ends at one of these pages with a session and nothing else.
 */
export function withOwnClient(
  redirectUris: readonly string[],
  dependencies: ClientDependencies,
): ClientDependencies {
  const { findClient, requireAudiences, issueResponse } = dependencies
  const ownClient: Client = {
    clientId: OWN_CLIENT_ID,
    name: 'Signet',
    projectId: null,
    organizationId: '',
    portRule: 'registered',
    devMode: false,
    requiresPkce: false,
    requiresPush: false,
    requiresSignedRequests: false,
    requiresSignedResponses: false,
    bindsAccessTokens: false,
    firstParty: true,
    keys: [],
    signatureAlgorithms: [],
    idTokenSigningAlg: 'RS256',
    redirectUris,
    postLogoutRedirectUris: [],
    responseTypes: ['code'],
    grantTypes: ['authorization_code'],
    neverAsksConsent: true,
  }
  return {
    findClient: async (clientId) => (clientId === OWN_CLIENT_ID ? ownClient : findClient(clientId)),
    requireAudiences: async (client, scopes) => {
      if (client !== ownClient) await requireAudiences(client, scopes)
    },
    issueResponse: async (redirect, request, session) =>
      redirect.client === ownClient ? {} : issueResponse(redirect, request, session),
  }
}
