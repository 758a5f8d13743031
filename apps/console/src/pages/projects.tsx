import { useNavigate } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { Filters, TextFilter } from '../ui/filters.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { useFilters } from '../ui/search-state.ts'

export function ProjectsPage() {
  const [filters, change] = useFilters()
  const navigate = useNavigate()
  return (
    <Page
      title={text('projects')}
      actions={
        <Act
          label={text('project.create')}
          className="primary"
          id="project.create"
          onDone={(made) => void navigate({ to: `/projects/${(made as { id: string }).id}` })}
        />
      }
    >
      <Card>
        <Filters>
          <TextFilter
            label={text('organization.id')}
            value={filters.organizationId}
            onChange={(organizationId) => change({ organizationId })}
          />
        </Filters>
        <SavedFilters filters={filters} />
        <ApiList<components['schemas']['Project']>
          label={text('projects')}
          path="/management/v1/projects"
          filter={filters}
          keyOf={({ id }) => id}
          columns={[
            {
              title: text('name'),
              cell: ({ id, name }) => <ObjectLink kind="project" id={id} name={name} />,
            },
            {
              title: text('organization'),
              cell: ({ organizationId }) => <ObjectLink kind="organization" id={organizationId} />,
            },
            { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          ]}
        />
      </Card>
    </Page>
  )
}
