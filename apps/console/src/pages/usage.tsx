import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { text } from '../texts/texts.ts'

const PATHS = {
  user: 'users',
  application: 'applications',
  project: 'projects',
  organization: 'organizations',
} as const

interface Props {
  readonly of: keyof typeof PATHS
  readonly id: string
}

type Counts = Readonly<Record<string, number | boolean>>

/** Counts what an act on an object ends. */
function Usage({ of, id }: Props) {
  const usage = useQuery({
    queryKey: ['usage', of, id],
    queryFn: async () =>
      (await call({
        method: 'GET',
        path: `/management/v1/${PATHS[of]}/${encodeURIComponent(id)}/usage`,
      })) as Counts,
    retry: false,
    staleTime: 0,
  })
  // The act does not depend on it.
  if (usage.data === undefined) return null
  const { hasMore, ...counts } = usage.data
  const numbers = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]))
  return (
    <p>
      <strong>{text(`usage.${of}`, numbers)}</strong> {hasMore === true && text('usage.more')}
    </p>
  )
}

/** What an act ends, in a sentence and in numbers. */
export function Ends({ text: sentence, ...object }: Props & { readonly text: string }) {
  return (
    <>
      <p>{sentence}</p>
      <Usage {...object} />
    </>
  )
}
