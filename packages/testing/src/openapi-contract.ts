import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Body {
  readonly content?: { readonly 'application/json'?: { readonly schema: object; readonly example?: unknown } }
}
interface Described {
  readonly operationId: string
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body & { readonly $ref?: string }>>
}
/** Members of an OpenAPI 3.1 document that judge messages. */
export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly responses?: Readonly<Record<string, Body>> }
}

interface Answer {
  readonly method: string
  /** Path of the URL, without the query. */
  readonly path: string
  readonly status: number
  /** Undefined when there was none. */
  readonly body: unknown
}

/** Judges what is sent and answered by what a document says. */
export interface OpenapiContract {
  /** The violations in a response; empty when the document allows it or does not describe the path. */
  answerProblems(answer: Answer): readonly string[]
  /** The violations in the example of a request body. */
  exampleProblems(method: string, path: string): readonly string[]
}

export function openapiContract(document: OpenapiDocument): OpenapiContract {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<object, ValidateFunction>()
  const patterns = Object.keys(document.paths).map((path) => ({
    path,
    expression: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))

  function problems(schema: object, value: unknown, what: string): readonly string[] {
    const validate = compiled.get(schema) ?? ajv.compile(absolute(schema))
    compiled.set(schema, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath}: ${message}`)
  }

  return {
    answerProblems({ method, path, status, body }) {
      const [bare = ''] = path.split('?')
      const pattern = patterns.find(({ expression }) => expression.test(bare))?.path
      const described = pattern && document.paths[pattern]?.[method.toLowerCase()]
      if (!described) return []
      const declared = described.responses[status]
      const what = `${described.operationId} ${status}`
      if (declared === undefined) return [`${what}: is no declared answer`]
      const name = declared.$ref?.split('/').at(-1) ?? ''
      const schema = (document.components.responses?.[name] ?? declared).content?.['application/json']?.schema
      if (schema === undefined) return body === undefined ? [] : [`${what}: has no body`]
      return problems(schema, body, what)
    },
    exampleProblems(method, path) {
      const described = document.paths[path]?.[method]
      const json = described?.requestBody?.content?.['application/json']
      return json === undefined
        ? []
        : problems(json.schema, json.example, `${described?.operationId} example`)
    },
  }
}

/** A schema of the document that stands on its own: its references name the document. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))
}
