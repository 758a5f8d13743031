import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { z } from 'zod'
import type { DescribedCall } from './described-call.ts'

// The calls of the keys service, for the OpenAPI document that the directory serves.

/** The purposes of keys; each ring is leased only to the services that need it. */
export const RINGS = ['signing', 'access-seal', 'code-seal', 'refresh-mac', 'origin-mac'] as const

/** The algorithms of keys in any ring, by their JOSE names (RFC 7518 sections 3.1 and 5.1, RFC 8037 section 3.1). */
export const KEY_ALGORITHMS = [...SIGNING_ALGORITHMS, 'A256GCM', 'HS256'] as const

const STATES = ['announced', 'active', 'retired', 'removed', 'verify-only', 'forgotten'] as const

export const wantedRotation = z
  .strictObject({
    ring: z.enum(RINGS, `must be one of ${RINGS.join(', ')}`).default('signing'),
    algorithm: z
      .enum(KEY_ALGORITHMS, `must be one of ${KEY_ALGORITHMS.join(', ')}`)
      .optional()
      .describe('Every algorithm of the ring when left out.'),
  })
  .meta({ id: 'RotateKeysCall' })

const date = z.iso.datetime()
const key = z
  .strictObject({
    kid: z.string(),
    ring: z.enum(RINGS),
    algorithm: z.enum(KEY_ALGORITHMS),
    state: z.string().describe(`${STATES.join(', ')}.`),
    announcedAt: date.describe('In key sets from then on.'),
    activeAt: date.describe('Signs or encrypts from then on.'),
    retireAt: date.describe('Its successor takes over.'),
    removeAt: date.describe('Leaves the key set.'),
    forgetAt: date.describe('Verifies nothing from then on.'),
    revokedAt: date.optional(),
    next: z.strictObject({ state: z.string(), at: date }).describe('What happens to it next.'),
  })
  .meta({ id: 'ManagedKey' })
const keys = z.strictObject({ keys: z.array(key) }).meta({ id: 'ManagedKeys' })

const KEYS = '/management/v1/keys'
const REFUSALS = [401, 403, 429, 503] as const

/** Every call of the keys service. Changes need the role IAM_OWNER. */
export const KEY_CALLS: readonly DescribedCall[] = [
  {
    id: 'keys.read',
    summary: 'Shows every key with its dates',
    method: 'get',
    path: KEYS,
    responses: { 200: { description: 'The keys, without their secrets.', schema: keys } },
    refusals: REFUSALS,
  },
  {
    id: 'keys.rotate',
    summary: 'Lets the next keys of a ring take over',
    method: 'post',
    path: `${KEYS}/rotate`,
    request: wantedRotation,
    example: { ring: 'signing' },
    responses: { 200: { description: 'The keys of the ring.', schema: keys } },
    refusals: [400, ...REFUSALS],
  },
  {
    id: 'keys.rewrap',
    summary: 'Seals the secrets of keys under the first of the master keys',
    method: 'post',
    path: `${KEYS}/rewrap`,
    responses: {
      200: {
        description: 'How many were under another one.',
        schema: z.strictObject({ rewrapped: z.int() }).meta({ id: 'RewrappedKeys' }),
      },
    },
    refusals: REFUSALS,
  },
  {
    id: 'key.revoke',
    summary: 'Revokes a key and everything that was made with it',
    method: 'post',
    path: `${KEYS}/{kid}/revoke`,
    responses: {
      200: { description: 'The key.', schema: z.strictObject({ key }).meta({ id: 'RevokedKey' }) },
    },
    refusals: [400, ...REFUSALS, 404],
  },
]
