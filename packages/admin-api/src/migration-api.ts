import { z } from 'zod'
import {
  document,
  exportCall,
  importCall,
  importResult,
  job,
  jobPage,
  leftOutCall,
  rehearsal,
  rehearseCall,
  resumeCall,
  undoCall,
  undoResult,
} from './migration-schemas.ts'
import { rewrapped } from './rewrapped.ts'

// The calls of the migration service, for the OpenAPI document that the directory serves.

interface CallResponse {
  readonly description: string
  readonly type?: string
  /** Schema of a JSON body. */
  readonly schema?: z.ZodType
}

/** A call of the migration service. Every one needs the role IAM_OWNER. */
export interface MigrationCall {
  /** The id in OpenAPI. */
  readonly id: string
  readonly summary: string
  readonly method: 'get' | 'post' | 'put'
  readonly path: string
  readonly query?: Readonly<Record<string, z.ZodType>>
  readonly request?: z.ZodType
  readonly example?: unknown
  readonly responses: Readonly<Record<number, CallResponse>>
  /** The statuses of its refusals. */
  readonly refusals: readonly (400 | 401 | 403 | 404 | 409 | 410 | 413 | 429 | 503 | 504)[]
}

const JOB = '/admin/v1/jobs/{jobId}'
const accepted = {
  202: { description: 'The job, with a storage or the header `Prefer: respond-async`.', schema: job },
}
const ofJob = [400, 401, 403, 404, 429, 503] as const

/** Every call of the migration service. */
export const MIGRATION_CALLS: readonly MigrationCall[] = [
  {
    id: 'migration.export',
    summary: 'Exports organizations as one document',
    method: 'post',
    path: '/admin/v1/export',
    request: exportCall,
    example: { orgIds: ['acme'], withPasswords: true },
    responses: { 200: { description: 'The document.', schema: document }, ...accepted },
    refusals: [...ofJob, 504],
  },
  {
    id: 'migration.import',
    summary: 'Imports organizations from a document',
    method: 'post',
    path: '/admin/v1/import',
    request: importCall,
    example: { dryRun: true, dataOrgs: { orgs: [{ orgId: 'acme', org: { name: 'ACME' } }] } },
    responses: { 200: { description: 'The result of each record.', schema: importResult }, ...accepted },
    refusals: [400, 401, 403, 413, 429, 503, 504],
  },
  {
    id: 'job.list',
    summary: 'Lists exports and imports, newest first',
    method: 'get',
    path: '/admin/v1/jobs',
    query: { pageToken: z.string().optional().describe('`nextPageToken` of the response before.') },
    responses: { 200: { description: 'A page of jobs.', schema: jobPage } },
    refusals: [400, 401, 403, 429, 503],
  },
  {
    id: 'job.read',
    summary: 'Shows an export or import',
    method: 'get',
    path: JOB,
    responses: { 200: { description: 'The job.', schema: job } },
    refusals: ofJob,
  },
  {
    id: 'job.events',
    summary: 'Shows how a job goes on, until it ends',
    method: 'get',
    path: `${JOB}/events`,
    responses: {
      200: { description: 'Events `progress` with the job, then `done`.', type: 'text/event-stream' },
    },
    refusals: ofJob,
  },
  {
    id: 'job.report',
    summary: 'Lists the outcome of each record of an import',
    method: 'get',
    path: `${JOB}/report`,
    responses: { 200: { description: 'A JSON object in each line.', type: 'application/x-ndjson' } },
    refusals: ofJob,
  },
  {
    id: 'job.rejects',
    summary: 'Shows the invalid records of an import as a document',
    method: 'get',
    path: `${JOB}/rejects`,
    responses: { 200: { description: 'The document, for a day.', schema: document } },
    refusals: ofJob,
  },
  {
    id: 'job.left_out',
    summary: 'Lists the values that an import, or the conversion before it, left out or changed',
    method: 'get',
    path: `${JOB}/left-out`,
    responses: { 200: { description: 'A JSON object in each line.', type: 'application/x-ndjson' } },
    refusals: ofJob,
  },
  {
    id: 'job.keep_left_out',
    summary: 'Keeps the list of a conversion with the import of its document',
    method: 'put',
    path: `${JOB}/left-out`,
    request: leftOutCall,
    example: {
      entries: [
        {
          effect: 'sign-in',
          about: 'application',
          what: 'clients[].redirectUris with a wildcard or relative',
          record: 'portal',
          value: 'https://portal.example/*',
          next: 'register the exact URI in place of https://portal.example/*',
        },
      ],
    },
    responses: { 204: { description: 'Kept until the job is deleted.' } },
    refusals: [...ofJob, 413],
  },
  {
    id: 'job.document',
    summary: 'Shows the document of an export once more',
    method: 'get',
    path: `${JOB}/document`,
    responses: { 200: { description: 'The document, for 15 minutes.', schema: document } },
    refusals: ofJob,
  },
  {
    id: 'job.cancel',
    summary: 'Stops a job at the next batch',
    method: 'post',
    path: `${JOB}/cancel`,
    responses: { 202: { description: 'The job.', schema: job } },
    refusals: ofJob,
  },
  {
    id: 'job.resume',
    summary: 'Goes on with a job that was cancelled, timed out, failed or set records aside',
    method: 'post',
    path: `${JOB}/resume`,
    request: resumeCall,
    example: { timeout: '6h' },
    responses: { 202: { description: 'The job.', schema: job } },
    refusals: ofJob,
  },
  {
    id: 'job.apply',
    summary: 'Applies the plan that a dry run of an import made',
    method: 'post',
    path: `${JOB}/apply`,
    request: resumeCall,
    example: { timeout: '6h' },
    responses: { 200: { description: 'The result of each record.', schema: importResult }, ...accepted },
    refusals: [...ofJob, 409, 504],
  },
  {
    id: 'job.rehearse',
    summary: 'Tries sample sign-ins against the document of a dry run',
    method: 'post',
    path: `${JOB}/rehearse`,
    request: rehearseCall,
    example: { signIns: [{ loginName: 'alice@acme.example', password: 'the old password' }] },
    responses: { 200: { description: 'The outcome of each sign-in.', schema: rehearsal } },
    refusals: [...ofJob, 409, 410, 413],
  },
  {
    id: 'job.undo',
    summary: 'Takes an import back',
    method: 'post',
    path: `${JOB}/undo`,
    request: undoCall,
    example: { force: false },
    responses: { 200: { description: 'What was taken back.', schema: undoResult }, ...accepted },
    refusals: [...ofJob, 409, 504],
  },
  {
    id: 'job.rewrap',
    summary: 'Seals what jobs hold under the first of the master keys of the migration service',
    method: 'post',
    path: '/admin/v1/jobs/rewrap',
    responses: { 200: { description: 'Repeat the call until done is true.', schema: rewrapped } },
    refusals: [401, 403, 429, 503],
  },
]
