import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card } from '../ui/page.tsx'
import { Ends } from './usage.tsx'

type Schemas = components['schemas']

const placeOf = ({ clientAddress = '', place }: Schemas['Session']) =>
  place === undefined ? clientAddress : `${clientAddress} (${place})`

/** Sessions of a person or service user, with the end of each and of all. */
export function Sessions({ userId, isService }: { readonly userId: string; readonly isService: boolean }) {
  return (
    <Card title={text('person.sessions')}>
      <ApiList<Schemas['Session']>
        label={text('person.sessions')}
        path={`/management/v1/users/${encodeURIComponent(userId)}/sessions`}
        keyOf={({ id }) => id}
        empty={text('person.sessions.none')}
        columns={[
          { title: text('session.device'), cell: deviceOf },
          { title: text('session.address'), cell: placeOf },
          {
            title: text('applications'),
            cell: ({ applications }) => applications.map(({ name, clientId }) => name ?? clientId).join(', '),
          },
          { title: text('session.since'), cell: ({ authenticatedAt }) => moment(authenticatedAt) },
          { title: text('session.used'), cell: ({ lastUsedAt }) => moment(lastUsedAt) },
          { title: text('session.expires'), cell: ({ expiresAt }) => moment(expiresAt) },
          { title: text('session.by'), cell: (session) => <SessionBy session={session} /> },
          {
            title: text('acts'),
            cell: ({ id }) => (
              <Act
                label={text('session.end')}
                className="danger"
                id="session.end"
                path={{ userId, sessionId: id }}
              />
            ),
          },
        ]}
      />
      <div className="actions">
        <Act
          label={text('session.end_all')}
          className="danger"
          id="user.sign_out"
          path={{ userId }}
          consequence={
            <Ends
              of="user"
              id={userId}
              text={text(isService ? 'session.end_all.ends.service' : 'session.end_all.ends')}
            />
          }
        />
      </div>
    </Card>
  )
}

/** How the person authenticated, or the administrator who acts as the person. */
function SessionBy({ session: { amr, impersonatedBy } }: { readonly session: Schemas['Session'] }) {
  if (impersonatedBy === undefined) return amr.join(', ')
  const { administratorId, userName, displayName, reason } = impersonatedBy
  return (
    <>
      {text('session.administrator')}{' '}
      <ObjectLink kind="user" id={administratorId} name={displayName ?? userName} />
      {': '}
      <bdi>{reason}</bdi>
    </>
  )
}

const deviceOf = ({ browser, system }: Schemas['Session']) =>
  [browser, system].filter((name) => name !== undefined).join(', ') || text('session.device.unknown')
