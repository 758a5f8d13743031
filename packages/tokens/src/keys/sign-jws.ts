import { type KeyObject, sign } from 'node:crypto'
import { JWS_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'

/** A private key that is active now. */
export interface SigningKey {
  readonly kid: string
  readonly alg: SigningAlgorithm
  readonly privateKey: KeyObject
}

/** Signs JSON claims as a compact JWS (RFC 7515 section 3.1), on a thread of the pool instead of the event loop. */
export async function signJws(key: SigningKey, typ: string, claims: object): Promise<string> {
  const input = `${headerOf(key, typ)}.${base64url(JSON.stringify(claims))}`
  const { digest, keyType } = JWS_ALGORITHMS[key.alg]
  const signature = await signOnThread(digest, Buffer.from(input, 'latin1'), key.privateKey)
  return `${input}.${(keyType === 'ec' ? concatenated(signature) : signature).toString('base64url')}`
}

const headers = new WeakMap<SigningKey, Map<string, string>>()

/** Cached for each key and type: serializing the header takes as long as serializing the claims. */
function headerOf(key: SigningKey, typ: string): string {
  const known = headers.get(key)?.get(typ)
  if (known !== undefined) return known
  const header = base64url(JSON.stringify({ alg: key.alg, kid: key.kid, typ }))
  headers.set(key, new Map(headers.get(key)).set(typ, header))
  return header
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

const P256_INTEGER_BYTES = 32

/**
 * Converts a DER sequence to R and S side by side (RFC 7518 section 3.4). Node also converts with `dsaEncoding`, but that takes
 * twice the time of the whole signature.
 */
function concatenated(der: Buffer): Buffer {
  const result = Buffer.alloc(2 * P256_INTEGER_BYTES)
  // SEQUENCE, length, then twice INTEGER, length, value; all lengths of P-256 fit into one byte.
  let offset = 2
  for (const end of [P256_INTEGER_BYTES, 2 * P256_INTEGER_BYTES]) {
    const length = der.readUInt8(offset + 1)
    // DER adds a zero byte before a high bit and omits leading zero bytes, so a value has fewer or more than 32 bytes.
    const value = der.subarray(offset + 2, offset + 2 + length).subarray(-P256_INTEGER_BYTES)
    value.copy(result, end - value.length)
    offset += 2 + length
  }
  return result
}

interface Signature {
  readonly digest: string | null
  readonly input: Buffer
  readonly key: KeyObject
  readonly resolve: (signature: Buffer) => void
  readonly reject: (error: unknown) => void
}

let waiting: Signature[] = []

/**
 * Signs on a thread of the pool instead of the event loop. Starts the signatures of one turn of the loop together: waking a
 * thread takes as long as a signature on an elliptic curve, and a running thread takes the next signature without that.
 */
export function signOnThread(digest: string | null, input: Buffer, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (waiting.push({ digest, input, key, resolve, reject }) === 1) setImmediate(startAll)
  })
}

function startAll(): void {
  const started = waiting
  waiting = []
  for (const signature of started) start(signature)
}

function start({ digest, input, key, resolve, reject }: Signature): void {
  try {
    sign(digest, input, key, (error, signature) => (error === null ? resolve(signature) : reject(error)))
  } catch (error) {
    reject(error)
  }
}
