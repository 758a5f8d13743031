import { createReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve, sep } from 'node:path'
import { parseEnv } from 'node:util'
import { convertAuth0 } from '@signet/file-formats/sources/auth0'
import { convertAuthentik } from '@signet/file-formats/sources/authentik'
import { type ConvertedPart, SourceError, type SourceFile } from '@signet/file-formats/sources/conversion'
import { convertCsv, readCsvHeader } from '@signet/file-formats/sources/csv'
import { type CsvMapping, readCsvMapping } from '@signet/file-formats/sources/csv-mapping'
import { csvPreset, suggestedMapping } from '@signet/file-formats/sources/csv-presets'
import {
  convertFirebase,
  type FirebaseHashConfig,
  readFirebaseHashConfig,
} from '@signet/file-formats/sources/firebase'
import { convertFusionAuth } from '@signet/file-formats/sources/fusionauth'
import { convertKeycloak } from '@signet/file-formats/sources/keycloak'
import { convertKratos } from '@signet/file-formats/sources/kratos'
import { convertLdif } from '@signet/file-formats/sources/ldif'
import { LeftOut } from '@signet/file-formats/sources/left-out'
import { convertSupabase } from '@signet/file-formats/sources/supabase'
import { convertZitadel } from '@signet/file-formats/sources/zitadel'
import { parse } from 'yaml'
import { createReadFailure } from '../context.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { filledIn } from './filled-in.ts'
import { createListCollector, type KeptList } from './job-left-out.ts'
import { openLines } from './left-out-report.ts'

/** The options of `signet import --from`. */
export interface SourceOptions {
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
  readonly mapping?: CsvMapping | undefined
  readonly pkceOptional?: boolean | undefined
  readonly prefixClientIds?: boolean | undefined
  readonly hashConfig?: FirebaseHashConfig | undefined
}

interface Source {
  readonly convert: (
    files: readonly SourceFile[],
    options: SourceOptions,
    leftOut: LeftOut,
  ) => AsyncIterable<ConvertedPart>
  /** The files of a folder that belong to the export. */
  readonly files: RegExp
  /** The folders in it that belong to the export. */
  readonly folders?: RegExp
}

/** The folders that the deploy CLI of Auth0 writes. */
const AUTH0_FOLDERS =
  /^(actions|attack-protection|branding|clients|connections|custom-domains|database-connections|emails|flows|forms|grants|guardian|hooks|log-streams|organizations|pages|prompts|resource-servers|roles|rules|rules-configs|themes|triggers)$/

const JSON_FILES = /\.(nd)?json$/

const SOURCES: Readonly<Record<string, Source>> = {
  keycloak: { convert: convertKeycloak, files: JSON_FILES },
  auth0: { convert: convertAuth0, files: /\.((nd)?json|ya?ml)$/, folders: AUTH0_FOLDERS },
  zitadel: { convert: convertZitadel, files: JSON_FILES },
  csv: { convert: convertCsv, files: /\.csv$/ },
  firebase: { convert: convertFirebase, files: JSON_FILES },
  supabase: { convert: convertSupabase, files: JSON_FILES },
  kratos: { convert: convertKratos, files: JSON_FILES },
  fusionauth: { convert: convertFusionAuth, files: JSON_FILES },
  authentik: { convert: convertAuthentik, files: /\.((nd)?json|ya?ml)$/ },
  ldif: { convert: convertLdif, files: /\.ldif$/ },
}

export const SOURCE_NAMES = Object.keys(SOURCES)

/** Whether the files of a source are JSON or YAML, where placeholders of a deployment can be filled in. */
export const hasPlaceholders = ({ files }: Source): boolean => files.test('a.json')

/** The variables of a file of lines `NAME=value`. Throws CommandError when it cannot be read. */
export async function variablesOf(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch(createReadFailure(file, '--env: '))
  return new Map(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']))
}

/** The converter of a product. Throws UsageError for a product without one. */
export function requireSource(name: string): Source {
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined
  if (source === undefined) throw new UsageError(`--from: must be ${SOURCE_NAMES.join(', ')}`)
  return source
}

/**
 * The mapping for the CSV files of a product, or from a file in YAML or JSON. Throws CommandError for an invalid mapping.
 */
export async function mappingOf(file: string): Promise<CsvMapping> {
  const preset = csvPreset(file)
  if (preset !== undefined) return preset
  const text = await readFile(file, 'utf8').catch(createReadFailure(file, '--mapping: '))
  try {
    return readCsvMapping(parse(text))
  } catch (cause) {
    const message = cause instanceof SourceError ? cause.message : `${basename(file)} is not YAML`
    throw new CommandError('refused', message, { cause })
  }
}

/**
 * Converts the files of another product to an export document in `target`, which only the user can read: it holds password
 * hashes. Returns what it left out, and the list of it for the job; each value of which it writes to `leftOutFile` as a line of JSON. Holds one record at a time.
 * Throws CommandError for files that it cannot convert.
 */
export async function convertToFile(
  { convert, files, folders }: Source,
  {
    place,
    target,
    options,
    leftOutFile,
    variables,
  }: {
    readonly place: string
    readonly target: string
    readonly options: SourceOptions
    readonly leftOutFile?: string | undefined
    /** The values of placeholders in JSON files. */
    readonly variables?: ReadonlyMap<string, string> | undefined
  },
): Promise<{ readonly leftOut: LeftOut; readonly list: KeptList }> {
  using lines = leftOutFile === undefined ? undefined : openLines(leftOutFile)
  const collector = createListCollector()
  const leftOut = new LeftOut((value) => {
    collector.add(value)
    lines?.append(JSON.stringify(value))
  })
  const draft = `${target}.part`
  await rm(draft, { force: true })
  const document = await open(draft, 'wx', 0o600).catch(createReadFailure(target))
  try {
    const own = [target, leftOutFile].flatMap((file) => (file === undefined ? [] : [resolve(file)]))
    await writeDocument(
      convert(await sourceFiles({ place, files, folders, own, variables }), options, leftOut),
      document,
    )
  } catch (error) {
    await rm(draft, { force: true })
    if (error instanceof SourceError) throw new CommandError('refused', error.message, { cause: error })
    throw error
  } finally {
    await document.close()
  }
  await rename(draft, target)
  return { leftOut, list: collector.list() }
}

/**
 * The file of this name, or the files in a folder that belong to an export, without those that the command writes itself. Does not
 * follow links, and reads no folders in it but those of the export.
 */
async function sourceFiles({
  place,
  files,
  folders,
  own,
  variables,
}: {
  readonly place: string
  readonly files: RegExp
  readonly folders: RegExp | undefined
  readonly own: readonly string[]
  readonly variables: ReadonlyMap<string, string> | undefined
}): Promise<readonly SourceFile[]> {
  const status = await stat(place).catch(createReadFailure(place))
  if (status.isFile()) return [sourceFile(place, variables)]
  if (!status.isDirectory()) throw new UsageError(`${place} is neither a file nor a folder`)
  const entries = await readdir(place, { withFileTypes: true })
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  for (const folder of entries.filter((entry) => entry.isDirectory() && folders?.test(entry.name))) {
    const inside = await readdir(join(place, folder.name), { withFileTypes: true, recursive: true })
    for (const entry of inside)
      if (entry.isFile()) names.push(relative(place, join(entry.parentPath, entry.name)))
  }
  return names
    .filter((name) => files.test(name) && !own.includes(resolve(place, name)))
    .map((name) => sourceFile(join(place, name), variables, name.split(sep).join('/')))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function sourceFile(
  path: string,
  variables?: ReadonlyMap<string, string>,
  name = basename(path),
): SourceFile {
  const read = (): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: 1_048_576 })
  return {
    name,
    open: () => (variables === undefined ? read() : filledIn(read(), variables)),
  }
}

const FLUSH_CHARACTERS = 262_144

/** A file that records are appended to. */
class RecordFile {
  readonly #file: FileHandle
  #text = ''

  constructor(file: FileHandle) {
    this.#file = file
  }

  async append(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= FLUSH_CHARACTERS) await this.flush()
  }

  async flush(): Promise<void> {
    await this.#file.writeFile(this.#text)
    this.#text = ''
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/**
 * Writes the document. An organization has one list of each kind, but one user becomes records of several lists. So each list is
 * written to its own file until the organization ends.
 */
async function writeDocument(parts: AsyncIterable<ConvertedPart>, document: FileHandle): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-convert-'))
  const lists = new Map<string, RecordFile>()
  let header: string | undefined
  let written = '{"orgs":['

  async function endOrganization(): Promise<void> {
    if (header === undefined) return
    await document.writeFile(`${written}${header.slice(0, -1)}`)
    for (const [list, file] of lists) {
      await file.flush()
      await file.close()
      await document.writeFile(`,"${list}":[`)
      for await (const chunk of createReadStream(join(folder, list))) await document.writeFile(chunk)
      await document.writeFile(']')
      await rm(join(folder, list))
    }
    lists.clear()
    await document.writeFile('}')
    written = ','
  }

  try {
    for await (const part of parts) {
      if (part.kind === 'organization') {
        await endOrganization()
        header = JSON.stringify(part.header)
        continue
      }
      const known = lists.get(part.list)
      const file = known ?? new RecordFile(await open(join(folder, part.list), 'wx', 0o600))
      lists.set(part.list, file)
      await file.append(`${known === undefined ? '' : ','}${JSON.stringify(part.record)}`)
    }
    await endOrganization()
    await document.writeFile(']}')
  } finally {
    for (const file of lists.values()) await file.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The password hash parameters of a project of Firebase, from a file. Throws CommandError for another file. */
export async function hashConfigOf(file: string): Promise<FirebaseHashConfig> {
  const text = await readFile(file, 'utf8').catch(createReadFailure(file, '--hash-config: '))
  try {
    return readFirebaseHashConfig(text)
  } catch (cause) {
    throw new CommandError('refused', cause instanceof SourceError ? cause.message : `${cause}`, { cause })
  }
}

/**
 * A mapping for a CSV file, as a text in YAML: columns with usual names become members of a user, the others are ignored.
 * Throws CommandError for a file without a header row.
 */
export async function suggestMapping(place: string): Promise<string> {
  try {
    return suggestedMapping(await readCsvHeader(sourceFile(place)))
  } catch (error) {
    if (error instanceof SourceError) throw new CommandError('refused', error.message, { cause: error })
    return createReadFailure(place)(error)
  }
}
