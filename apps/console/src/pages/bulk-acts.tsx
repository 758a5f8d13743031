import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { commandOf, type FormValues, requestOf } from '../api/command.ts'
import { operationsQuery } from '../forms/operation-form.tsx'
import { type TextKey, text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { PageDialog } from '../ui/dialog.tsx'
import { TextFilter } from '../ui/filters.tsx'
import { Loaded } from '../ui/page.tsx'
import { BulkResult, useBulkRun } from './bulk-run.tsx'
import { nameOf, type User } from './users.ts'

interface BulkAct {
  readonly label: TextKey
  readonly ends?: TextKey
  readonly className?: string
  /** Whether the act does something to this person. */
  readonly concerns: (user: User) => boolean
  /** The operation of the API, which is called for each person. */
  readonly id: string
  readonly values: (user: User, role: Role) => Partial<FormValues>
  readonly needsRole?: true
}

interface Role {
  readonly projectId: string
  readonly roleKey: string
}

const ofUser = ({ id }: User) => ({ userId: id })

const ACTS: readonly BulkAct[] = [
  {
    label: 'person.deactivate',
    ends: 'bulk.deactivate.ends',
    className: 'danger',
    concerns: ({ state }) => state !== 'inactive',
    id: 'user.update',
    values: (user) => ({ path: ofUser(user), body: { state: 'inactive' } }),
  },
  {
    label: 'person.activate',
    concerns: ({ state }) => state === 'inactive',
    id: 'user.update',
    values: (user) => ({ path: ofUser(user), body: { state: 'active' } }),
  },
  {
    label: 'person.unlock',
    concerns: ({ state }) => state === 'locked',
    id: 'user.unlock',
    values: (user) => ({ path: ofUser(user) }),
  },
  {
    label: 'person.invite',
    concerns: (user) => user.kind === 'human' && user.state === 'active',
    id: 'user.invite',
    values: (user) => ({ path: ofUser(user) }),
  },
  {
    label: 'bulk.role',
    needsRole: true,
    concerns: ({ state }) => state !== 'inactive',
    id: 'user_grant.add',
    values: (user, { projectId, roleKey }) => ({
      path: { projectId },
      body: { ...ofUser(user), roles: [roleKey] },
    }),
  },
]

interface Props {
  readonly users: readonly User[]
  /** Changes who is chosen. */
  readonly onChoose: (users: readonly User[]) => void
}

/** An act, and the people who were chosen when it was opened: the list changes below its dialog. */
interface Opened {
  readonly act: BulkAct
  readonly concerned: readonly User[]
  readonly others: readonly User[]
}

/** The acts on several people at once. */
export function BulkActs({ users, onChoose }: Props) {
  const [opened, setOpened] = useState<Opened>()
  return (
    <>
      {users.length > 0 && (
        <div className="actions bulk" role="toolbar" aria-label={text('bulk')}>
          <strong>{text('bulk.chosen', { count: users.length })}</strong>
          {ACTS.map((act) => (
            <button
              key={act.label}
              type="button"
              className={act.className}
              disabled={!users.some(act.concerns)}
              onClick={() =>
                setOpened({
                  act,
                  concerned: users.filter(act.concerns),
                  others: users.filter((user) => !act.concerns(user)),
                })
              }
            >
              {text(act.label)}
            </button>
          ))}
          <button type="button" className="link" onClick={() => onChoose([])}>
            {text('bulk.clear')}
          </button>
        </div>
      )}
      {opened !== undefined && (
        <BulkDialog
          {...opened}
          onClose={() => setOpened(undefined)}
          onDone={(left) => onChoose([...opened.others, ...left])}
        />
      )}
    </>
  )
}

interface DialogProps extends Opened {
  readonly onClose: () => void
  /** Called at the end of a run with the people for whom it did nothing. */
  readonly onDone: (left: readonly User[]) => void
}

/** Says what an act does to whom, does it one by one, and tells for whom it was done, for whom it failed, and who is left. */
function BulkDialog({ act, concerned, others, onClose, onDone }: DialogProps) {
  const operations = useQuery(operationsQuery)
  const [role, setRole] = useState<Role>({ projectId: '', roleKey: '' })
  const isReady = act.needsRole === undefined || (role.projectId !== '' && role.roleKey !== '')
  const valuesOf = (user: User) => ({ path: {}, query: {}, body: {}, ...act.values(user, role) })

  const operation = operations.data?.get(act.id)
  const { progress, isRunning, start, stop } = useBulkRun(async (user: User) => {
    if (operation === undefined) throw new Error(text('form.unknown', { id: act.id }))
    await call(requestOf(operation, valuesOf(user)))
  })

  return (
    <PageDialog title={text(act.label)} onClose={onClose} isBusy={isRunning}>
      <p>{text('bulk.concerns', { count: concerned.length, left: others.length })}</p>
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
      <Loaded query={operations}>
        {(known) => {
          if (!known.has(act.id) || operation === undefined)
            return <p className="alert">{text('form.unknown', { id: act.id })}</p>
          return (
            <>
              {progress === undefined && (
                <div className="actions">
                  <button
                    type="button"
                    className={act.className ?? 'primary'}
                    disabled={!isReady}
                    onClick={() => void start(concerned).then(onDone)}
                  >
                    {text(act.label)}
                  </button>
                </div>
              )}
              {progress !== undefined && (
                <BulkResult
                  label={text(act.label)}
                  progress={progress}
                  count={concerned.length}
                  isRunning={isRunning}
                  onStop={stop}
                  nameOf={nameOf}
                />
              )}
              <details>
                <summary>{text('form.command')}</summary>
                <Copyable
                  value={concerned.map((user) => commandOf(operation, valuesOf(user))).join('\n')}
                  label={text('form.command')}
                />
              </details>
            </>
          )
        }}
      </Loaded>
    </PageDialog>
  )
}
