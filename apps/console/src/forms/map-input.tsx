import { text } from '../texts/texts.ts'
import { linesOf, mapOf } from './map-lines.ts'

interface Props {
  readonly common: { readonly id: string; readonly required: boolean }
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** A field for names with their values, each on a line. A line without a value stays a text, which the API refuses by name. */
export function MapInput({ common, value, onChange }: Props) {
  const lines = linesOf(value)
  return (
    <textarea
      {...common}
      rows={Math.min(8, Math.max(2, lines.split('\n').length + 1))}
      placeholder={text('field.map')}
      value={lines}
      onChange={({ target }) => onChange(target.value === '' ? undefined : mapOf(target.value))}
    />
  )
}
