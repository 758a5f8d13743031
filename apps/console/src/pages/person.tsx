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
import { AuditRows } from './audit-rows.tsx'
import { IdentityLinks } from './identity-links.tsx'
import { Impersonate } from './impersonate.tsx'
import { Sessions } from './person-sessions.tsx'
import { TrustedIssuers } from './trusted-issuers.tsx'
import { Ends } from './usage.tsx'
import { nameOf, type User } from './users.ts'

type Schemas = components['schemas']

/** One person or service user: state, factors, sessions, roles and what happened. */
export function PersonPage() {
  const { userId = '' } = useParams({ strict: false })
  const user = useQuery({
    queryKey: ['user', userId],
    queryFn: () => answerOf(api.GET('/management/v1/users/{userId}', { params: { path: { userId } } })),
  })
  return (
    <Loaded query={user} title={text('person')}>
      {(found) => <UserPage user={found} />}
    </Loaded>
  )
}

function UserPage({ user }: { readonly user: User }) {
  const path = { userId: user.id }
  const navigate = useNavigate()
  const isActive = user.state !== 'inactive'
  return (
    <Page
      title={nameOf(user)}
      actions={
        <>
          <Act label={text('edit')} id="user.update" path={path} stored={user} />
          {user.kind === 'human' && isActive && (
            <Act
              label={text('person.unlock')}
              {...(user.state === 'locked' && { className: 'primary' })}
              id="user.unlock"
              path={path}
            />
          )}
          <Impersonate user={user} />
          <Act
            label={text(isActive ? 'person.deactivate' : 'person.activate')}
            id="user.update"
            path={path}
            stored={{ state: user.state }}
            given={{ state: isActive ? 'inactive' : 'active' }}
            only={['state']}
            consequence={isActive && <Ends of="user" id={user.id} text={text('person.deactivate.ends')} />}
          />
          <Act
            label={text('delete')}
            className="danger"
            id="user.delete"
            path={path}
            consequence={
              <Ends of="user" id={user.id} text={text('person.delete.ends', { name: nameOf(user) })} />
            }
            confirmation={user.userName}
            onDone={() => void navigate({ to: '/people' })}
          />
        </>
      }
    >
      <div className="grid">
        <Card title={text('person.account')}>
          <p className={user.state === 'active' ? 'good' : 'bad'}>{text(`person.state.${user.state}`)}</p>
          <Facts
            of={[
              [text('user_name'), user.userName],
              [text('email'), user.kind === 'human' && user.email && emailText(user.email)],
              [text('organization'), <ObjectLink key="o" kind="organization" id={user.organizationId} />],
              [text('created'), moment(user.createdAt)],
              ['id', <code key="id">{user.id}</code>],
            ]}
          />
        </Card>
        {user.kind === 'human' ? <Factors user={user} /> : <ServiceCredentials user={user} />}
      </div>
      {user.kind === 'human' && <IdentityLinks userId={user.id} />}
      <Sessions userId={user.id} isService={user.kind !== 'human'} />
      <Roles userId={user.id} />
      <Card title={text('person.timeline')}>
        <AuditRows
          filter={{
            ...{ kind: 'changes', organizationId: user.organizationId },
            ...{ targetKind: 'user', targetId: user.id },
          }}
        />
      </Card>
    </Page>
  )
}

const emailText = ({ address, verified }: { address: string; verified: boolean }) =>
  verified ? address : text('email.unverified', { address })

function Factors({ user }: { readonly user: Schemas['Person'] }) {
  const path = { userId: user.id }
  const totp = useQuery({
    queryKey: ['user', user.id, 'totp'],
    queryFn: () => answerOf(api.GET('/management/v1/users/{userId}/totp', { params: { path } })),
  })
  const passkeys = useQuery({
    queryKey: ['user', user.id, 'passkeys'],
    queryFn: () => answerOf(api.GET('/management/v1/users/{userId}/passkeys', { params: { path } })),
  })
  const codes = useQuery({
    queryKey: ['user', user.id, 'recovery-codes'],
    queryFn: () => answerOf(api.GET('/management/v1/users/{userId}/recovery-codes', { params: { path } })),
  })
  return (
    <Card title={text('person.way_in')}>
      <Loaded query={totp}>{({ isSet }) => <Facts of={[[text('person.totp'), valueText(isSet)]]} />}</Loaded>
      <Loaded query={codes}>{({ left }) => <Facts of={[[text('person.codes'), left]]} />}</Loaded>
      <Loaded query={passkeys}>
        {({ items }) => (
          <ul aria-label={text('person.passkeys')}>
            {items.map(({ id, name }) => (
              <li key={id}>
                {name}{' '}
                <Act
                  label={text('person.passkey.delete', { name })}
                  className="danger"
                  id="passkey.delete"
                  path={{ ...path, passkeyId: id }}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <div className="actions">
        <Act label={text('person.reset')} id="user.send_password_reset" path={path} />
        <Act label={text('person.invite')} id="user.invite" path={path} />
        <Act label={text('person.verify')} id="user.send_email_verification" path={path} />
        <Act label={text('person.password')} id="user.set_password" path={path} />
        <Act
          label={text('person.factors.reset')}
          className="danger"
          id="user.reset_factors"
          path={path}
          consequence={text('person.factors.reset.ends')}
        />
        <Act label={text('person.totp.delete')} className="danger" id="totp.delete" path={path} />
        <Act label={text('person.codes.delete')} className="danger" id="recovery_codes.delete" path={path} />
      </div>
    </Card>
  )
}

function ServiceCredentials({ user }: { readonly user: Schemas['ServiceUser'] }) {
  const path = { userId: user.id }
  return (
    <Card title={text('person.credentials')}>
      <Facts
        of={[
          ['client_id', user.clientId],
          [text('application.token_type'), user.accessTokenType],
        ]}
      />
      <div className="actions">
        <Act
          label={text('secret.rotate')}
          id="service_user.rotate_secret"
          path={path}
          given={{ overlapSeconds: 86_400 }}
          shown={(answer) => <Secret answer={answer} />}
        />
        <Act
          label={text('person.token.create')}
          id="token.create"
          path={path}
          shown={(answer) => <Secret answer={answer} />}
        />
        <Act
          label={text('person.key.create')}
          id="key.create"
          path={path}
          shown={(answer) => <Secret answer={answer} />}
        />
      </div>
      <ApiList<Schemas['PersonalAccessToken']>
        label={text('person.tokens')}
        path={`/management/v1/users/${user.id}/tokens`}
        keyOf={({ id }) => id}
        columns={[
          { title: text('person.tokens'), cell: ({ id }) => id },
          { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          {
            title: text('acts'),
            cell: ({ id }) => (
              <Act
                label={text('delete')}
                className="danger"
                id="token.delete"
                path={{ ...path, tokenId: id }}
              />
            ),
          },
        ]}
      />
      <TrustedIssuers owner={path} />
    </Card>
  )
}

function Roles({ userId }: { readonly userId: string }) {
  return (
    <Card title={text('person.roles')}>
      <ApiList<Schemas['UserGrant']>
        label={text('person.roles')}
        path={`/management/v1/users/${encodeURIComponent(userId)}/grants`}
        keyOf={({ id }) => id}
        empty={text('person.roles.none')}
        columns={[
          { title: text('project'), cell: ({ projectId }) => <ObjectLink kind="project" id={projectId} /> },
          { title: text('person.roles'), cell: ({ roles }) => roles.join(', ') },
          { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          {
            title: text('acts'),
            cell: ({ id, projectId, roles }) => (
              <div className="actions">
                <Act
                  label={text('edit')}
                  id="user_grant.update"
                  path={{ projectId, userGrantId: id }}
                  stored={{ roles }}
                />
                <Act
                  label={text('delete')}
                  className="danger"
                  id="user_grant.delete"
                  path={{ projectId, userGrantId: id }}
                />
              </div>
            ),
          },
        ]}
      />
      <div className="actions">
        <Act label={text('person.roles.give')} id="user_grant.create" given={{ userId }} />
      </div>
    </Card>
  )
}
