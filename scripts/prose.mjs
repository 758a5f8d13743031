// Checks that Markdown, comments and test titles use plain words: `scripts/prose.json` lists the words to replace, those
// with a `kind` in texts of that kind only. Prints each text that uses one, with its place.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

const read = (path) => readFileSync(path, 'utf8')
const { words } = JSON.parse(read('scripts/prose.json'))
const rules = words.map(({ pattern, say, kind }) => ({
  say,
  kind,
  found: new RegExp(`(?<![\\w-])(?:${pattern})(?!\\w)`, 'i'),
}))

/** Marks of comments on a line of their own, by the extension of files that are not parsed. */
const MARKS = { proto: '//', yaml: '#' }

/** Every text that a person reads, with the line where it begins. */
export function textsOf(path) {
  const source = read(path)
  const place = (offset) => `${path}:${source.slice(0, offset).split('\n').length}`
  if (path.endsWith('.md'))
    return [...paragraphs(source)].map(([line, text]) => ({
      kind: 'paragraph',
      place: `${path}:${line}`,
      text,
    }))
  const mark = MARKS[path.split('.').at(-1)]
  if (mark !== undefined)
    return [...source.matchAll(new RegExp(`(?:^[ \\t]*${mark}.*\\n)+`, 'gm'))].map((match) => ({
      kind: 'doc',
      place: place(match.index),
      text: match[0].replaceAll(new RegExp(`^[ \\t]*${mark}(?: --)?`, 'gm'), ''),
    }))
  const { comments, program } = parseSync(path, source)
  const joined = comments.reduce((groups, comment) => {
    const last = groups.at(-1)?.at(-1)
    const follows =
      last?.type === 'Line' && comment.type === 'Line' && /^\s*$/.test(source.slice(last.end, comment.start))
    if (follows) groups.at(-1).push(comment)
    else groups.push([comment])
    return groups
  }, [])
  return [
    ...joined.map((group) => ({
      kind: group[0].value.startsWith('*') ? 'doc' : 'comment',
      place: place(group[0].start),
      text: group.map(({ value }) => value).join(' '),
    })),
    ...titles(program, source).map(({ start, text }) => ({ kind: 'title', place: place(start), text })),
  ]
}

function* paragraphs(source) {
  const prose = source.replaceAll(/^```[\s\S]*?^```/gm, blank).replaceAll(/`[^`\n]*`|\]\([^)\s]*\)/g, blank)
  for (const match of prose.matchAll(/^(?!\s*$).+\n?(?:^(?!\s*$|\s*(?:[-*#|]|\d+\.) ).+\n?)*/gm))
    yield [prose.slice(0, match.index).split('\n').length, match[0]]
}

/** Keeps the lines of a text that is not prose. */
const blank = (text) => `~${text.replaceAll(/[^\n]/g, '')}`

function titles(node, source) {
  if (node === null || typeof node !== 'object') return []
  const inner = Object.values(node).flatMap((child) => titles(child, source))
  if (node.type !== 'CallExpression' || !['it', 'test', 'describe'].includes(nameOf(node.callee)))
    return inner
  const [title] = node.arguments
  if (!['Literal', 'TemplateLiteral'].includes(title?.type)) return inner
  return [{ start: title.start, text: source.slice(title.start + 1, title.end - 1) }, ...inner]
}

/** `it` of `it`, `it.each(…)` and `it.skipIf(…)`. */
const nameOf = (callee) =>
  callee?.type === 'Identifier' ? callee.name : callee && nameOf(callee.object ?? callee.callee ?? callee.tag)

const plain = (text) =>
  text
    .replaceAll(/^\s*\*/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The texts of the repository that use a listed word. */
export function riddles() {
  const paths = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.md', '*.proto', '*.yaml'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
  return paths.filter(existsSync).flatMap((path) =>
    textsOf(path).flatMap(({ kind, place, text }) => {
      const shown = plain(text)
      const rule = rules.find((one) => (one.kind ?? kind) === kind && one.found.test(shown))
      return rule ? [{ kind, place, text: shown, say: rule.say }] : []
    }),
  )
}

if (import.meta.main) {
  const found = riddles()
  for (const { place, text, say } of found) process.stderr.write(`${place}: ${text}\n    say ${say}\n`)
  process.stdout.write(`prose: ${found.length} texts with listed words\n`)
  process.exitCode = found.length > 0 ? 1 : 0
}
