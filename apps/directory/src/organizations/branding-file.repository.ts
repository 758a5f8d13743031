import type { Queryable } from '@signet/platform/postgres/pool'
import type { BrandingFile, BrandingFileKind } from '@signet/protocol/branding-files'

/** A file of the pages of an organization, without its content. */
export interface StoredBrandingFile extends BrandingFile {
  readonly kind: BrandingFileKind
  readonly sizeBytes: number
  readonly changedAt: Date
}

type NewFile = Pick<BrandingFile, 'mediaType'> & { readonly content: Buffer }

const COLUMNS = `kind, media_type AS "mediaType", sha256, octet_length(content) AS "sizeBytes",
                 changed_at AS "changedAt"`

export class BrandingFileStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Ordered by kind. */
  async list(organizationId: string): Promise<readonly StoredBrandingFile[]> {
    const { rows } = await this.#database.query<StoredBrandingFile>({
      name: 'branding_file.list', // primary key
      text: `SELECT ${COLUMNS} FROM directory.branding_file WHERE organization_id = $1 ORDER BY kind`,
      values: [organizationId],
    })
    return rows
  }

  /** Replaces the file of this kind. */
  async set(
    organizationId: string,
    kind: BrandingFileKind,
    { mediaType, content }: NewFile,
  ): Promise<StoredBrandingFile> {
    const { rows } = await this.#database.query<StoredBrandingFile>({
      name: 'branding_file.set', // primary key
      text: `INSERT INTO directory.branding_file (organization_id, kind, media_type, content) VALUES ($1, $2, $3, $4)
             ON CONFLICT (organization_id, kind) DO UPDATE
                SET media_type = excluded.media_type, content = excluded.content, changed_at = excluded.changed_at
             RETURNING ${COLUMNS}`,
      values: [organizationId, kind, mediaType, content],
    })
    const [stored] = rows
    if (stored === undefined) throw new Error('an upsert returned no row')
    return stored
  }

  async delete(organizationId: string, kind: BrandingFileKind): Promise<void> {
    await this.#database.query({
      name: 'branding_file.delete', // primary key
      text: 'DELETE FROM directory.branding_file WHERE organization_id = $1 AND kind = $2',
      values: [organizationId, kind],
    })
  }
}
