// The picture on the button of an identity provider. The content decides about its type, as with files of organizations.
import type { BrandingMediaType } from '@signet/protocol/branding-files'
import { z } from 'zod'
import { checkImageFile } from '../organizations/branding-file-rules.ts'

const LOGO_LIMIT_BYTES = 32_768
/** The page shows it 24 pixels high. */
const MOST_PIXELS = 512

/** The content of a picture in Base64. */
export const logoContent = z
  .base64('must be Base64 (RFC 4648 section 4)')
  .max(4 * Math.ceil(LOGO_LIMIT_BYTES / 3), `must be at most ${LOGO_LIMIT_BYTES} bytes`)

export interface ProviderLogo {
  readonly mediaType: BrandingMediaType
  readonly content: Buffer
}

/** The picture, or the rule that its content breaks. */
export function readProviderLogo(base64: string): ProviderLogo | { readonly rule: string } {
  const read = logoContent.safeParse(base64)
  if (!read.success) return { rule: read.error.issues[0]?.message ?? 'must be Base64' }
  const content = Buffer.from(base64, 'base64')
  const checked = checkImageFile(content, { bytes: LOGO_LIMIT_BYTES, pixels: MOST_PIXELS })
  return 'rule' in checked ? checked : { ...checked, content }
}
