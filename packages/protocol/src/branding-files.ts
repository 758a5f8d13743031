// The files of the sign-in and account pages that an organization may have.

export const BRANDING_FILE_KINDS = ['logo', 'logo-dark', 'icon', 'icon-dark', 'font'] as const

export type BrandingFileKind = (typeof BRANDING_FILE_KINDS)[number]

/** Media types by the end of the name under which a file is served. */
export const BRANDING_MEDIA_TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
} as const

export type BrandingMediaType = (typeof BRANDING_MEDIA_TYPES)[keyof typeof BRANDING_MEDIA_TYPES]

/** A file without its content. */
export interface BrandingFile {
  readonly mediaType: BrandingMediaType
  /** SHA-256 of the content in 64 hexadecimal digits. */
  readonly sha256: string
}

const EXTENSIONS = Object.fromEntries(
  Object.entries(BRANDING_MEDIA_TYPES).map(([extension, mediaType]) => [mediaType, extension]),
) as Readonly<Record<BrandingMediaType, keyof typeof BRANDING_MEDIA_TYPES>>

/** The URL path of a file. It changes with the content, so that browsers may keep it. */
export function brandingFilePath({ mediaType, sha256 }: BrandingFile): string {
  return `/ui/assets/${sha256}.${EXTENSIONS[mediaType]}`
}

const FILE = new RegExp(`^([0-9a-f]{64})\\.(${Object.values(EXTENSIONS).join('|')})$`)

/** Reads the last part of such a path; undefined for other names. */
export function readBrandingFileName(name: string): BrandingFile | undefined {
  const [, sha256, extension] = FILE.exec(name) ?? []
  if (sha256 === undefined) return undefined
  return { sha256, mediaType: BRANDING_MEDIA_TYPES[extension as keyof typeof BRANDING_MEDIA_TYPES] }
}
