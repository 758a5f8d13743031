import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf, api, callForFile, callForLines } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Facts, valueText } from '../ui/facts.tsx'
import { ChoiceFilter } from '../ui/filters.tsx'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded, Page, Problem } from '../ui/page.tsx'
import { saveFile } from '../ui/save-file.ts'

const POLL_MS = 1_000
const ENDED = ['succeeded', 'partial', 'failed', 'timedOut', 'cancelled']

/** A value that an import left out or changed. */
interface LeftOut {
  readonly what: string
  readonly count: number
  readonly next?: string
}

/** One job: progress while it runs, then its result, what it left out, and the ways back. */
export function JobPage() {
  const { jobId = '' } = useParams({ strict: false })
  const path = { jobId }
  const navigate = useNavigate()
  const open = (made: unknown) => void navigate({ to: `/jobs/${(made as { id: string }).id}` })
  const job = useQuery({
    queryKey: ['job', jobId],
    queryFn: () => answerOf(api.GET('/admin/v1/jobs/{jobId}', { params: { path } })),
    refetchInterval: ({ state }) => (state.data && ENDED.includes(state.data.state) ? false : POLL_MS),
  })
  return (
    <Loaded query={job} title={text('jobs')}>
      {(found) => (
        <Page
          title={text('job.title', { kind: found.kind, state: found.state })}
          actions={
            <>
              {!ENDED.includes(found.state) && (
                <Act label={text('job.cancel')} className="danger" id="job.cancel" path={path} />
              )}
              {found.plan && (
                <Act label={text('job.apply')} className="primary" id="job.apply" path={path} onDone={open} />
              )}
              {found.plan && (
                <Act
                  label={text('job.rehearse')}
                  id="job.rehearse"
                  path={path}
                  shown={(answer) => (
                    <Copyable value={JSON.stringify(answer, null, 2)} label={text('job.rehearse')} />
                  )}
                />
              )}
              {['failed', 'timedOut', 'cancelled', 'partial'].includes(found.state) && (
                <Act label={text('job.resume')} id="job.resume" path={path} />
              )}
              {found.kind === 'import' && found.plan === undefined && ENDED.includes(found.state) && (
                <Act
                  label={text('job.undo')}
                  className="danger"
                  id="job.undo"
                  path={path}
                  consequence={text('job.undo.ends')}
                  onDone={open}
                />
              )}
            </>
          }
        >
          {found.counts && (
            <Card title={text('job.progress')}>
              <progress
                max={found.counts.total || 1}
                value={found.counts.done}
                aria-label={text('job.progress')}
              />
              {!ENDED.includes(found.state) && <p className="quiet">{timeLeft(found)}</p>}
              <Facts of={Object.entries(found.counts).map(([name, value]) => [name, valueText(value)])} />
            </Card>
          )}
          {found.plan && (
            <Card title={text('job.plan')}>
              <Facts of={Object.entries(found.plan).map(([name, value]) => [name, valueText(value)])} />
            </Card>
          )}
          {found.kind === 'export' && found.result?.document !== undefined && (
            <Card title={text('job.document')}>
              <p>{text('job.document.help')}</p>
              <Download jobId={jobId} part="document" />
            </Card>
          )}
          {found.notes && (
            <Card title={text('job.notes')}>
              <ul>
                {found.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </Card>
          )}
          {found.kind === 'import' && ENDED.includes(found.state) && (
            <>
              <Report
                jobId={jobId}
                hasRejects={(found.counts && 'invalid' in found.counts && found.counts.invalid > 0) ?? false}
              />
              <LeftOutList jobId={jobId} />
            </>
          )}
        </Page>
      )}
    </Loaded>
  )
}

/** How fast the job is and how long it still takes; empty until it is known. */
function timeLeft({ counts, createdAt }: components['schemas']['Job']): string {
  if (counts === undefined || counts.done === 0) return ''
  const seconds = Math.max(1, (Date.now() - Date.parse(createdAt)) / 1000)
  const rate = counts.done / seconds
  const left = Math.ceil((counts.total - counts.done) / rate)
  return text('job.rate', { rate: Math.round(rate), seconds: left })
}

/** A line of the report of an import. */
interface ReportLine {
  readonly type?: string
  readonly note?: string
  readonly field?: string
  readonly rule?: string
  readonly id?: string
  readonly outcome?: string
  readonly action?: string
  readonly message?: string
  readonly fields?: readonly string[]
}

const SHOWN_LINES = 500

/** The first lines of a document of a job, which may have a line for each of millions of records. */
function useLines<T>(jobId: string, part: 'report' | 'left-out') {
  return useQuery({
    queryKey: ['job', jobId, part],
    queryFn: () => callForLines<T>(partPath(jobId, part), SHOWN_LINES),
    retry: false,
  })
}

const partPath = (jobId: string, part: string) => `/admin/v1/jobs/${encodeURIComponent(jobId)}/${part}`

/** The outcome of each record: counts by type as a table, and the records with the fields that change. */
function Report({ jobId, hasRejects }: { readonly jobId: string; readonly hasRejects: boolean }) {
  const [kind, setKind] = useState<string>()
  const report = useLines<ReportLine>(jobId, 'report')
  return (
    <Card title={text('job.report')}>
      <Loaded query={report}>
        {({ lines, hasMore }) => (
          <>
            {hasMore && <p>{text('job.report.more', { count: SHOWN_LINES })}</p>}
            <ReportByKind lines={lines} />
            <ChoiceFilter
              label={text('kind')}
              value={kind}
              all={text('all')}
              options={[...new Set(lines.flatMap((line) => line.type ?? []))].map((name) => [name, name])}
              onChange={setKind}
            />
            <Rows
              label={text('job.records')}
              items={lines
                .map((line, at) => ({ ...line, at }))
                .filter((line) => kind === undefined || line.type === kind)}
              keyOf={({ at }) => String(at)}
              columns={[
                { title: text('kind'), cell: (line) => line.type },
                { title: 'id', cell: ({ id }) => <code>{id}</code> },
                { title: text('job.outcome'), cell: ({ action, outcome }) => action ?? outcome },
                {
                  title: text('job.detail'),
                  cell: ({ fields = [], field, rule, message, note }) =>
                    [...fields, field, rule, message, note].filter(Boolean).join(', '),
                },
              ]}
            />
          </>
        )}
      </Loaded>
      <div className="actions">
        <Download jobId={jobId} part="report" />
        {hasRejects && <Download jobId={jobId} part="rejects" />}
      </div>
    </Card>
  )
}

function ReportByKind({ lines }: { readonly lines: readonly ReportLine[] }) {
  const counts = new Map<string, Map<string, number>>()
  for (const { type: kind, action, outcome = '' } of lines) {
    if (kind === undefined) continue
    const row = counts.get(kind) ?? new Map<string, number>()
    row.set(action ?? outcome, (row.get(action ?? outcome) ?? 0) + 1)
    counts.set(kind, row)
  }
  const outcomes = [...new Set([...counts.values()].flatMap((row) => [...row.keys()]))].sort()
  return (
    <Rows
      label={text('job.report')}
      items={[...counts]}
      keyOf={([kind]) => kind}
      columns={[
        { title: text('kind'), cell: ([kind]) => kind },
        ...outcomes.map((outcome) => ({
          title: outcome,
          cell: ([, row]: typeof counts extends Map<infer K, infer V> ? [K, V] : never) =>
            row.get(outcome) ?? 0,
        })),
      ]}
    />
  )
}

/** The ends of the names of files by their media types. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/json': '.json',
  'application/x-ndjson': '.ndjson',
  'application/gzip': '.json.gz',
  'application/zstd': '.json.zst',
}

interface DownloadProps {
  readonly jobId: string
  readonly part: 'report' | 'rejects' | 'document'
}

/** Fetches a document of a job with the token of the person and saves it as a file. */
function Download({ jobId, part }: DownloadProps) {
  const fetched = useMutation({
    mutationFn: () => callForFile(partPath(jobId, part)),
    onSuccess: (file) => saveFile(file, part + (ENDINGS[file.type] ?? '')),
  })
  return (
    <>
      <button type="button" disabled={fetched.isPending} onClick={() => fetched.mutate()}>
        {text(`job.download.${part}`)}
      </button>
      <Problem error={fetched.error} />
    </>
  )
}

/** What the import left out or changed, with the next step. */
function LeftOutList({ jobId }: { readonly jobId: string }) {
  const list = useLines<LeftOut>(jobId, 'left-out')
  return (
    <Card title={text('job.left_out')}>
      <Loaded query={list}>
        {({ lines, hasMore }) =>
          lines.length === 0 ? (
            <p className="good">{text('job.left_out.none')}</p>
          ) : (
            <>
              {hasMore && <p>{text('job.left_out.more', { count: SHOWN_LINES })}</p>}
              <Rows
                label={text('job.left_out')}
                items={lines.map((entry, at) => ({ ...entry, at }))}
                keyOf={({ at }) => String(at)}
                columns={[
                  { title: text('job.what'), cell: ({ what }) => what },
                  { title: text('job.count'), cell: ({ count }) => count },
                  { title: text('job.next'), cell: ({ next }) => next },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}
