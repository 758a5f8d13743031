// Reads of the published views of the directory.
import { findDetailType, requireDetails } from '@signet/directory-reader/authorization-details'
import type { BrandingReader } from '@signet/directory-reader/branding'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { FindInitiatingProvider } from '@signet/directory-reader/initiating-providers'
import {
  mayNameAudiences,
  type ProjectRefusal,
  projectRefusal,
  projectsOfResources,
} from '@signet/directory-reader/project-access'
import { type FindSignInPage, PLAIN_SIGN_IN_PAGE } from '@signet/directory-reader/sign-in-page'
import type { Client } from '@signet/directory-reader/views'
import type { Logger } from '@signet/platform/logger/logger'
import { clientIdHost } from '@signet/protocol/client-id-url'
import { AccessDeniedError, InvalidScopeError } from '@signet/protocol/errors'
import { clientAlgorithms } from '@signet/protocol/fapi2'
import { requiresPkce } from '@signet/protocol/pkce'
import { portRuleOf, redirectUriProblem } from '@signet/protocol/redirect-uri'
import { namedAudiences } from '@signet/protocol/scopes'
import { applicationStart } from '../authorize/application-start.ts'
import type { FindDetails, FindResources } from '../authorize/assess-authorization.ts'
import type {
  FindAudienceNames,
  FindDetailType,
  FindOrganizationName,
  IsOwnApplication,
} from '../authorize/consent-rule.ts'
import type { RequireAudiences, RequireProjectAccess } from '../authorize/gates.ts'
import type { FindClient } from '../authorize/oauth-client.ts'
import type { FindRegistrationPolicy } from '../authorize/registration-rules.ts'
import type { FindOrganization } from '../authorize/session-candidates.ts'
import type { BrandingDirectory, FindBrandingFile } from '../branding/find-branding.ts'
import { queryStore } from '../dependency.ts'
import type { FindNamedApplication } from '../own-account/applications.service.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import type { FindFactorPolicy, FindPasskeySignIn } from '../sessions/factor-policy.ts'

export function createClientFinder(
  directory: Pick<DirectoryReader, 'client' | 'settings'>,
  issuer: string,
): FindClient {
  return async (clientId) => {
    const client = await queryStore('postgres', () => directory.client(clientId))
    if (client === undefined || !client.active || client.kind !== 'application') return undefined
    const settings = await queryStore('postgres', () => directory.settings())
    return {
      clientId: client.clientId,
      name: client.name,
      projectId: client.projectId,
      organizationId: client.organizationId,
      portRule: portRuleOf(client),
      devMode: client.devMode,
      bindsAccessTokens: client.dpopBoundAccessTokens || client.tlsClientCertificateBoundAccessTokens,
      requiresPkce: requiresPkce(client),
      requiresPush: client.requirePushedAuthorization || settings.requirePushedAuthorization,
      requiresSignedRequests: client.requireSignedRequests,
      requiresSignedResponses: client.requireSignedResponses,
      firstParty: client.firstParty,
      isRegistered: client.isRegistered,
      documentHost: clientIdHost(client.clientId),
      signsAssertions: client.authMethod === 'private_key_jwt',
      keys: client.keys,
      signatureAlgorithms: clientAlgorithms(client),
      idTokenSigningAlg: client.idTokenSigningAlg,
      ...usableUris(client),
      start: applicationStart(client, issuer),
      responseTypes: client.fapi2
        ? client.responseTypes.filter((type) => type === 'code')
        : client.responseTypes,
      grantTypes: client.grantTypes,
    }
  }
}

type RegisteredUris = Pick<Client, 'redirectUris' | 'postLogoutRedirectUris'>

const usable = new WeakMap<Client, RegisteredUris>()

/** Filters out stored URIs that the current rules refuse. Cached as long as the row. */
function usableUris(client: Client): RegisteredUris {
  const known = usable.get(client)
  if (known !== undefined) return known
  const obeys = (uri: string) => redirectUriProblem(uri, client) === undefined
  const uris = {
    redirectUris: client.redirectUris.filter(obeys),
    postLogoutRedirectUris: client.postLogoutRedirectUris.filter(obeys),
  }
  usable.set(client, uris)
  return uris
}

export function organizationFinder(directory: DirectoryReader): FindOrganization {
  const idOf = async (work: () => ReturnType<DirectoryReader['organization']>) => {
    const organization = await queryStore('postgres', work)
    return organization?.active ? organization.organizationId : undefined
  }
  return {
    byId: (organizationId) => idOf(() => directory.organization(organizationId)),
    byPrimaryDomain: (domain) => idOf(() => directory.organizationByPrimaryDomain(domain)),
  }
}

export function createFactorPolicyFinder(directory: DirectoryReader): FindFactorPolicy {
  return async (organizationId) => {
    const organization = await queryStore('postgres', () => directory.organization(organizationId))
    if (organization === undefined) throw new Error(`organization ${organizationId} of a session is unknown`)
    return {
      forceMfa: organization.forceMfa,
      forceMfaOfProviders: organization.forceMfaOfProviders,
      passwordSeconds: organization.passwordCheckLifetimeSeconds,
      providerSeconds: organization.externalLoginCheckLifetimeSeconds,
      secondFactorSeconds: organization.secondFactorCheckLifetimeSeconds,
      multiFactorSeconds: organization.multiFactorCheckLifetimeSeconds,
      maxOtpAttempts: organization.maxOtpAttempts,
    }
  }
}

export function createPasskeySignInFinder(find: FindSignInPage): FindPasskeySignIn {
  return async (organizationId) => (await queryStore('postgres', () => find(organizationId))).allowsPasskey
}

export function brandingDirectory(directory: DirectoryReader, reader: BrandingReader): BrandingDirectory {
  return {
    branding: reader.ofOrganization,
    project: (projectId) => directory.project(projectId),
    defaultOrganizationId: async () => (await directory.settings()).defaultOrganizationId ?? undefined,
  }
}

export function createBrandingFileFinder(reader: BrandingReader): FindBrandingFile {
  return (sha256) => queryStore('postgres', () => reader.file(sha256))
}

/**
 * Creates a reader of the sign-in page. While PostgreSQL is away, and no cached row is left, the page asks for login name and
 * password at once and has no link.
 */
export function createSignInPageFinder(find: FindSignInPage, logger: Logger): FindSignInPage {
  return async (organizationId, loginName) => {
    try {
      return await find(organizationId, loginName)
    } catch (error) {
      logger.warn('sign_in_page_unavailable', { error })
      return PLAIN_SIGN_IN_PAGE
    }
  }
}

export function createInitiatingProviderFinder(find: FindInitiatingProvider): FindInitiatingProvider {
  return {
    byId: (providerId) => queryStore('postgres', () => find.byId(providerId)),
    byConsumerPath: (path) => queryStore('postgres', () => find.byConsumerPath(path)),
  }
}

export function createRegistrationPolicyFinder(directory: DirectoryReader): FindRegistrationPolicy {
  return async (organizationId) => {
    const id =
      organizationId ??
      (await queryStore('postgres', () => directory.settings())).defaultOrganizationId ??
      undefined
    const organization =
      id === undefined ? undefined : await queryStore('postgres', () => directory.organization(id))
    if (organization === undefined || !organization.active) return undefined
    return {
      isAllowed: organization.allowRegister,
      passwordMinLength: organization.passwordMinLength,
      passwordNeeds: [
        ...(organization.passwordNeedsUppercase ? (['uppercase'] as const) : []),
        ...(organization.passwordNeedsLowercase ? (['lowercase'] as const) : []),
        ...(organization.passwordNeedsNumber ? (['number'] as const) : []),
        ...(organization.passwordNeedsSymbol ? (['symbol'] as const) : []),
      ],
    }
  }
}

/**
 * An application belongs to the users of the organization that owns its project, and of organizations that accepted a
 * grant of the project.
 */
export function createOwnApplicationCheck(directory: DirectoryReader): IsOwnApplication {
  return async ({ organizationId, projectId }, userId) => {
    const account = await queryStore('postgres', () => directory.account(userId))
    if (account === undefined) return false
    if (account.organizationId === organizationId) return true
    if (projectId === null) return false
    const granted = await queryStore('postgres', () => directory.grantedOrganizations(projectId))
    return granted.has(account.organizationId)
  }
}

export function createOrganizationNameFinder(directory: DirectoryReader): FindOrganizationName {
  return async (organizationId) =>
    (await queryStore('postgres', () => directory.organization(organizationId)))?.name ?? organizationId
}

/** The names of the projects that scopes add to the audience, without unknown projects. */
export function createAudienceNameFinder(directory: DirectoryReader): FindAudienceNames {
  return async (scopes) => {
    const names = namedAudiences(scopes).projectIds.map(async (id) => {
      const project = await queryStore('postgres', () => directory.project(id))
      if (project === undefined) return []
      const organization = await createOrganizationNameFinder(directory)(project.organizationId)
      return [[id, { project: project.name, organization }] as const]
    })
    return new Map((await Promise.all(names)).flat())
  }
}

export function createAccountNameFinder(directory: DirectoryReader): FindAccountNames {
  return async (userId) => {
    const account = await queryStore('postgres', () => directory.account(userId))
    if (account === undefined) return undefined
    const { name, loginName, userName, email, emailVerified, locale } = account
    const verified = emailVerified ? (email ?? undefined) : undefined
    const isUnconfirmed = email !== null && !emailVerified
    return { name, loginName, userName, email: verified, isUnconfirmed, language: locale ?? undefined }
  }
}

/** Creates a reader of names of applications. It finds inactive ones, too, because their access still exists. */
export function createNamedApplicationFinder(
  directory: DirectoryReader,
  issuer: string,
): FindNamedApplication {
  return async (clientId) => {
    const client = await queryStore('postgres', () => directory.client(clientId))
    return (
      client && { name: client.name, start: client.active ? applicationStart(client, issuer) : undefined }
    )
  }
}

/** Refuses scopes that add an audience which the client may not name, for every user. */
export function createAudienceGuard(
  directory: Pick<DirectoryReader, 'client' | 'allowsAudience'>,
): RequireAudiences {
  return async ({ clientId }, scopes) => {
    const client = await queryStore('postgres', () => directory.client(clientId))
    const isAllowed =
      client !== undefined &&
      (await queryStore('postgres', () => mayNameAudiences(directory, client, namedAudiences(scopes))))
    if (isAllowed) return
    throw new InvalidScopeError(
      'scope adds a project to the audience that does not exist or does not allow this client',
      { reason: 'audience_not_allowed' },
    )
  }
}

/** Finds the projects that `resource` names, whose checks are those of every audience. */
export function createResourceFinder(directory: DirectoryReader, issuer: string): FindResources {
  const stored = {
    projectOfResource: (uri: string) => queryStore('postgres', () => directory.projectOfResource(uri)),
    allowsAudience: (...key: Parameters<DirectoryReader['allowsAudience']>) =>
      queryStore('postgres', () => directory.allowsAudience(...key)),
  }
  return (client, resource) => projectsOfResources({ directory: stored, issuer }, client, resource)
}

/** Finds the types of the details that a request names, and validates the details. */
export function createDetailFinder(directory: DirectoryReader): FindDetails {
  const stored = {
    projectOfDetailType: (type: string) => queryStore('postgres', () => directory.projectOfDetailType(type)),
    project: (id: string) => queryStore('postgres', () => directory.project(id)),
    allowsAudience: (...key: Parameters<DirectoryReader['allowsAudience']>) =>
      queryStore('postgres', () => directory.allowsAudience(...key)),
  }
  return (client, text) => requireDetails(stored, client, text)
}

/** Finds the type of a detail for the page that shows it. */
export function createDetailTypeFinder(directory: DirectoryReader): FindDetailType {
  return (detail) => queryStore('postgres', () => findDetailType(directory, detail))
}

const REFUSALS: Readonly<Record<ProjectRefusal['reason'], string>> = {
  project_not_granted: 'A project of the audience was not granted to the organization of the user',
  project_role_missing: 'The user has no role in a project of the audience',
}

/** Refuses users whom the project of the application, or a project in the scopes, does not admit. */
export function createProjectGuard(directory: DirectoryReader): RequireProjectAccess {
  return async ({ projectId }, { userId }, scopes) => {
    const audience = [...(projectId === null ? [] : [projectId]), ...namedAudiences(scopes).projectIds]
    const refusal = await queryStore('postgres', () => projectRefusal(directory, audience, userId))
    if (refusal === undefined) return
    const { reason, projectId: refusing } = refusal
    throw new AccessDeniedError(REFUSALS[reason], {
      reason,
      values: { userId, others: { project: refusing } },
    })
  }
}
