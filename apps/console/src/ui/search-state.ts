import { useNavigate, useSearch } from '@tanstack/react-router'

type Search = Readonly<Record<string, string | undefined>>

/** The filters of a page, which its address has, and a function that changes one. */
export function useFilters(): readonly [Search, (change: Search) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = (changed: Search) =>
    void navigate({ to: '.', search: { ...search, ...changed } as never, replace: true })
  return [search, change]
}
