import type { ReactNode } from 'react'
import { text } from '../texts/texts.ts'

/** Names and values, the empty ones left out. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Any value of the API in words. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return text('none')
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no')
  if (Array.isArray(value)) return value.length === 0 ? text('none') : value.map(valueText).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}
