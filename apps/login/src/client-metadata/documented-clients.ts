// Clients that no organization registered: draft-ietf-oauth-client-id-metadata-document, docs/decisions/0100.

import { documentUrlProblem } from '@signet/client-auth/document-keys'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import type { ClientMetadata } from '@signet/platform/config/client-metadata-settings'
import { forFlags } from '@signet/protocol/application-settings'
import { forCertificateNames } from '@signet/protocol/certificate-subject'
import { InvalidClientError } from '@signet/protocol/errors'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { isClientIdUrl } from '@signet/tokens/identifiers'
import { type ClientDocument, ClientDocumentError } from './client-document.ts'
import type { ClientDocuments } from './find-document.ts'

interface Dependencies {
  readonly directory: Pick<DirectoryReader, 'client' | 'project' | 'organization' | 'projectOfResource'>
  readonly documents: Pick<ClientDocuments, 'find'>
  readonly metadata: ClientMetadata
  readonly issuer: string
}

/**
 * Finds clients, among them those that their document describes. The document decides what the client may do; the application that
 * a first consent made decides whether it still may. Throws InvalidClientError for a URL or document that is refused.
 */
export function createDocumentedClientFinder({
  directory,
  documents,
  metadata,
  issuer,
}: Dependencies): DirectoryReader['client'] {
  async function problemOf(clientId: string): Promise<string | undefined> {
    const problem = documentUrlProblem(clientId, { hosts: metadata.hosts, issuer })
    if (problem !== undefined) return problem
    // The client_id is in the aud of each token of the client, so the API would take it for its own.
    const projectId = await directory.projectOfResource(clientId)
    return projectId === undefined ? undefined : 'must not be the URI of an API'
  }

  async function requireDocument(clientId: string, stored: Client | undefined): Promise<ClientDocument> {
    try {
      return await documents.find(clientId)
    } catch (error) {
      if (!(error instanceof ClientDocumentError)) throw error
      const { message: rule } = error
      const description = `The document at the URL of client_id is refused: ${rule}`
      throw refusal(description, { rule, stored, cause: error })
    }
  }

  return async (clientId) => {
    const stored = await directory.client(clientId)
    if (!isClientIdUrl(clientId) || stored?.active === false) return stored
    const problem = await problemOf(clientId)
    if (problem !== undefined) throw refusal(`client_id ${problem}`, { rule: problem, stored })
    const project = await directory.project(metadata.projectId)
    const organization = project && (await directory.organization(project.organizationId))
    if (organization === undefined || !organization.active) return undefined
    const document = await requireDocument(clientId, stored)
    return {
      ...UNREGISTERED,
      ...{ projectId: metadata.projectId, organizationId: organization.organizationId },
      organizationTokenEpoch: organization.tokenEpoch,
      ...stored,
      ...{
        clientId,
        name: document.name,
        redirectUris: document.redirectUris,
        authMethod: document.authMethod,
      },
      grantTypes: [GRANT_TYPES.authorizationCode, ...(document.mayRefresh ? [GRANT_TYPES.refreshToken] : [])],
      ...NEVER,
    }
  }
}

/** Finds the clients that organizations registered: none with a URL, also where an application of one is left. */
export function createRegisteredClientFinder(
  directory: Pick<DirectoryReader, 'client'>,
): DirectoryReader['client'] {
  return async (clientId) => (isClientIdUrl(clientId) ? undefined : directory.client(clientId))
}

interface RefusedDocument {
  /** The rule that the URL or the document breaks. */
  readonly rule: string
  /** The application of the client: its administrators see the refusal. */
  readonly stored: Client | undefined
  readonly cause?: unknown
}

function refusal(description: string, { rule, stored, cause }: RefusedDocument): InvalidClientError {
  return new InvalidClientError(description, {
    ...{ reason: 'client_document_refused', basicTried: false, cause },
    values: { clientId: stored?.clientId, others: { rule } },
  })
}

/** Settings that no administrator gives such a client. */
const NEVER = {
  kind: 'application',
  type: 'native',
  responseTypes: ['code'],
  secrets: [],
  keys: [],
  devMode: false,
  pkceOptional: false,
  requirePkce: true,
  firstParty: false,
  active: true,
} as const satisfies Partial<Client>

/** A client before its first consent. */
const UNREGISTERED: Omit<
  Client,
  | keyof typeof NEVER
  | 'clientId'
  | 'name'
  | 'projectId'
  | 'organizationId'
  | 'organizationTokenEpoch'
  | 'redirectUris'
  | 'authMethod'
  | 'grantTypes'
> = {
  ...forFlags(() => false),
  ...forCertificateNames(() => null),
  applicationId: null,
  userId: null,
  issuerTrusts: [],
  isRegistered: false,
  postLogoutRedirectUris: [],
  accessTokenType: 'bearer',
  accessTokenSigningAlg: 'RS256',
  idTokenSigningAlg: 'RS256',
  accessTokenLifetimeSeconds: null,
  idTokenLifetimeSeconds: null,
  groupsClaim: 'groups',
  claimMapping: {},
  crossAppAccess: {},
  backChannelLogoutUri: null,
  allowedOrigins: [],
  homePage: null,
  initiateLoginUri: null,
  tokenEpoch: 0,
}
