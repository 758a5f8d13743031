import { argon2, pbkdf2 } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

// The people of a realm: most of them with hashes that this file makes as Keycloak does, so that 2,000 of them are affordable.

const deriveArgon2 = promisify(argon2)
const derivePbkdf2 = promisify(pbkdf2)

export const DEPARTMENT = 'night shift'
/** Text whose bytes are the seed without `secretEncoding`. */
const OTP_TEXT = 'DJmQfC73VGFhw7D4QJ8A'
export const OTP_BASE32 = 'IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB'
/** People with a code have two devices; the second has the parameters of the realm's OTP policy. */
export const OTP_DEVICES = [
  { digits: 6, period: 30, algorithm: 'HmacSHA1' },
  { digits: 8, period: 60, algorithm: 'HmacSHA256' },
] as const

/** How a password is hashed: the kinds that a realm can ask for, in sizes that versions and operators had. */
interface HashForm {
  readonly algorithm: string
  readonly rounds: number
  readonly saltBytes: number
  readonly bytes: number
  readonly type?: 'i' | 'id'
  readonly memoryKib?: number
  readonly lanes?: number
}

const FORMS: readonly HashForm[] = [
  { algorithm: 'pbkdf2-sha512', rounds: 1_000, saltBytes: 16, bytes: 64 },
  { algorithm: 'pbkdf2-sha512', rounds: 2_000, saltBytes: 32, bytes: 64 },
  { algorithm: 'pbkdf2-sha256', rounds: 1_000, saltBytes: 16, bytes: 64 },
  { algorithm: 'pbkdf2-sha256', rounds: 27_500, saltBytes: 16, bytes: 32 },
  { algorithm: 'pbkdf2', rounds: 1_000, saltBytes: 16, bytes: 64 },
  { algorithm: 'pbkdf2', rounds: 20_000, saltBytes: 16, bytes: 20 },
  { algorithm: 'argon2', type: 'id', rounds: 1, memoryKib: 64, lanes: 1, saltBytes: 16, bytes: 32 },
  { algorithm: 'argon2', type: 'id', rounds: 2, memoryKib: 1_024, lanes: 2, saltBytes: 16, bytes: 32 },
  { algorithm: 'argon2', type: 'i', rounds: 3, memoryKib: 64, lanes: 1, saltBytes: 32, bytes: 64 },
]
/** The defaults of Keycloak. */
const DEFAULTS: readonly HashForm[] = [
  { algorithm: 'argon2', type: 'id', rounds: 5, memoryKib: 7_168, lanes: 1, saltBytes: 16, bytes: 32 },
  { algorithm: 'pbkdf2-sha512', rounds: 210_000, saltBytes: 16, bytes: 64 },
  { algorithm: 'pbkdf2-sha256', rounds: 600_000, saltBytes: 16, bytes: 64 },
  { algorithm: 'pbkdf2', rounds: 1_300_000, saltBytes: 16, bytes: 64 },
]
const PEOPLE = 2_000
const OF_DEFAULTS = 20
/** Made by the administration API, with the password in clear: Keycloak hashes it. */
const OF_API = 20

export interface OldPerson {
  readonly username: string
  readonly password: string
  readonly hash: string
  /** The policy of the realm under which the API makes the person; undefined for one of the realm file. */
  readonly policy?: string
  readonly hasCode: boolean
  readonly isEnabled: boolean
  /** Has to choose a new password at the first sign-in. */
  readonly mustChange: boolean
  readonly representation: Readonly<Record<string, unknown>>
}

/** The people, the ones of the API at the end. Every tenth person has a code, every third a group. */
export async function createPeople(): Promise<readonly OldPerson[]> {
  const people: OldPerson[] = []
  const numbers = Array.from({ length: PEOPLE }, (_, number) => number).values()
  const work = async () => {
    for (const number of numbers) people[number] = await createPerson(number)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return people
}

async function createPerson(number: number): Promise<OldPerson> {
  const ofApi = number >= PEOPLE - OF_API
  const forms = ofApi || number < OF_DEFAULTS ? DEFAULTS : FORMS
  const form = forms[number % forms.length] as HashForm
  const { algorithm, rounds } = form
  const username = `person-${number}`
  const password = `Old-password-${number}`
  const hasCode = number % 10 === 0
  const isEnabled = number % 50 !== 49
  const mustChange = number % 100 === 7
  const stored = ofApi
    ? { type: 'password', value: password, temporary: false }
    : await storedPassword(password, form)
  return {
    ...{ username, password, hasCode, isEnabled, mustChange },
    hash: JSON.stringify(form),
    ...(ofApi && { policy: `hashAlgorithm(${algorithm}) and hashIterations(${rounds})` }),
    representation: {
      username,
      enabled: isEnabled,
      firstName: 'Given',
      lastName: `Family ${number}`,
      email: `${username}@old.example`,
      emailVerified: true,
      attributes: { locale: ['de'], department: [DEPARTMENT] },
      groups: number % 3 === 0 ? ['/staff/night'] : [],
      requiredActions: mustChange ? ['UPDATE_PASSWORD'] : [],
      credentials: [stored, ...(hasCode ? OTP_DEVICES.map(storedCode) : [])],
    },
  }
}

async function storedPassword(password: string, form: HashForm) {
  const { algorithm, rounds, saltBytes, bytes, type, memoryKib = 0, lanes = 1 } = form
  const salt = Buffer.alloc(saltBytes, `${password} salt`)
  const digest = { 'pbkdf2-sha512': 'sha512', 'pbkdf2-sha256': 'sha256', pbkdf2: 'sha1' }[algorithm]
  const value =
    digest === undefined
      ? await deriveArgon2(`argon2${type as 'i' | 'id'}`, {
          ...{ message: password, nonce: salt, parallelism: lanes, tagLength: bytes },
          ...{ memory: memoryKib, passes: rounds },
        })
      : await derivePbkdf2(password, salt, rounds, bytes, digest)
  const more = {
    ...{ hashLength: [`${bytes}`], memory: [`${memoryKib}`], type: [type] },
    ...{ version: ['1.3'], parallelism: [`${lanes}`] },
  }
  return {
    type: 'password',
    secretData: JSON.stringify({
      ...{ value: value.toString('base64'), salt: salt.toString('base64'), additionalParameters: {} },
    }),
    credentialData: JSON.stringify({
      ...{ hashIterations: rounds, algorithm },
      additionalParameters: type === undefined ? {} : more,
    }),
  }
}

const storedCode = (parameters: (typeof OTP_DEVICES)[number]) => ({
  type: 'otp',
  userLabel: `device ${parameters.digits}`,
  secretData: JSON.stringify({ value: OTP_TEXT }),
  credentialData: JSON.stringify({ subType: 'totp', counter: 0, ...parameters }),
})
