// A directory server (RFC 4511) for tests, made of the messages of ldapts: ldaps, or StartTLS. A test sets its entries and how it
// misbehaves.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import {
  AndFilter,
  BerReader,
  BerWriter,
  BindRequest,
  EqualityFilter,
  ExtendedRequest,
  ExtensibleFilter,
  type Filter,
  OrFilter,
  SearchRequest,
} from 'ldapts'

export type LdapAttributes = Readonly<Record<string, string | Buffer | readonly (string | Buffer)[]>>

export interface LdapEntry {
  readonly dn: string
  readonly password?: string
  readonly attributes: LdapAttributes
}

interface Request {
  readonly kind: 'bind' | 'search' | 'startTls'
  readonly isSecure: boolean
  readonly dn?: string
  readonly password?: string
  /** Text form of RFC 4515. */
  readonly filter?: string
  readonly attributes?: readonly string[]
}

/** A reply in place of the usual one: octets, or nothing. */
type Reply = (request: Request, messageId: number) => Buffer | 'hang' | 'close' | undefined

interface Options {
  readonly certificate: { readonly cert: string; readonly key: string }
  /** ldap with StartTLS in place of ldaps. */
  readonly startTls?: boolean
}

export interface LdapServer {
  readonly port: number
  entries: LdapEntry[]
  readonly requests: Request[]
  reply: Reply | undefined
  /** Goes on without TLS after a request for it. */
  stripsTls: boolean
  /** Time before each answer by TLS. */
  delayMs: number
  /** Connections that are open. */
  connections(): number
  stop(): Promise<void>
}

const BIND = 0x60
const UNBIND = 0x42
const SEARCH = 0x63
const EXTENDED = 0x77
const INVALID_CREDENTIALS = 49

/** Starts the server on a free port of 127.0.0.1. */
export async function startLdapServer({ certificate, startTls = false }: Options): Promise<LdapServer> {
  const context = createSecureContext(certificate)
  const open = new Set<Socket>()
  const secureSide = (socket: Socket) => new TLSSocket(socket, { isServer: true, secureContext: context })
  const server: Server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    if (startTls) return serve(socket, false)
    serve(secureSide(socket), true)
  })

  function serve(socket: Socket, isSecure: boolean): void {
    let received = Buffer.alloc(0)
    const read = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (;;) {
        const reader = new BerReader(received)
        if (reader.readSequence() === null || reader.remain < reader.length) return
        const end = reader.offset + reader.length
        reader.setBufferSize(end)
        received = received.subarray(end)
        try {
          answer(reader)
        } catch {
          return void socket.destroy()
        }
      }
    }
    function answer(reader: BerReader): void {
      const messageId = reader.readInt() ?? 0
      const kind = reader.peek()
      if (kind === UNBIND) return void socket.end()
      reader.readSequence()
      const { request, reply } = readRequest(kind, messageId, reader, isSecure)
      result.requests.push(request)
      const other = result.reply?.(request, messageId)
      if (other === 'hang') return
      if (other === 'close') return void socket.destroy()
      const octets = other ?? reply()
      if (isSecure && result.delayMs > 0) return void setTimeout(() => socket.write(octets), result.delayMs)
      socket.write(octets)
      if (request.kind === 'startTls' && !result.stripsTls) {
        socket.off('data', read)
        serve(secureSide(socket), true)
      }
    }
    socket.on('data', read)
    socket.on('error', () => undefined)
  }

  function readRequest(kind: number | null, messageId: number, reader: BerReader, isSecure: boolean) {
    if (kind === EXTENDED) {
      new ExtendedRequest({ messageId }).parse(reader, [])
      return {
        request: { kind: 'startTls', isSecure } as Request,
        reply: () => resultMessage(messageId, 0x78, 0),
      }
    }
    if (kind === BIND) {
      const bind = new BindRequest({ messageId })
      bind.parse(reader, [])
      const { dn, password = '' } = bind
      const found = result.entries.find((entry) => entry.dn.toLowerCase() === dn.toLowerCase())
      // As servers do, an empty password is an anonymous bind, which they accept.
      const accepts = password === '' || (found?.password !== undefined && found.password === password)
      return {
        request: { kind: 'bind', isSecure, dn, password } as Request,
        reply: () => resultMessage(messageId, 0x61, accepts ? 0 : INVALID_CREDENTIALS),
      }
    }
    if (kind !== SEARCH) throw new Error(`the test server does not read ${kind}`)
    const search = new SearchRequest({ messageId, filter: new AndFilter({ filters: [] }) })
    search.parse(reader, [])
    const { baseDN, filter, attributes, sizeLimit } = search
    const reply = () => {
      const base = baseDN.toLowerCase()
      const found = result.entries.filter(
        (entry) => entry.dn.toLowerCase().endsWith(base) && matches(entry, filter, result.entries),
      )
      const shown = sizeLimit > 0 ? found.slice(0, sizeLimit) : found
      return Buffer.concat([
        ...shown.map((entry) => entryMessage(messageId, entry, attributes)),
        resultMessage(messageId, 0x65, shown.length < found.length ? 4 : 0),
      ])
    }
    return {
      request: { kind: 'search', isSecure, filter: filter.toString(), attributes } as Request,
      reply,
    }
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const result: LdapServer = {
    port: (server.address() as AddressInfo).port,
    entries: [],
    requests: [],
    reply: undefined,
    stripsTls: false,
    delayMs: 0,
    connections: () => open.size,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      }),
  }
  return result
}

const listOf = (value: LdapAttributes[string] | undefined) =>
  value === undefined
    ? []
    : Array.isArray(value)
      ? (value as readonly (string | Buffer)[])
      : [value as string]

function valuesOf({ attributes }: LdapEntry, attribute: string) {
  const [, value] =
    Object.entries(attributes).find(([name]) => name.toLowerCase() === attribute.toLowerCase()) ?? []
  return listOf(value)
}

/** Text that caseIgnoreMatch compares (RFC 4518), without letter case and without spaces at the ends. */
const compared = (text: string | Buffer) => `${text}`.normalize('NFKC').trim().toLowerCase()

function matches(entry: LdapEntry, filter: Filter, all: readonly LdapEntry[]): boolean {
  if (filter instanceof AndFilter) return filter.filters.every((one) => matches(entry, one, all))
  if (filter instanceof OrFilter) return filter.filters.some((one) => matches(entry, one, all))
  if (filter instanceof EqualityFilter)
    return valuesOf(entry, filter.attribute).some((value) => compared(value) === compared(filter.value))
  if (filter instanceof ExtensibleFilter) return isInChain(entry, filter.value, all)
  throw new Error(`the test server does not know the filter ${filter}`)
}

/** Whether a name is a member of a group, or of a group in it. */
function isInChain(group: LdapEntry, dn: string, all: readonly LdapEntry[]): boolean {
  const members = valuesOf(group, 'member').map(String)
  if (members.includes(dn)) return true
  return all.some((inner) => members.includes(inner.dn) && isInChain(inner, dn, all))
}

function message(messageId: number, operation: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(messageId)
  writer.startSequence(operation)
  write(writer)
  writer.endSequence()
  writer.endSequence()
  return writer.buffer
}

/** A message with a result: 0x61 of a bind, 0x65 of a search, 0x78 of an extended operation. */
export function resultMessage(
  messageId: number,
  operation: number,
  code: number,
  text = '',
  referral = '',
): Buffer {
  return message(messageId, operation, (writer) => {
    writer.writeEnumeration(code)
    writer.writeString('')
    writer.writeString(text)
    if (referral === '') return
    writer.startSequence(0xa3)
    writer.writeString(referral)
    writer.endSequence()
  })
}

/** A reference of a search to another server. */
export function referenceMessage(messageId: number, url: string): Buffer {
  return message(messageId, 0x73, (writer) => writer.writeString(url))
}

export function entryMessage(messageId: number, entry: LdapEntry, attributes: readonly string[]): Buffer {
  return message(messageId, 0x64, (writer) => {
    writer.writeString(entry.dn)
    writer.startSequence()
    for (const [type, value] of Object.entries(entry.attributes)) {
      const name = type.replace(/;.*/, '').toLowerCase()
      if (!attributes.some((asked) => asked.toLowerCase() === name)) continue
      writer.startSequence()
      writer.writeString(type)
      writer.startSequence(0x31)
      for (const one of listOf(value)) {
        if (Buffer.isBuffer(one)) writer.writeBuffer(one, 0x04)
        else writer.writeString(one)
      }
      writer.endSequence()
      writer.endSequence()
    }
    writer.endSequence()
  })
}
