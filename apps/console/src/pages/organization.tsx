import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { Facts } from '../ui/facts.tsx'
import { ApiList } from '../ui/list.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { IdentityProviders } from './identity-providers.tsx'
import { Members } from './members.tsx'
import { POLICIES, Policy } from './policy.tsx'
import { Ends } from './usage.tsx'

type Schemas = components['schemas']

/** One organization: domains, administrators, policies and what belongs to it. */
export function OrganizationPage() {
  const { organizationId = '' } = useParams({ strict: false })
  const organization = useQuery({
    queryKey: ['organization', organizationId],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/organizations/{organizationId}', { params: { path: { organizationId } } }),
      ),
  })
  return (
    <Loaded query={organization} title={text('organization')}>
      {(found) => <Found organization={found} />}
    </Loaded>
  )
}

function Found({ organization }: { readonly organization: Schemas['Organization'] }) {
  const navigate = useNavigate()
  const { id, name, state, primaryDomain, createdAt } = organization
  const path = { organizationId: id }
  const place = `/management/v1/organizations/${encodeURIComponent(id)}`
  const of = { organizationId: id }
  return (
    <Page
      title={name}
      actions={
        <>
          <Act
            label={text('edit')}
            className="primary"
            id="organization.update"
            path={path}
            stored={organization}
          />
          <Act
            label={text('delete')}
            className="danger"
            id="organization.delete"
            path={path}
            consequence={
              <Ends
                of="organization"
                id={organization.id}
                text={text('organization.delete.ends', { name })}
              />
            }
            confirmation={name}
            onDone={() => void navigate({ to: '/organizations' })}
          />
        </>
      }
    >
      <div className="grid">
        <Card>
          <Facts
            of={[
              ['id', <code key="i">{id}</code>],
              [text('organization.domain'), primaryDomain],
              [text('state'), text(`state.${state}`)],
              [text('created'), moment(createdAt)],
            ]}
          />
          <p>
            <Link to="/people" search={of}>
              {text('people')}
            </Link>{' '}
            <Link to="/people/invite" search={of}>
              {text('invite')}
            </Link>{' '}
            <Link to="/projects" search={of}>
              {text('projects')}
            </Link>{' '}
            <Link to="/audit" search={of}>
              {text('audit')}
            </Link>{' '}
            <Link to="/organizations/$organizationId/branding" params={path}>
              {text('branding')}
            </Link>
          </p>
        </Card>
        <Card title={text('organization.domains')}>
          <ApiList<Schemas['Domain']>
            label={text('organization.domains')}
            path={`${place}/domains`}
            keyOf={(domain) => domain.domainName}
            columns={[
              { title: text('organization.domain'), cell: ({ domainName }) => domainName },
              {
                title: text('acts'),
                cell: ({ domainName, isPrimary }) =>
                  isPrimary ? (
                    text('organization.domain.primary')
                  ) : (
                    <Act
                      label={text('delete')}
                      className="danger"
                      id="domain.delete"
                      path={{ ...path, domainName }}
                    />
                  ),
              },
            ]}
          />
          <div className="actions">
            <Act label={text('organization.domain.add')} id="domain.add" path={path} />
          </div>
        </Card>
      </div>
      <IdentityProviders organizationId={id} />
      <Members level="organization" path={path} list={`${place}/members`} />
      {POLICIES.map((policy) => (
        <Policy key={policy.id} policy={policy} organizationId={id} />
      ))}
    </Page>
  )
}
