import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** A span as a collector receives it. */
export interface ExportedSpan {
  readonly service: string
  readonly traceId: string
  readonly id: string
  /** Empty for the first of a trace. */
  readonly parentId: string
  readonly name: string
  readonly kind: (typeof KINDS)[number]
  readonly attributes: Readonly<Record<string, string | number>>
  readonly failed: boolean
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
const STATUS_ERROR = 2

/** Reads the `ExportTraceServiceRequest` of OTLP; numbers of fields as in its trace.proto. */
export function readExport(body: Uint8Array): readonly ExportedSpan[] {
  return messages(read(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1)
    const service = String(attributesOf(resource ?? new Map(), 1)['service.name'])
    return messages(resourceSpans, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => ({
        service,
        traceId: bytes(span, 1).toString('hex'),
        id: bytes(span, 2).toString('hex'),
        parentId: bytes(span, 4).toString('hex'),
        name: bytes(span, 5).toString(),
        kind: KINDS[number(span, 6)] ?? 'unspecified',
        attributes: attributesOf(span, 9),
        failed: messages(span, 15).some((status) => number(status, 3) === STATUS_ERROR),
      }))
  })
}

type Message = ReadonlyMap<number, readonly (Buffer | number)[]>

function read(encoded: Uint8Array): Message {
  const reader = new BinaryReader(encoded)
  const fields = new Map<number, (Buffer | number)[]>()
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    const values = fields.get(field) ?? []
    fields.set(field, values)
    if (type === WireType.LengthDelimited) values.push(Buffer.from(reader.bytes()))
    else if (type === WireType.Varint) values.push(Number(reader.int64()))
    else reader.skip(type)
  }
  return fields
}

function messages(message: Message, field: number): readonly Message[] {
  return (message.get(field) ?? []).map((value) => read(Buffer.from(value as Buffer)))
}

function bytes(message: Message, field: number): Buffer {
  const [value] = message.get(field) ?? []
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

function number(message: Message, field: number): number {
  const [value] = message.get(field) ?? []
  return typeof value === 'number' ? value : 0
}

/** `KeyValue` with an `AnyValue` that is a text or a whole number. */
function attributesOf(message: Message, field: number): Record<string, string | number> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const [value = new Map()] = messages(pair, 2)
      return [bytes(pair, 1).toString(), value.has(1) ? bytes(value, 1).toString() : number(value, 3)]
    }),
  )
}
