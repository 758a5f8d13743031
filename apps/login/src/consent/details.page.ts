import { type Html, html } from '@signet/http/html'
import type { DetailType, JsonSchema } from '@signet/protocol/authorization-detail-types'
import { type GrantedDetail, isObject } from '@signet/protocol/authorization-details'
import type { FindDetailType } from '../authorize/consent-rule.ts'

/** A detail with the texts of its type. */
interface ShownDetail extends GrantedDetail {
  readonly type: DetailType | undefined
}

/** Finds the types of details for `detailSections`. */
export const findDetailTypes = (
  findType: FindDetailType,
  details: readonly GrantedDetail[] = [],
): Promise<readonly ShownDetail[]> =>
  Promise.all(details.map(async (detail) => ({ ...detail, type: await findType(detail) })))

/** Shows each detail with all its values, since the application gets them all (RFC 9396 section 11.1): `#consent-detail-0`. */
export const detailSections = (details: readonly ShownDetail[]): readonly Html[] =>
  details.map(({ detail: { type: name, ...members }, type }, index) => {
    const description = type?.description
    return html`<section id="consent-detail-${index}"><h2>${type?.title ?? name}</h2>
${description !== undefined && html`<p class="quiet">${description}</p>\n`}<dl class="facts">
${rows(members, type?.schema ?? {}, '')}</dl></section>\n`
  })

/** A row for each value inside a member, under the titles that the schema has on the way to it. */
function rows(value: unknown, schema: JsonSchema, label: string): readonly Html[] {
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, inner]) => {
      const below = memberSchema(schema, name)
      const title = typeof below.title === 'string' && below.title !== '' ? below.title : name
      return rows(inner, below, label === '' ? title : `${label}, ${title}`)
    })
  }
  if (Array.isArray(value) && value.some((element) => typeof element === 'object' && element !== null)) {
    const below = isObject(schema.items) ? schema.items : {}
    return value.flatMap((element, at) => rows(element, below, `${label} ${at + 1}`))
  }
  const isList = Array.isArray(value) && value.length > 0
  const text = isList
    ? value.map(String).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
  return [html`<dt>${label}</dt><dd><bdi>${text}</bdi></dd>\n`]
}

function memberSchema({ properties }: JsonSchema, name: string): JsonSchema {
  const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(found) ? found : {}
}
