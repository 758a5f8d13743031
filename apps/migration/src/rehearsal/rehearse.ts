import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { ApiError } from '@signet/admin-api/api-error'
import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import { userNameOf } from '@signet/file-formats/export/given-names'
import { uniqueUserName } from '@signet/file-formats/export/lists'
import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { batchPlace } from '../import/stage-document.ts'
import { hasEnded, type Job } from '../jobs/job.ts'
import { MasterKeyUnknownError, type StagedSealer } from '../sealing.ts'
import {
  MOST_PEOPLE_OF_A_NAME,
  type RehearsalRepository,
  type RehearsedSignIn,
  type SampleSignIn,
  type SealedRecords,
  type StagedPerson,
  type TryStaged,
  WRONG,
} from './rehearsal.ts'

// Sample sign-ins against the document of a dry run, before it is applied. Only staged records are looked at: no stored
// account can be guessed at. Passwords are in memory alone, for as long as the call.

const decompress = promisify(zstdDecompress)

interface Dependencies {
  readonly rehearsals: RehearsalRepository
  readonly sealer: StagedSealer
  readonly tryStaged: TryStaged
}

export interface Rehearsal {
  /** Results in the order of the sign-ins. */
  readonly results: readonly RehearsedSignIn[]
  /** Wrong answers that the job has left. */
  readonly wrongAnswersLeft: number
}

interface StagedUser {
  readonly userId: string
  readonly user: {
    readonly userName?: string
    readonly email?: { readonly email: string; readonly isEmailVerified?: boolean }
  }
}

interface StagedHeader {
  readonly domains?: readonly { readonly domainName: string; readonly isVerified?: boolean }[]
}

/** A person of the document, with what a login name may say of it. */
interface FoundPerson extends StagedPerson {
  readonly userName: string
  /** The verified one. */
  readonly address: string | undefined
  /** Verified ones of its organization. */
  readonly domains: ReadonlySet<string>
}

/**
 * Tries sign-ins one after the other with the people of a dry run. Rejects with ApiError for a job that is none, or whose
 * records are gone, and when it has no wrong answer left. It is in the audit log however it ends.
 */
export function createRehearse(dependencies: Dependencies) {
  const { rehearsals } = dependencies
  return async (job: Job, attempt: Attempt, signIns: readonly SampleSignIn[]): Promise<Rehearsal> => {
    requirePlan(job)
    if ((await rehearsals.left(job.id)) === 0) throw ended()
    const counts = { tried: 0, wrong: 0 }
    try {
      const people = await findPeople(dependencies, job.id, signIns)
      const results: RehearsedSignIn[] = []
      for (const signIn of signIns) {
        const meant = peopleMeantBy(parsed(signIn.loginName), people)
        const result = await rehearseOne(dependencies, job.id, signIn, meant)
        if (result.outcome !== 'notTried' && result.outcome !== 'busy') counts.tried += 1
        if (WRONG.has(result.outcome)) counts.wrong += 1
        results.push(result)
      }
      return { results, wrongAnswersLeft: await rehearsals.left(job.id) }
    } finally {
      await rehearsals.record(job, attempt, counts)
    }
  }
}

async function rehearseOne(
  { rehearsals, tryStaged }: Dependencies,
  jobId: string,
  signIn: SampleSignIn,
  people: readonly StagedPerson[],
): Promise<RehearsedSignIn> {
  if (!(await rehearsals.reserve(jobId))) return { outcome: 'notTried' }
  let isWrong = false
  try {
    const result = await tryStaged(signIn, people)
    isWrong = WRONG.has(result.outcome)
    return result
  } finally {
    if (!isWrong) await rehearsals.giveBack(jobId)
  }
}

/** The people that these login names may mean, by user name or verified e-mail address. */
async function findPeople(
  dependencies: Dependencies,
  jobId: string,
  signIns: readonly SampleSignIn[],
): Promise<readonly FoundPerson[]> {
  const { rehearsals } = dependencies
  const wanted = signIns.map(({ loginName }) => parsed(loginName))
  const withDomains = wanted.flatMap((name) => ('domain' in name ? [name] : []))
  const places = await rehearsals.findPeople(jobId, {
    everywhere: wanted.map(({ whole }) => uniqueUserName(whole)),
    inDomains: withDomains.map(({ userName }) => uniqueUserName(userName)),
    domains: withDomains.map(({ domain }) => domain),
  })
  const byBatch = new Map<number, Set<number>>()
  for (const { batch, at } of places) byBatch.set(batch, (byBatch.get(batch) ?? new Set()).add(at))
  // Only addresses are in no key.
  const addresses = new Map(withDomains.map(({ address }) => [address, 0]))
  const batches =
    addresses.size > 0 ? rehearsals.batchesOfPeople(jobId) : rehearsals.batches(jobId, [...byBatch.keys()])
  const found: (StagedUser & Pick<SealedRecords, 'ordinal'> & { readonly outcome: string })[] = []
  for await (const batch of batches) {
    const records = (await openRecords(dependencies, jobId, batch)) as readonly StagedUser[]
    for (const [at, record] of records.entries()) {
      const isMeant = byBatch.get(batch.batch)?.has(at) || isOneOf(addresses, verifiedAddress(record))
      // Users who were deleted here are taken out of the keys of the job.
      if (!isMeant || batch.ids[at] === DELETED_USER) continue
      found.push({ ...record, outcome: batch.outcomes?.[at] ?? 'x', ordinal: batch.ordinal })
    }
  }
  const headers = await readHeaders(dependencies, jobId, new Set(found.map(({ ordinal }) => ordinal)))
  return found.flatMap(({ ordinal, outcome, ...record }) => {
    const header = headers.get(ordinal)
    return header === undefined ? [] : [foundPerson(record, header, outcome)]
  })
}

async function readHeaders(
  dependencies: Dependencies,
  jobId: string,
  ordinals: ReadonlySet<number>,
): Promise<ReadonlyMap<number, StagedHeader>> {
  const { rehearsals } = dependencies
  const headers = new Map<number, StagedHeader>()
  for await (const batch of rehearsals.organizations(jobId, [...ordinals])) {
    const [header] = await openRecords(dependencies, jobId, batch)
    headers.set(batch.ordinal, header as StagedHeader)
  }
  return headers
}

function opened({ sealer }: Dependencies, sealed: Buffer, place: string): Buffer {
  try {
    return sealer.open(sealed, place)
  } catch (cause) {
    if (!(cause instanceof MasterKeyUnknownError)) throw cause
    throw new ApiError(
      'FAILED_PRECONDITION',
      'the records of the dry run are sealed under a key that SIGNET_MIGRATION_MASTER_KEY no longer lists',
      { reason: 'master_key_unknown', cause },
    )
  }
}

async function openRecords(
  dependencies: Dependencies,
  jobId: string,
  { batch, sealed }: SealedRecords,
): Promise<readonly unknown[]> {
  if (sealed === null) throw gone()
  const plain = await decompress(opened(dependencies, sealed, batchPlace(jobId, batch)))
  return JSON.parse(plain.toString('utf8'))
}

/** The id of the records of users who were deleted, in every ended job. */
const DELETED_USER = '(deleted)'

type ParsedName =
  | { readonly whole: string }
  | {
      readonly whole: string
      readonly address: string
      readonly userName: string
      readonly domain: string
    }

function parsed(loginName: string): ParsedName {
  const whole = userNameKey(loginName)
  const at = whole.lastIndexOf('@')
  return at < 0
    ? { whole }
    : {
        whole,
        address: emailAddressKey(loginName),
        userName: whole.slice(0, at),
        domain: whole.slice(at + 1),
      }
}

const verifiedAddress = ({ user: { email } }: StagedUser): string | undefined =>
  email?.isEmailVerified ? emailAddressKey(email.email) : undefined

/** Whether an address is wanted and was not found as often as is of use; counts it. */
function isOneOf(wanted: Map<string, number>, address: string | undefined): boolean {
  const times = address === undefined ? undefined : wanted.get(address)
  if (address === undefined || times === undefined || times >= MOST_PEOPLE_OF_A_NAME) return false
  wanted.set(address, times + 1)
  return true
}

function foundPerson(record: StagedUser, header: StagedHeader, outcome: string): FoundPerson {
  const userName = userNameKey(userNameOf(record))
  const address = verifiedAddress(record)
  return {
    user: JSON.stringify(record),
    organization: JSON.stringify(header),
    outcome,
    userName,
    address,
    domains: new Set(
      (header.domains ?? []).flatMap(({ domainName, isVerified }) => (isVerified ? [domainName] : [])),
    ),
  }
}

/**
 * Returns at most as many people as the directory needs to decide whether the name means one of them; those that
 * decide come first.
 */
function peopleMeantBy(name: ParsedName, people: readonly FoundPerson[]): readonly FoundPerson[] {
  const owns = ({ domains }: FoundPerson) => 'domain' in name && domains.has(name.domain)
  const rank = (person: FoundPerson) => (NOT_IMPORTED.has(person.outcome) ? 2 : owns(person) ? 0 : 1)
  return people
    .filter(
      (person) =>
        person.userName === name.whole ||
        ('domain' in name &&
          (person.address === name.address || (person.userName === name.userName && owns(person)))),
    )
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MOST_PEOPLE_OF_A_NAME)
}

/** The letters of records that fail or are left out. */
const NOT_IMPORTED: ReadonlySet<string> = new Set(['f', 'b', 'x'])

function requirePlan(job: Job): void {
  const { kind, request, planExpiresAt } = job
  if (request.appliesPlan === true) {
    throw new ApiError('ABORTED', 'the plan is applied: its people sign in now, or the job is under way', {
      reason: 'plan_applied',
    })
  }
  if (kind !== 'import' || request.dryRun !== true) {
    throw new ApiError('FAILED_PRECONDITION', 'only an import with dry_run can be rehearsed', {
      reason: 'job_not_plan',
    })
  }
  if (!hasEnded(job)) {
    throw new ApiError('ABORTED', 'the dry run has not ended; see GET /admin/v1/jobs/{id}', {
      reason: 'job_running',
    })
  }
  if (planExpiresAt === null) throw gone()
}

const gone = () =>
  new ApiError(
    'FAILED_PRECONDITION',
    'the records of the dry run are deleted: it did not succeed, or ended more than a day ago; make a new one',
    { reason: 'plan_expired', status: 410 },
  )

const ended = () =>
  new ApiError('ABORTED', 'the dry run has given 1,000 wrong answers; make a new one to rehearse further', {
    reason: 'rehearsals_ended',
  })
