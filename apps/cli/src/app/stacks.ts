import { QUICK_STARTS, type QuickStart } from '@signet/protocol/quick-starts'
import { QUICK_START_FILES } from '../api/gen/quick-start-files.ts'

/** A quick start with its files. */
export interface Stack extends QuickStart {
  readonly files: Readonly<Record<string, string>>
}

export const STACKS: Readonly<Record<string, Stack>> = Object.fromEntries(
  Object.entries(QUICK_STARTS).map(([name, quickStart]) => [
    name,
    { ...quickStart, files: QUICK_START_FILES[quickStart.folder] },
  ]),
)
