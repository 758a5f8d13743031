import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { OAuthError } from '@signet/protocol/errors'
import { resourceUris } from '@signet/protocol/resource-indicator'
import { parseScopeString } from '@signet/protocol/scopes'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import { requireApplication } from '../applications/applications.service.ts'
import { onApplication, viewsProject } from '../permissions/permission.ts'
import { requireRoles } from '../permissions/require-permission.ts'
import type { ResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import type { PreviewTokens, TokenPreview } from './token-preview.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly applications: ApplicationStore
  readonly scopes: ResourceScopeStore
}

/** The texts of the reasons: the rule, and what to change. */
const DROPPED: Readonly<Record<string, string>> = {
  scope_unknown: 'Signet has no scope of this name; discovery lists those that there are',
  no_refresh_token: 'the application has no grant type refresh_token',
}

const REFUSED: Readonly<Record<string, string>> = {
  application_not_active: 'the application or its organization is not active',
  grant_type_not_allowed: 'the application does not have the grant type, so nobody signs in to it this way',
  resource_unknown: 'no API has this resourceUri, or its project does not allow the application',
  scope_without_openid: 'scope has no openid',
  audience_not_allowed:
    'a scope adds a project to the audience that does not exist or does not allow the application',
  user_not_human: 'a service user does not sign in to applications',
  user_not_active: 'the user or the organization of the user is not active',
  scope_of_other_organization: 'a scope restricts the sign-in to an organization that the user is not of',
  project_not_granted:
    'the project has hasProjectCheck, and was not granted to the organization of the user, or that did not accept it',
  project_role_missing: 'the project has projectRoleCheck, and the user has no role in it',
}

/** Returns the claims that the tokens of a sign-in of a person to an application would have. Issues nothing. */
export async function previewTokens(
  { caller }: ManagementCall<Stores>,
  {
    userId,
    applicationId,
    scope,
    resource,
    grantType,
  }: {
    readonly userId: string
    readonly applicationId: string
    readonly scope: string
    readonly resource?: string | undefined
    readonly grantType: string
  },
  { stores, previewTokens: preview }: { readonly stores: Stores; readonly previewTokens: PreviewTokens },
) {
  await requireRoles(stores, caller, { permission: onApplication(viewsProject), id: applicationId })
  await requireAccount(stores.accounts, userId)
  const { clientId } = await requireApplication(stores.applications, applicationId)
  const found = await preview({
    ...{ userId, clientId, grantType },
    scopes: readParameter('scope', () => parseScopeString(scope)),
    resources: readParameter('resource', () => resourceUris(resource)),
  })
  if (found === undefined) {
    throw new ApiError(
      'NOT_FOUND',
      'the user or the application was created or deleted a moment ago; try again',
      {
        reason: 'preview_too_early',
      },
    )
  }
  return described(found)
}

/** Reads a parameter as an authorization request does; its refusal names the field. */
function readParameter(field: string, read: () => readonly string[]): readonly string[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof OAuthError) throw invalidFields([{ field, rule: error.message }])
    throw error
  }
}

function described({ scopes, droppedScopes, refusals, accessTokenType, ...claims }: TokenPreview) {
  return {
    scopes,
    droppedScopes: droppedScopes.map((dropped) => ({ ...dropped, rule: DROPPED[dropped.reason] ?? '' })),
    refusals: refusals.map((refusal) => ({ ...refusal, rule: REFUSED[refusal.reason] ?? '' })),
    accessTokenType,
    ...claims,
  }
}
