import { camelKeys } from './camel-keys.ts'
import type { FileProblem } from './file-problem.ts'
import { type ExpandSecret, expandSecrets } from './secret-references.ts'

/** A document with lowerCamelCase keys and its secrets in it, not checked any further. */
export interface PreparedDocument {
  readonly document: unknown
  readonly problems: readonly FileProblem[]
}

export function prepareDocument(written: unknown, expand: ExpandSecret): PreparedDocument {
  const problems: FileProblem[] = []
  const document = expandSecrets(camelKeys(written, problems), expand, problems)
  return { document, problems }
}
