import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { answerOf, api, call } from '../api/client.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Facts, valueText } from '../ui/facts.tsx'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'

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
              {found.plan && <Act label={text('job.apply')} className="primary" id="job.apply" path={path} />}
              {['failed', 'timedOut', 'cancelled', 'partial'].includes(found.state) && (
                <Act label={text('job.resume')} id="job.resume" path={path} />
              )}
              {found.kind === 'import' && ENDED.includes(found.state) && (
                <Act label={text('job.undo')} className="danger" id="job.undo" path={path} />
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
              <Facts of={Object.entries(found.counts).map(([name, value]) => [name, valueText(value)])} />
            </Card>
          )}
          {found.plan && (
            <Card title={text('job.plan')}>
              <Facts of={Object.entries(found.plan).map(([name, value]) => [name, valueText(value)])} />
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
          {found.kind === 'import' && <LeftOutList jobId={jobId} />}
        </Page>
      )}
    </Loaded>
  )
}

/** What the import left out or changed, with the next step. */
function LeftOutList({ jobId }: { readonly jobId: string }) {
  const list = useQuery({
    queryKey: ['left-out', jobId],
    queryFn: async () => {
      const lines = await call({
        method: 'GET',
        path: `/admin/v1/jobs/${encodeURIComponent(jobId)}/left-out`,
      })
      return String(lines ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as LeftOut)
    },
  })
  return (
    <Card title={text('job.left_out')}>
      <Loaded query={list}>
        {(entries) =>
          entries.length === 0 ? (
            <p className="good">{text('job.left_out.none')}</p>
          ) : (
            <Rows
              label={text('job.left_out')}
              items={entries.map((entry, at) => ({ ...entry, at }))}
              keyOf={({ at }) => String(at)}
              columns={[
                { title: text('job.what'), cell: ({ what }) => what },
                { title: text('job.count'), cell: ({ count }) => count },
                { title: text('job.next'), cell: ({ next }) => next },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
