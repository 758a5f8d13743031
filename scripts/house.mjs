// `npm run house`: prints each bar of the repository's structure with its goal and its value now.
// `npm run house -- v1.2.3` counts the commits without a body since a tag instead of the last 200.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { riddles } from './prose.mjs'
import { readRuns } from './test-counts.mjs'

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 }).trim().split('\n').filter(Boolean)
const tracked = git('ls-files').filter((path) => existsSync(path))
const sources = tracked.filter((path) => /\.(ts|mjs)$/.test(path))
const text = new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]))
const lines = (paths) => paths.reduce((sum, path) => sum + text.get(path).split('\n').length - 1, 0)
const thousands = (number) => `${(number / 1_000).toFixed(1)}k`

const HARNESS = /^packages\/testing\//
/** Files of these names have tests; the configurations of Vitest collect them. */
const WITH_TESTS = /\.(test|soak|images|interop|upgrade|kubernetes)\./
const isTest = (path) => WITH_TESTS.test(path) || /\/test\/|^e2e\//.test(path) || HARNESS.test(path)
const isHarness = (path) => isTest(path) && !WITH_TESTS.test(path)
const product = sources.filter((path) => !isTest(path))

const manifests = tracked
  .filter((path) => /^(apps|packages|deploy|e2e|benchmarks|examples)\b.*package\.json$/.test(path))
  .map((path) => ({ folder: dirname(path), ...JSON.parse(readFileSync(path, 'utf8')) }))
const workspaceOf = (path) => manifests.find(({ folder }) => path.startsWith(`${folder}/`))

/** The files that a file imports; types too, since a reader has to open those as well. */
function importsOf(path) {
  const specifiers =
    text
      .get(path)
      ?.matchAll(/(?:^|\n)(?:import|export)\b(?:[^'"\n;]|\n(?!import|export))*?from '([^']+)'/g) ?? []
  return [...specifiers].flatMap(([, specifier]) => resolve(path, specifier) ?? [])
}

function resolve(from, specifier) {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  const [scope, name, ...rest] = specifier.split('/')
  const workspace = scope === '@signet' && manifests.find((manifest) => manifest.name === `@signet/${name}`)
  if (!workspace) return undefined
  const subpath = rest.length > 0 ? `./${rest.join('/')}` : '.'
  const [pattern, target] =
    Object.entries(workspace.exports ?? {}).find(([key]) => key === subpath) ??
    Object.entries(workspace.exports ?? {}).find(
      ([key]) => key.includes('*') && subpath.startsWith(key.split('*')[0]),
    ) ??
    []
  if (pattern === undefined) return undefined
  const path = typeof target === 'string' ? target : (target.source ?? target.default)
  const [before = ''] = pattern.split('*')
  return normalize(join(workspace.folder, path.replace('*', subpath.slice(before.length))))
}

function closureOf(start) {
  const seen = new Set()
  const visit = (path) => {
    if (seen.has(path) || !text.has(path)) return
    seen.add(path)
    importsOf(path).forEach(visit)
  }
  visit(start)
  return [...seen]
}

const endpoint = ['http/introspect-endpoint', 'introspect-endpoint', 'introspect.routes', 'introspect']
  .map((name) => `apps/introspection/src/${name}.ts`)
  .find((path) => text.has(path))
const closure = endpoint ? closureOf(endpoint) : []

const importers = new Map()
for (const path of product)
  for (const imported of new Set(importsOf(path))) importers.set(imported, (importers.get(imported) ?? 0) + 1)
const small = product.filter((path) => importers.get(path) === 1 && lines([path]) <= 40)

const count = (paths, pattern) =>
  paths.reduce((sum, path) => sum + (text.get(path).match(pattern)?.length ?? 0), 0)
const setting = product.filter(
  (path) => /^(apps|packages)\//.test(path) && /pkceOptional|pkce_optional/.test(text.get(path)),
)
const starts = count(
  sources.filter(isTest),
  /^export (async )?function start\w*(Suite|Signet|System|Processes|Provider)\b/gm,
)
const withCode = manifests.filter(
  ({ folder }) => /^(apps|packages)\//.test(folder) && sources.some((path) => path.startsWith(`${folder}/`)),
)
const withTest = withCode.filter(({ scripts }) => scripts?.test)
const readmes = withCode.filter(({ folder }) => existsSync(`${folder}/README.md`))
const folders = (parent) => withCode.filter(({ folder }) => dirname(folder) === parent).length
const words = riddles()
const OTHER_DOCUMENTS = String.raw`DESIGN\b|identity\.md|wire-facts|SPEC\b`
const dangling = git('grep', '-nE', OTHER_DOCUMENTS, '--', ':!scripts/house.mjs').filter((line) => {
  const [path, , ...rest] = line.split(':')
  // A link to a file of the repository is no dangling name.
  const unlinked = rest
    .join(':')
    .replaceAll(/\]\(([^)#]+)[^)]*\)/g, (link, target) =>
      existsSync(join(dirname(path), target)) ? '' : link,
    )
  return new RegExp(OTHER_DOCUMENTS).test(unlinked)
})
const [since] = process.argv.slice(2)
const commits = git('log', '--format=%s%x00%b%x01', ...(since ? [`${since}..`] : ['-200']))
  .join('\n')
  .split('\u0001')
const judged = commits
  .map((commit) => commit.trim().split('\0'))
  .filter(([subject]) => /^(fix|perf)\b/.test(subject))
const ownCrypto = product.filter(
  (path) =>
    (/keyed-mac\.ts$/.test(path) && !/createHmac\(/.test(text.get(path))) ||
    (/verify-jws\.ts$/.test(path) && !/from 'jose'/.test(text.get(path))),
)

const runs = readRuns('.')
const tasks = runs.flatMap((run) => run.tasks)
const lastTestRun =
  tasks.length === 0
    ? 'unknown: run `npm test` twice'
    : `${Math.round(runs.reduce((sum, run) => sum + run.seconds, 0))} s, ${tasks.filter(({ cache }) => cache.status === 'HIT').length} of ${tasks.length} tasks cached`

// Decision 60: operations of the management API and methods between services.
const entryPoints =
  Object.values(JSON.parse(readFileSync('apps/directory/openapi.json', 'utf8')).paths).flatMap((path) =>
    Object.values(path).filter((operation) => operation.operationId),
  ).length + git('grep', '-hE', String.raw`^\s+rpc \w+\(`, '--', 'proto').length
const each = (number, digits = 0) => (number / entryPoints).toFixed(digits)
const testLines = lines(sources.filter((path) => isTest(path) && !isHarness(path)))

const bars = [
  ['packages, apps', '≤ 15, 9', `${folders('packages')}, ${folders('apps')}`],
  ['tracked files', '≤ 1,000', tracked.length],
  ['source, test lines', '≤ 47k, ≤ 30k', `${thousands(lines(product))}, ${thousands(testLines)}`],
  [
    'closure of the introspection endpoint: files, workspaces',
    '≤ 50, ≤ 9',
    `${closure.length}, ${new Set(closure.map(workspaceOf)).size}`,
  ],
  ['product files that name one client setting', '≤ 6', setting.length],
  ['harness lines', '≤ 4.5k', thousands(lines(sources.filter(isHarness)))],
  [
    `for each of ${entryPoints} entry points: files besides documents and SQL`,
    '≤ 8',
    each(tracked.filter((path) => !/\.(md|sql)$/.test(path)).length, 1),
  ],
  [
    'for each entry point: lines of source, tests, harness',
    '≤ 460, 320, 60',
    [lines(product), testLines, lines(sources.filter(isHarness))].map((number) => each(number)).join(', '),
  ],
  ['functions that start the system for tests', '1', starts],
  ['single-importer files of at most 40 lines', '≤ 40', small.length],
  ['workspaces with `test`', 'all', `${withTest.length} of ${withCode.length}`],
  [
    'comments, titles, paragraphs with listed words',
    '0',
    ['comment', 'title', 'paragraph']
      .map((kind) => words.filter((word) => word.kind === kind).length)
      .join(', '),
  ],
  ['names of documents that are not in the repository', '0', dangling.length],
  ['READMEs', 'all', `${readmes.length} of ${withCode.length}`],
  [
    `fix and perf commits without a body, ${since ? `since ${since}` : 'of the last 200'}`,
    '0',
    `${judged.filter(([, body]) => !body?.trim()).length} of ${judged.length}`,
  ],
  ['own HMAC, own JWS verification', '0', ownCrypto.length],
  ['second `npm test` without a change', '< 60 s', lastTestRun],
  ['budgets', 'hold', 'npm run bench -- --check'],
]
const width = Math.max(...bars.map(([bar]) => bar.length))
for (const [bar, goal, value] of bars)
  process.stdout.write(`${bar.padEnd(width)}  ${goal.padEnd(13)} ${value}\n`)
