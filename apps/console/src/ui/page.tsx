import { type ReactNode, useEffect } from 'react'
import { ApiProblem } from '../api/client.ts'
import { text } from '../texts/texts.ts'

interface PageProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page with its heading, which is the title of the document too, and the acts that concern the whole of it. */
export function Page({ title, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Signet`
  }, [title])
  return (
    <>
      <div className="head">
        <h1>{title}</h1>
        <div className="actions">{actions}</div>
      </div>
      {children}
    </>
  )
}

/** A part of a page. */
export function Card({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  )
}

/** Why the server refused or failed, with the id by which the refusal is found. */
export function Problem({ error }: { readonly error: unknown }) {
  if (!error) return null
  const requestId = error instanceof ApiProblem ? error.requestId : undefined
  return (
    <div className="alert" role="alert">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {requestId !== undefined && <p className="quiet">{text('problem.request', { requestId })}</p>}
    </div>
  )
}

interface QueryLike<T> {
  readonly data: T | undefined
  readonly error: unknown
}

interface LoadedProps<T> {
  readonly query: QueryLike<T>
  /** The title of a page that has nothing but this to show. */
  readonly title?: string
  readonly children: (data: T) => ReactNode
}

/** What a query found, or that it is under way, or why it failed. */
export function Loaded<T>({ query, title, children }: LoadedProps<T>) {
  if (query.data !== undefined && !query.error) return children(query.data)
  const instead = query.error ? (
    <Problem error={query.error} />
  ) : (
    <p className="quiet" role="status">
      {text('loading')}
    </p>
  )
  return title === undefined ? instead : <Page title={title}>{instead}</Page>
}
