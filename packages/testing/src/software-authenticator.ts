import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Ceremony {
  readonly challenge: string
  /** Origin and relying party, by default those that the authenticator was made with. */
  readonly origin?: string
  readonly rpId?: string
  readonly crossOrigin?: boolean
  /** Whether it verified the user; true when left out. */
  readonly isVerified?: boolean
  /** False: no person was present. */
  readonly isPresent?: boolean
  /** Instead of what the authenticator was made with: eligible for a backup, and backed up. */
  readonly backup?: { readonly eligible: boolean; readonly backedUp: boolean }
  /** Instead of the type of the ceremony. */
  readonly type?: string
  /** The signature counter of the response; 0 when left out. */
  readonly counter?: number
  /** The COSE algorithm that the public key claims; -7 (ES256) when left out. */
  readonly algorithm?: number
  /** Results of client extensions. */
  readonly extensions?: object
}

interface Options {
  readonly rpId: string
  readonly origin: string
  /** Whether its private key may be on several devices, and is. */
  readonly isSynced?: boolean
  readonly aaguid?: string
  /** The length of its credential id; 32 when left out. */
  readonly credentialIdBytes?: number | undefined
}

const ZERO_AAGUID = '00000000-0000-0000-0000-000000000000'
const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 }

/**
 * An authenticator with one passkey (P-256), for tests without a browser. `create` and `get` return the JSON text that
 * a browser would send (WebAuthn Level 3 section 5.1).
 */
export function createSoftwareAuthenticator({
  rpId,
  origin,
  isSynced = false,
  aaguid = ZERO_AAGUID,
  credentialIdBytes = 32,
}: Options) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(credentialIdBytes)
  const id = credentialId.toString('base64url')

  function clientData(
    ceremonyType: string,
    { challenge, crossOrigin, origin: from = origin, type = ceremonyType }: Ceremony,
  ): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge, origin: from, ...(crossOrigin !== undefined && { crossOrigin }) }),
    )
  }

  function authenticatorData(ceremony: Ceremony, attested = Buffer.alloc(0)): Buffer {
    const { rpId: scope = rpId, isVerified = true, counter = 0 } = ceremony
    const backup = ceremony.backup ?? { eligible: isSynced, backedUp: isSynced }
    const flags =
      (ceremony.isPresent === false ? 0 : FLAGS.present) |
      (isVerified ? FLAGS.verified : 0) |
      (backup.eligible ? FLAGS.backupEligible : 0) |
      (backup.backedUp ? FLAGS.backedUp : 0) |
      (attested.length > 0 ? FLAGS.attested : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([createHash('sha256').update(scope).digest(), Buffer.from([flags]), count, attested])
  }

  return {
    id,
    create(ceremony: Ceremony): string {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const model = Buffer.from(aaguid.replaceAll('-', ''), 'hex')
      const attested = Buffer.concat([
        model,
        length,
        credentialId,
        coseKey(publicKey.export({ format: 'jwk' }), ceremony.algorithm),
      ])
      const attestationObject = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(authenticatorData(ceremony, attested))],
      ])
      const response = {
        clientDataJSON: clientData('webauthn.create', ceremony).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      }
      return JSON.stringify({
        ...{ id, rawId: id, type: 'public-key', response },
        clientExtensionResults: ceremony.extensions ?? {},
      })
    },
    get(ceremony: Ceremony & { readonly userHandle?: Uint8Array }): string {
      const { userHandle } = ceremony
      const data = clientData('webauthn.get', ceremony)
      const authenticator = authenticatorData(ceremony)
      const signed = Buffer.concat([authenticator, createHash('sha256').update(data).digest()])
      const response = {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authenticator.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        ...(userHandle && { userHandle: Buffer.from(userHandle).toString('base64url') }),
      }
      return JSON.stringify({
        ...{ id, rawId: id, type: 'public-key', response },
        clientExtensionResults: ceremony.extensions ?? {},
      })
    },
  }
}

/** A public key of P-256 as COSE_Key (RFC 9053 section 7.1.1). */
function coseKey({ x = '', y = '' }: { readonly x?: string; readonly y?: string }, algorithm = -7): Buffer {
  const coordinate = (text: string) => cborBytes(Buffer.from(text, 'base64url'))
  return cborMap([
    [cborInteger(1), cborInteger(2)],
    [cborInteger(3), cborInteger(algorithm)],
    [cborInteger(-1), cborInteger(1)],
    [cborInteger(-2), coordinate(x)],
    [cborInteger(-3), coordinate(y)],
  ])
}

/** RFC 8949 section 3: the type and the length of an item, of at most two bytes. */
function cborHead(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(type << 5) | length])
  if (length < 256) return Buffer.from([(type << 5) | 24, length])
  return Buffer.from([(type << 5) | 25, length >> 8, length & 0xff])
}

const cborInteger = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string) => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()])
