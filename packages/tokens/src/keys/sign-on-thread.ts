import { type KeyObject, sign } from 'node:crypto'

interface Signature {
  readonly digest: string | null
  readonly input: Buffer
  readonly key: KeyObject
  readonly resolve: (signature: Buffer) => void
  readonly reject: (error: unknown) => void
}

let waiting: Signature[] = []

/**
 * Signs on a thread of the pool, not on the event loop. Signatures of one turn of the loop are started together: to wake
 * a thread takes as long as a signature on an elliptic curve, and one that is awake takes the next by itself.
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
