import { Link, useNavigate } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'

/** Exports, imports and what takes imports back. */
export function JobsPage() {
  const navigate = useNavigate()
  return (
    <Page
      title={text('jobs')}
      actions={
        <>
          <Link to="/jobs/import" className="button primary">
            {text('import')}
          </Link>
          <Act
            label={text('jobs.export')}
            id="migration.export"
            onDone={(made) => void navigate({ to: `/jobs/${(made as { id: string }).id}` })}
          />
        </>
      }
    >
      <Card>
        <ApiList<components['schemas']['Job']>
          label={text('jobs')}
          path="/admin/v1/jobs"
          keyOf={({ id }) => id}
          columns={[
            { title: text('kind'), cell: ({ id, kind }) => <ObjectLink kind="job" id={id} name={kind} /> },
            { title: text('state'), cell: ({ state, phase }) => [state, phase].filter(Boolean).join(', ') },
            { title: text('jobs.done'), cell: ({ counts }) => counts && `${counts.done} / ${counts.total}` },
            { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          ]}
        />
      </Card>
    </Page>
  )
}
