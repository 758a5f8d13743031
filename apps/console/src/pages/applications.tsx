import { Link } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { moment, text } from '../texts/texts.ts'
import { Filters, TextFilter } from '../ui/filters.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { useFilters } from '../ui/search-state.ts'

export function ApplicationsPage() {
  const [filters, change] = useFilters()
  return (
    <Page
      title={text('applications')}
      actions={
        <>
          <Link to="/client-documents" className="button">
            {text('client_documents')}
          </Link>
          <Link to="/applications/new" className="button primary">
            {text('application.create')}
          </Link>
        </>
      }
    >
      <Card>
        <Filters>
          <TextFilter
            label={text('project.id')}
            value={filters.projectId}
            onChange={(projectId) => change({ projectId })}
          />
          <TextFilter
            label="client_id"
            value={filters.clientId}
            onChange={(clientId) => change({ clientId })}
          />
        </Filters>
        <SavedFilters filters={filters} />
        <ApiList<components['schemas']['Application']>
          label={text('applications')}
          path="/management/v1/applications"
          filter={filters}
          keyOf={({ id }) => id}
          columns={[
            {
              title: text('name'),
              cell: ({ id, name }) => <ObjectLink kind="application" id={id} name={name} />,
            },
            { title: 'client_id', cell: ({ clientId }) => <code>{clientId}</code> },
            { title: text('kind'), cell: ({ type }) => text(`application.type.${type}`) },
            { title: text('project'), cell: ({ projectId }) => <ObjectLink kind="project" id={projectId} /> },
            { title: text('state'), cell: ({ state }) => text(`state.${state}`) },
            { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          ]}
        />
      </Card>
    </Page>
  )
}
