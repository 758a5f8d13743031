import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { call } from '../api/client.ts'
import { text } from '../texts/texts.ts'
import { Problem } from './page.tsx'

/** A column: its heading, and what it shows of an item. */
export interface Column<T> {
  readonly title: string
  readonly cell: (item: T) => ReactNode
}

interface Props<T> {
  readonly path: string
  readonly filter?: Readonly<Record<string, string | undefined>>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (item: T) => string
  readonly empty?: ReactNode
  /** The name of the list for those who hear the page. */
  readonly label: string
  /** Lets the person choose items. */
  readonly selection?: Selection<T>
}

/** The chosen items by their keys, which stay chosen when the filter changes. */
export interface Selection<T> {
  readonly chosen: ReadonlyMap<string, T>
  readonly onChange: (chosen: ReadonlyMap<string, T>) => void
  readonly nameOf: (item: T) => string
}

const PAGE_SIZE = '100'
const ROW_HEIGHT = 41
/** Shorter lists are whole in the page, so that the browser's own search finds everything. */
const VIRTUAL_FROM = 200

interface PageOfItems<T> {
  readonly items?: readonly T[]
  readonly jobs?: readonly T[]
  readonly nextCursor?: string
  readonly nextPageToken?: string
}

/**
 * A list that the server filters and pages. The next page is fetched when its end comes into view, and only the rows in view are
 * in the document, so that a hundred thousand rows scroll like twenty.
 */
export function ApiList<T>({ path, filter = {}, columns, keyOf, empty, label, selection }: Props<T>) {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value)) as Record<
    string,
    string
  >
  const pageName = path.startsWith('/admin/') ? 'pageToken' : 'cursor'
  const query = useInfiniteQuery({
    queryKey: ['list', path, given],
    initialPageParam: '',
    queryFn: async ({ pageParam }) =>
      (await call({
        method: 'GET',
        path,
        query: {
          ...given,
          ...(pageName === 'cursor' && { limit: PAGE_SIZE }),
          ...(pageParam && { [pageName]: pageParam }),
        },
      })) as PageOfItems<T>,
    getNextPageParam: ({ nextCursor, nextPageToken }) => nextCursor ?? nextPageToken,
  })
  const items = query.data?.pages.flatMap((page) => page.items ?? page.jobs ?? []) ?? []
  const { hasNextPage, isFetching, fetchNextPage } = query
  // A part of a search may be empty although there are more.
  const goesOn = items.length === 0 && hasNextPage && !isFetching
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
  if (query.error) return <Problem error={query.error} />
  if (query.isPending)
    return (
      <p className="quiet" role="status">
        {text('loading')}
      </p>
    )
  if (items.length === 0 && !query.hasNextPage)
    return <div className="quiet">{empty ?? text('list.empty')}</div>
  return (
    <>
      <Rows
        items={items}
        columns={selection ? [choiceColumn(selection, keyOf), ...columns] : columns}
        keyOf={keyOf}
        label={label}
      />
      {selection && (
        <button
          type="button"
          className="link"
          onClick={() => selection.onChange(new Map(items.map((item) => [keyOf(item), item])))}
        >
          {text('list.choose_all', { count: items.length })}
        </button>
      )}
      {query.hasNextPage && (
        <More isBusy={query.isFetchingNextPage} onVisible={() => void query.fetchNextPage()} />
      )}
      <p className="quiet" role="status">
        {text(query.hasNextPage ? 'list.first' : 'list.all', { count: items.length })}
      </p>
    </>
  )
}

function choiceColumn<T>({ chosen, onChange, nameOf }: Selection<T>, keyOf: Props<T>['keyOf']): Column<T> {
  return {
    title: text('list.chosen'),
    cell: (item) => (
      <input
        type="checkbox"
        aria-label={text('list.choose', { name: nameOf(item) })}
        checked={chosen.has(keyOf(item))}
        onChange={({ target }) => {
          const next = new Map(chosen)
          if (target.checked) next.set(keyOf(item), item)
          else next.delete(keyOf(item))
          onChange(next)
        }}
      />
    ),
  }
}

interface RowsProps<T> extends Pick<Props<T>, 'columns' | 'keyOf' | 'label'> {
  readonly items: readonly T[]
}

/** Items as rows of a table. */
export function Rows<T>({ items, columns, keyOf, label }: RowsProps<T>) {
  const scroller = useRef<HTMLDivElement>(null)
  const isVirtual = items.length >= VIRTUAL_FROM
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
    enabled: isVirtual,
  })
  const visible = rows.getVirtualItems()
  const first = visible[0]?.start ?? 0
  const last = rows.getTotalSize() - (visible.at(-1)?.end ?? 0)
  const shown = isVirtual ? visible.map(({ index }) => index) : items.keys()
  return (
    <div className={isVirtual ? 'scroll tall' : 'scroll'} ref={scroller}>
      <table aria-label={label} aria-rowcount={items.length}>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {isVirtual && first > 0 && <Space height={first} columns={columns.length} />}
          {[...shown].map((index) => {
            const item = items[index]
            if (item === undefined) return null
            return (
              // Rows wrap, and are blocks on a narrow screen.
              <tr key={keyOf(item)} data-index={index} ref={isVirtual ? rows.measureElement : undefined}>
                {columns.map(({ title, cell }) => (
                  <td key={title} data-title={title}>
                    {cell(item)}
                  </td>
                ))}
              </tr>
            )
          })}
          {isVirtual && last > 0 && <Space height={last} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  )
}

/** The height of rows that are not in the document. */
function Space({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  )
}

/** Fetches the next page when it comes into view; a button for those who do not scroll. */
function More({ isBusy, onVisible }: { readonly isBusy: boolean; readonly onVisible: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const visible = useRef(onVisible)
  visible.current = onVisible
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) visible.current()
    })
    if (button.current) observer.observe(button.current)
    return () => observer.disconnect()
  }, [])
  return (
    <button type="button" ref={button} disabled={isBusy} onClick={onVisible}>
      {text('list.more')}
    </button>
  )
}
