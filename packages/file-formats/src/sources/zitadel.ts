import { LIST_NAMES, type ListName } from '../export/lists.ts'
import { organizationHeader } from '../export/organization-header.ts'
import { underValueRules } from '../export/value-rules.ts'
import { parseJson, type Reading } from '../json-stream/json-scanner.ts'
import {
  type ConvertedPart,
  checkRecord,
  isObject,
  type JsonObject,
  requireFilledIn,
  SourceError,
  type SourceFile,
} from './conversion.ts'
import { MEBIBYTE, readJson } from './json-input.ts'
import type { LeftOut } from './left-out.ts'
import { isAppsFile, ZitadelApps } from './zitadel-apps.ts'

/*
 * Converts a document of ZITADEL: the response of `/admin/v1/export`, the body of an import call around it (`dataOrgs`,
 * `dataOrgsv1`), and the output of zitadel-tools, whose organizations have no name. The records are those of our own
 * format in either layout. Files whose names begin with `apps` have the client ids of applications.
 */

const WRAPPERS = ['dataOrgs', 'data_orgs', 'dataOrgsv1', 'data_orgsv1']
const LIMITS = { record: 1.5 * MEBIBYTE, header: MEBIBYTE / 4, other: MEBIBYTE } as const

export interface ZitadelOptions {
  /** Name of organizations that have none. */
  readonly organizationName?: string | undefined
}

type Emitted =
  | { readonly kind: 'begin'; readonly organization: number }
  | { readonly kind: 'header'; readonly organization: number; readonly name: string; readonly value: unknown }
  | {
      readonly kind: 'record'
      readonly organization: number
      readonly list: ListName
      readonly value: unknown
    }
  | { readonly kind: 'unknown'; readonly organization: number; readonly name: string }

/** Throws SourceError for a file without organizations. */
export async function* convertZitadel(
  files: readonly SourceFile[],
  { organizationName }: ZitadelOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const apps = new ZitadelApps(leftOut)
  for (const file of files) if (isAppsFile(file.name)) await apps.read(file)
  for (const file of files.filter(({ name }) => !isAppsFile(name))) {
    const headers = new Map<number, Map<string, unknown>>()
    for await (const emitted of readOrganizations(file)) {
      if (emitted.organization < 0) continue
      const header = headers.get(emitted.organization) ?? new Map<string, unknown>()
      headers.set(emitted.organization, header)
      if (emitted.kind === 'header') header.set(emitted.name, emitted.value)
    }
    if (headers.size === 0) throw new SourceError(`${file.name} holds no organization`)
    let current = -1
    for await (const emitted of readOrganizations(file)) {
      if (emitted.organization >= 0 && emitted.organization !== current) {
        current = emitted.organization
        const header = withName(headers.get(current), organizationName)
        requireFilledIn(header.orgId, 'orgId')
        yield { kind: 'organization', header: headerUnderRules(header, leftOut) }
      }
      const example = String(headers.get(emitted.organization)?.get('orgId') ?? file.name)
      if (emitted.kind === 'unknown') leftOut.add(`member ${emitted.name}`, example)
      else if (emitted.kind === 'record') {
        if (!isObject(emitted.value)) {
          leftOut.add(`${emitted.list}: a record that is no object`, example)
          continue
        }
        const isApp = emitted.list === 'oidcApps' || emitted.list === 'apiApps'
        const value = isApp ? apps.withClientId(emitted.value) : emitted.value
        const record = checkRecord(emitted.list, value, leftOut, example)
        if (record !== undefined) yield { kind: 'record', list: emitted.list, record }
      }
    }
  }
  apps.end()
}

function headerUnderRules(header: JsonObject, leftOut: LeftOut): JsonObject {
  // The reader of the document refuses a header that breaks a rule of the format.
  const isReadable = organizationHeader.safeParse(header).success
  const isHeader = isReadable ? undefined : () => true
  const { record = header, problems } = underValueRules('organization', header, isHeader)
  for (const { field, rule } of problems)
    leftOut.add(`organization, kept without this member: ${field}: ${rule}`, String(header.orgId))
  return record
}

function withName(members: ReadonlyMap<string, unknown> | undefined, name: string | undefined): JsonObject {
  const { org, ...header } = Object.fromEntries(members ?? [])
  if (isObject(org) && typeof org.name === 'string') return { ...header, org }
  return name === undefined ? header : { ...header, org: { name } }
}

/** Reads organizations in the file or in one of the members that an import call has around them. */
function readOrganizations(file: SourceFile): AsyncGenerator<Emitted> {
  return readJson(file, (emit) => {
    let count = 0
    const skipped = (name: string, organization: number): Reading => {
      emit({ kind: 'unknown', organization, name })
      return { name, whole: { limitBytes: LIMITS.other, value: () => undefined } }
    }
    const organization = (): Reading => {
      const at = count
      count += 1
      emit({ kind: 'begin', organization: at })
      return { name: 'an organization', object: { member: (name) => member(camelName(name), at) } }
    }
    const member = (name: string, at: number): Reading => {
      const list = LIST_NAMES.find((known) => known === name)
      if (list === undefined && !Object.hasOwn(organizationHeader.shape, name)) return skipped(name, at)
      if (list === undefined) {
        const value = (bytes: Buffer) =>
          emit({ kind: 'header', organization: at, name, value: parseJson(bytes, name) })
        return { name, whole: { limitBytes: LIMITS.header, value } }
      }
      const value = (bytes: Buffer) =>
        emit({ kind: 'record', organization: at, list, value: parseJson(bytes, name) })
      const element: Reading = { name: `a record of ${name}`, whole: { limitBytes: LIMITS.record, value } }
      return { name, array: { element: () => element } }
    }
    const document = (wrappers: readonly string[]): Reading => ({
      name: 'the document',
      object: {
        member: (name) => {
          if (name === 'orgs') return { name, array: { element: organization } }
          if (wrappers.includes(name)) return document([])
          // They describe the call or the document, not an organization.
          if (name === 'meta' || name === 'timeout') {
            return { name, whole: { limitBytes: LIMITS.other, value: () => undefined } }
          }
          return skipped(name, -1)
        },
      },
    })
    return document(WRAPPERS)
  })
}

const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
