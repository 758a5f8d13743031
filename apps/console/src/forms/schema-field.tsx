import { useId, useState } from 'react'
import type { Schema } from '../api/description.ts'
import { isMap } from '../api/maps.ts'
import { text } from '../texts/texts.ts'
import { MapInput } from './map-input.tsx'
import { hasLines } from './map-lines.ts'
import { emptyRow, type MapRow, mapOfRows, rowsOf } from './map-rows.ts'
import { REFERENCES, ReferenceInput } from './reference-input.tsx'

interface Props {
  readonly name: string
  readonly path: string
  readonly schema: Schema
  readonly required: boolean
  readonly value: unknown
  readonly problems: Readonly<Record<string, string>>
  readonly onChange: (value: unknown) => void
}

/** One field of a request, by its schema. `undefined` is a field that the request leaves out. */
function SchemaField(props: Props) {
  const { name, path, schema, required, value, problems, onChange } = props
  const id = useId()
  const one = alternativeOf(schema)
  if (one.properties !== undefined) return <ObjectField {...props} schema={one} />
  const entry = isMap(one) && typeof one.additionalProperties === 'object' && one.additionalProperties
  if (entry && entry.properties !== undefined) return <RowsField {...props} entry={entry} />
  const problem = problems[path]
  const describedBy = `${id}-help`
  const common = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': problem !== undefined,
    required,
  }
  const help = (
    <div id={describedBy}>
      {schema.description && <p className="quiet">{schema.description}</p>}
      {problem && <p className="problem">{problem}</p>}
    </div>
  )
  if (one.type === 'boolean') {
    return (
      <div className="field">
        <span className="field row">
          <input
            {...common}
            required={false}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          <label htmlFor={id}>{name}</label>
        </span>
        {help}
      </div>
    )
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        {name}
        {required && <span className="quiet"> {text('field.required')}</span>}
      </label>
      <Input schema={one} common={common} name={name} value={value} onChange={onChange} />
      {help}
    </div>
  )
}

interface InputProps {
  readonly schema: Schema
  readonly name: string
  readonly common: { readonly id: string; readonly required: boolean }
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function Input({ schema, name, common, value, onChange }: InputProps) {
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

/** A value of any form, as JSON. What is no JSON yet stays a string, which the API refuses by name. */
function JsonInput({ name, common, value, onChange }: Omit<InputProps, 'schema'>) {
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

function ObjectField({ name, path, schema, value, problems, onChange }: Props) {
  const members = (value ?? {}) as Readonly<Record<string, unknown>>
  return (
    <fieldset>
      <legend className="label">{name}</legend>
      <SchemaFields
        schema={schema}
        path={`${path}.`}
        values={members}
        problems={problems}
        onChange={(changed) => onChange(Object.keys(changed).length === 0 ? undefined : changed)}
      />
    </fieldset>
  )
}

/** A map whose names each have an object: a part of the form for each name. */
function RowsField({
  name,
  path,
  schema,
  value,
  problems,
  onChange,
  entry,
}: Props & { readonly entry: Schema }) {
  const id = useId()
  const [rows, setRows] = useState(() => rowsOf(value))
  const change = (changed: readonly MapRow[]) => {
    setRows(changed)
    onChange(mapOfRows(changed))
  }
  const replace = (at: number, row: MapRow) => change(rows.map((one, place) => (place === at ? row : one)))
  return (
    <fieldset>
      <legend className="label">{name}</legend>
      {schema.description && <p className="quiet">{schema.description}</p>}
      {problems[path] && <p className="problem">{problems[path]}</p>}
      {rows.map((row, at) => (
        <fieldset key={at}>
          <legend className="label">{row.name || text('field.entry')}</legend>
          <div className="field">
            <label htmlFor={`${id}-${at}`}>{text('field.entry')}</label>
            <input
              id={`${id}-${at}`}
              autoComplete="off"
              aria-describedby={`${id}-${at}-help`}
              aria-invalid={problems[`${path}.${row.name}`] !== undefined}
              value={row.name}
              onChange={({ target }) => replace(at, { ...row, name: target.value })}
            />
            <p id={`${id}-${at}-help`} className="problem">
              {problems[`${path}.${row.name}`]}
            </p>
          </div>
          <SchemaFields
            schema={entry}
            path={`${path}.${row.name}.`}
            values={row.members}
            problems={problems}
            onChange={(members) => replace(at, { ...row, members })}
          />
          <button type="button" onClick={() => change(rows.filter((_, place) => place !== at))}>
            {text('field.entry.remove', { name: row.name })}
          </button>
        </fieldset>
      ))}
      <button type="button" onClick={() => setRows([...rows, emptyRow(entry)])}>
        {text('field.entry.add', { name })}
      </button>
    </fieldset>
  )
}

export interface FieldsProps {
  readonly schema: Schema
  readonly path?: string
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: Readonly<Record<string, string>>
  readonly only?: readonly string[] | undefined
  readonly onChange: (values: Readonly<Record<string, unknown>>) => void
}

/** The fields of an object, those that a request needs first. */
export function SchemaFields({ schema, path = '', values, problems, only, onChange }: FieldsProps) {
  const required = schema.required ?? []
  const names = Object.keys(schema.properties ?? {}).filter((name) => only?.includes(name) ?? true)
  const sorted = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ]
  return sorted.map((name) => (
    <SchemaField
      key={name}
      name={name}
      path={path + name}
      schema={schema.properties?.[name] ?? {}}
      required={required.includes(name)}
      value={values[name]}
      problems={problems}
      onChange={(value) => {
        const { [name]: _, ...others } = values
        onChange(value === undefined ? others : { ...values, [name]: value })
      }}
    />
  ))
}

/** The schema of a value that is not null. */
function alternativeOf(schema: Schema): Schema {
  const alternatives = schema.anyOf ?? schema.oneOf
  const one = alternatives?.find(({ type }) => type !== 'null')
  if (one !== undefined) return alternativeOf(one)
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((type) => type !== 'null') }
  return schema
}
