import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HTTP_STATUS } from '@signet/admin-api/api-error'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A place of the sources that refuses a request. */
export interface Refusal {
  readonly reason: string
  /** The error code of OAuth, or the HTTP status of an API; `page` for a page of its own. */
  readonly sends: string
  readonly status: number
  readonly file: string
}

interface ErrorClass {
  readonly code: string
  readonly status: number
}

/** The classes of errors.ts by their names. Those without a status of their own send 400. */
export const ERROR_CLASSES = readErrorClasses()

function readErrorClasses(): ReadonlyMap<string, ErrorClass> {
  const source = readFileSync(`${ROOT}packages/protocol/src/errors.ts`, 'utf8')
  const classes = new Map<string, ErrorClass>()
  const inherited = new Map<string, string>()
  for (const text of source.split(/^(?=export (?:abstract )?class |abstract class )/m)) {
    const [, name = '', parent = ''] = /^(?:export )?(?:abstract )?class (\w+) extends (\w+)/.exec(text) ?? []
    const [, code = inherited.get(parent)] = /readonly code = '(\w+)'/.exec(text) ?? []
    const [, status = '400'] = /readonly status = (\d+)/.exec(text) ?? []
    if (code === undefined) continue
    if (text.startsWith('abstract')) inherited.set(name, code)
    else classes.set(name, { code, status: Number(status) })
  }
  return classes
}

/** Functions that make an error out of a label: `failed('client_unknown')`. */
const MAKERS = 'refused|denied|failed|notActive|invalidToken|invalidCode'
const MADE = new RegExp(String.raw`\b(?:new (\w+Error)|(unavailableError|${MAKERS}))\(`, 'g')

/** The refusals whose reason is written where the error is made. */
export function refusalsOfSources(): readonly Refusal[] {
  const files = globSync(
    '{apps/{directory,introspection,keys,login,migration,token},packages/*}/src/**/*.ts',
    {
      cwd: ROOT,
    },
  ).filter((file) => !/\.test\.ts$|\/gen\/|^packages\/(testing|dev-stack)\//.test(file))
  return files.flatMap((file) => {
    const source = readFileSync(`${ROOT}${file}`, 'utf8')
    return [...source.matchAll(MADE)].flatMap((match) => {
      const [whole, direct, maker] = match
      const args = argumentsAt(source, match.index + whole.length)
      const name = direct ?? (maker === 'unavailableError' ? maker : classMadeBy(maker ?? '', source))
      const [, named] = /\breason: '([a-z0-9_]+)'/.exec(args) ?? []
      // A maker has the label as an argument of its own.
      const [, label] = /(?:^|, )\s*'([a-z]+_[a-z_]+)'/.exec(args) ?? []
      const reason = named ?? (maker === undefined ? undefined : label)
      const sent = reason === undefined ? undefined : sentBy(name, args)
      return sent === undefined || reason === undefined ? [] : [{ reason, file, ...sent }]
    })
  })
}

function sentBy(name: string | undefined, args: string): Pick<Refusal, 'sends' | 'status'> | undefined {
  const [, given] = /\bstatus: (\d+)/.exec(args) ?? []
  if (name === 'AuthorizePageError') return { sends: 'page', status: 400 }
  if (name === 'unavailableError') return { sends: '503', status: 503 }
  if (name === 'ApiError') {
    const [, code = ''] = /^\s*'([A-Z_]+)'/.exec(args) ?? []
    const status = Number(given ?? HTTP_STATUS[code as keyof typeof HTTP_STATUS])
    return { sends: `${status}`, status }
  }
  const known = ERROR_CLASSES.get(name ?? '')
  return known && { sends: known.code, status: Number(given ?? known.status) }
}

/** The class in the body of a function of the same file. */
function classMadeBy(maker: string, source: string): string | undefined {
  const [, name] =
    new RegExp(String.raw`(?:function|const) ${maker}\b(?:(?!\n})[\s\S])*?new (\w+Error)\(`).exec(source) ??
    []
  return name
}

/** From after an opening parenthesis to the one that closes it. */
function argumentsAt(source: string, start: number): string {
  let depth = 1
  let at = start
  for (; depth > 0 && at < source.length; at += 1) depth += { '(': 1, ')': -1 }[source[at] ?? ''] ?? 0
  return source.slice(start, at - 1)
}
