import { clientIdHost } from '@signet/protocol/client-id-url'
import type { ManagementCall } from '../api/management-call.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { FindLastUse } from '../usage/usage.ts'
import type { ClientDocumentStore } from './client-document.repository.ts'
import type { ClientDocumentFilter, StoredClientDocument } from './client-document.ts'

interface Services {
  readonly stores: { readonly clientDocuments: ClientDocumentStore }
  readonly findLastUse: FindLastUse
}

interface ClientDocument extends StoredClientDocument {
  readonly host: string
  readonly lastUsedOn: string | null
}

/** Lists clients with a URL, with the days that the token service knows. Rejects with ApiError UNAVAILABLE. */
export async function listClientDocuments(
  { seen }: ManagementCall,
  { limit, cursor, ...filter }: ClientDocumentFilter & PageRequest,
  { stores, findLastUse }: Services,
): Promise<Page<ClientDocument>> {
  const page = await stores.clientDocuments.list(filter, { limit, cursor }, seen)
  if (page.items.length === 0) return { items: [] }
  const days = await findLastUse(page.items.map(({ clientId }) => clientId))
  const items = page.items.map((item) => ({
    ...item,
    host: clientIdHost(item.clientId) ?? '',
    lastUsedOn: dateOf(days.get(item.clientId)),
  }))
  return { ...page, items }
}

const DAY_MS = 86_400_000

/** The date of a day that is counted from 1970. */
const dateOf = (day: number | undefined): string | null =>
  day === undefined ? null : new Date(day * DAY_MS).toISOString().slice(0, 10)
