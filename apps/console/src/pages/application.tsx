import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { Facts, valueText } from '../ui/facts.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { Secret } from '../ui/secret.tsx'
import { ApplicationReview } from './application-review.tsx'
import { AuditRows } from './audit-rows.tsx'
import { QuickStart } from './quick-start.tsx'
import { Refusals } from './refusals.tsx'
import { Tester } from './tester.tsx'
import { TrustedIssuers } from './trusted-issuers.tsx'
import { Ends } from './usage.tsx'

type Application = components['schemas']['Application']

/** One application: settings, credentials, quick start and the last refusals. */
export function ApplicationPage() {
  const { applicationId = '' } = useParams({ strict: false })
  const application = useQuery({
    queryKey: ['application', applicationId],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/applications/{applicationId}', { params: { path: { applicationId } } }),
      ),
  })
  return (
    <Loaded query={application} title={text('application')}>
      {(found) => <Found application={found} />}
    </Loaded>
  )
}

function Found({ application }: { readonly application: Application }) {
  const navigate = useNavigate()
  const path = { applicationId: application.id }
  const isActive = application.state === 'active'
  return (
    <Page
      title={application.name}
      actions={
        <>
          <Act
            label={text('edit')}
            className="primary"
            id="application.update"
            path={path}
            stored={application}
          />
          <Act
            label={text(isActive ? 'application.deactivate' : 'application.activate')}
            id="application.update"
            path={path}
            stored={{ state: application.state }}
            given={{ state: isActive ? 'inactive' : 'active' }}
            only={['state']}
            consequence={
              isActive && (
                <Ends of="application" id={application.id} text={text('application.deactivate.ends')} />
              )
            }
          />
          <Act
            label={text('delete')}
            className="danger"
            id="application.delete"
            path={path}
            consequence={
              <Ends
                of="application"
                id={application.id}
                text={text('application.delete.ends', { name: application.name })}
              />
            }
            confirmation={application.clientId}
            onDone={() => void navigate({ to: '/applications' })}
          />
        </>
      }
    >
      <div className="grid">
        <Card title={text('application.settings')}>
          <Settings application={application} />
        </Card>
        <Credentials application={application} />
      </div>
      <ApplicationReview applicationId={application.id} />
      <Card title={text('refusals')}>
        <Refusals filter={{ application: application.id }} application={application} />
      </Card>
      <Tester application={application} />
      <WithAccess applicationId={application.id} />
      <QuickStart application={application} />
      <Card title={text('person.timeline')}>
        <AuditRows filter={{ kind: 'changes', targetKind: 'application', targetId: application.id }} />
      </Card>
    </Page>
  )
}

/** The people who have a role in the project of the application. */
function WithAccess({ applicationId }: { readonly applicationId: string }) {
  return (
    <Card title={text('application.access')}>
      <ApiList<components['schemas']['RoleHolder']>
        label={text('application.access')}
        path={`/management/v1/applications/${encodeURIComponent(applicationId)}/access`}
        keyOf={({ userId }) => userId}
        columns={[
          {
            title: text('person'),
            cell: ({ userId, displayName }) => <ObjectLink kind="user" id={userId} name={displayName} />,
          },
          { title: text('person.roles'), cell: ({ roles }) => roles.join(', ') },
        ]}
      />
    </Card>
  )
}

function Settings({ application }: { readonly application: Application }) {
  const { id, projectId, clientId, name: _, createdAt, ...settings } = application
  return (
    <Facts
      of={[
        ['client_id', <code key="c">{clientId}</code>],
        ['id', <code key="i">{id}</code>],
        [text('project'), <ObjectLink key="p" kind="project" id={projectId} />],
        [text('created'), moment(createdAt)],
        ...Object.entries(settings).map(([name, value]) => [name, valueText(value)] as const),
      ]}
    />
  )
}

function Credentials({ application }: { readonly application: Application }) {
  const path = { applicationId: application.id }
  if (application.authMethod === 'none') {
    return <Card title={text('application.credentials')}>{text('application.public')}</Card>
  }
  return (
    <Card title={text('application.credentials')}>
      <div className="actions">
        <Act
          label={text('secret.rotate')}
          id="application.rotate_secret"
          path={path}
          given={{ overlapSeconds: 86_400 }}
          consequence={text('secret.rotate.ends')}
          shown={(answer) => <Secret answer={answer} />}
        />
        <Act
          label={text('application.key.create')}
          id="application_key.create"
          path={path}
          shown={(answer) => <Secret answer={answer} />}
        />
      </div>
      <ApiList<components['schemas']['Key']>
        label={text('application.keys')}
        path={`/management/v1/applications/${application.id}/keys`}
        keyOf={({ id }) => id}
        empty={text('application.keys.none')}
        columns={[
          { title: text('application.keys'), cell: ({ id }) => <code>{id}</code> },
          {
            title: text('acts'),
            cell: ({ id }) => (
              <Act
                label={text('delete')}
                className="danger"
                id="application_key.delete"
                path={{ ...path, keyId: id }}
              />
            ),
          },
        ]}
      />
      {application.authMethod === 'private_key_jwt' && <TrustedIssuers owner={path} />}
    </Card>
  )
}
