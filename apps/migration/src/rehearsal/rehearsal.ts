import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Job } from '../jobs/job.ts'

/** Sample sign-in, as an administrator gives it. */
export interface SampleSignIn {
  readonly loginName: string
  readonly password: string
  /** A code of the second factor. */
  readonly otp?: string | undefined
}

export type RehearsalOutcome =
  | 'wouldSignIn'
  | 'wrongPassword'
  | 'noSuchPerson'
  /** The login name means several people of the document, or an account that stands. */
  | 'severalPeople'
  /** The person or its organization. */
  | 'inactive'
  /** The document brings none. */
  | 'noPassword'
  /** The person exists already, and the import does not replace the password. */
  | 'keepsPassword'
  /** The record fails or is left out. */
  | 'notImported'
  /** Refused by the login policy of the organization. */
  | 'passwordNotAllowed'
  | 'secondFactorNeeded'
  | 'secondFactorWrong'
  /** The password is right; checking it took more than two seconds. */
  | 'hashTooSlow'
  /** Too many passwords are being checked; nothing was tried. */
  | 'busy'
  /** The job has no wrong answer left. */
  | 'notTried'

export interface RehearsedSignIn {
  readonly outcome: RehearsalOutcome
  readonly userId?: string
  /** Format of the password hash with its cost parameters. */
  readonly hashKind?: string
  readonly milliseconds?: number
  /** Further steps of the sign-in. */
  readonly steps?: readonly string[]
}

/** Outcomes that a person who guesses gets. */
export const WRONG: ReadonlySet<RehearsalOutcome> = new Set([
  'wrongPassword',
  'noSuchPerson',
  'severalPeople',
  'secondFactorWrong',
])

/** Wrong answers that one dry run gives. */
export const MOST_WRONG_SIGN_INS = 1_000

/** Limit of the people for whom the directory decides whether a login name means one of them. */
export const MOST_PEOPLE_OF_A_NAME = 50

/** A person of a staged document. */
export interface StagedPerson {
  /** JSON of the record. */
  readonly user: string
  /** JSON of the fields of its organization. */
  readonly organization: string
  /** The letter of the dry run: c created, u updated, s skipped, f failed, b blocked, x left out. */
  readonly outcome: string
}

/** Tries one sample sign-in with the people that its login name may mean. */
export type TryStaged = (signIn: SampleSignIn, people: readonly StagedPerson[]) => Promise<RehearsedSignIn>

/** Unique keys of user names. */
export interface WantedNames {
  /** Looked for in every organization; at most 50 people are found for each. */
  readonly everywhere: readonly string[]
  /** Looked for in organizations with one of the domains. */
  readonly inDomains: readonly string[]
  readonly domains: readonly string[]
}

/** Place of a record in the document. */
export interface StagedPlace {
  readonly batch: number
  readonly at: number
}

/** A batch of people, or the fields of an organization. */
export interface SealedRecords {
  readonly batch: number
  readonly ordinal: number
  readonly ids: readonly string[]
  readonly outcomes: string | null
  /** Null when the records are deleted. */
  readonly sealed: Buffer | null
}

export interface RehearsalRepository {
  /**
   * Counts a wrong answer of a job before it is given; false when MOST_WRONG_SIGN_INS are counted. Of any number of callers
   * at once exactly as many as are left get true.
   */
  reserve(jobId: string): Promise<boolean>
  /** Takes a counted answer back that was not wrong. */
  giveBack(jobId: string): Promise<void>
  /** How many wrong answers a job has left. */
  left(jobId: string): Promise<number>
  /** Finds the places of the people with these names; reads every key of the people of the job once. */
  findPeople(jobId: string, names: WantedNames): Promise<readonly StagedPlace[]>
  /** The batches of people, one after the other. */
  batchesOfPeople(jobId: string): AsyncIterable<SealedRecords>
  batches(jobId: string, batches: readonly number[]): AsyncIterable<SealedRecords>
  organizations(jobId: string, ordinals: readonly number[]): AsyncIterable<SealedRecords>
  /** Records a rehearsal in the audit log: counts, and nothing that was typed. */
  record(
    job: Job,
    attempt: Attempt,
    counts: { readonly tried: number; readonly wrong: number },
  ): Promise<void>
}
