import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'

/** Exports, imports and what takes imports back. */
export function JobsPage() {
  return (
    <Page title={text('jobs')} actions={<Act label={text('jobs.export')} id="migration.export" />}>
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
