/** The part of a JSON schema that requests use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  /** Rules that the suite checks. */
  readonly [keyword: string]: unknown
}

export interface OperationParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

/** The description of an operation, for callers that do not use its generated types. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** The path with the names of parameters in braces. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly OperationParameter[]
  /** The paths of the fields of the items; only for a list. */
  readonly itemFields?: readonly string[]
  readonly body?: { readonly schema: Schema; readonly example?: unknown }
}

/** `service_user.rotate_secret` as the words of a command: `service-user rotate-secret`. */
export const commandWords = (operationId: string) => operationId.replaceAll('_', '-').replace('.', ' ')
