import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { brokenLoginTexts, obeyedLoginTexts } from '@signet/protocol/login-texts'
import { addCarried, type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { type Carried, carriedKey } from '../carried/carried-key.ts'
import { writeLoginTexts } from '../login-texts/login-text.repository.ts'
import { carriedRows, carriedWriter } from './carried-writer.repository.ts'
import type { TypedWriter } from './record-writer.ts'

const LIST = 'loginTexts'

/** Keeps the records of the texts of sign-in pages, and lets the pages show the texts in them that act. */
export function loginTextWriter(sealing: CarriedSealing): TypedWriter<Carried> {
  const showing = (write: typeof writeCarried): TypedWriter<Carried>['insert'] => {
    return async (tx, records, { organizationIds }) => {
      const stored = await write(tx, sealing, carriedRows(LIST, records, organizationIds))
      const rows = stored.flatMap(({ organizationId, content }) => {
        const { language: _, ...texts } = content
        const known = languageOf(content)
        return known === undefined
          ? []
          : [{ organizationId, language: known, texts: obeyedLoginTexts(texts) }]
      })
      await writeLoginTexts(tx, rows)
    }
  }
  return {
    ...carriedWriter(LIST, sealing),
    insert: showing(addCarried),
    update: showing(writeCarried),
    notes: (records, _tx, { organizationIds }) =>
      records.flatMap((record, index) => loginTextNotes(organizationIds[index] ?? '', record)),
  }
}

/** The language of the pages that a record is for; an undo finds the texts by the key of the record. */
function languageOf(record: Carried): string | undefined {
  return UI_LOCALES.find((locale) => locale === carriedKey(LIST, record))
}

/** Limit of the names that a note lists. */
const MOST_NAMED = 20

/** A note for the administrator about the texts of a record that no page shows. */
function loginTextNotes(organizationId: string, record: Carried): readonly string[] {
  const { language, ...texts } = record
  if (languageOf(record) === undefined) {
    return [
      `organization ${organizationId}: loginTexts in ${language} are not obeyed here: no page has this language`,
    ]
  }
  const broken = brokenLoginTexts(texts)
  if (broken.length === 0) return []
  const named = broken.slice(0, MOST_NAMED).map(({ text, rule }) => `${text} (${rule})`)
  const more = broken.length > MOST_NAMED ? [`and ${broken.length - MOST_NAMED} more`] : []
  return [
    `organization ${organizationId}: loginTexts in ${language} not obeyed here: ${[...named, ...more].join(', ')}`,
  ]
}
