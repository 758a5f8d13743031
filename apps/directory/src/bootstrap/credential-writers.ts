import { createHash, type JsonWebKey } from 'node:crypto'
import { newPersonalAccessToken } from '../credentials/client-secret.ts'
import type { IssuerTrust, IssuerTrustStore } from '../credentials/issuer-trust.repository.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import {
  type BootstrapStores,
  type ObjectWriter,
  type ObjectWriting,
  ownerId,
  type ResolvedResource,
} from './object-writer.ts'

/** Writes the personal access tokens of service users. */
export function tokenWriter(
  { tokens }: BootstrapStores,
  writing: ObjectWriting,
): ObjectWriter<{ readonly token: string | null; readonly expiresAt?: string }> {
  const { now } = writing
  return {
    find: (object) => tokens.find(ownerId(object), object.id),
    async create(object, { token, expiresAt }) {
      const made = { id: object.id, createdAt: now(), expiresAt: moment(expiresAt) ?? null, roles: null }
      await tokens.add(ownerId(object), { ...made, hash: await tokenHash(writing, object, token) })
    },
    async update(object, { token, expiresAt: end }) {
      const expiresAt = moment(end)
      const hash = token === undefined ? undefined : await tokenHash(writing, object, token)
      await tokens.update(ownerId(object), object.id, {
        ...(expiresAt && { expiresAt }),
        ...(hash && { hash }),
      })
    },
  }
}

/** Returns the hash of the token of the file; for null a token is made and written to the object's output file. */
async function tokenHash(
  { random, writeSecretFile }: ObjectWriting,
  { declared }: ResolvedResource,
  given: string | null,
): Promise<Buffer> {
  const token = given ?? newPersonalAccessToken(random)
  // Before the commit: a token that is stored but was never shown could not be had any more.
  if (given === null && declared.outputFile !== undefined)
    await writeSecretFile(declared.outputFile, `${token}\n`)
  return createHash('sha256').update(token).digest()
}

/** Writes the public keys of one kind of owner. */
export function keyWriter(
  keys: RegisteredKeyStore,
  { now }: Pick<ObjectWriting, 'now'>,
): ObjectWriter<{ readonly jwk: JsonWebKey }> {
  return {
    async find(object) {
      const key = await keys.find(ownerId(object), object.id)
      return key && { jwk: key.publicKeyJwk }
    },
    create: (object, { jwk }) =>
      keys.add(ownerId(object), { id: object.id, publicKeyJwk: jwk, createdAt: now(), expiresAt: null }),
    async update(object, { jwk }) {
      if (jwk !== undefined) await keys.replace(ownerId(object), { id: object.id, publicKeyJwk: jwk })
    },
  }
}

/** Writes the trusted issuers of service users. */
export function trustWriter(
  trusts: IssuerTrustStore,
  { now }: Pick<ObjectWriting, 'now'>,
): ObjectWriter<Omit<IssuerTrust, 'id' | 'createdAt'>> {
  return {
    find: (object) => trusts.find(ownerId(object), object.id),
    create: (object, values) => trusts.add(ownerId(object), { ...values, id: object.id, createdAt: now() }),
    async update(object, values, stored) {
      await trusts.replace(ownerId(object), { ...stored, ...values, id: object.id })
    },
  }
}

const moment = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
