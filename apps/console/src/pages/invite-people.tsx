import { type NewPerson, readPeople } from '@signet/protocol/listed-people'
import { type FormEvent, useId, useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import { quoted } from '../api/command.ts'
import { Act } from '../forms/act.tsx'
import { ProjectRoles } from '../forms/project-roles.tsx'
import { ReferenceInput, useOffered } from '../forms/reference-input.tsx'
import { moment, text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'
import { useFilters } from '../ui/search-state.ts'
import { BulkResult, useBulkRun } from './bulk-run.tsx'
import { nameOf, type User } from './users.ts'

const ORGANIZATIONS = '/management/v1/organizations'
const PROJECTS = '/management/v1/projects'

/** Invites people by their addresses, and shows those who have been invited and have not come. */
export function InvitePeoplePage() {
  const [filters, change] = useFilters()
  const offered = useOffered(ORGANIZATIONS)
  const [first] = useState(filters.organizationId)
  const organizationId = filters.organizationId ?? (offered.length === 1 ? offered[0]?.id : undefined)
  // The start of an id that is being typed is no organization.
  const isKnown = organizationId === first || offered.some(({ id }) => id === organizationId)
  return (
    <Page title={text('invite')}>
      <Card>
        <p className="quiet">{text('invite.help')}</p>
        <InviteForm
          organizationId={organizationId}
          onOrganization={(chosen) => change({ organizationId: chosen })}
        />
      </Card>
      {organizationId !== undefined && isKnown && <Awaited organizationId={organizationId} />}
    </Page>
  )
}

interface FormProps {
  readonly organizationId: string | undefined
  readonly onOrganization: (organizationId: string | undefined) => void
}

function InviteForm({ organizationId, onOrganization }: FormProps) {
  const ids = { organization: useId(), people: useId(), project: useId() }
  const [list, setList] = useState('')
  const [projectId, setProject] = useState<string>()
  const [roles, setRoles] = useState<readonly string[]>([])
  const { people, problems } = readPeople(list)
  const grants = projectId === undefined || roles.length === 0 ? [] : [{ projectId, roles: [...roles] }]
  const { progress, isRunning, start, stop } = useBulkRun((person: NewPerson) =>
    invite(person, { organizationId: organizationId ?? '', grants }),
  )
  const [count, setCount] = useState(0)
  const isReady = organizationId !== undefined && people.length > 0 && problems.length === 0 && !isRunning
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    setCount(people.length)
    const left = await start(people)
    setList(left.map(lineOf).join('\n'))
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label htmlFor={ids.organization}>{text('organization.id')}</label>
      <ReferenceInput
        path={ORGANIZATIONS}
        common={{ id: ids.organization, required: true }}
        value={organizationId}
        onChange={onOrganization}
      />
      <label htmlFor={ids.people}>{text('invite.addresses')}</label>
      <textarea
        id={ids.people}
        rows={6}
        value={list}
        aria-describedby={`${ids.people}-help`}
        onChange={({ target }) => setList(target.value)}
      />
      <p id={`${ids.people}-help`} className={problems.length > 0 ? 'problem' : 'quiet'}>
        {problems.length > 0
          ? text('invite.problems', { lines: problems.map(({ line }) => line).join(', ') })
          : text('invite.addresses.help')}
      </p>
      <label htmlFor={ids.project}>{text('project.id')}</label>
      <ReferenceInput
        path={PROJECTS}
        common={{ id: ids.project, required: false }}
        value={projectId}
        onChange={(chosen) => {
          setProject(chosen)
          setRoles([])
        }}
      />
      <ul aria-label={text('person.roles')}>
        {roles.map((role) => (
          <li key={role}>
            <bdi>{role}</bdi>{' '}
            <button type="button" onClick={() => setRoles(roles.filter((other) => other !== role))}>
              {text('field.entry.remove', { name: role })}
            </button>
          </li>
        ))}
      </ul>
      <ProjectRoles projectId={projectId} value={roles} onChange={setRoles} />
      <div className="actions">
        <button type="submit" className="primary" disabled={!isReady}>
          {text('invite.send', { count: people.length })}
        </button>
      </div>
      {progress !== undefined && (
        <BulkResult
          label={text('invite')}
          progress={progress}
          count={count}
          isRunning={isRunning}
          onStop={stop}
          nameOf={({ address }) => address}
        />
      )}
      <details>
        <summary>{text('form.command')}</summary>
        <Copyable value={commandOf(organizationId, grants)} label={text('form.command')} />
      </details>
    </form>
  )
}

type Grants = readonly { readonly projectId: string; readonly roles: string[] }[]

const lineOf = ({ givenName, familyName, address }: NewPerson) => `${givenName} ${familyName} <${address}>`

const commandOf = (organizationId = '', grants: Grants) =>
  [
    'signet invite --from addresses.txt --organization',
    quoted(organizationId),
    ...grants.flatMap(({ projectId, roles }) =>
      roles.map((role) => `--role ${quoted(`${projectId}:${role}`)}`),
    ),
  ].join(' ')

/** Creates the person and sends the invitation. Rejects for an address that a person of the organization has. */
async function invite(
  { address, userName, givenName, familyName }: NewPerson,
  { organizationId, grants }: { readonly organizationId: string; readonly grants: Grants },
): Promise<void> {
  const query = { organizationId, email: address }
  const { items } = await answerOf(api.GET('/management/v1/users', { params: { query } }))
  if (items.length > 0) throw new Error(text('invite.there'))
  const body = {
    ...{ organizationId, userName, profile: { givenName, familyName } },
    ...{ email: { address, verified: false }, grants: [...grants] },
  }
  await answerOf(api.POST('/management/v1/invitations', { body }))
}

/** People who have neither a password nor a passkey: they have not followed their invitation. */
function Awaited({ organizationId }: { readonly organizationId: string }) {
  return (
    <Card title={text('invite.awaited')}>
      <ApiList<User>
        label={text('invite.awaited')}
        path="/management/v1/users"
        filter={{ organizationId, kind: 'human', state: 'active', hasCredentials: 'false' }}
        keyOf={({ id }) => id}
        empty={text('invite.awaited.none')}
        columns={[
          {
            title: text('name'),
            cell: (user) => <ObjectLink kind="user" id={user.id} name={nameOf(user)} />,
          },
          { title: text('email'), cell: (user) => (user.kind === 'human' ? user.email?.address : '') },
          { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          {
            title: text('acts'),
            cell: ({ id }) => <Act label={text('invite.again')} id="user.invite" path={{ userId: id }} />,
          },
        ]}
      />
    </Card>
  )
}
