import { createHash } from 'node:crypto'
import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { brandingFilePath } from '@signet/protocol/branding-files'
import type { ManagementCall } from '../api/management-call.ts'
import { checkBrandingFile } from '../organizations/branding-file-rules.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import type { PreviewSignInPage } from './branding-preview.ts'

interface Stores {
  readonly organizations: OrganizationStore
}

interface Preview extends Omit<Parameters<PreviewSignInPage>[0], 'logo' | 'loginTexts'> {
  readonly loginTexts?: Readonly<Record<string, unknown>> | undefined
  /** Base64. */
  readonly logo?: string | undefined
}

/** Returns the sign-in page with the given branding. Stores nothing; the logo is inside of the page. */
export async function previewSignInPage(
  _call: ManagementCall<Stores>,
  { logo: base64, loginTexts, ...page }: Preview,
  {
    stores,
    previewSignInPage: render,
  }: { readonly stores: Stores; readonly previewSignInPage: PreviewSignInPage },
): Promise<{ readonly html: string }> {
  await requireOrganization(stores.organizations, page.organizationId)
  const logo = base64 === undefined ? undefined : logoOf(base64)
  const html = await render({ ...page, loginTexts, logo })
  if (html === undefined) {
    throw new ApiError('NOT_FOUND', 'the organization was created or deleted a moment ago; try again', {
      reason: 'preview_too_early',
    })
  }
  if (logo === undefined) return { html }
  return { html: html.replaceAll(brandingFilePath(logo), `data:${logo.mediaType};base64,${logo.base64}`) }
}

function logoOf(base64: string) {
  const content = Buffer.from(base64, 'base64')
  const checked = checkBrandingFile('logo', content)
  if ('rule' in checked) throw invalidFields([{ field: 'logo', rule: checked.rule }])
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { ...checked, sha256, base64: content.toString('base64') }
}
