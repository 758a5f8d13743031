import { Link, useLocation } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useAdministrator } from '../session/administrator.ts'
import { text } from '../texts/texts.ts'
import { readSavedFilters, type SavedFilter, withFilter, withoutFilter } from './saved-filter.ts'

/** Filters of a list under names that the person gave them, kept in this browser for this person. */
export function SavedFilters({ filters }: { readonly filters: SavedFilter['filters'] }) {
  const id = useId()
  const { userId } = useAdministrator()
  const { pathname } = useLocation()
  const place = `signet-console.filters.${userId}.${pathname}`
  const [saved, setSaved] = useState(() => readSavedFilters(window.localStorage.getItem(place)))
  const [name, setName] = useState('')
  const keep = (changed: readonly SavedFilter[]) => {
    window.localStorage.setItem(place, JSON.stringify(changed))
    setSaved(changed)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    keep(withFilter(saved, { name: name.trim(), filters }))
    setName('')
  }
  const hasFilters = Object.values(filters).some(Boolean)
  if (saved.length === 0 && !hasFilters) return null
  return (
    <details className="saved">
      <summary>{text('filters.saved', { count: saved.length })}</summary>
      <ul>
        {saved.map((one) => (
          <li key={one.name}>
            <Link to="." search={one.filters as never}>
              {one.name}
            </Link>{' '}
            <button
              type="button"
              className="link"
              aria-label={text('filters.delete', { name: one.name })}
              onClick={() => keep(withoutFilter(saved, one.name))}
            >
              {text('delete')}
            </button>
          </li>
        ))}
      </ul>
      {hasFilters && (
        <form className="filters" onSubmit={save}>
          <div>
            <label htmlFor={id}>{text('filters.name')}</label>
            <input id={id} value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
          </div>
          <button type="submit" disabled={name.trim() === ''}>
            {text('filters.save')}
          </button>
        </form>
      )}
    </details>
  )
}
