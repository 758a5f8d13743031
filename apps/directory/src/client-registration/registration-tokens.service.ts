import { createHash } from 'node:crypto'
import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { newInitialAccessToken } from '../credentials/client-secret.ts'
import { requireFuture } from '../credentials/make-key.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import { requireProject } from '../projects/projects.service.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { RegistrationPolicy } from './registration-policy.ts'
import type { RegistrationToken, RegistrationTokenStore } from './registration-token.repository.ts'

interface Stores {
  readonly projects: ProjectStore
  readonly registrationTokens: RegistrationTokenStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly projectId: string
}

/** Lists the initial access tokens of a project. */
export function listRegistrationTokens(
  _call: ManagementCall<Stores>,
  { projectId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<RegistrationToken>> {
  return stores.registrationTokens.list(projectId, request)
}

interface NewToken extends Owner, RegistrationPolicy {
  readonly mostClients: number
  readonly unusedDays: number
  readonly expiresAt?: Date | undefined
}

const DAY_MS = 86_400_000
const USUAL_DAYS = 30
const MOST_DAYS = 400

/** Creates an initial access token (RFC 7591 section 3). Only this response contains it. */
export function createRegistrationToken(
  call: ManagementCall<Stores>,
  { projectId, expiresAt, ...policy }: NewToken,
  { now, random, registersClients }: Pick<Tools, 'now' | 'random'> & { readonly registersClients: boolean },
): Promise<RegistrationToken & { readonly token: string }> {
  if (!registersClients) {
    throw new ApiError(
      'FAILED_PRECONDITION',
      'clients do not register themselves in this instance: SIGNET_CLIENT_REGISTRATION is off',
      { reason: 'client_registration_off' },
    )
  }
  const createdAt = now()
  requireFuture(expiresAt, createdAt)
  const after = (days: number) => new Date(createdAt.getTime() + days * DAY_MS)
  if (expiresAt !== undefined && expiresAt > after(MOST_DAYS)) {
    throw invalidFields([{ field: 'expiresAt', rule: `must be at most ${MOST_DAYS} days from now` }])
  }
  if (policy.redirectHosts.length === 0 && !policy.loopbackRedirects) {
    const rule = 'must name a host, or loopbackRedirects must be true: no client could register'
    throw invalidFields([{ field: 'redirectHosts', rule }])
  }
  return call.change(async ({ projects, registrationTokens }) => {
    await requireProject(projects, projectId)
    const token = newInitialAccessToken(random)
    const made = { ...policy, id: call.targetId, createdAt, expiresAt: expiresAt ?? after(USUAL_DAYS) }
    await registrationTokens.add(projectId, made, createHash('sha256').update(token).digest())
    return { result: { ...made, clients: 0, token } }
  })
}

/** Revokes an initial access token. The clients that it registered stay, and cannot change themselves any more. */
export function deleteRegistrationToken(
  call: ManagementCall<Stores>,
  { projectId, registrationTokenId }: Owner & { readonly registrationTokenId: string },
): Promise<void> {
  return call.change(async ({ registrationTokens }) => {
    if (await registrationTokens.delete(projectId, registrationTokenId)) return { result: undefined }
    throw new ApiError('NOT_FOUND', 'the project has no initial access token with this id', {
      reason: 'token_unknown',
    })
  })
}
