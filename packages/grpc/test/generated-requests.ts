import { readdirSync } from 'node:fs'
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
} from '@bufbuild/protobuf'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { mayCall } from '../src/caller-table.ts'
import { fullMethodName } from '../src/service.ts'

const GENERATED = new URL('../src/gen/signet/', import.meta.url)

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

/** A field of a request, at any depth; the first entry stands for each list. */
export interface RequestField {
  /** As the proto file spells it, such as `batches[0].job_id`. */
  readonly path: string
  readonly field: DescField
  /** Makes a request that has this value there, and `filler` of their names in other strings. */
  request(value: unknown): object
}

/** Returns every field of a message, without those of well-known types. */
export function fieldsOf(
  message: DescMessage,
  filler: (name: string) => string | undefined = () => undefined,
): readonly RequestField[] {
  const filled = (desc: DescMessage) =>
    Object.fromEntries(
      desc.fields.flatMap((field) => {
        const text = field.fieldKind === 'scalar' && field.scalar === 9 ? filler(field.name) : undefined
        return text === undefined ? [] : [[field.localName, text]]
      }),
    )
  return message.fields.flatMap((field) => {
    const place = (value: unknown) => create(message, { ...filled(message), [field.localName]: value })
    const whole = { path: field.name, field, request: place }
    if (field.message === undefined || field.message.typeName.startsWith('google.')) return [whole]
    const isList = field.fieldKind === 'list'
    const inner = fieldsOf(field.message, filler).map(({ path, field: leaf, request }) => ({
      path: `${field.name}${isList ? '[0]' : ''}.${path}`,
      field: leaf,
      request: (value: unknown) => place(isList ? [request(value)] : request(value)),
    }))
    return [whole, ...inner]
  })
}
