// Sign-ins with a name and a password that a directory server (RFC 4511) verifies: the person is found by a search, and the bind
// with the password of the person is the proof. The password is neither stored nor logged.
import { createHash } from 'node:crypto'
import type { Clock } from '@signet/platform/runtime/clock'
import { createAssertion } from '../conversation/assertion.ts'
import type { AtPlace } from '../conversation/places.ts'
import type { FindProvider, Provider } from '../conversation/provider.ts'
import { Refused } from '../conversation/refusal.ts'
import type { Asserted } from '../conversation/way.ts'
import { requireUsableAccount, ruleOfBind } from './account-state.ts'
import type { LdapConnection, OpenLdap } from './connection.ts'
import type { DirectoryEntry } from './entry.ts'
import { findGroups, findPerson, STANDARD_ATTRIBUTES, searchesForGroups } from './person.ts'
import { subjectOf } from './subject.ts'

/** A person as typed; see FindPersonRequest of proto/federation/v1. */
export interface NamedPerson {
  readonly providerId: string
  readonly organizationId: string
  readonly name: string
}

interface PasswordParts {
  readonly findProvider: FindProvider
  readonly open: OpenLdap
  readonly atPlace: AtPlace
  readonly now: Clock
  /** Time for all calls of one sign-in. */
  readonly callsMs: number
  /** The least time of a refusal, so that it does not say whether there is such a person. */
  readonly refusalMs: number
  readonly elapsed: () => number
  readonly pause: (ms: number) => Promise<void>
}

/** The claim of an assertion with the subject. */
const SUBJECT = 'sub'
const MOST_NAME_CHARACTERS = 300

/**
 * Returns the function that finds the counter of failed passwords: the same for all names of one entry. A name that finds no entry
 * has one of its own. It throws Refused.
 */
export function createFindAttemptKey(parts: PasswordParts): (person: NamedPerson) => Promise<string> {
  return async (person) => {
    const { name } = person
    return run(parts, person, async ({ provider, connection }) => {
      const kept = (kind: string, text: string) =>
        createHash('sha256')
          .update(JSON.stringify([provider.id, kind, text]))
          .digest('base64url')
      try {
        // Not the subject: an entry without one has to look like any other one before the password.
        return kept('entry', (await findPerson(connection, provider, name)).dn)
      } catch (error) {
        if (!(error instanceof Refused) || !error.isCredential) throw error
        return kept('name', name.normalize('NFKC').trim().toLowerCase())
      }
    })
  }
}

/**
 * Returns the function that verifies a password, of a sign-in or of a test. It throws Refused, with `isCredential` for a wrong password and for everything that
 * has to look like one.
 */
export function createVerifyPassword(
  parts: PasswordParts,
): (person: NamedPerson & { readonly password: string }) => Promise<Asserted> {
  const { refusalMs, elapsed, pause } = parts
  return async (person) => {
    const beganAt = elapsed()
    try {
      return await verify(parts, person)
    } catch (error) {
      if (error instanceof Refused && error.isCredential) await pause(refusalMs - (elapsed() - beganAt))
      throw error
    }
  }
}

async function verify(
  parts: PasswordParts,
  { password, ...person }: NamedPerson & { readonly password: string },
): Promise<Asserted> {
  const { now } = parts
  if (password === '') throw new Refused('password_missing', { isCredential: true })
  return run(parts, person, async ({ provider, connection }) => {
    const entry = await findPerson(connection, provider, person.name)
    requireUsableAccount(entry, now())
    const refusal = await connection.bind(entry.dn, password)
    if (refusal !== undefined) {
      const { code, detail } = refusal
      throw new Refused(ruleOfBind(detail), { received: code, isCredential: true })
    }
    // After the password, since the time of a search would say that there is such a person. The person may not see all groups.
    if (searchesForGroups(provider)) await bindOwn(connection, provider)
    const groups = await findGroups(connection, provider, entry)
    const claims = claimsOf(entry, groups, provider, now())
    return {
      assertion: createAssertion({ ...provider, subjectClaim: SUBJECT }, claims, undefined),
      documents: [{ name: 'ldap_entry', claims: entry.shown() }],
    }
  })
}

interface Conversation {
  readonly provider: Provider
  /** Bound as the account of the provider. */
  readonly connection: LdapConnection
}

async function run<T>(
  parts: PasswordParts,
  { providerId, organizationId, name }: NamedPerson,
  work: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const provider = await parts.findProvider(providerId, organizationId)
  if (provider.type !== 'ldap')
    throw new Refused('provider_type_differs', { received: provider.type, expected: 'ldap' })
  if (name.length > MOST_NAME_CHARACTERS || !/^[^\p{Cc}\p{Cf}\p{Cs}]+$/u.test(name) || name.trim() === '')
    throw new Refused('name_malformed', { isCredential: true })
  return parts.atPlace(provider.id, async () => {
    const signal = AbortSignal.timeout(parts.callsMs)
    const connection = await openFirst(parts.open, provider, signal)
    try {
      return await work({ provider, connection })
    } finally {
      connection.close()
    }
  })
}

/** Binds as the account of the provider at the first server of its list that answers. Throws Refused, with the reason of the last one. */
async function openFirst(open: OpenLdap, provider: Provider, signal: AbortSignal): Promise<LdapConnection> {
  let last: unknown = new Refused('provider_away', { temporary: true })
  for (const url of provider.servers) {
    try {
      const connection = await open({ url, certificates: provider.certificates, signal })
      try {
        await bindOwn(connection, provider)
        return connection
      } catch (error) {
        connection.close()
        throw error
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      last = error
    }
  }
  throw last
}

async function bindOwn(connection: LdapConnection, { clientId, clientSecret }: Provider): Promise<void> {
  if (clientSecret === '') throw new Refused('own_bind_refused', { expected: 'a password' })
  const refusal = await connection.bind(clientId, clientSecret)
  if (refusal !== undefined) throw new Refused('own_bind_refused', { received: refusal.code, expected: 0 })
}

/** The claims of an entry. Nothing in them says that an address is verified. Throws Refused. */
function claimsOf(entry: DirectoryEntry, groups: readonly string[], provider: Provider, now: Date) {
  for (const { name, value } of provider.requiredClaims) {
    if (!entry.texts(name).includes(value)) {
      throw new Refused('required_claim_differs', {
        received: { [name]: entry.texts(name) },
        expected: { [name]: value },
      })
    }
  }
  const claims: Record<string, unknown> = Object.create(null)
  for (const { value: attribute } of provider.mappedClaims) [claims[attribute]] = entry.texts(attribute)
  for (const [claim, attributes] of Object.entries(STANDARD_ATTRIBUTES)) {
    claims[claim] = attributes
      .map((attribute) => entry.texts(attribute)[0])
      .find((value) => value !== undefined)
  }
  if (provider.groupsClaim !== '') claims[provider.groupsClaim] = groups
  return Object.assign(claims, {
    iss: provider.issuer,
    [SUBJECT]: subjectOf(entry, provider.subjectClaim),
    auth_time: Math.floor(now.getTime() / 1_000),
    amr: ['pwd'],
    email_verified: undefined,
    phone_number_verified: undefined,
  })
}
