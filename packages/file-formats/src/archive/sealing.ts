// Sealed archives are files of the age format (https://age-encryption.org/v1): recipients are public keys, so that the
// server that seals never has a key that opens.

import type { Decrypter, Encrypter } from 'age-encryption'

/** Loaded when the first archive is sealed or opened: its cryptography takes memory that most processes never need. */
const age = () => import('age-encryption')

export const MOST_RECIPIENTS = 20
/** Limit of a recipient: one with post-quantum keys, which begins with age1pq1, has 1,960 characters. */
const MOST_RECIPIENT_LENGTH = 4_096

/** A sealed archive that cannot be opened; the message says why, and holds nothing of an identity. */
export class SealedArchiveError extends Error {
  override readonly name = 'SealedArchiveError'
}

/** The rule that a list of recipients breaks, in a sentence without a subject; undefined when it can be sealed for. */
export async function recipientsProblem(recipients: readonly string[]): Promise<string | undefined> {
  const { Encrypter } = await age()
  if (recipients.length === 0) return 'must name at least one recipient'
  if (recipients.length > MOST_RECIPIENTS) return `must name at most ${MOST_RECIPIENTS} recipients`
  const index = recipients.findIndex((recipient) => !isRecipient(recipient, new Encrypter()))
  if (index >= 0) {
    return `[${index}] must be a public key of age, age1…; passphrases, SSH keys and plug-ins are not taken`
  }
  // age refuses the mixture, too: the file would only be as strong as the weaker kind.
  const postQuantum = recipients.filter((recipient) => /^age1(tag)?pq1/.test(recipient)).length
  return postQuantum === 0 || postQuantum === recipients.length
    ? undefined
    : 'must not mix post-quantum keys (age1pq1…, age1tagpq1…) with others'
}

function isRecipient(recipient: string, encrypter: Encrypter): boolean {
  if (recipient.length > MOST_RECIPIENT_LENGTH) return false
  try {
    encrypter.addRecipient(recipient)
    return true
  } catch {
    return false
  }
}

/** Seals bytes as they come for every one of the recipients. Holds two chunks of 64 KiB. */
export async function* sealed(
  bytes: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): AsyncGenerator<Buffer, void, undefined> {
  const { Encrypter } = await age()
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  yield* buffers(await encrypter.encrypt(streamOf(bytes)))
}

/**
 * Opens a sealed archive as it comes. Throws SealedArchiveError when no identity fits, and as soon as a chunk was changed;
 * the bytes before are authentic, but may be a part of the document.
 */
export async function* opened(
  bytes: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): AsyncGenerator<Buffer, void, undefined> {
  const { Decrypter } = await age()
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  const failures = new Set<unknown>()
  const watched = async function* () {
    try {
      yield* bytes
    } catch (error) {
      failures.add(error)
      throw error
    }
  }
  let isOpen = false
  try {
    const plain = await decrypter.decrypt(streamOf(watched()))
    isOpen = true
    yield* buffers(plain)
  } catch (error) {
    if (failures.has(error) || !(error instanceof Error)) throw error
    throw new SealedArchiveError(openingProblem(error, isOpen))
  }
}

function openingProblem({ message }: Error, isOpen: boolean): string {
  if (message.startsWith('no identity matched')) {
    return 'the archive is sealed for other recipients; give the identity of one of them'
  }
  return isOpen
    ? 'a chunk of the sealed archive is damaged, or the archive was cut off'
    : 'the age header of the archive is damaged'
}

/**
 * The identities in a file as age-keygen writes it: one a line, comments begin with #. Throws SealedArchiveError for a file
 * without one.
 */
export async function readIdentities(text: string): Promise<readonly string[]> {
  const { Decrypter } = await age()
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const isUsable = lines.length > 0 && lines.every((line) => isIdentity(line, new Decrypter()))
  if (isUsable) return lines
  throw new SealedArchiveError(
    'the identity file must hold lines that begin with AGE-SECRET-KEY-, as age-keygen writes them; encrypted identities, SSH keys and plug-ins are not taken',
  )
}

function isIdentity(line: string, decrypter: Decrypter): boolean {
  try {
    decrypter.addIdentity(line)
    return line.startsWith('AGE-SECRET-KEY-')
  } catch {
    return false
  }
}

/** Does as ReadableStream.from, which Node.js 18 does not have: the command runs there, too. */
function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await source.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* buffers(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  for await (const { buffer, byteOffset, byteLength } of stream as AsyncIterable<Uint8Array>) {
    yield Buffer.from(buffer, byteOffset, byteLength)
  }
}

/** A new pair of age: the identity, which opens, and its recipient, which seals. */
export async function newIdentity(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await age()
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}
