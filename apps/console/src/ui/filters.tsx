import { type ReactNode, useId, useState } from 'react'

/** A filter of a list that is applied when the person leaves the field or presses Enter. */
export function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}) {
  const id = useId()
  const [typed, setTyped] = useState(value ?? '')
  const [applied, setApplied] = useState(value)
  // A link changed the filter.
  if (value !== applied) {
    setApplied(value)
    setTyped(value ?? '')
  }
  const apply = () => onChange(typed.trim() || undefined)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typed}
        onBlur={apply}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  )
}

/** A filter of a list with a few values. */
export function ChoiceFilter({
  label,
  value,
  options,
  all,
  onChange,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly options: readonly (readonly [value: string, label: string])[]
  /** The words for no choice; without them one is always chosen. */
  readonly all?: string
  readonly onChange: (value: string | undefined) => void
}) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
        {all !== undefined && <option value="">{all}</option>}
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The filters of a list in a row. */
export const Filters = ({ children }: { readonly children: ReactNode }) => (
  <div className="filters">{children}</div>
)
