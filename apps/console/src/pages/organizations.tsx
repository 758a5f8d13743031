import { useNavigate } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'

export function OrganizationsPage() {
  const navigate = useNavigate()
  return (
    <Page
      title={text('organizations')}
      actions={
        <Act
          label={text('organization.create')}
          className="primary"
          id="organization.create"
          onDone={(made) => void navigate({ to: `/organizations/${(made as { id: string }).id}` })}
        />
      }
    >
      <Card>
        <ApiList<components['schemas']['Organization']>
          label={text('organizations')}
          path="/management/v1/organizations"
          keyOf={({ id }) => id}
          columns={[
            {
              title: text('name'),
              cell: ({ id, name }) => <ObjectLink kind="organization" id={id} name={name} />,
            },
            { title: text('organization.domain'), cell: ({ primaryDomain }) => primaryDomain },
            { title: text('state'), cell: ({ state }) => text(`state.${state}`) },
            { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          ]}
        />
      </Card>
    </Page>
  )
}
