import { BRANDING_FILE_KINDS, BRANDING_MEDIA_TYPES } from '@signet/protocol/branding-files'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, timestamp } from '../api/parameters.ts'
import { managesOrganization, onOrganization, viewsOrganization } from '../permissions/permission.ts'
import { FONT_LIMIT_BYTES } from './branding-file-rules.ts'
import { deleteBrandingFile, listBrandingFiles, setBrandingFile } from './branding-files.service.ts'

const COLLECTION = '/management/v1/organizations/{organizationId}/policies/label/files'
const ITEM = `${COLLECTION}/{kind}`
const target = { kind: 'organization', field: 'organizationId' }

const kind = z
  .enum(BRANDING_FILE_KINDS)
  .describe('What the pages use the file for.')
  .meta({ examples: ['logo'] })

const brandingFile = z
  .strictObject({
    kind: z.enum(BRANDING_FILE_KINDS),
    mediaType: z.enum(Object.values(BRANDING_MEDIA_TYPES)).describe('As the content shows it.'),
    sha256: z.string().describe('Of the content, in hexadecimal digits.'),
    sizeBytes: z.int(),
    changedAt: timestamp,
    path: z.string().describe('The URL path under which the pages load the file.'),
  })
  .meta({ id: 'BrandingFile' })

/** A PNG image of one pixel. */
const EXAMPLE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const brandingFileOperations = [
  operation({
    id: 'label_policy_file.list',
    summary: 'Lists the logos, icons and the font of an organization',
    method: 'get',
    path: COLLECTION,
    parameters: { organizationId },
    response: z.strictObject({ files: z.array(brandingFile).readonly() }).meta({ id: 'BrandingFiles' }),
    permission: onOrganization(viewsOrganization),
    target,
    handle: listBrandingFiles,
  }),
  operation({
    id: 'label_policy_file.set',
    summary: 'Sets a logo, an icon or the font of an organization',
    description:
      'Logos and icons are PNG, JPEG, WebP or SVG images of at most 256 KiB, SVG without script and references; the font is WOFF2 of at most 512 KiB. The content decides, not a name. Effective everywhere within a second.',
    method: 'put',
    path: ITEM,
    parameters: { organizationId, kind },
    request: z.strictObject({
      content: z
        .base64('must be Base64 (RFC 4648 section 4)')
        .max(4 * Math.ceil(FONT_LIMIT_BYTES / 3), `must be at most ${FONT_LIMIT_BYTES} bytes`)
        .describe('The file in Base64 (RFC 4648 section 4).'),
    }),
    example: { content: EXAMPLE },
    response: brandingFile,
    permission: onOrganization(managesOrganization),
    target,
    handle: setBrandingFile,
  }),
  operation({
    id: 'label_policy_file.delete',
    summary: 'Deletes a logo, an icon or the font of an organization',
    method: 'delete',
    path: ITEM,
    parameters: { organizationId, kind },
    permission: onOrganization(managesOrganization),
    target,
    handle: deleteBrandingFile,
  }),
]
