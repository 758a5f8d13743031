import { type ListName, shapeOf } from '@signet/file-formats/export/lists'

/** A record of a list that nothing here interprets. */
export type Carried = Readonly<Record<string, unknown>>

/** The member of a record when it is a text. */
export const idOf = (record: Carried, member: string): string | undefined => {
  const id = record[member]
  return typeof id === 'string' ? id : undefined
}

const linkIssuer = (list: ListName, record: Carried) =>
  list === 'userLinks' ? idOf(record, 'issuer') : undefined

/** The key under which such a record is stored. */
export function carriedKey(list: ListName, record: Carried): string {
  // Two links of one user to one provider may differ in whom they name there, and by which issuer.
  const parts = [shapeOf(list).id(record), idOf(record, 'providedUserId'), linkIssuer(list, record)]
  return parts.filter((part) => part !== undefined).join(' ')
}
