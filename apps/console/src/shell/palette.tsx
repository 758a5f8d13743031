import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useDeferredValue, useState } from 'react'
import { call } from '../api/client.ts'
import { operationsQuery } from '../forms/operation-form.tsx'
import { text } from '../texts/texts.ts'
import { PageDialog } from '../ui/dialog.tsx'
import { PLACES } from './places.ts'

interface Found {
  readonly id: string
  readonly path: string
  readonly title: string
  readonly detail: string
}

const MOST = 5

/** The server searches people; there are few enough of the others to search them here. */
const queryOf = (path: string, search: string): Record<string, string> =>
  path === '/management/v1/users' ? { search, limit: String(MOST) } : { limit: '500' }

/** Looks for people, applications, organizations and projects by a part of a name, an address or an id. */
async function look(words: string): Promise<readonly Found[]> {
  const lists = [
    ['/management/v1/users', '/people', ({ userName, email }: Item) => [userName, email?.address]],
    ['/management/v1/applications', '/applications', ({ name, clientId }: Item) => [name, clientId]],
    [
      '/management/v1/organizations',
      '/organizations',
      ({ name, primaryDomain }: Item) => [name, primaryDomain],
    ],
    ['/management/v1/projects', '/projects', ({ name }: Item) => [name]],
  ] as const
  const pages = await Promise.all(
    lists.map(async ([path, to, partsOf]) => {
      return (await itemsOf(path, queryOf(path, words)))
        .map((item) => {
          const [title = item.id, detail = ''] = partsOf(item)
          return { path: `${to}/${encodeURIComponent(item.id)}`, id: item.id, title, detail }
        })
        .filter(({ id, title, detail }) =>
          `${id} ${title} ${detail}`.toLowerCase().includes(words.toLowerCase()),
        )
        .slice(0, MOST)
    }),
  )
  return pages.flat().sort((one, other) => distance(one, words) - distance(other, words))
}

/** 0 for what has this name or id, 1 for what begins with it, and 2 for the others. */
function distance({ id, title }: Found, words: string): number {
  const names = [id.toLowerCase(), title.toLowerCase()]
  if (names.includes(words.toLowerCase())) return 0
  return names.some((name) => name.startsWith(words.toLowerCase())) ? 1 : 2
}

/** Parts of a search that are looked at: as many as an instance of two million people has. */
const MOST_PARTS = 20

/** The first items of a list. A part of a search may be empty although there are more. */
async function itemsOf(path: string, query: Readonly<Record<string, string>>): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | undefined
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const answer = (await call({ method: 'GET', path, query: { ...query, ...(cursor && { cursor }) } }).catch(
      () => ({}),
    )) as { readonly items?: readonly Item[]; readonly nextCursor?: string }
    items.push(...(answer.items ?? []))
    cursor = answer.nextCursor
    if (cursor === undefined || items.length >= MOST) break
  }
  return items
}

interface Item {
  readonly id: string
  readonly name?: string
  readonly userName?: string
  readonly clientId?: string
  readonly primaryDomain?: string
  readonly email?: { readonly address: string }
}

const LOOKS_LIKE_REQUEST = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** One search over objects, request ids, pages and acts. */
// biome-ignore lint/style/noDefaultExport: React.lazy reads the default export.
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [words, setWords] = useState('')
  const wanted = useDeferredValue(words.trim())
  const found = useQuery({
    queryKey: ['look', wanted],
    queryFn: () => look(wanted),
    enabled: wanted.length > 1,
  })
  const operations = useQuery(operationsQuery)
  const matches = (title: string) => title.toLowerCase().includes(wanted.toLowerCase())
  const go = (to: string, search = {}) => {
    onClose()
    void navigate({ to, search })
  }
  return (
    <PageDialog title={text('search')} onClose={onClose}>
      <Command className="palette" shouldFilter={false} label={text('search')}>
        <Command.Input
          autoFocus
          value={words}
          onValueChange={setWords}
          placeholder={text('search.placeholder')}
        />
        <Command.List>
          {LOOKS_LIKE_REQUEST.test(wanted) && (
            <Command.Item onSelect={() => go('/why', { requestId: wanted })}>
              {text('search.request', { requestId: wanted })}
            </Command.Item>
          )}
          {LOOKS_LIKE_REQUEST.test(wanted) && (
            <Command.Item onSelect={() => go('/audit', { requestId: wanted })}>
              {text('search.audit', { requestId: wanted })}
            </Command.Item>
          )}
          <Command.Group heading={text('search.objects')}>
            {found.data?.map(({ path, title, detail }) => (
              <Command.Item key={path} value={path} onSelect={() => go(path)}>
                {title} <span className="detail">{detail}</span>
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading={text('search.pages')}>
            {PLACES.filter(({ title }) => matches(text(title))).map(({ path, title }) => (
              <Command.Item key={path} value={path} onSelect={() => go(path)}>
                {text(title)}
              </Command.Item>
            ))}
          </Command.Group>
          {wanted.length > 1 && (
            <Command.Group heading={text('search.acts')}>
              {[...(operations.data?.values() ?? [])]
                .filter(({ summary, id }) => matches(summary) || matches(id))
                .slice(0, 8)
                .map(({ id, summary }) => (
                  <Command.Item key={id} value={id} onSelect={() => go(`/operations/${id}`)}>
                    {summary}
                  </Command.Item>
                ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </PageDialog>
  )
}
