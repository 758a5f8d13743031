import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import {
  convertToFile,
  hashConfigOf,
  hasPlaceholders,
  mappingOf,
  requireSource,
  type SourceOptions,
  variablesOf,
} from './converted-document.ts'
import type { KeptList } from './job-left-out.ts'
import { leftOutLines } from './left-out-report.ts'

/** The options of `signet import` for files of another product. */
export interface ConversionOptions {
  readonly from?: string | undefined
  readonly organization?: string | undefined
  readonly organizationName?: string | undefined
  readonly mapping?: string | undefined
  readonly converted?: string | undefined
  readonly leftOut?: string | undefined
  readonly pkceOptional?: boolean | undefined
  readonly prefixClientIds?: boolean | undefined
  readonly hashConfig?: string | undefined
  readonly env?: string | undefined
}

/** Converts the files of another product to a document; disposing deletes it. Returns undefined without `--from`. */
export async function convertedDocument(
  place: string,
  { from, converted, leftOut, ...given }: ConversionOptions,
  { note }: Pick<CommandContext, 'note'>,
): Promise<(AsyncDisposable & { readonly file: string; readonly list: KeptList }) | undefined> {
  if (from === undefined) {
    if ([converted, ...Object.values(given)].some((value) => value !== undefined)) {
      throw new UsageError(
        '--organization, --organization-name, --mapping, --converted, --pkce-optional, --prefix-client-ids, --hash-config and --env belong to --from',
      )
    }
    return undefined
  }
  const { organization, organizationName, mapping, pkceOptional, prefixClientIds, hashConfig, env } = given
  const source = requireSource(from)
  if ((from === 'csv') !== (mapping !== undefined)) {
    throw new UsageError('--mapping belongs to --from csv, which needs it')
  }
  if (hashConfig !== undefined && from !== 'firebase') {
    throw new UsageError('--hash-config belongs to --from firebase')
  }
  if (env !== undefined && !hasPlaceholders(source))
    throw new UsageError(`--env: files of ${from} have no placeholders`)
  if (prefixClientIds && from !== 'keycloak') {
    throw new UsageError('--prefix-client-ids belongs to --from keycloak')
  }
  const options: SourceOptions = {
    organizationId: organization,
    organizationName,
    mapping: mapping === undefined ? undefined : await mappingOf(mapping),
    pkceOptional,
    prefixClientIds,
    hashConfig: hashConfig === undefined ? undefined : await hashConfigOf(hashConfig),
  }
  const variables = env === undefined ? undefined : await variablesOf(env)
  const folder = converted === undefined ? await mkdtemp(join(tmpdir(), 'signet-import-')) : undefined
  const dispose = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  const target = folder === undefined ? (converted as string) : join(folder, 'document.json')
  try {
    const made = await convertToFile(source, { place, target, options, leftOutFile: leftOut, variables })
    leftOutLines(made.leftOut).forEach(note)
    return { file: target, list: made.list, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
