import { rm } from 'node:fs/promises'
import { rolldown } from 'rolldown'
import { keepModuleLocations, LOCATION_FUNCTIONS } from './module-locations.ts'

export interface AppToBundle {
  /** The main module. */
  readonly entry: string
  /** The folder of `main.js` and of the files that it imports later. Its previous content is removed. */
  readonly folder: string
}

/**
 * Writes the modules that `entry` imports, its own and installed ones, into one file, which Node.js loads in a
 * fraction of the time. Modules still find the files beside them, so none of them may be moved. Rejects when an
 * import resolves to nothing, unless it is optional for the importing module.
 */
export async function bundleApp({ entry, folder }: AppToBundle): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const warnings: string[] = []
  await using bundle = await rolldown({
    input: entry,
    platform: 'node',
    plugins: [keepModuleLocations(folder)],
    onLog: (_level, { message }) => void warnings.push(message),
  })
  await bundle.write({
    dir: folder,
    entryFileNames: 'main.js',
    chunkFileNames: '[name].js',
    banner: LOCATION_FUNCTIONS,
    comments: { legal: true },
  })
  if (warnings.length > 0) throw new Error(`${entry} cannot be bundled: ${warnings.join('\n')}`)
}
