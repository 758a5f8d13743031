import { type ReadHash, UnusableHashError } from '../read-hash.ts'

const LEAST_COST = 4
/** About eight seconds; each step doubles it. */
const MOST_COST = 16

const BCRYPT = /^\$2([aby]?)\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The bytes of a password that bcrypt uses. */
const KEY_BYTES = 72

/** `$2$`, `$2a$`, `$2b$` and `$2y$`, which are one and the same for passwords made by correct programs. */
export const readBcrypt: ReadHash = (hash) => {
  const [, revision, digits, salt, digest] = BCRYPT.exec(hash) ?? []
  if (salt === undefined || digest === undefined) return undefined
  const cost = Number(digits)
  if (cost < LEAST_COST || cost > MOST_COST) {
    throw new UnusableHashError(`the bcrypt cost must be from ${LEAST_COST} to ${MOST_COST}`, {
      isTooSlow: cost > MOST_COST,
    })
  }
  // 16 and 23 bytes leave four and two bits of the last character unused.
  const modern = `$2b$${digits}$${withoutStrayBits(salt, 4)}${withoutStrayBits(digest, 2)}`
  return {
    format: 'bcrypt',
    parameters: { cost },
    isOutdated: true,
    memoryKib: 4,
    estimatedMs: 800 * 2 ** (cost - 14),
    async verify(password) {
      // Loaded here: the command line reads hashes, verifies none and has no native modules.
      const { verify } = await import('@node-rs/bcrypt')
      return (
        (await verify(password, modern)) || (revision === '' && (await verify(repeated(password), modern)))
      )
    },
  }
}

/** The first revision, before `$2a$`, repeated a password without the zero byte that ends it since then. */
function repeated(password: string): Buffer {
  const bytes = Buffer.from(password)
  return bytes.length === 0 ? bytes : Buffer.alloc(Math.max(KEY_BYTES, bytes.length), bytes)
}

/** Clears the unused bits: some programs left random values in them, which strict decoders refuse. */
function withoutStrayBits(text: string, unusedBits: number): string {
  const last = ALPHABET.indexOf(text.slice(-1))
  return text.slice(0, -1) + ALPHABET.charAt((last >> unusedBits) << unusedBits)
}
