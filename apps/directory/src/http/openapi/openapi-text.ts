import { OPERATIONS } from '../all-operations.ts'
import { openapiDocument } from './openapi-document.ts'

/** The document of the management API, as the text of `openapi.json`. */
export function openapiText(): string {
  return `${JSON.stringify(openapiDocument(OPERATIONS), null, 2)}\n`
}
