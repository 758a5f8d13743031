import type { Schema } from '../api/description.ts'
import { isMap } from '../api/maps.ts'
import { text } from '../texts/texts.ts'
import { MapInput } from './map-input.tsx'
import { hasLines } from './map-lines.ts'
import { REFERENCES, ReferenceInput } from './reference-input.tsx'

interface InputProps {
  readonly schema: Schema
  readonly name: string
  readonly common: { readonly id: string; readonly required: boolean }
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** The control of a value without members of its own. */
export function ValueInput({ schema, name, common, value, onChange }: InputProps) {
  if (schema.enum !== undefined) {
    return (
      <select
        {...common}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">{text('field.unchanged')}</option>
        {schema.enum.map((member) => (
          <option key={member}>{member}</option>
        ))}
      </select>
    )
  }
  if (schema.type === 'array' && (schema.items?.type === 'string' || schema.items?.enum !== undefined)) {
    const lines = Array.isArray(value) ? value.join('\n') : ''
    return (
      <textarea
        {...common}
        rows={Math.min(8, Math.max(2, lines.split('\n').length + 1))}
        placeholder={schema.items.enum?.join('\n') ?? text('field.lines')}
        value={lines}
        onChange={(event) => onChange(event.target.value === '' ? [] : event.target.value.split('\n'))}
      />
    )
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <input
        {...common}
        type="number"
        min={schema.minimum}
        max={schema.maximum}
        value={typeof value === 'number' ? value : ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : Number(event.target.value))}
      />
    )
  }
  if (isMap(schema) && isText(schema.additionalProperties) && hasLines(value)) {
    return <MapInput common={common} value={value} onChange={onChange} />
  }
  const listed = REFERENCES[name]
  if (listed !== undefined && schema.type === 'string') {
    return <ReferenceInput path={listed} common={common} value={value} onChange={onChange} />
  }
  if (schema.format === 'xml') return <XmlInput common={common} value={value} onChange={onChange} />
  if (schema.type !== 'string')
    return <JsonInput common={common} name={name} value={value} onChange={onChange} />
  return (
    <input
      {...common}
      type={/password|secret/i.test(name) ? 'password' : 'text'}
      autoComplete="off"
      placeholder={schema.format === 'date-time' ? '2030-01-31T12:00:00Z' : ''}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  )
}

const isText = (schema: Schema['additionalProperties']) =>
  typeof schema === 'object' && schema.type === 'string'

/** A document in XML, pasted or read from a file. */
function XmlInput({ common, value, onChange }: Omit<InputProps, 'schema' | 'name'>) {
  const label = text('field.file')
  const read = async (file: File | undefined) => {
    if (file !== undefined) onChange(await file.text())
  }
  return (
    <>
      <textarea
        {...common}
        rows={4}
        placeholder="<EntityDescriptor …"
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      />
      <input
        type="file"
        aria-label={label}
        accept=".xml,application/xml,text/xml,application/samlmetadata+xml"
        onChange={({ target }) => void read(target.files?.[0])}
      />
    </>
  )
}

interface JsonProps extends Omit<InputProps, 'schema' | 'common'> {
  readonly common: InputProps['common'] | { readonly 'aria-label': string }
}

/** A value of any form, as JSON. What is no JSON yet stays a string, which the API refuses by name. */
export function JsonInput({ name, common, value, onChange }: JsonProps) {
  const shown = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2)
  return (
    <textarea
      {...common}
      rows={4}
      placeholder="{}"
      value={shown}
      onChange={(event) => {
        try {
          onChange(event.target.value === '' ? undefined : withoutFrame(name, JSON.parse(event.target.value)))
        } catch {
          onChange(event.target.value)
        }
      }}
    />
  )
}

/** A field takes a document whose only member has its name, such as a key set of `kubectl get --raw /openid/v1/jwks`. */
const withoutFrame = (name: string, json: unknown): unknown =>
  typeof json === 'object' && json !== null && Object.keys(json).join() === name
    ? (json as Readonly<Record<string, unknown>>)[name]
    : json
