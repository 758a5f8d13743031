import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { call } from '../api/client.ts'

interface Item {
  readonly id: string
  readonly name?: string
  readonly userName?: string
}

/** Where the objects are listed that a field of this name refers to. */
export const REFERENCES: Readonly<Record<string, string>> = {
  organizationId: '/management/v1/organizations',
  projectId: '/management/v1/projects',
  applicationId: '/management/v1/applications',
  userId: '/management/v1/users',
  providerId: '/management/v1/identity-providers',
}

interface Props {
  readonly path: string
  readonly common: { readonly id: string; readonly required: boolean }
  readonly value: unknown
  readonly onChange: (value: string | undefined) => void
}

/** The objects that the person may see, to choose from. Without a list an id can still be typed. */
export function useOffered<T = Item>(path: string, enabled = true): readonly T[] {
  const { data = [] } = useQuery({
    queryKey: ['list', path, 'offered'],
    queryFn: async () =>
      ((await call({ method: 'GET', path, query: { limit: '100' } })) as { items: readonly T[] }).items,
    enabled,
    throwOnError: false,
    retry: false,
  })
  return data
}

/** A field for the id of an object, which offers those that the person may see by their names. */
export function ReferenceInput({ path, common, value, onChange }: Props) {
  const list = useId()
  const offered = useOffered(path)
  const chosen = offered.find(({ id }) => id === value)
  return (
    <>
      <input
        {...common}
        list={list}
        autoComplete="off"
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      />
      <datalist id={list}>
        {offered.map(({ id, name, userName }) => (
          <option key={id} value={id}>
            {name ?? userName}
          </option>
        ))}
      </datalist>
      {chosen && (
        <output htmlFor={common.id} className="quiet">
          {chosen.name ?? chosen.userName}
        </output>
      )}
    </>
  )
}
