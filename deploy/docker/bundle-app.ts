// node bundle-app.ts APP…: bundles apps from their sources, each as APP/bundle/main.js.
import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

export interface AppToBundle {
  /** The main module. */
  readonly entry: string
  /** Folder for `main.js` and the modules that it imports later. Its content is deleted before. */
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

/** Each file of the bundle begins with these: they find files beside a module from the place of the bundle. */
const LOCATION_FUNCTIONS = `import { createRequire as bundledCreateRequire } from 'node:module'
import { fileURLToPath as bundledFileUrlToPath } from 'node:url'
const bundledUrl = (path) => new URL(path, import.meta.url).href
const bundledPath = (path) => bundledFileUrlToPath(bundledUrl(path))
const bundledRequire = bundledCreateRequire(import.meta.url)`

/**
 * Lets each module find files that lie beside it, as migrations, stylesheets, workers and add-ons: its own location is
 * that of its source, although it runs in a file of `folder` that begins with LOCATION_FUNCTIONS.
 */
function keepModuleLocations(folder: string): Plugin {
  const fromFolder = (path: string) =>
    JSON.stringify(relative(folder, path).split(sep).map(encodeURIComponent).join('/'))
  return {
    name: 'keep-module-locations',
    load: {
      filter: { id: /\.node$/ },
      handler: (id) => ({
        code: `module.exports = bundledRequire(bundledPath(${fromFolder(id)}))`,
        moduleType: 'js',
      }),
    },
    transform: {
      filter: { code: LOCATION },
      handler: (code, id) =>
        code
          .replaceAll(/\bimport\.meta\.url\b/g, `bundledUrl(${fromFolder(id)})`)
          .replaceAll(/\b(?:import\.meta\.filename|__filename)\b/g, `bundledPath(${fromFolder(id)})`)
          .replaceAll(/\b(?:import\.meta\.dirname|__dirname)\b/g, `bundledPath(${fromFolder(dirname(id))})`),
    },
  }
}

const LOCATION = /\b(?:import\.meta\.(?:url|filename|dirname)|__filename|__dirname)\b/

if (import.meta.main) {
  for (const path of process.argv.slice(2)) {
    const app = realpathSync(path)
    await bundleApp({ entry: join(app, 'src', 'main.ts'), folder: join(app, 'bundle') })
  }
}
