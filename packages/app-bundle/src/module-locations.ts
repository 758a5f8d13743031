import { dirname, relative, sep } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * The beginning of each file of the bundle: functions that find files beside a module from the location of the
 * bundle.
 */
export const LOCATION_FUNCTIONS = `import { createRequire as bundledCreateRequire } from 'node:module'
import { fileURLToPath as bundledFileUrlToPath } from 'node:url'
const bundledUrl = (path) => new URL(path, import.meta.url).href
const bundledPath = (path) => bundledFileUrlToPath(bundledUrl(path))
const bundledRequire = bundledCreateRequire(import.meta.url)`

/**
 * Lets each module find the files beside it, as migrations, stylesheets, workers and add-ons: its own location is
 * that of its source, although it runs in a file of `folder` that begins with LOCATION_FUNCTIONS.
 */
export function keepModuleLocations(folder: string): Plugin {
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
