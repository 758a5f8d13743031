import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { Facts, valueText } from '../ui/facts.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { Members } from './members.tsx'
import { RegistrationTokens } from './registration-tokens.tsx'
import { Ends } from './usage.tsx'

type Schemas = components['schemas']

/** One project: its rules, roles, who has them, and its applications. */
export function ProjectPage() {
  const { projectId = '' } = useParams({ strict: false })
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: () =>
      answerOf(api.GET('/management/v1/projects/{projectId}', { params: { path: { projectId } } })),
  })
  return (
    <Loaded query={project} title={text('project')}>
      {(found) => <Found project={found} />}
    </Loaded>
  )
}

function Found({ project }: { readonly project: Schemas['Project'] }) {
  const navigate = useNavigate()
  const path = { projectId: project.id }
  const place = `/management/v1/projects/${encodeURIComponent(project.id)}`
  const { id, name, organizationId, createdAt, ...rules } = project
  return (
    <Page
      title={name}
      actions={
        <>
          <Act label={text('edit')} className="primary" id="project.update" path={path} stored={project} />
          <Act
            label={text('delete')}
            className="danger"
            id="project.delete"
            path={path}
            consequence={<Ends of="project" id={project.id} text={text('project.delete.ends', { name })} />}
            confirmation={name}
            onDone={() => void navigate({ to: '/projects' })}
          />
        </>
      }
    >
      <Card title={text('project.rules')}>
        <Facts
          of={[
            ['id', <code key="i">{id}</code>],
            [text('organization'), <ObjectLink key="o" kind="organization" id={organizationId} />],
            [text('created'), moment(createdAt)],
            ...Object.entries(rules).map(([rule, value]) => [rule, valueText(value)] as const),
          ]}
        />
      </Card>
      <Card title={text('applications')}>
        <ApiList<Schemas['Application']>
          label={text('applications')}
          path="/management/v1/applications"
          filter={{ projectId: id }}
          keyOf={(application) => application.id}
          columns={[
            {
              title: text('name'),
              cell: (application) => (
                <ObjectLink kind="application" id={application.id} name={application.name} />
              ),
            },
            { title: 'client_id', cell: ({ clientId }) => clientId },
          ]}
        />
      </Card>
      <Card title={text('project.roles')}>
        <ApiList<Schemas['ProjectRole']>
          label={text('project.roles')}
          path={`${place}/roles`}
          keyOf={({ key }) => key}
          columns={[
            { title: text('project.role'), cell: ({ key }) => <code>{key}</code> },
            { title: text('name'), cell: ({ displayName }) => displayName },
            {
              title: text('acts'),
              cell: ({ key, ...stored }) => (
                <div className="actions">
                  <Act
                    label={text('edit')}
                    id="project_role.update"
                    path={{ ...path, roleKey: key }}
                    stored={stored}
                  />
                  <Act
                    label={text('delete')}
                    className="danger"
                    id="project_role.delete"
                    path={{ ...path, roleKey: key }}
                    consequence={text('project.role.delete.ends')}
                  />
                </div>
              ),
            },
          ]}
        />
        <div className="actions">
          <Act label={text('project.role.add')} id="project_role.add" path={path} />
        </div>
      </Card>
      <Card title={text('project.grants')}>
        <ApiList<Schemas['UserGrant'] & { readonly userName?: string }>
          label={text('project.grants')}
          path={`${place}/user-grants`}
          keyOf={(grant) => grant.id}
          columns={[
            {
              title: text('person'),
              cell: ({ userId, userName }) => <ObjectLink kind="user" id={userId} name={userName} />,
            },
            { title: text('project.roles'), cell: ({ roles }) => roles.join(', ') },
            { title: text('created'), cell: (grant) => moment(grant.createdAt) },
            {
              title: text('acts'),
              cell: (grant) => (
                <Act
                  label={text('delete')}
                  className="danger"
                  id="user_grant.delete"
                  path={{ ...path, userGrantId: grant.id }}
                />
              ),
            },
          ]}
        />
        <div className="actions">
          <Act label={text('person.roles.give')} id="user_grant.create" path={path} />
          <Link to="/projects/$projectId/people" params={{ projectId: id }}>
            {text('matrix')}
          </Link>
        </div>
      </Card>
      <Card title={text('project.organizations')}>
        <ApiList<Schemas['ProjectGrant']>
          label={text('project.organizations')}
          path={`${place}/project-grants`}
          keyOf={(grant) => grant.organizationId}
          columns={[
            {
              title: text('organization'),
              cell: (grant) => <ObjectLink kind="organization" id={grant.organizationId} />,
            },
            {
              title: text('acts'),
              cell: (grant) => (
                <Act
                  label={text('delete')}
                  className="danger"
                  id="project_grant.delete"
                  path={{ ...path, organizationId: grant.organizationId }}
                />
              ),
            },
          ]}
        />
        <div className="actions">
          <Act label={text('project.organization.add')} id="project_grant.add" path={path} />
        </div>
      </Card>
      <RegistrationTokens projectId={id} />
      <Members level="project" path={path} list={`${place}/members`} />
    </Page>
  )
}
