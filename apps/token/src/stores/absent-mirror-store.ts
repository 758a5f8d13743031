import type { MirrorStore } from './mirror-store.ts'

/** Stands in where every reader asks PostgreSQL: there is no mirror to write, and none to fill. */
export const absentMirrorStore: MirrorStore = {
  write: async () => undefined,
  shardsToFill: async () => undefined,
  fill: async () => undefined,
}
