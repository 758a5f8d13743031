import { invalidFields } from '@signet/admin-api/json-error-handler'
import { type BrandingFileKind, brandingFilePath } from '@signet/protocol/branding-files'
import type { ManagementCall } from '../api/management-call.ts'
import type { BrandingFileStore, StoredBrandingFile } from './branding-file.repository.ts'
import { checkBrandingFile } from './branding-file-rules.ts'
import type { OrganizationStore } from './organization.repository.ts'
import { requireOrganization } from './organizations.service.ts'

interface Stores {
  readonly brandingFiles: BrandingFileStore
  readonly organizations: OrganizationStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly organizationId: string
  readonly kind: BrandingFileKind
}

type ShownFile = StoredBrandingFile & {
  /** The URL path under which the pages load it. */
  readonly path: string
}

export async function listBrandingFiles(
  _call: ManagementCall<Stores>,
  { organizationId }: Pick<Target, 'organizationId'>,
  { stores }: Reads,
): Promise<{ readonly files: readonly ShownFile[] }> {
  await requireOrganization(stores.organizations, organizationId)
  return { files: (await stores.brandingFiles.list(organizationId)).map(shown) }
}

/** Stores a file whose content obeys the rules of its kind; effective everywhere within a second. */
export function setBrandingFile(
  call: ManagementCall<Stores>,
  { organizationId, kind, content: base64 }: Target & { readonly content: string },
): Promise<ShownFile> {
  const content = Buffer.from(base64, 'base64')
  const checked = checkBrandingFile(kind, content)
  if ('rule' in checked) throw invalidFields([{ field: 'content', rule: checked.rule }])
  return call.change(async ({ organizations, brandingFiles }) => {
    await requireOrganization(organizations, organizationId)
    const file = await brandingFiles.set(organizationId, kind, { ...checked, content })
    return { result: shown(file), details: { kind, media_type: file.mediaType, sha256: file.sha256 } }
  })
}

/** Deletes a file; where there is none nothing changes. */
export function deleteBrandingFile(
  call: ManagementCall<Stores>,
  { organizationId, kind }: Target,
): Promise<void> {
  return call.change(async ({ organizations, brandingFiles }) => {
    await requireOrganization(organizations, organizationId)
    await brandingFiles.delete(organizationId, kind)
    return { result: undefined, details: { kind } }
  })
}

const shown = (file: StoredBrandingFile): ShownFile => ({ ...file, path: brandingFilePath(file) })
