import { ScalarType, toBinary } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import { callerOf, fieldsOf, generatedServices, type RequestField } from '@signet/testing/generated-requests'
import { describe, expect, it } from 'vitest'
import { MOST_CHARACTERS, MOST_ENTRIES } from '../src/request-check.ts'
import { type RpcHandlers, type RpcMethod, rpcService } from '../src/service.ts'

const handled: string[] = []

async function* noMessages() {}

/** Methods whose handlers only record that they ran. */
const methods = (await generatedServices()).flatMap((service) => {
  const handlers = service.methods.map(({ localName, methodKind }) => {
    const run = () => {
      handled.push(localName)
      return methodKind === 'unary' ? Promise.resolve({}) : noMessages()
    }
    return [localName, run]
  })
  const bound = rpcService(service, Object.fromEntries(handlers) as RpcHandlers<typeof service>)
  return service.methods.map((method, index) => ({ method, bound: bound.methods[index] as RpcMethod }))
})

async function refusal(bound: RpcMethod, method: (typeof methods)[number]['method'], bytes: Uint8Array) {
  const context = { caller: callerOf(method), signal: new AbortController().signal }
  try {
    if (bound.kind === 'unary') await bound.unary(bytes, context)
    else for await (const message of bound.stream(bytes, context)) expect(message).toBeDefined()
    return 'OK'
  } catch (error) {
    return error
  }
}

const isString = ({ kind }: RequestField) => kind === 'string'
const isTime = ({ kind }: RequestField) => kind === TimestampSchema.typeName

describe.each(methods)('$bound.fullName', ({ method, bound }) => {
  const fields = fieldsOf(method.input)
  const send = async ({ request }: RequestField, value: unknown) => {
    handled.length = 0
    const error = await refusal(bound, method, toBinary(method.input, request(value) as never))
    expect(handled).toEqual([])
    return error
  }
  const refused = (start: string) => ({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(start) })

  it('refuses strings with U+0000 and strings that are too long, and names them', async () => {
    for (const field of fields.filter(isString)) {
      const [wrap, path] = field.isList
        ? [(text: string) => ['a', text], `${field.path}[1]`]
        : [(text: string) => text, field.path]
      for (const text of ['\0', 'a\0b'])
        expect(await send(field, wrap(text))).toMatchObject(refused(`${path} must not contain U+0000`))
      const long = 'x'.repeat(MOST_CHARACTERS + 1)
      expect(await send(field, wrap(long))).toMatchObject(refused(`${path} must have at most`))
    }
  })

  it('refuses lists that are too long and times that are none, and names them', async () => {
    for (const field of fields.filter(({ isList }) => isList)) {
      const entry = { string: '', bytes: new Uint8Array(), enum: 0 }[field.kind] ?? {}
      const list = Array.from({ length: MOST_ENTRIES + 1 }, () => entry)
      expect(await send(field, list)).toMatchObject(refused(`${field.path} must have at most`))
    }
    for (const field of fields.filter(isTime)) {
      for (const time of [
        { seconds: 2n ** 62n },
        { seconds: -(2n ** 62n) },
        { nanos: -1 },
        { nanos: 2 ** 30 },
      ])
        expect(await send(field, { seconds: 0n, nanos: 0, ...time })).toMatchObject(
          refused(`${field.path} must be a time`),
        )
    }
  })

  it('refuses integers that a number does not hold, and names them', async () => {
    for (const field of fields.filter(({ kind }) => kind === 'int64' || kind === 'uint64')) {
      for (const value of [2n ** 53n, ...(field.kind === 'int64' ? [-(2n ** 53n)] : [])])
        expect(await send(field, value)).toMatchObject(refused(`${field.path} must be between`))
    }
  })

  it('refuses bytes that are no request', async () => {
    const message = `the request is not a valid ${method.input.typeName}`
    const startsWithText = method.input.fields[0]?.scalar === ScalarType.STRING
    const notUtf8 = startsWithText ? [[0x0a, 0x01, 0xff]] : []
    // A field that ends too early, the end of a group that did not begin, and tag zero.
    for (const bytes of [[0x0a, 0x05, 0x61], [0x0c], [0x00], ...notUtf8]) {
      handled.length = 0
      expect(await refusal(bound, method, Uint8Array.from(bytes))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message,
      })
      expect(handled).toEqual([])
    }
  })

  it('passes an empty request on', async () => {
    handled.length = 0
    expect(await refusal(bound, method, new Uint8Array())).toBe('OK')
    expect(handled).toEqual([method.localName])
  })
})
