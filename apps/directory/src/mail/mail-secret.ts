import { createHash } from 'node:crypto'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'

/** The token and the code of a message, and their stored hashes. */
export interface MailSecret {
  /** 256 bits in base64url. */
  readonly token: string
  readonly tokenHash: Buffer
  /** 60 bits in base32 of Crockford, to type. */
  readonly code: string
  readonly codeHash: Buffer
}

/** A presented token or code, by the hashes under which it may be stored. */
export interface PresentedSecret {
  readonly isCode: boolean
  readonly hashes: readonly Buffer[]
}

export interface MailSecrets {
  /** The same in every try of a delivery, so that a message that arrives twice has one working link. */
  of(delivery: { readonly day: number; readonly id: string }): MailSecret
  /** Undefined for a text that is neither. Letters that look like digits count as these, spaces and dashes do not count. */
  read(text: string): PresentedSecret | undefined
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARACTERS = 12

/** Tokens and codes are MACs of the id of their delivery under subkeys of the directory master key. */
export function createMailSecrets(masterKeys: readonly Buffer[]): MailSecrets {
  const tokens = createMasterKeyMac(masterKeys, 'signet mail tokens')
  const codes = createMasterKeyMac(masterKeys, 'signet mail codes')
  const lookups = masterKeys.map((key) => createMasterKeyMac([key], 'signet mail code hashes'))
  const sha256 = (text: string) => createHash('sha256').update(text).digest()
  return {
    of({ day, id }) {
      const token = tokens.of(`${day} ${id}`).toString('base64url')
      const bytes = codes.of(`${day} ${id}`).subarray(0, CODE_CHARACTERS)
      const code = [...bytes].map((byte) => ALPHABET[byte & 31]).join('')
      const [newest] = lookups
      if (newest === undefined) throw new Error('codes need a master key')
      return { token, tokenHash: sha256(token), code, codeHash: newest.of(code) }
    },
    read(text) {
      const trimmed = text.trim()
      if (/^[A-Za-z0-9_-]{43}$/.test(trimmed)) return { isCode: false, hashes: [sha256(trimmed)] }
      const code = trimmed
        .toUpperCase()
        .replaceAll(/[\s-]/g, '')
        .replaceAll('O', '0')
        .replaceAll(/[IL]/g, '1')
      if (!/^[0-9A-HJKMNP-TV-Z]{12}$/.test(code)) return undefined
      return { isCode: true, hashes: lookups.map((lookup) => lookup.of(code)) }
    },
  }
}
