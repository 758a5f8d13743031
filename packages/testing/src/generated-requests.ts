import { readdirSync } from 'node:fs'
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  ScalarType,
} from '@bufbuild/protobuf'
import { mayCall } from '@signet/grpc/caller-table'
import { fullMethodName } from '@signet/grpc/service'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'

const GENERATED = new URL('../../grpc/src/gen/signet/', import.meta.url)

/** Imports every service of the generated code. */
export async function generatedServices(): Promise<readonly DescService[]> {
  const files = readdirSync(GENERATED, { recursive: true, encoding: 'utf8' })
  const modules: object[] = await Promise.all(
    files.filter((name) => name.endsWith('_pb.ts')).map((name) => import(new URL(name, GENERATED).href)),
  )
  return modules.flatMap((module) => Object.values(module).filter((value) => value?.kind === 'service'))
}

/** The first service that may call a method. */
export function callerOf(method: DescMethod): ServiceName {
  const caller = SERVICE_NAMES.find((name) => mayCall(name, fullMethodName(method)))
  if (caller === undefined) throw new Error(`no service may call ${fullMethodName(method)}`)
  return caller
}

function kindOf({ message, scalar }: DescField): string {
  return message?.typeName ?? (scalar === undefined ? 'enum' : ScalarType[scalar].toLowerCase())
}

/** A field of a request, at any depth; the first entry stands for each list. */
export interface RequestField {
  /** Path as the proto file spells it, such as `batches[0].job_id`. */
  readonly path: string
  readonly isList: boolean
  /** Such as `string`, also of the entries of a list: a scalar type, `enum`, or the name of a message. */
  readonly kind: string
  /** Makes a request that has this value there, and what `filler` gives for their names in the others. */
  request(value: unknown): object
}

/** Returns every field of a message, without those of well-known types. */
export function fieldsOf(
  message: DescMessage,
  filler: (name: string) => unknown = () => undefined,
): readonly RequestField[] {
  const filled = Object.fromEntries(
    message.fields.flatMap(({ name, localName }) => {
      const value = filler(name)
      return value === undefined ? [] : [[localName, value]]
    }),
  )
  return message.fields.flatMap((field) => {
    const place = (value: unknown) => create(message, { ...filled, [field.localName]: value })
    const isList = field.fieldKind === 'list'
    const whole = { path: field.name, isList, kind: kindOf(field), request: place }
    if (field.message === undefined || field.message.typeName.startsWith('google.')) return [whole]
    const inner = fieldsOf(field.message, filler).map(({ path, request, ...leaf }) => ({
      ...leaf,
      path: `${field.name}${isList ? '[0]' : ''}.${path}`,
      request: (value: unknown) => place(isList ? [request(value)] : request(value)),
    }))
    return [whole, ...inner]
  })
}
