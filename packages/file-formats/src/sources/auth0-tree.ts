import { parseJson } from '../json-stream/json-scanner.ts'
import { isEmpty, isObject, type SourceFile } from './conversion.ts'
import { MEBIBYTE, readJson } from './json-input.ts'
import type { LeftOut } from './left-out.ts'

const MOST_BYTES = 16 * MEBIBYTE

/** The folders of a tree of the deploy CLI of Auth0 (`a0deploy export --format directory`) whose objects are converted. */
const FOLDERS: Readonly<Record<string, string>> = {
  clients: 'clients',
  connections: 'connections',
  'database-connections': 'connections',
  organizations: 'organizations',
  roles: 'roles',
}

/** The names of other folders in `tenant.yaml`. */
const OTHER_NAMES: Readonly<Record<string, string>> = { grants: 'clientGrants' }

const folderOf = (name: string) => /^([^/]+)\//.exec(name)?.[1]

/** Whether a file is one of a tree: it stands in a folder, or holds the settings of the tenant. */
export const isTreeFile = (name: string): boolean => name.includes('/') || name === 'tenant.json'

/** The kind of the objects of such a file; undefined where they are not converted. */
export function treeKindOf(name: string): string | undefined {
  const folder = folderOf(name) ?? ''
  return Object.hasOwn(FOLDERS, folder) ? FOLDERS[folder] : undefined
}

/** The value of a file of a tree, which holds one object or a list. */
export async function* readTreeFile(file: SourceFile): AsyncGenerator<unknown> {
  const values = readJson<unknown>(file, (emit) => ({
    name: 'the file',
    whole: { limitBytes: MOST_BYTES, value: (bytes) => emit(parseJson(bytes, 'the file')) },
  }))
  for await (const value of values) yield* Array.isArray(value) ? value : [value]
}

/** Counts the objects of files that are not converted, each by its name, as those of `tenant.yaml`. */
export async function countOthers(files: readonly SourceFile[], leftOut: LeftOut): Promise<void> {
  for (const file of files) {
    const folder = folderOf(file.name) ?? 'tenant'
    const member = Object.hasOwn(OTHER_NAMES, folder)
      ? OTHER_NAMES[folder]
      : folder.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    for await (const value of readTreeFile(file)) {
      if (isEmpty(value)) continue
      const name = isObject(value) && typeof value.name === 'string' ? value.name : file.name
      leftOut.add(`tenant.${member}`, name)
    }
  }
}
