import { useId, useState } from 'react'
import type { Schema } from '../api/description.ts'
import { isMap } from '../api/maps.ts'
import { text } from '../texts/texts.ts'
import { isListOfObjects, isRowList, listOfRows, type Members, placesOf } from './list-rows.ts'
import { emptyRow, type MapRow, mapOfRows, rowsOf } from './map-rows.ts'
import { ProjectRoles } from './project-roles.tsx'
import { JsonInput, ValueInput } from './value-input.tsx'

interface Props {
  readonly name: string
  readonly path: string
  readonly schema: Schema
  readonly required: boolean
  readonly value: unknown
  readonly problems: Readonly<Record<string, string>>
  /** The object that has the field. */
  readonly siblings?: Members
  readonly onChange: (value: unknown) => void
}

/** One field of a request, by its schema. `undefined` is a field that the request leaves out. */
function SchemaField(props: Props) {
  const { name, path, schema, required, value, problems, siblings, onChange } = props
  const id = useId()
  const one = alternativeOf(schema)
  if (one.properties !== undefined) return <ObjectField {...props} schema={one} />
  const entry = isMap(one) && typeof one.additionalProperties === 'object' && one.additionalProperties
  if (entry && entry.properties !== undefined) return <RowsField {...props} entry={entry} />
  if (isRowList(one)) return <ListField {...props} schema={one} item={one.items} />
  const problem = problems[path] ?? problemOfItem(problems, path)
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
      <ValueInput schema={one} common={common} name={name} value={value} onChange={onChange} />
      {name === 'roles' && <ProjectRoles projectId={siblings?.projectId} value={value} onChange={onChange} />}
      {help}
    </div>
  )
}

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

/** Longer lists begin as JSON: each row has several inputs. */
const MOST_ROWS = 50

/** A list of objects: a part of the form for each, or the JSON of all. */
function ListField({
  name,
  path,
  schema,
  value,
  problems,
  onChange,
  item,
}: Props & { readonly item: Schema }) {
  const [rows, setRows] = useState<readonly Members[]>(() => (isListOfObjects(value) ? value : []))
  const [isJson, setJson] = useState(() => value !== undefined && !isListOfObjects(value, MOST_ROWS))
  const [isOptional] = useState(value === undefined)
  const change = (changed: readonly Members[]) => {
    const list = listOfRows(changed)
    setRows(changed)
    onChange(list.length === 0 && isOptional ? undefined : list)
  }
  const places = placesOf(rows)
  const turn = () => {
    if (isJson) setRows(isListOfObjects(value) ? value : [])
    setJson(!isJson)
  }
  return (
    <fieldset>
      <legend className="label">{name}</legend>
      {schema.description && <p className="quiet">{schema.description}</p>}
      {problems[path] && <p className="problem">{problems[path]}</p>}
      {isJson && (
        <>
          <JsonInput
            common={{ 'aria-label': name }}
            name={name}
            value={value}
            onChange={(typed) => onChange(typed === undefined && !isOptional ? [] : typed)}
          />
          <p className="problem">{problemOfItem(problems, path)}</p>
        </>
      )}
      {!isJson &&
        rows.map((members, at) => (
          <fieldset key={at}>
            <legend className="label">{`${name} ${at + 1}`}</legend>
            <SchemaFields
              schema={item}
              path={`${path}[${places[at]}].`}
              values={members}
              problems={problems}
              onChange={(changed) => change(rows.map((one, place) => (place === at ? changed : one)))}
            />
            <button type="button" onClick={() => change(rows.filter((_, place) => place !== at))}>
              {text('field.entry.remove', { name: `${name} ${at + 1}` })}
            </button>
          </fieldset>
        ))}
      <div className="actions">
        {!isJson && (
          <button type="button" onClick={() => setRows([...rows, emptyRow(item).members])}>
            {text('field.entry.add', { name })}
          </button>
        )}
        {(!isJson || value === undefined || isListOfObjects(value)) && (
          <button type="button" onClick={turn}>
            {text(isJson ? 'field.list.rows' : 'field.list.json', { name })}
          </button>
        )}
      </div>
    </fieldset>
  )
}

/** The first rule that an item of a list breaks. */
const problemOfItem = (problems: Props['problems'], path: string): string | undefined =>
  Object.entries(problems).find(([broken]) => broken.startsWith(`${path}[`))?.[1]

export interface FieldsProps {
  readonly schema: Schema
  readonly path?: string
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: Readonly<Record<string, string>>
  readonly only?: readonly string[] | undefined
  /** Values beside these, such as those of the path. */
  readonly others?: Readonly<Record<string, unknown>>
  readonly onChange: (values: Readonly<Record<string, unknown>>) => void
}

/** The fields of an object, those that a request needs first. */
export function SchemaFields({ schema, path = '', values, problems, only, others, onChange }: FieldsProps) {
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
      siblings={{ ...others, ...values }}
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
