import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../api/client.ts'
import { text } from '../texts/texts.ts'

/** How far a run is: the items for which the act was done, and those for which it failed. */
export interface Progress<Item> {
  readonly done: readonly Item[]
  readonly failures: readonly { readonly item: Item; readonly message: string }[]
}

/**
 * Does an act for items one by one, which the person can stop. Asks before the page is left meanwhile, and fetches what is shown
 * again at the end.
 */
export function useBulkRun<Item>(act: (item: Item) => Promise<unknown>) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress<Item>>()
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  const stop = () => {
    isStopped.current = true
  }
  useBlocker({
    shouldBlockFn: () => !window.confirm(text('bulk.leave')),
    disabled: !isRunning,
    enableBeforeUnload: true,
  })
  useEffect(() => stop, [])

  /** Returns the items for which the act was not done. */
  const start = async (items: readonly Item[]): Promise<readonly Item[]> => {
    const done: Item[] = []
    const failures: { item: Item; message: string }[] = []
    isStopped.current = false
    setRunning(true)
    for (const item of items) {
      if (isStopped.current) break
      setProgress({ done: [...done], failures: [...failures] })
      try {
        await act(item)
        done.push(item)
      } catch (error) {
        // The session ended: every further call would be refused like this one, which did nothing.
        if (error instanceof ApiProblem && error.status === 401) break
        failures.push({ item, message: error instanceof Error ? error.message : String(error) })
      }
    }
    setProgress({ done, failures })
    setRunning(false)
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'operations' })
    return items.filter((item) => !done.includes(item))
  }
  return { progress, isRunning, start, stop }
}

interface Props<Item> {
  readonly label: string
  readonly progress: Progress<Item>
  readonly count: number
  readonly isRunning: boolean
  readonly onStop: () => void
  readonly nameOf: (item: Item) => string
}

/** How far a run is, or how it ended. */
export function BulkResult<Item>({ label, progress, count, isRunning, onStop, nameOf }: Props<Item>) {
  const { done, failures } = progress
  const tried = done.length + failures.length
  const isComplete = done.length === count
  return (
    <>
      <progress max={count} value={tried} aria-label={label} />
      <p role="status" className={isRunning ? 'quiet' : isComplete ? 'good' : 'bad'}>
        {text(isRunning ? 'bulk.progress' : 'bulk.result', {
          done: done.length,
          failed: failures.length,
          left: count - tried,
        })}
      </p>
      {isRunning && (
        <div className="actions">
          <button type="button" onClick={onStop}>
            {text('bulk.stop')}
          </button>
        </div>
      )}
      {failures.length > 0 && (
        <ul className="alert">
          {failures.map(({ item, message }) => (
            <li key={nameOf(item)}>
              {nameOf(item)}: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
