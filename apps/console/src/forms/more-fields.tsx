import { text } from '../texts/texts.ts'
import { type FieldsProps, SchemaFields } from './schema-field.tsx'

interface Props extends Omit<FieldsProps, 'only' | 'path'> {
  /** The fields that stand above. */
  readonly shown: readonly string[]
}

/** The fields that most people leave as they are. They open where the API refuses one of them. */
export function MoreFields({ shown, ...props }: Props) {
  const only = Object.keys(props.schema.properties ?? {}).filter((name) => !shown.includes(name))
  const isRefused = Object.keys(props.problems).some((path) => only.includes(path.split(/[.[]/)[0] ?? ''))
  return (
    <details key={String(isRefused)} open={isRefused}>
      <summary>{text('form.more')}</summary>
      <SchemaFields {...props} only={only} />
    </details>
  )
}
