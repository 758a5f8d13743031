import { Redis as SingleConnection } from 'ioredis'
import type { Redis } from './connection.ts'

type Placeholders<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

export interface KeyspaceDefinition {
  /** Key pattern after `signet:<owner>:`, with `{name}` where a value goes. */
  readonly pattern: string
  /** How long a key lives; `caller` when each write sets its own, `never` when a key must outlive every timer. */
  readonly ttlSeconds: number | 'caller' | 'never'
  /** The content of a value and the effect of losing it. */
  readonly holds: string
}

export interface Keyspace<Pattern extends string> extends KeyspaceDefinition {
  key(values: Readonly<Record<Placeholders<Pattern>, string>>): string
}

/** Declares every key that one service writes, so that the list can be read in one place. */
export function defineKeyspaces<const D extends Record<string, KeyspaceDefinition>>(
  owner: string,
  definitions: D,
): { readonly [N in keyof D]: D[N] & Keyspace<D[N]['pattern']> } {
  const built = Object.entries(definitions).map(([name, definition]) => [
    name,
    { ...definition, key: createKeyBuilder(owner, definition.pattern) },
  ])
  return Object.fromEntries(built) as { readonly [N in keyof D]: D[N] & Keyspace<D[N]['pattern']> }
}

function createKeyBuilder(owner: string, pattern: string) {
  const parts = pattern.split(/\{(\w+)\}/)
  return (values: Readonly<Record<string, string>>) =>
    `signet:${owner}:${parts.map((part, index) => (index % 2 === 0 ? part : escapeValue(values[part] ?? ''))).join('')}`
}

/** A colon or a brace in a value would make two keys equal or move a key to another cluster slot. */
function escapeValue(value: string): string {
  return value.replace(/[%:{}\s]/g, (character) => encodeURIComponent(character).replace(':', '%3A'))
}

/**
 * Sends the commands of `work` in one write: a system call for each takes a busy server longer than all its other
 * work for one. Commands for a cluster as a whole are left alone.
 */
export function inOneWrite(connection: Redis, work: () => void): void {
  // Absent before the first connection; the commands then fail by themselves.
  const stream = connection instanceof SingleConnection ? connection.stream : undefined
  stream?.cork()
  try {
    work()
  } finally {
    stream?.uncork()
  }
}
