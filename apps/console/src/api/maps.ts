import type { Schema } from './description.ts'

/** Whether the names of an object are of the choice of the caller. */
export const isMap = (schema: Schema | undefined): boolean =>
  schema?.properties === undefined && typeof schema?.additionalProperties === 'object'
