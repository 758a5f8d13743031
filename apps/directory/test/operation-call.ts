import { openapiText } from '../src/http/openapi/openapi-text.ts'
import type { Operation } from '../src/http/operation.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly example?: string
}
interface Described {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } }
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> } =
  JSON.parse(openapiText())

/** The call that the document gives as the example of an operation. */
export function exampleCall(
  { method, path }: Pick<Operation, 'method' | 'path'>,
  instead: Readonly<Record<string, string>> = {},
): { readonly method: string; readonly path: string; readonly body: unknown } {
  const described = document.paths[path]?.[method]
  if (described === undefined) throw new Error(`the document has no ${method} ${path}`)
  const { parameters, requestBody } = described
  const filling = ({ name, example }: Parameter) => encodeURIComponent(instead[name] ?? example ?? '')
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, filling(parameter)), path)
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  const search = query.map((parameter) => `${parameter.name}=${filling(parameter)}`).join('&')
  return {
    method: method.toUpperCase(),
    path: search === '' ? filled : `${filled}?${search}`,
    body: requestBody?.content['application/json'].example,
  }
}
