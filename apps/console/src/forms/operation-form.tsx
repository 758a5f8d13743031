import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiProblem, call } from '../api/client.ts'
import { commandOf, declarationOf, type FormValues, requestOf } from '../api/command.ts'
import { fetchOperations, type Operation } from '../api/description.ts'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Loaded, Problem } from '../ui/page.tsx'
import { changed, known } from './changes.ts'
import { MoreFields } from './more-fields.tsx'
import { SchemaFields } from './schema-field.tsx'

interface Props {
  readonly id: string
  /** The words of the button that sends the form. */
  readonly submit?: string
  /** Values of the path that the page knows. */
  readonly path?: Readonly<Record<string, string>>
  /** What is stored: the form begins with it and sends what differs. */
  readonly stored?: Readonly<Record<string, unknown>>
  /** Values of a new object that the page knows. */
  readonly given?: Readonly<Record<string, unknown>>
  /** The fields to show; all without it. */
  readonly only?: readonly string[]
  /** Fields that are not shown, also where `only` and `more` say so. */
  readonly without?: readonly string[]
  /** Shows the fields that `only` leaves out too, below a heading that opens them. */
  readonly more?: boolean
  /** Fields with an object that the API replaces as a whole. */
  readonly replaced?: readonly string[]
  /** What the act ends, in a sentence. */
  readonly consequence?: ReactNode
  /** A word to type before an act that cannot be undone. */
  readonly confirmation?: string
  /** What cures a refusal, by its reason. */
  readonly cures?: Readonly<Record<string, ReactNode>>
  readonly onDone?: (answer: unknown) => void
}

/** The operations of the API, fetched once while the page is open. */
export const operationsQuery = {
  queryKey: ['operations'],
  queryFn: fetchOperations,
  staleTime: Number.POSITIVE_INFINITY,
}

/** A form for one operation of the API, with the command and the declaration that do the same. */
export function OperationForm(props: Props) {
  const operations = useQuery(operationsQuery)
  return (
    <Loaded query={operations}>
      {(known) => {
        const operation = known.get(props.id)
        return operation ? (
          <FormOf operation={operation} {...props} />
        ) : (
          <p className="alert">{text('form.unknown', { id: props.id })}</p>
        )
      }}
    </Loaded>
  )
}

function FormOf({ operation, onDone, ...props }: Props & { readonly operation: Operation }) {
  const { path = {}, stored, given = {}, more, without = [], replaced, consequence, confirmation } = props
  const { submit = text('form.send'), cures = {} } = props
  const only =
    props.only ??
    (props.without && Object.keys(operation.body?.properties ?? {}).filter((name) => !without.includes(name)))
  const client = useQueryClient()
  const [body, setBody] = useState<Readonly<Record<string, unknown>>>(() => ({
    ...known(stored, operation),
    ...given,
  }))
  const [places, setPlaces] = useState<Readonly<Record<string, string>>>(path)
  const [query, setQuery] = useState<Readonly<Record<string, string>>>({})
  const [typed, setTyped] = useState('')
  const sent = stored === undefined ? body : changed(body, stored, operation.body, replaced)
  const values: FormValues = { path: places, query, body: sent }
  const act = useMutation({
    mutationFn: () => call(requestOf(operation, values)),
    onSuccess: async (answer) => {
      if (operation.method !== 'GET') await client.invalidateQueries({ predicate: isOfApi })
      onDone?.(answer)
    },
  })
  const refusal = act.error instanceof ApiProblem ? act.error : undefined
  const problems = refusal?.fields ?? {}
  const isDangerous = operation.method === 'DELETE' || confirmation !== undefined
  const send = (event: FormEvent) => {
    event.preventDefault()
    act.mutate()
  }
  const open = operation.parameters.filter(
    (parameter) => parameter.in !== 'header' && path[parameter.name] === undefined,
  )
  const setOf = (place: 'path' | 'query') => (place === 'path' ? setPlaces : setQuery)
  return (
    <form onSubmit={send} noValidate>
      <p className="quiet">{operation.description ?? operation.summary}</p>
      {consequence && <div className="alert">{consequence}</div>}
      {open.length > 0 && (
        <SchemaFields
          schema={{
            properties: Object.fromEntries(
              open.map(({ name, schema, description }) => [
                name,
                { ...schema, ...(description && { description }) },
              ]),
            ),
            required: open.filter(({ required }) => required).map(({ name }) => name),
          }}
          values={{ ...places, ...query }}
          problems={problems}
          onChange={(changedValues) => {
            for (const place of ['path', 'query'] as const) {
              const names = open.filter((parameter) => parameter.in === place).map(({ name }) => name)
              setOf(place)({
                ...(place === 'path' && path),
                ...Object.fromEntries(
                  names.flatMap((name) =>
                    changedValues[name] === undefined ? [] : [[name, String(changedValues[name])]],
                  ),
                ),
              })
            }
          }}
        />
      )}
      {operation.body && (
        <SchemaFields
          schema={operation.body}
          values={body}
          problems={problems}
          only={only}
          others={places}
          onChange={setBody}
        />
      )}
      {operation.body && only && more && (
        <MoreFields
          schema={operation.body}
          values={body}
          problems={problems}
          shown={[...only, ...without, ...Object.keys(given)]}
          onChange={setBody}
        />
      )}
      {confirmation !== undefined && (
        <label className="field">
          {text('form.confirm', { word: confirmation })}
          <input value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
        </label>
      )}
      <Problem error={act.error} />
      {refusal?.reason !== undefined && cures[refusal.reason]}
      <div className="actions">
        <button
          type="submit"
          className={isDangerous ? 'danger' : 'primary'}
          disabled={act.isPending || (confirmation !== undefined && typed !== confirmation)}
        >
          {submit}
        </button>
      </div>
      {act.isSuccess && (
        <p className="good" role="status">
          {text('form.done')}
        </p>
      )}
      <SameByCommand operation={operation} values={values} />
    </form>
  )
}

/** The command and the file that do what the form does. */
function SameByCommand({
  operation,
  values,
}: {
  readonly operation: Operation
  readonly values: FormValues
}) {
  const declaration = declarationOf(operation, values)
  return (
    <details>
      <summary>{text('form.command')}</summary>
      <Copyable value={commandOf(operation, values)} label={text('form.command')} />
      {declaration !== undefined && (
        <>
          <p className="quiet">{text('form.declaration')}</p>
          <Copyable value={declaration} label={text('form.declaration')} />
        </>
      )}
    </details>
  )
}

const isOfApi = ({ queryKey }: { readonly queryKey: readonly unknown[] }) => queryKey[0] !== 'operations'
