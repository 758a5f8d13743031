import { newIdentifier } from '../export/record-schemas/fields.ts'
import { parseJson } from '../json-stream/json-scanner.ts'
import { isObject, type JsonObject, SourceError, type SourceFile } from './conversion.ts'
import { MEBIBYTE, readJson } from './json-input.ts'
import type { LeftOut } from './left-out.ts'

/** Answers of the API of ZITADEL that list applications, beside the documents. */
export const isAppsFile = (name: string): boolean => /^app(s|lications)/i.test(name)

const CONFIGURATIONS = ['oidcConfig', 'apiConfig', 'oidcConfiguration', 'apiConfiguration']

/**
 * The client ids of applications, which a document of ZITADEL does not have: from answers of
 * `POST /management/v1/projects/{id}/apps/_search`, and of the second version of the API. All other members stand in the document.
 */
export class ZitadelApps {
  readonly #apps = new Map<string, { readonly name: string; readonly clientId: string | undefined }>()
  readonly #leftOut: LeftOut

  constructor(leftOut: LeftOut) {
    this.#leftOut = leftOut
  }

  /** Throws SourceError for a file without applications. */
  async read(file: SourceFile): Promise<void> {
    const whole = { limitBytes: 16 * MEBIBYTE }
    const values = readJson<unknown>(file, (emit) => ({
      name: 'the file',
      whole: { ...whole, value: (bytes) => emit(parseJson(bytes, 'the file')) },
    }))
    for await (const value of values) {
      const answer = isObject(value) ? (value.result ?? value.applications) : value
      const apps = Array.isArray(answer) ? answer.filter(isObject) : []
      const known = apps.filter((app) => this.#add(app))
      if (known.length === 0) {
        throw new SourceError(
          `${file.name} has no list result or applications with applications that have an id`,
        )
      }
    }
  }

  #add(app: JsonObject): boolean {
    const { id = app.applicationId, name = '' } = app
    if (typeof id !== 'string') {
      this.#leftOut.add('oidcApps, left out: an application without an id', String(name))
      return false
    }
    const configuration = CONFIGURATIONS.map((member) => app[member]).find(isObject)
    const clientId = configuration?.clientId
    this.#apps.set(id, { name: String(name), clientId: typeof clientId === 'string' ? clientId : undefined })
    return true
  }

  /** The record of an application with its client id. */
  withClientId(record: JsonObject): JsonObject {
    const { appId, app } = record
    const known = typeof appId === 'string' ? this.#apps.get(appId) : undefined
    if (typeof appId !== 'string' || known === undefined || !isObject(app)) return record
    this.#apps.delete(appId)
    const { clientId, name } = known
    if (clientId === undefined || app.clientId !== undefined) return record
    if (newIdentifier.safeParse(clientId).success) return { ...record, app: { ...app, clientId } }
    this.#leftOut.add('applications, the client id is no id here', name, appId)
    return record
  }

  /** Counts the applications that stand in no document. */
  end(): void {
    for (const [id, { name }] of this.#apps) {
      this.#leftOut.add('oidcApps, left out: the document of its organization is missing', name || id)
    }
  }
}
