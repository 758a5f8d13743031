import { useState } from 'react'
import { text } from '../texts/texts.ts'
import { REFERENCES, useOffered } from './reference-input.tsx'

interface Role {
  readonly key: string
  readonly displayName: string
}

interface Props {
  readonly projectId: unknown
  readonly value: unknown
  readonly onChange: (value: readonly string[]) => void
}

/** The roles of the project that stands beside the field, to add by their names. */
export function ProjectRoles({ projectId, value, onChange }: Props) {
  const [first] = useState(projectId)
  const id = typeof projectId === 'string' ? projectId : ''
  const projects = useOffered(REFERENCES.projectId ?? '', id !== '')
  // The start of an id that is being typed is no project.
  const isKnown = id !== '' && (id === first || projects.some((project) => project.id === id))
  const roles = useOffered<Role>(`${REFERENCES.projectId}/${encodeURIComponent(id)}/roles`, isKnown)
  const chosen: readonly string[] = Array.isArray(value) ? value : []
  const left = roles.filter(({ key }) => !chosen.includes(key))
  if (left.length === 0) return null
  return (
    <select
      aria-label={text('field.roles.add')}
      value=""
      onChange={({ target }) => onChange([...chosen.filter((key) => key !== ''), target.value])}
    >
      <option value="">{text('field.roles.add')}</option>
      {left.map(({ key, displayName }) => (
        <option key={key} value={key}>
          {displayName === '' || displayName === key ? key : `${key} (${displayName})`}
        </option>
      ))}
    </select>
  )
}
