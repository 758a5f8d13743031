// The branding of the sign-in and account pages: the published views branding_v1, label_colours_v1,
// privacy_links_v1, branding_file_v1 and, for the texts that organizations replace, login_text_v1.
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { BrandingFile, BrandingFileKind } from '@signet/protocol/branding-files'
import {
  type LabelColour,
  type LabelColours,
  obeyedColours,
  type PageTheme,
  readTheme,
} from '@signet/protocol/label-colours'
import { type LoginTexts, shownLoginTexts } from '@signet/protocol/login-texts'
import { obeyedPrivacyLinks, type PrivacyLinks, type PrivacyMember } from '@signet/protocol/privacy-links'
import { isIdentifier } from '@signet/tokens/identifiers'
import type { DirectoryReader } from './directory-reader.ts'
import { RowCache } from './row-cache.ts'
import { selectList } from './views.ts'

/** How the pages of an organization look. */
export interface Branding {
  /** The name of the organization. */
  readonly name: string
  readonly colours: LabelColours
  readonly theme: PageTheme
  /** The pages do not show the name of the product. */
  readonly hidesProduct: boolean
  readonly files: { readonly [K in BrandingFileKind]?: BrandingFile }
  readonly texts: TextsByLanguage
  /** Links at the foot of the pages. */
  readonly links: PrivacyLinks
}

interface OrganizationBranding {
  readonly organizationId: string
  readonly branding: Omit<Branding, 'texts'>
}

export interface BrandingContent extends BrandingFile {
  readonly content: Buffer
}

const COLUMNS: Readonly<
  Record<LabelColour | PrivacyMember | 'name' | 'themeMode' | 'hidesProduct' | 'files', string>
> = {
  name: 'name',
  primaryColor: 'primary_color',
  warnColor: 'warn_color',
  backgroundColor: 'background_color',
  fontColor: 'font_color',
  primaryColorDark: 'primary_color_dark',
  warnColorDark: 'warn_color_dark',
  backgroundColorDark: 'background_color_dark',
  fontColorDark: 'font_color_dark',
  themeMode: 'theme_mode',
  hidesProduct: 'disable_watermark',
  files: 'files',
  tosLink: 'tos_link',
  privacyLink: 'privacy_link',
  helpLink: 'help_link',
  docsLink: 'docs_link',
  customLink: 'custom_link',
  supportEmail: 'support_email',
  customLinkText: 'custom_link_text',
}

type Row = { readonly [L in LabelColour | PrivacyMember]: string | null } & Pick<
  Branding,
  'name' | 'hidesProduct' | 'files'
> & { readonly themeMode: string | null }

/** The branding of an organization; undefined for an unknown one. */
async function loadBranding(
  database: Queryable,
  organizationId: string,
): Promise<OrganizationBranding | undefined> {
  const { rows } = await database.query<Row>({
    name: 'directory_reader.branding', // primary keys
    text: `SELECT ${selectList(COLUMNS)} FROM directory_read.branding_v1 LEFT JOIN directory_read.label_colours_v1 USING (organization_id)
             LEFT JOIN directory_read.privacy_links_v1 USING (organization_id)
            WHERE organization_id = $1`,
    values: [organizationId],
  })
  const [row] = rows
  if (row === undefined) return undefined
  const { name, hidesProduct, files, themeMode, ...document } = row
  const branding = {
    name,
    colours: obeyedColours(document),
    theme: readTheme(themeMode),
    hidesProduct,
    files,
    links: obeyedPrivacyLinks(document),
  }
  return { organizationId, branding }
}

/** Loads a file by SHA-256 of the content; undefined unless it is a current file of an organization. */
async function loadBrandingFile(database: Queryable, sha256: string): Promise<BrandingContent | undefined> {
  const { rows } = await database.query<BrandingContent>({
    name: 'directory_reader.branding_file', // branding_file_sha256
    text: `SELECT sha256, media_type AS "mediaType", content FROM directory_read.branding_file_v1
            WHERE sha256 = $1 LIMIT 1`,
    values: [sha256],
  })
  return rows[0]
}

/** Returns the hashes that an organization still has. */
async function loadCurrent(database: Queryable, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<BrandingFile>({
    name: 'directory_reader.current_branding_files', // branding_file_sha256
    text: 'SELECT DISTINCT sha256 FROM directory_read.branding_file_v1 WHERE sha256 = ANY ($1)',
    values: [hashes],
  })
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** The branding as login sees it, which alone may read these views; a change is seen as soon as by the reader. */
export interface BrandingReader {
  ofOrganization(organizationId: string): Promise<Branding | undefined>
  /** A file that an organization has now, by SHA-256 of its content. */
  file(sha256: string): Promise<BrandingContent | undefined>
}

interface BrandingReaderOptions {
  readonly database: Database
  /** Reader whose change feed is followed. */
  readonly directory: Pick<DirectoryReader, 'follow'>
  /** Milliseconds of a clock that only moves forward; the process's own when left out. */
  readonly elapsed?: () => number
}

/** Limit for the texts of all organizations in the cache; one has at most 71,000 characters. */
const LOGIN_TEXTS_CHARACTERS = 8_000_000
/** The cost of a row besides its texts, about 800 bytes: most organizations have none. */
const ROW_CHARACTERS = 400
/** The files of some 20 organizations of the largest size; browsers keep a file for a year. */
const FILES_BYTES = 16_777_216

const isSha256 = (value: string): boolean => /^[0-9a-f]{64}$/.test(value)

/** Reads the views through caches that follow the change feed of the directory reader. */
export function createBrandingReader({
  database,
  directory,
  elapsed = () => performance.now(),
}: BrandingReaderOptions): BrandingReader {
  const branding = new RowCache({
    accepts: isIdentifier,
    load: (organizationId) => loadBranding(database, organizationId),
    elapsed,
  })
  const files = new RowCache({
    accepts: isSha256,
    load: (sha256) => loadBrandingFile(database, sha256),
    elapsed,
    limit: { total: FILES_BYTES, of: ({ content }) => content.length },
  })
  const texts = new RowCache({
    accepts: isIdentifier,
    load: (organizationId) => loadLoginTexts(database, organizationId),
    elapsed,
    limit: { total: LOGIN_TEXTS_CHARACTERS, of: ({ characters }) => characters + ROW_CHARACTERS },
  })
  /** Drops the cached files that no organization has any more: a change of one organization keeps those of all others. */
  async function dropDeleted(): Promise<void> {
    const known = files.ids()
    // Also what is being read, and every cached absence: the file may exist now.
    files.drop(() => false)
    if (known.length === 0) return
    try {
      const [asked, current] = [new Set(known), await loadCurrent(database, known)]
      files.drop(({ sha256 }) => asked.has(sha256) && !current.has(sha256))
    } catch {
      // The change feed logs an outage. A file that may be deleted is not served.
      files.clear()
    }
  }
  directory.follow({
    apply(changes) {
      if (changes.overflow) {
        for (const cache of [branding, files, texts]) cache.clear()
        return
      }
      const [organizations, changedFiles, changedTexts] = ['organization', 'branding_file', 'login_text'].map(
        (kind) => changes.ids.get(kind),
      )
      if (organizations || changedFiles) {
        branding.drop(
          ({ organizationId }) =>
            Boolean(organizations?.has(organizationId)) || Boolean(changedFiles?.has(organizationId)),
        )
      }
      // Changes of an identity provider, whose picture is one of the files, are those of its organization.
      if (changedFiles || organizations) void dropDeleted()
      if (changedTexts) texts.drop(({ organizationId }) => changedTexts.has(organizationId))
    },
  })
  return {
    async ofOrganization(organizationId) {
      const [row, own] = await Promise.all([branding.get(organizationId), texts.get(organizationId)])
      return row && { ...row.branding, texts: own?.texts ?? {} }
    },
    file: (sha256) => files.get(sha256),
  }
}

/** The texts of an organization that its pages show, by language. */
type TextsByLanguage = Readonly<Record<string, LoginTexts>>

interface OrganizationTexts {
  readonly organizationId: string
  readonly texts: TextsByLanguage
  /** Number of characters of all texts. */
  readonly characters: number
}

/** Never undefined: an organization without texts has none, which a change of them drops by its id. */
async function loadLoginTexts(database: Queryable, organizationId: string): Promise<OrganizationTexts> {
  const { rows } = await database.query<{ language: string; texts: Readonly<Record<string, unknown>> }>({
    name: 'directory_reader.login_texts', // primary key
    text: 'SELECT language, texts FROM directory_read.login_text_v1 WHERE organization_id = $1',
    values: [organizationId],
  })
  const texts = Object.fromEntries(rows.map((row) => [row.language, shownLoginTexts(row.texts)]))
  return { organizationId, texts, characters: JSON.stringify(texts).length }
}
