import { z } from 'zod'

// The bodies of the calls of the migration service and of its responses.

const ids = z.array(z.string().min(1).max(200)).max(10_000).nullish()
const flag = z.boolean().nullish()
const timeout = z.string().nullish().describe('A duration from 1s to 24h, such as 10m, which is the default.')
const location = (what: string) => z.unknown().optional().describe(what)

const GCS =
  'Google Cloud Storage: bucket, path, serviceaccount_json; a path alone is in the storage of the server.'
const S3 =
  'S3: bucket, path, endpoint, region, access_key_id, secret_access_key; of an output also server_side_encryption and kms_key_id.'
const LOCAL = 'A path below the data directory of a single process.'

/** The body of an export. */
export const exportCall = z
  .object({
    orgIds: ids.describe('All organizations when there is none.'),
    excludedOrgIds: ids,
    withPasswords: flag.describe('Adds hashes of passwords and client secrets.'),
    withOtp: flag.describe('Adds TOTP secrets and recovery codes.'),
    withPasskeys: flag.describe('Adds passkeys, which work where the target has the same RP ID.'),
    withSecrets: flag.describe('Adds the secrets of identity providers.'),
    recipients: z
      .array(z.string())
      .nullish()
      .describe('Public keys of age, `age1…`, that the document is sealed for.'),
    compression: z
      .enum(['gzip', 'zstd'], { error: 'must be gzip or zstd' })
      .nullish()
      .describe('Before it is sealed.'),
    timeout,
    responseOutput: flag.describe('The document is the response, which it is without an output.'),
    storageOutput: location(GCS),
    gcsOutput: location(GCS),
    s3Output: location(S3),
    localOutput: location(LOCAL),
  })
  .meta({ id: 'ExportCall' })

export const document = z
  .looseObject({ orgs: z.array(z.looseObject({})) })
  .describe(
    'docs/reference/export-format.md describes it, export-document.schema.json beside it is its schema.',
  )
  .meta({ id: 'ExportDocument' })

const inline = z.union([document, z.string()]).optional()

/** The body of an import, as far as a schema describes it: the service reads it as a stream. */
export const importCall = z
  .object({
    timeout,
    orgIds: z
      .array(z.string())
      .max(1_000)
      .nullish()
      .describe(
        'Organizations that exist already: the document may write into them as an ORG_OWNER of each. Records of other organizations that exist fail.',
      ),
    onConflict: z
      .enum(['skip', 'update', 'fail'])
      .nullish()
      .describe('For objects that exist; skip by default.'),
    onInvalid: z
      .enum(['fail', 'skip', 'without_password'])
      .nullish()
      .describe('For records that break a rule; fail by default.'),
    dryRun: flag.describe('Writes nothing.'),
    ignoreChecksum: flag.describe('Takes an object whose bytes are not those that were written.'),
    source: z.literal('signet').nullish(),
    dataOrgs: inline,
    dataOrgsv1: inline,
    ...Object.fromEntries(
      ['dataOrgs', 'dataOrgsv1'].flatMap((name) => [
        [`${name}Storage`, location(GCS)],
        [`${name}Gcs`, location(GCS)],
        [`${name}S3`, location(S3)],
        [`${name}Local`, location(LOCAL)],
      ]),
    ),
  })
  .describe('Exactly one of the members that begin with dataOrgs.')
  .meta({ id: 'ImportCall' })

const count = z.int().min(0)
const time = z.iso.datetime()

const plan = z
  .object({
    ...{ id: z.string(), create: count, update: count, skip: count, conflict: count },
    blocked: count
      .optional()
      .describe('Records that refer to one of the document that would not be imported.'),
    expiresAt: time,
  })
  .describe('Of a dry run that can be applied: how many records have which action.')

const credentials = z
  .object({
    passwordHashes: z.object({
      verifiesHere: count,
      tooSlow: count.describe('Above the bound for new hashes; these records are invalid.'),
      unusable: count.describe('Of an unknown format or malformed; these records are invalid.'),
    }),
    kinds: z
      .array(z.object({ kind: z.string(), count, milliseconds: z.number() }))
      .describe('Of the hashes that verify here; the milliseconds are estimated by their parameters.'),
    clearPasswords: count,
    withoutPassword: count,
    totpSecrets: z.object({ usable: count, unusable: count }),
    passkeys: count.optional().describe('Of any RP ID.'),
  })
  .describe('The credentials of the people of the document.')

const failures = z.array(z.object({ type: z.string(), id: z.string(), message: z.string() }))

export const importResult = z
  .object({
    errors: failures.optional().describe('Records that failed, and members that were left out of records.'),
    plan: plan.optional(),
    credentials: credentials.optional().describe('Of a dry run.'),
    success: z.object({ orgs: z.array(z.looseObject({ orgId: z.string() })).optional() }),
  })
  .meta({ id: 'ImportResult' })

const counts = z.object({
  ...{ total: count, done: count, created: count, updated: count, skipped: count, failed: count },
  invalid: count.describe('Records of the document that break a rule and are not imported.'),
  blocked: count
    .optional()
    .describe(
      'Of an import: records that were not imported because one that they refer to was not; `failed` does not count them.',
    ),
  withChanges: count
    .optional()
    .describe('Of an import: records that were created or updated without a part that breaks a rule.'),
})

const undoCounts = z.object({
  ...{ total: count, done: count, deleted: count, restored: count, skipped: count },
  kept: count.describe('Objects that changed since the import.'),
})

export const job = z
  .object({
    id: z.string(),
    kind: z.enum(['export', 'import', 'undo']),
    state: z.enum(['queued', 'running', 'succeeded', 'partial', 'failed', 'timedOut', 'cancelled']),
    phase: z.string(),
    counts: z.union([counts, undoCounts]),
    plan: plan.optional(),
    records: z
      .record(z.string(), count)
      .optional()
      .describe('Of an export: how many records each list of its document has, as in meta.counts.'),
    credentials: credentials.optional(),
    isUndone: z
      .boolean()
      .optional()
      .describe('Whether an undo of this import has begun; it cannot be resumed then.'),
    undoOf: z.string().optional().describe('The import that an undo takes back.'),
    force: z.boolean().optional().describe('Whether an undo takes back what changed since, too.'),
    createdAt: time,
    startedAt: time.optional(),
    finishedAt: time.optional(),
    createdBy: z.string(),
    resumable: z.boolean(),
    error: z.object({ message: z.string(), details: z.array(z.looseObject({ id: z.string() })) }).optional(),
    notes: z.array(z.string()).optional().describe('What an administrator has to know of it.'),
    result: z
      .record(z.string(), z.union([z.string(), z.boolean()]))
      .optional()
      .describe('Paths of its report, rejects and document, and whether the document is sealed.'),
  })
  .meta({ id: 'Job' })

export const jobPage = z
  .object({ jobs: z.array(job), nextPageToken: z.string().optional() })
  .meta({ id: 'JobPage' })

/** The body with which a job goes on. */
export const resumeCall = z.strictObject({ timeout: z.string().optional() }).meta({ id: 'ResumeCall' })

/** The body with which an import is taken back. */
export const undoCall = z
  .strictObject({
    timeout: z.string().optional(),
    force: z.boolean().default(false).describe('Takes back what changed since the import, too.'),
  })
  .meta({ id: 'UndoCall' })

/** Sign-ins of one call. */
const MOST_SIGN_INS = 100

/** The body with which sample sign-ins are tried against a dry run. */
export const rehearseCall = z
  .strictObject({
    signIns: z
      .array(
        z.strictObject({
          loginName: z.string().min(1).max(400),
          password: z.string().max(1_000),
          otp: z.string().max(20).optional().describe('A code of the second factor.'),
        }),
      )
      .min(1)
      .max(MOST_SIGN_INS),
  })
  .meta({ id: 'RehearseCall' })

/** Values of one list. */
const MOST_LEFT_OUT = 10_000

/** The body with which the list of a conversion is kept with the import. */
export const leftOutCall = z
  .strictObject({
    entries: z
      .array(
        z.strictObject({
          effect: z.enum(['sign-in', 'claims', 'settings']),
          about: z.enum(['application', 'person', 'other']),
          what: z.string().min(1).max(300),
          record: z.string().max(300).optional(),
          value: z.unknown().optional().describe('Never a secret.'),
          next: z.string().max(1_000).optional(),
          task: z.enum(['redirect-uri', 'pkce', 'secret', 'service-role', 'key', 'code-flow']).optional(),
          count: z.int().min(1).max(1_000_000_000).optional(),
        }),
      )
      .max(MOST_LEFT_OUT),
    omitted: z.int().min(0).max(1_000_000_000).default(0).describe('How many more values there were.'),
  })
  .meta({ id: 'LeftOutCall' })

export const rehearsal = z
  .object({
    results: z
      .array(
        z.object({
          outcome: z.enum([
            'wouldSignIn',
            'wrongPassword',
            'noSuchPerson',
            'severalPeople',
            'inactive',
            'noPassword',
            'keepsPassword',
            'notImported',
            'passwordNotAllowed',
            'secondFactorNeeded',
            'secondFactorWrong',
            'hashTooSlow',
            'busy',
            'notTried',
          ]),
          userId: z.string().optional(),
          hashKind: z.string().optional().describe('The format of the hash with its cost parameters.'),
          milliseconds: count.optional().describe('What checking the password took.'),
          steps: z
            .array(z.string())
            .optional()
            .describe('What the person has to do besides: password_change, second_factor_enrolment.'),
        }),
      )
      .describe('In the order of the sign-ins.'),
    wrongAnswersLeft: count.describe('A dry run gives 1,000 wrong answers.'),
  })
  .meta({ id: 'Rehearsal' })

export const undoResult = z
  .object({
    ...{ deleted: count, restored: count, skipped: count },
    kept: failures.describe('Objects that changed since the import.'),
  })
  .meta({ id: 'UndoResult' })
