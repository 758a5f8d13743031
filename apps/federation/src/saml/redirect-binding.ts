// The binding HTTP-Redirect (SAML 2.0 Bindings section 3.4): a message in the query of an address, whose signature covers octets of that
// query.
import { type KeyObject, sign } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Refused } from '../conversation/refusal.ts'
import { RSA_SHA256 } from './names.ts'
import { BASE64, requireSignature } from './signature.ts'

export type MessageName = 'SAMLRequest' | 'SAMLResponse'

/** A message that came, and the value that its answer repeats; undefined: there was none. */
export interface ReceivedMessage {
  readonly xml: string
  readonly relayState: string | undefined
}

interface SentMessage {
  readonly name: MessageName
  readonly xml: string
  readonly relayState: string | undefined
  /** Signs the message. */
  readonly key: KeyObject | undefined
}

/** Returns where the browser goes with a message. */
export function redirectWith(address: string, { name, xml, relayState, key }: SentMessage): URL {
  const parameters = {
    [name]: deflateRawSync(xml).toString('base64'),
    ...(relayState !== undefined && { RelayState: relayState }),
    ...(key && { SigAlg: RSA_SHA256 }),
  }
  const url = new URL(address)
  for (const one of [...Object.keys(parameters), 'Signature']) url.searchParams.delete(one)
  // The signature covers these octets as they stand in the address (section 3.4.4.1).
  const query = encoded(parameters)
  const signature = key && sign('sha256', Buffer.from(query), key).toString('base64')
  const added = signature === undefined ? query : `${query}&${encoded({ Signature: signature })}`
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url
}

const encoded = (parameters: Readonly<Record<string, string>>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

/** A message has few hundred characters; a bomb unpacks to no more than these. */
const MOST_BYTES = 65_536

/** Returns the message of a query as the browser sent it, after its signature was verified. Throws Refused. */
export function messageInQuery(
  query: string,
  name: MessageName,
  keys: readonly KeyObject[],
): ReceivedMessage {
  const raw = partsOf(query, [name, 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding'])
  const value = (part: string) => {
    const found = raw.get(part)
    return found === undefined ? undefined : decoded(found)
  }
  const encoding = value('SAMLEncoding')
  if (encoding !== undefined && encoding !== DEFLATE) throw malformed({ SAMLEncoding: encoding })
  const signature = value('Signature')
  const algorithm = value('SigAlg')
  if (signature === undefined || algorithm === undefined) throw new Refused('signature_missing')
  // The octets as they came: another encoder may have written them otherwise than this one would.
  const covered = [name, 'RelayState', 'SigAlg'].flatMap((part) => {
    const found = raw.get(part)
    return found === undefined ? [] : [`${part}=${found}`]
  })
  requireSignature(algorithm, { bytes: covered.join('&'), value: bytesOf(signature, 'Signature'), keys })
  // An encoder of forms writes a space as a plus. In base64 a plus is one.
  const relayState = raw.get('RelayState')?.replaceAll('+', ' ')
  return {
    xml: inflated(bytesOf(value(name) ?? '', name)),
    relayState: relayState === undefined ? undefined : decoded(relayState),
  }
}

const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'

/** The values of the named parameters as they are encoded. One that comes twice, or under an encoded name, is refused. */
function partsOf(query: string, names: readonly string[]): ReadonlyMap<string, string> {
  const parts = new Map<string, string>()
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const name = at === -1 ? pair : pair.slice(0, at)
    const read = decoded(name)
    if (!names.includes(read)) continue
    if (read !== name || parts.has(name)) throw malformed(`several of ${read}`)
    parts.set(name, at === -1 ? '' : pair.slice(at + 1))
  }
  return parts
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed('percent-encoding')
  }
}

function bytesOf(text: string, name: string): Buffer {
  // Some providers break the lines of a signature.
  const base64 = text.replaceAll(/[\r\n]/g, '')
  if (base64 === '' || !BASE64.test(base64)) throw malformed(`${name} without base64`)
  return Buffer.from(base64, 'base64')
}

function inflated(bytes: Buffer): string {
  try {
    return utf8(inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }))
  } catch (cause) {
    throw new Refused('logout_message_malformed', { received: 'no DEFLATE of XML in UTF-8', cause })
  }
}

/** Returns the message of a form (Bindings section 3.5), whose signature stands in it. Throws Refused. */
export function messageInForm(encodedMessage: string, relayState: string | undefined): ReceivedMessage {
  const bytes = bytesOf(encodedMessage, 'the message')
  if (bytes.length > MOST_BYTES) throw malformed(`${bytes.length} octets`)
  try {
    return { xml: utf8(bytes), relayState }
  } catch (cause) {
    throw new Refused('logout_message_malformed', { received: 'no UTF-8', cause })
  }
}

const utf8 = (bytes: Buffer) => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

const malformed = (received: unknown) => new Refused('logout_message_malformed', { received })
