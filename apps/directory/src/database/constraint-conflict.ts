import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'

/** The public text of a refusal by the constraint triggers keep_instance_owner. */
export const LAST_OWNER_RULE =
  'no IAM_OWNER who can sign in would be left; give IAM_OWNER to another active user who can sign in first'

/** Whether the database refused to let the last IAM_OWNER who can sign in go. */
export function concernsLastOwner(error: unknown): boolean {
  return (error as { constraint?: unknown }).constraint === 'last_iam_owner'
}

/** The public text of a refusal by the trigger refuse_tombstones. */
export const TOMBSTONE_RULE =
  'the id or the clientId belonged to a deleted user, client, application or project; only the same kind of object in the same organization may have it again'

/** The public text of a refusal by the trigger refuse_foreign_names. */
export const FOREIGN_NAME_RULE =
  'a project and a client of different organizations may not have the same id; choose another one'

/** Raised by the trigger refuse_ended of the personal access tokens. */
const ENDED_TOKEN_RULE = 'is the id of a token of this user that was deleted in the last 25 hours'

/** The public text of a refusal by the triggers keep_deleting and refuse_deleting. */
export const DELETING_RULE =
  'the organization is being deleted; it cannot be changed, and users and projects cannot be added to it'

/** The members that the triggers of signing algorithms refuse, by their columns. Their message is the rule. */
const SIGNING_MEMBERS: Readonly<Record<string, string>> = {
  access_token_signing_alg: 'accessTokenSigningAlg',
  id_token_signing_alg: 'idTokenSigningAlg',
  signing_algorithms: 'signingAlgorithms',
}

/**
 * Returns the rule that forbids to choose or leave out an algorithm, and the member concerned; undefined for other
 * errors.
 */
export function signingAlgorithmProblem(error: unknown): { field: string; rule: string } | undefined {
  const { constraint, column = '', message = '' } = error as { [Member in string]?: string }
  return constraint === 'signing_algorithm'
    ? { field: SIGNING_MEMBERS[column] ?? column, rule: message }
    : undefined
}

const TAKEN_RULE = 'is taken in this organization'
const TAKEN_ELSEWHERE_RULE =
  'is taken in another organization; both let people sign in by the user name alone'

/** The public text of a second project with one URI. */
export const RESOURCE_RULE = 'is the resourceUri of another project'

/** The public text of a second provider with one path. */
export const CONSUMER_RULE = 'is the assertionConsumerPath of another identity provider'

/** The public text of a second project with one type of authorization details. */
export const DETAIL_TYPE_RULE = 'has a type that another project defines'

interface Meaning {
  readonly field: string
  readonly rule: string
  /** The field names something that is not there; else something that is there stands in the way. */
  readonly isReference?: true
}

/** The public texts of violated constraints. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  organization_pkey: { field: 'id', rule: 'is the id of another organization' },
  organization_domain_pkey: { field: 'domainName', rule: 'belongs to the organization already' },
  organization_domain_verified: { field: 'domain', rule: 'is verified for another organization' },
  organization_domain_organization_id_fkey: {
    field: 'organizationId',
    rule: 'must be the id of an organization',
    isReference: true,
  },
  account_pkey: { field: 'id', rule: 'is the id of another user' },
  account_organization_id_fkey: {
    field: 'organizationId',
    rule: 'must be the id of an organization',
    isReference: true,
  },
  account_user_name: { field: 'userName', rule: TAKEN_RULE },
  account_global_user_name: { field: 'userName', rule: TAKEN_ELSEWHERE_RULE },
  application_pkey: { field: 'id', rule: 'is the id of another application' },
  application_project_id_fkey: {
    field: 'projectId',
    rule: 'must be the id of a project',
    isReference: true,
  },
  application_key_pkey: { field: 'id', rule: 'is the id of another key of this application' },
  project_pkey: { field: 'id', rule: 'is the id of another project' },
  project_resource_uri: { field: 'resourceUri', rule: RESOURCE_RULE },
  authorization_detail_type_pkey: { field: 'authorizationDetailTypes', rule: DETAIL_TYPE_RULE },
  project_organization_id_fkey: {
    field: 'organizationId',
    rule: 'must be the id of an organization',
    isReference: true,
  },
  project_role_pkey: { field: 'key', rule: 'is the key of another role of this project' },
  user_grant_pkey: { field: 'userId', rule: 'has a grant in this project already' },
  user_grant_user_grant_id_key: { field: 'id', rule: 'is the id of another user grant' },
  user_grant_user_id_fkey: { field: 'userId', rule: 'must be the id of a user', isReference: true },
  project_grant_pkey: { field: 'organizationId', rule: 'has the project already' },
  project_grant_granted_organization_id_fkey: {
    field: 'organizationId',
    rule: 'must be the id of an organization',
    isReference: true,
  },
  member_user_id_fkey: { field: 'userId', rule: 'must be the id of a user', isReference: true },
  member_organization_id_fkey: {
    field: 'organizationId',
    rule: 'must be the id of an organization',
    isReference: true,
  },
  member_project_id_fkey: { field: 'projectId', rule: 'must be the id of a project', isReference: true },
  personal_access_token_pkey: { field: 'id', rule: 'is the id of another token of this user' },
  personal_access_token_ended: { field: 'id', rule: ENDED_TOKEN_RULE },
  machine_key_pkey: { field: 'id', rule: 'is the id of another key of this user' },
  application_issuer_trust_pkey: {
    field: 'id',
    rule: 'is the id of another trusted issuer of this application',
  },
  issuer_trust_pkey: { field: 'id', rule: 'is the id of another trusted issuer of this user' },
  identity_provider_pkey: { field: 'id', rule: 'is the id of another identity provider' },
  identity_provider_consumer: { field: 'assertionConsumerPath', rule: CONSUMER_RULE },
  identity_provider_organization_id_fkey: {
    field: 'organizationId',
    rule: 'must be the id of an organization',
    isReference: true,
  },
  identity_link_identity: { field: 'subject', rule: 'is linked to an account already' },
  tombstone_rule: { field: '', rule: TOMBSTONE_RULE },
  foreign_name_rule: { field: '', rule: FOREIGN_NAME_RULE },
  principal_pkey: {
    field: '',
    rule: 'the id or the clientId belongs to another user, service user or application',
  },
}

/** The rules behind constraints for the author of a bootstrap file; other constraints have the text of PostgreSQL. */
const FILE_MEANINGS: Readonly<Record<string, { readonly member?: string; readonly message: string }>> = {
  account_user_name: { member: 'userName', message: TAKEN_RULE },
  account_global_user_name: { member: 'userName', message: TAKEN_ELSEWHERE_RULE },
  project_resource_uri: { member: 'resourceUri', message: RESOURCE_RULE },
  identity_provider_consumer: { member: 'assertionConsumerPath', message: CONSUMER_RULE },
  authorization_detail_type_pkey: { member: 'authorizationDetailTypes', message: DETAIL_TYPE_RULE },
  organization_domain_verified: { message: 'the domain is verified for another organization' },
  personal_access_token_token_hash_key: { member: 'token', message: 'is the token of somebody else' },
  personal_access_token_ended: { member: 'id', message: ENDED_TOKEN_RULE },
  user_grant_role_project_id_role_key_fkey: { member: 'roles', message: 'names a role that was deleted' },
  setting_default_organization_id_fkey: { message: 'defaultOrganization was deleted' },
}

/** Returns the reason why the database refused an object of a bootstrap file, with the member to blame. */
export function fileConflictOf(
  error: unknown,
): { readonly member?: string; readonly message: string } | undefined {
  const signing = signingAlgorithmProblem(error)
  if (signing !== undefined) return { member: signing.field, message: signing.rule }
  const { code, constraint = '', message = '' } = error as { [Member in string]?: string }
  return isConstraintViolation(code) ? (FILE_MEANINGS[constraint] ?? { message }) : undefined
}

// Class 23: integrity constraint violation.
const isConstraintViolation = (code: string | undefined) => code?.startsWith('23') === true

/** The refusal of changes to an organization that is being deleted. */
export function organizationDeleting(cause?: unknown): ApiError {
  return new ApiError('FAILED_PRECONDITION', DELETING_RULE, { reason: 'organization_deleting', cause })
}

/** The refusal that a violation of a constraint stands for, if it stands for one. */
export function conflictOf(error: unknown): ApiError | undefined {
  if (concernsLastOwner(error)) {
    return new ApiError('FAILED_PRECONDITION', LAST_OWNER_RULE, { reason: 'last_iam_owner', cause: error })
  }
  const signing = signingAlgorithmProblem(error)
  if (signing !== undefined) return invalidFields([signing], error)
  const { code, constraint = '' } = error as { code?: string; constraint?: string }
  if (constraint === 'organization_deleting') return organizationDeleting(error)
  const meaning = isConstraintViolation(code) ? MEANINGS[constraint] : undefined
  if (meaning === undefined) return undefined
  const { field, rule, isReference } = meaning
  if (isReference) return invalidFields([{ field, rule }], error)
  return new ApiError('ALREADY_EXISTS', field === '' ? rule : `${field}: ${rule}`, {
    reason: 'object_conflict',
    details: [{ id: 'object_conflict', field, rule }],
    cause: error,
  })
}
