import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import type { NamedOrganization, NewBatch } from '../jobs/staged-batch.ts'
import { ORGANIZATION } from '../jobs/staged-batch.ts'
import { emptyBatch, isFull, type OpenBatch, shareOf } from './open-batch.ts'

/** Statements that store small batches one by one would take longer than reading the document. */
const STORED_BYTES = 524_288
export const STORED_BATCHES = 100

export type FullBatch = Omit<NewBatch, 'sealed'> & { readonly records: readonly string[] }

/** Position of a record in its document. */
interface RecordPlace {
  readonly organization: number
  readonly list: ListName
  readonly index: number
}

/** Parts of a document that are ready to be stored. */
export interface CollectedBatches {
  readonly organizations: readonly NamedOrganization[]
  readonly batches: readonly FullBatch[]
}

/** Collects the records of a document into batches, which wait until they are taken. */
export class BatchCollector {
  readonly #open = new Map<boolean, OpenBatch>()
  readonly #full: FullBatch[] = []
  readonly #named: NamedOrganization[] = []
  #fullBytes = 0
  #batches = 0

  /** Whether so much waits that a statement is worth it. */
  get isReady(): boolean {
    return this.#fullBytes >= STORED_BYTES || this.#full.length >= STORED_BATCHES
  }

  append(withoutCredentials: boolean, { organization, list, index }: RecordPlace, record: unknown): void {
    const before = this.#open.get(withoutCredentials)
    if (before !== undefined && (before.list !== list || before.organization !== organization)) this.close()
    const batch = this.#open.get(withoutCredentials) ?? emptyBatch(organization, list, withoutCredentials)
    this.#open.set(withoutCredentials, batch)
    const shape = shapeOf(list)
    const text = JSON.stringify(record)
    batch.bytes += text.length
    for (const key of shape.unique?.(record) ?? []) batch.unique.push({ key, at: batch.records.length })
    batch.indexes.push(index)
    batch.records.push(text)
    batch.ids.push(shape.id(record))
    if (shape.entry !== undefined) batch.entries.push(shape.entry(record))
    if (shape.isSlow?.(record)) batch.slowRecords += 1
    if (isFull(batch)) this.#closeOne(withoutCredentials)
  }

  /** Adds the batch of an organization, behind all records before it. */
  addHeader(organization: number, header: OrganizationHeader): void {
    this.close()
    const { orgId } = header
    this.#named.push({ ordinal: organization, organizationId: orgId })
    const records = [JSON.stringify(header)]
    const unique = [{ key: `organization/${orgId}`, at: 0 }]
    const domains = (header.domains ?? []).map(({ domainName }) => domainName)
    this.#add({
      stage: 0,
      ordinal: organization,
      list: ORGANIZATION,
      firstIndex: organization,
      indexes: undefined,
      withoutCredentials: false,
      callShare: shareOf({ records, slowRecords: 0, bytes: records[0]?.length ?? 0 }),
      ids: [orgId],
      unique: [...unique, ...domains.map((domain) => ({ key: `@/domain/${domain}`, at: 0 }))],
      records,
      entries: [{ orgId, domains }],
    })
  }

  /** Ends the batches that are not full. */
  close(): void {
    this.#closeOne(false)
    this.#closeOne(true)
  }

  /** Returns the batches that wait, which wait no longer. */
  take(): CollectedBatches {
    this.#fullBytes = 0
    return { organizations: this.#named.splice(0), batches: this.#full.splice(0) }
  }

  #closeOne(withoutCredentials: boolean): void {
    const batch = this.#open.get(withoutCredentials)
    if (batch === undefined) return
    this.#open.delete(withoutCredentials)
    const { organization, list, indexes, records, ids, entries, unique } = batch
    const callShare = shareOf(batch)
    const { stage } = shapeOf(list)
    const [firstIndex = 0] = indexes
    const isWhole = indexes.at(-1) === firstIndex + indexes.length - 1
    this.#add({
      stage,
      ordinal: organization,
      list,
      firstIndex,
      indexes: isWhole ? undefined : indexes,
      withoutCredentials,
      callShare,
      ids,
      unique,
      records,
      entries: entries.length > 0 ? entries : undefined,
    })
  }

  #add(batch: Omit<FullBatch, 'batch'>): void {
    this.#full.push({ ...batch, batch: this.#batches })
    this.#batches += 1
    for (const record of batch.records) this.#fullBytes += record.length
  }
}
