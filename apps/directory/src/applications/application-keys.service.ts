import type { ApplicationKeyFile, RegisteredKey } from '../credentials/credential.ts'
import { keyFile, makeKey, type NewKey } from '../credentials/make-key.ts'
import { unknownKey } from '../credentials/unknown-key.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import { requireApplication } from './applications.service.ts'
import { requireUnmarkedApplication } from './marks.ts'

const KEYS = 'its keys can be changed'

interface Owner {
  readonly applicationId: string
}

export function listApplicationKeys(
  _call: ManagementCall,
  { applicationId, ...request }: Owner & PageRequest,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<RegisteredKey>> {
  return stores.applicationKeys.list(applicationId, request)
}

/** Registers a public key of an application for private_key_jwt, or generates a pair and answers the private half, once. */
export async function createApplicationKey(
  call: ManagementCall,
  { applicationId, ...wanted }: Owner & NewKey,
  { now }: Pick<ManagementServices, 'now'>,
): Promise<RegisteredKey & { readonly keyFile?: ApplicationKeyFile }> {
  // Before the transaction: an RSA key takes a tenth of a second.
  const { key, privateKeyPem } = await makeKey(call.targetId, wanted, now())
  return call.change(async ({ applications, applicationKeys }) => {
    const { clientId, ...settings } = await requireApplication(applications, applicationId)
    requireUnmarkedApplication(call.caller, settings, KEYS)
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

/** Assertions that name the key are refused everywhere within a second; tokens that were bought with it live on. */
export function deleteApplicationKey(
  call: ManagementCall,
  { applicationId, keyId }: Owner & { readonly keyId: string },
): Promise<void> {
  return call.change(async ({ applications, applicationKeys }) => {
    requireUnmarkedApplication(call.caller, await requireApplication(applications, applicationId), KEYS)
    if (await applicationKeys.delete(applicationId, keyId)) return { result: undefined }
    throw unknownKey('application')
  })
}
