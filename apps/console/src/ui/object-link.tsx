import { Link } from '@tanstack/react-router'

const PLACES: Readonly<Record<string, string>> = {
  user: '/people',
  human: '/people',
  service_user: '/people',
  application: '/applications',
  client: '/applications',
  organization: '/organizations',
  project: '/projects',
  identity_provider: '/identity-providers',
  job: '/jobs',
}

/** The page of an object, by its kind; undefined for kinds without one. */
export function objectPath(kind: string, id: string): string | undefined {
  const place = PLACES[kind]
  return place && `${place}/${encodeURIComponent(id)}`
}

interface Props {
  readonly kind: string
  readonly id: string | undefined
  readonly name?: string | undefined
}

/** The name of an object, or its id, as a link to its page. */
export function ObjectLink({ kind, id, name }: Props) {
  if (id === undefined) return null
  const path = objectPath(kind, id)
  return path === undefined ? (name ?? id) : <Link to={path}>{name ?? id}</Link>
}
