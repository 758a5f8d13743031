import { ApiError } from '@signet/admin-api/api-error'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import { type RotatedSecret, rotatedSecret, setApplicationSecret } from '../credentials/client-secret.ts'
import type { ApplicationKeyFile, RegisteredKey } from '../credentials/credential.schema.ts'
import type { IssuerTrust, IssuerTrustStore } from '../credentials/issuer-trust.repository.ts'
import {
  addTrust,
  changeTrust,
  deleteTrust,
  type TrustChanges,
} from '../credentials/issuer-trusts.service.ts'
import { keyFile, makeKey, type NewKey, unknownKey } from '../credentials/make-key.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ApplicationStore } from './application.repository.ts'
import type { Application } from './application.schema.ts'
import { hasSecret, requireChangeableRecipients } from './application-rules.ts'
import { requireApplication } from './applications.service.ts'

interface Stores {
  readonly applicationIssuerTrusts: IssuerTrustStore
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly clientSecrets: ClientSecretStore
  /** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
  lock(kind: string, id: string): Promise<void>
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

/**
 * Gives an application a new client secret. An overlap of 0 means that the old secret was disclosed: all tokens of the
 * application are then revoked when this resolves.
 */
export function rotateApplicationSecret(
  call: ManagementCall<Stores>,
  { applicationId, overlapSeconds }: { readonly applicationId: string; readonly overlapSeconds: number },
  services: Pick<Tools, 'now' | 'random' | 'hasher'>,
): Promise<RotatedSecret> {
  return call.change(async ({ applications, clientSecrets }) => {
    const { clientId } = await requireSecretApplication(call, applications, applicationId)
    const { stored, shown } = await rotatedSecret(clientId, overlapSeconds, services)
    const epochs = await setApplicationSecret({ applications, clientSecrets }, applicationId, stored)
    return { result: shown, epochs, details: { overlap_seconds: overlapSeconds } }
  })
}

/** Deletes all secrets. When it resolves, all tokens of the application are revoked. */
export function deleteApplicationSecret(
  call: ManagementCall<Stores>,
  { applicationId }: { readonly applicationId: string },
): Promise<void> {
  return call.change(async ({ applications, clientSecrets }) => {
    await requireSecretApplication(call, applications, applicationId)
    if (!(await clientSecrets.deleteOfApplication(applicationId))) {
      throw new ApiError('NOT_FOUND', 'the application has no secret', { reason: 'secret_unknown' })
    }
    return { result: undefined, epochs: await applications.raiseEpoch(applicationId) }
  })
}

/** Returns the application. Throws ApiError FAILED_PRECONDITION unless it authenticates with a secret. */
async function requireSecretApplication(
  { caller }: ManagementCall<Stores>,
  applications: ApplicationStore,
  id: string,
): Promise<Application> {
  const application = await requireApplication(applications, id)
  requireChangeableRecipients(caller, application, 'its secrets can be changed')
  if (hasSecret(application.authMethod)) return application
  throw new ApiError(
    'FAILED_PRECONDITION',
    `an application with authMethod ${application.authMethod} has no secret; give it client_secret_basic first`,
    { reason: 'auth_method_without_secret' },
  )
}

/**
 * Returns the application, whose settings no other call changes until this one ends: its marks are those that stand when the change
 * commits. Throws ApiError as requireChangeableRecipients does.
 */
async function requireChangeable(
  { caller }: ManagementCall<Stores>,
  { applications, lock }: Pick<Stores, 'applications' | 'lock'>,
  applicationId: string,
  what: string,
): Promise<Application> {
  await lock('application', applicationId)
  const application = await requireApplication(applications, applicationId)
  requireChangeableRecipients(caller, application, what)
  return application
}

const KEYS = 'its keys can be changed'

interface Owner {
  readonly applicationId: string
}

export function listApplicationKeys(
  _call: ManagementCall<Stores>,
  { applicationId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<RegisteredKey>> {
  return stores.applicationKeys.list(applicationId, request)
}

/**
 * Registers a public key of an application for private_key_jwt, or generates a key pair; only this response has the
 * private key.
 */
export async function createApplicationKey(
  call: ManagementCall<Stores>,
  { applicationId, ...wanted }: Owner & NewKey,
  { now }: Pick<Tools, 'now'>,
): Promise<RegisteredKey & { readonly keyFile?: ApplicationKeyFile }> {
  // Before the transaction, because generating an RSA key takes a tenth of a second.
  const { key, privateKeyPem } = await makeKey(call.targetId, wanted, now())
  return call.change(async ({ applicationKeys, ...stores }) => {
    const { clientId } = await requireChangeable(call, stores, applicationId, KEYS)
    await applicationKeys.add(applicationId, key)
    if (privateKeyPem === undefined) return { result: key }
    const file = {
      type: 'application',
      ...keyFile(key, privateKeyPem),
      appId: applicationId,
      clientId,
    } as const
    return { result: { ...key, keyFile: file } }
  })
}

/** All processes refuse assertions with the key within a second. Tokens that were issued for such assertions stay valid. */
export function deleteApplicationKey(
  call: ManagementCall<Stores>,
  { applicationId, keyId }: Owner & { readonly keyId: string },
): Promise<void> {
  return call.change(async ({ applicationKeys, ...stores }) => {
    await requireChangeable(call, stores, applicationId, KEYS)
    if (await applicationKeys.delete(applicationId, keyId)) return { result: undefined }
    throw unknownKey('application')
  })
}

const TRUSTS = 'its trusted issuers can be changed'

export function listApplicationIssuerTrusts(
  _call: ManagementCall<Stores>,
  { applicationId, ...request }: Owner & PageRequest,
  { stores }: Reads,
): Promise<Page<IssuerTrust>> {
  return stores.applicationIssuerTrusts.list(applicationId, request)
}

/** Lets an application present assertions of an issuer for private_key_jwt. */
export function createApplicationIssuerTrust(
  call: ManagementCall<Stores>,
  { applicationId, ...wanted }: Owner & Omit<IssuerTrust, 'id' | 'createdAt'>,
  { now }: Pick<Tools, 'now'>,
): Promise<IssuerTrust> {
  const trust = { ...wanted, id: call.targetId, createdAt: now() }
  return call.change(async ({ applicationIssuerTrusts, ...stores }) => {
    await requireChangeable(call, stores, applicationId, TRUSTS)
    await addTrust(applicationIssuerTrusts, applicationId, trust)
    return { result: trust }
  })
}

/** All processes obey the new rules and keys within a second, and those of before until then. */
export function updateApplicationIssuerTrust(
  call: ManagementCall<Stores>,
  { applicationId, trustId, ...changes }: Owner & { readonly trustId: string } & TrustChanges,
): Promise<IssuerTrust> {
  return call.change(async ({ applicationIssuerTrusts, ...stores }) => {
    await requireChangeable(call, stores, applicationId, TRUSTS)
    const result = await changeTrust(applicationIssuerTrusts, applicationId, { trustId, changes })
    return { result, details: changedFields(changes) }
  })
}

/** All processes refuse assertions of the issuer within a second. Tokens that were issued for such assertions stay valid. */
export function deleteApplicationIssuerTrust(
  call: ManagementCall<Stores>,
  { applicationId, trustId }: Owner & { readonly trustId: string },
): Promise<void> {
  return call.change(async ({ applicationIssuerTrusts, ...stores }) => {
    await requireChangeable(call, stores, applicationId, TRUSTS)
    await deleteTrust(applicationIssuerTrusts, applicationId, trustId)
    return { result: undefined }
  })
}
