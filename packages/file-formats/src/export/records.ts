import type { z } from 'zod'
import type { LISTS, ListName } from './lists.ts'

// biome-ignore lint/performance/noBarrelFile: callers use it beside the schemas below.
export { readPublicKey } from './record-schemas/keys.ts'

/** A checked record of a list. */
export type RecordOf<N extends ListName> = z.output<(typeof LISTS)[N]['schema']>
