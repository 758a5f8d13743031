import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Operation } from './operation.ts'

/** The answer as JSON has it. Throws for what the schema does not allow: nothing undeclared leaves. */
export function writeAnswer({ response }: Operation, result: unknown): unknown {
  return response === undefined ? undefined : z.encode(response, result as object)
}

/** What `writeAnswer` wrote, as the use case made it. */
export function readAnswer({ response }: Operation, wire: unknown): unknown {
  return response?.parse(wire)
}

/** RFC 9110 section 8.8.3: the same for the same representation. */
export function entityTag(wire: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(wire)).digest('base64url').slice(0, 27)}"`
}
