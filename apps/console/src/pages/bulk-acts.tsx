import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { type TextKey, text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { PageDialog } from '../ui/dialog.tsx'
import { TextFilter } from '../ui/filters.tsx'
import { nameOf, type User } from './users.ts'

interface BulkAct {
  readonly label: TextKey
  readonly ends?: TextKey
  readonly className?: string
  /** Whether the act does something to this person. */
  readonly concerns: (user: User) => boolean
  readonly request: (user: User, role: Role) => Parameters<typeof call>[0]
  readonly command: (user: User, role: Role) => string
  readonly needsRole?: true
}

interface Role {
  readonly projectId: string
  readonly roleKey: string
}

const pathOf = ({ id }: User) => `/management/v1/users/${encodeURIComponent(id)}`

const ACTS: readonly BulkAct[] = [
  {
    label: 'person.deactivate',
    ends: 'bulk.deactivate.ends',
    className: 'danger',
    concerns: ({ state }) => state !== 'inactive',
    request: (user) => ({ method: 'PATCH', path: pathOf(user), body: { state: 'inactive' } }),
    command: ({ id }) => `signet user update ${id} --set state=inactive`,
  },
  {
    label: 'person.activate',
    concerns: ({ state }) => state === 'inactive',
    request: (user) => ({ method: 'PATCH', path: pathOf(user), body: { state: 'active' } }),
    command: ({ id }) => `signet user update ${id} --set state=active`,
  },
  {
    label: 'person.unlock',
    concerns: ({ state }) => state === 'locked',
    request: (user) => ({ method: 'POST', path: `${pathOf(user)}/unlock` }),
    command: ({ id }) => `signet user unlock ${id}`,
  },
  {
    label: 'person.invite',
    concerns: (user) => user.kind === 'human' && user.state === 'active',
    request: (user) => ({ method: 'POST', path: `${pathOf(user)}/invitation`, body: {} }),
    command: ({ id }) => `signet user invite ${id}`,
  },
  {
    label: 'bulk.role',
    needsRole: true,
    concerns: ({ state }) => state !== 'inactive',
    request: ({ id }, { projectId, roleKey }) => ({
      method: 'POST',
      path: `/management/v1/projects/${encodeURIComponent(projectId)}/user-grants/add`,
      body: { userId: id, roles: [roleKey] },
    }),
    command: ({ id }, { projectId, roleKey }) =>
      `signet user-grant add ${projectId} --set userId=${id} --set roles=${roleKey}`,
  },
]

interface Props {
  readonly users: readonly User[]
  readonly onDone: () => void
}

/** The acts on several people at once. */
export function BulkActs({ users, onDone }: Props) {
  const [act, setAct] = useState<BulkAct>()
  if (users.length === 0) return null
  return (
    <div className="actions bulk" role="toolbar" aria-label={text('bulk')}>
      <strong>{text('bulk.chosen', { count: users.length })}</strong>
      {ACTS.map((one) => (
        <button
          key={one.label}
          type="button"
          className={one.className}
          disabled={!users.some(one.concerns)}
          onClick={() => setAct(one)}
        >
          {text(one.label)}
        </button>
      ))}
      <button type="button" className="link" onClick={onDone}>
        {text('bulk.clear')}
      </button>
      {act !== undefined && (
        <PageDialog title={text(act.label)} onClose={() => setAct(undefined)}>
          <Confirm act={act} users={users.filter(act.concerns)} left={users.length} />
        </PageDialog>
      )}
    </div>
  )
}

interface Failure {
  readonly user: User
  readonly message: string
}

interface Progress {
  readonly done: number
  readonly failures: readonly Failure[]
  readonly isRunning: boolean
}

/** Says what the act does to whom, does it one by one, and names those for whom it failed. */
function Confirm({
  act,
  users,
  left,
}: {
  readonly act: BulkAct
  readonly users: readonly User[]
  readonly left: number
}) {
  const client = useQueryClient()
  const [role, setRole] = useState<Role>({ projectId: '', roleKey: '' })
  const [progress, setProgress] = useState<Progress>()
  // The list changes below the dialog.
  const [concerned] = useState(users)
  const isReady = act.needsRole === undefined || (role.projectId !== '' && role.roleKey !== '')
  const run = async () => {
    const failures: Failure[] = []
    for (const [at, user] of concerned.entries()) {
      setProgress({ done: at, failures: [...failures], isRunning: true })
      try {
        await call(act.request(user, role))
      } catch (error) {
        failures.push({ user, message: error instanceof Error ? error.message : String(error) })
      }
    }
    setProgress({ done: concerned.length, failures, isRunning: false })
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'operations' })
  }
  return (
    <>
      <p>{text('bulk.concerns', { count: concerned.length, left: left - concerned.length })}</p>
      {act.ends !== undefined && <div className="alert">{text(act.ends)}</div>}
      {act.needsRole && (
        <>
          <TextFilter
            label={text('project.id')}
            value={role.projectId}
            onChange={(projectId = '') => setRole((before) => ({ ...before, projectId }))}
          />
          <TextFilter
            label={text('bulk.role_key')}
            value={role.roleKey}
            onChange={(roleKey = '') => setRole((before) => ({ ...before, roleKey }))}
          />
        </>
      )}
      {progress === undefined ? (
        <div className="actions">
          <button
            type="button"
            className={act.className ?? 'primary'}
            disabled={!isReady}
            onClick={() => void run()}
          >
            {text(act.label)}
          </button>
        </div>
      ) : (
        <>
          <progress max={concerned.length} value={progress.done} aria-label={text(act.label)} />
          <p role="status" className={progress.isRunning ? 'quiet' : 'good'}>
            {text('bulk.progress', {
              done: progress.done - progress.failures.length,
              count: concerned.length,
              failed: progress.failures.length,
            })}
          </p>
        </>
      )}
      {progress !== undefined && progress.failures.length > 0 && (
        <ul className="alert">
          {progress.failures.map(({ user, message }) => (
            <li key={user.id}>
              {nameOf(user)}: {message}
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>{text('form.command')}</summary>
        <Copyable
          value={concerned.map((user) => act.command(user, role)).join('\n')}
          label={text('form.command')}
        />
      </details>
    </>
  )
}
