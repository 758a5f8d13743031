// `npm run house`: prints each figure of the repository's structure with its goal and its value now, and ends with code 1
// where a goal is missed. Decision 60 says what is held and why.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'oxc-parser'
import { riddles } from './prose.mjs'
import { readRuns } from './test-counts.mjs'

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 }).trim().split('\n').filter(Boolean)
const tracked = git('ls-files').filter((path) => existsSync(path))
const text = new Map(
  tracked.filter((path) => /\.(ts|mjs|sql)$/.test(path)).map((path) => [path, readFileSync(path, 'utf8')]),
)
const isTest = (path) =>
  /\.(test|soak|images|interop|upgrade|kubernetes)\.|\/test\/|^e2e\/|^packages\/testing\//.test(path)
const isProduct = (path) => /^(apps|packages)\//.test(path) && !isTest(path)
const product = [...text.keys()].filter((path) => isProduct(path) && /\.(ts|mjs)$/.test(path))
const lines = (paths) => paths.reduce((sum, path) => sum + text.get(path).split('\n').length - 1, 0)
const thousands = (number) => `${(number / 1_000).toFixed(1)}k`

const manifests = tracked
  .filter((path) => /^(apps|packages)\/.*package\.json$/.test(path))
  .map((path) => ({ folder: dirname(path), ...JSON.parse(readFileSync(path, 'utf8')) }))

/** The file that an import names, if it is one of the repository. */
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

const parsed = new Map(product.map((path) => [path, parseSync(path, text.get(path))]))

/** The files that a file imports; types too, since a reader has to open those as well. */
const importsOf = new Map(
  product.map((path) => {
    const { staticImports, staticExports } = parsed.get(path).module
    const specifiers = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
    ]
    return [path, [...new Set(specifiers)].flatMap((specifier) => resolve(path, specifier) ?? [])]
  }),
)

/** All files that can be reached from one by its imports, itself included. */
function closureOf(start, within = () => true) {
  const seen = new Set()
  const visit = (path) => {
    if (seen.has(path) || !text.has(path) || !within(path)) return
    seen.add(path)
    importsOf.get(path)?.forEach(visit)
  }
  visit(start)
  return seen
}

/** The folders of an app that import each other, directly or through others. */
function foldersInCircles(app) {
  const source = `apps/${app}/src/`
  const folderOf = (path) => dirname(path.slice(source.length))
  const imports = new Map()
  for (const path of product.filter((file) => file.startsWith(source))) {
    if (folderOf(path) === '.') continue
    const own = imports.get(folderOf(path)) ?? new Set()
    for (const target of importsOf.get(path).filter((file) => file.startsWith(source)))
      if (folderOf(target) !== folderOf(path) && folderOf(target) !== '.') own.add(folderOf(target))
    imports.set(folderOf(path), own)
  }
  const reaches = (from, to, seen = new Set()) =>
    [...(imports.get(from) ?? [])].some(
      (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    )
  return [...imports.keys()].filter((folder) => reaches(folder, folder))
}

/** The functions of a file that have more lines than `most`, with their length. */
function longFunctions(path, most) {
  const source = text.get(path)
  const lineAt = (offset) => source.slice(0, offset).split('\n').length
  const found = []
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return
    if (/^(Function|ArrowFunction)/.test(node.type ?? '') && node.body) {
      const length = lineAt(node.end) - lineAt(node.start) + 1
      if (length > most) found.push({ path, line: lineAt(node.start), length })
    }
    for (const child of Object.values(node)) if (typeof child === 'object') visit(child)
  }
  visit(parsed.get(path).program)
  return found
}

/**
 * Settings whose names are public, in the API, the bootstrap file and exports: a rename would hide their uses and break callers.
 * Files that use or explain one are listed here with the reason. A file that copies a setting on from layer to layer has none.
 */
const SETTINGS = {
  pkceOptional: {},
  hasProjectCheck: {},
  allowedAudiences: {},
  // The state of a password, which the sign-in carries from its verification to the page of the new password.
  passwordChangeRequired: {
    'writes or reads the column of the password': [
      'apps/directory/src/accounts/account-columns.ts',
      'apps/directory/src/bootstrap/account-writers.ts',
      'apps/directory/src/credentials/credential.repository.ts',
      'apps/directory/src/transfer/exported-lists.repository.ts',
      'apps/directory/src/transfer/human-users.repository.ts',
      'apps/directory/src/undo/object-tables.ts',
      'apps/directory/src/users-api/accounts.routes.ts',
      'apps/directory/src/users-api/accounts.service.ts',
    ],
    'declares the member of a document or a record': [
      'apps/directory/src/accounts/account.schema.ts',
      'apps/directory/src/accounts/account.ts',
      'apps/directory/src/bootstrap/declared-resources.ts',
      'apps/directory/src/schema/people.ts',
    ],
    'asks for a new password in the sign-in': [
      'apps/login/src/authorize/gates.ts',
      'apps/login/src/clients/directory.ts',
      'apps/login/src/sessions/sign-in-proof.ts',
      'apps/login/src/sign-in/new-password.service.ts',
    ],
  },
  // Stored by organization with defaults of the instance; each reader of the effective policy hands it to `factorDemand`.
  forceMfa: {
    'reads the effective policy for factorDemand': [
      'apps/directory/src/accounts/second-factor.repository.ts',
      'apps/directory/src/credentials/credential.repository.ts',
      'apps/directory/src/credentials/passkey.repository.ts',
      'apps/directory/src/registration/registration.repository.ts',
      'apps/login/src/clients/directory-views.ts',
    ],
    'declares the member of a policy and of its view': [
      'apps/directory/src/organizations/policies.schema.ts',
      'apps/directory/src/organizations/policy-rules.ts',
      'apps/directory/src/organizations/policy.repository.ts',
      'packages/directory-reader/src/views.ts',
    ],
  },
}

/** Files that may name any setting, besides those that store, declare and obey it. */
const NAME_ANY_SETTING = [
  // Released migrations and views, which `table-ownership` and the upgrade test hold.
  /^apps\/directory\/migrations\//,
  // Translate the settings of other products.
  /^packages\/file-formats\/src\/sources\/|^apps\/cli\/src\/migration\//,
  // Declare and change the members of the export document.
  /^packages\/file-formats\/src\/export\//,
  // Tell an administrator which setting to change, or show an example of a document.
  /^apps\/directory\/src\/(?:access|doctor|previews|reviews)\/|\/refusal-reasons\.ts$|^apps\/cli\/src\/(?:customer|operations\/replaced-settings)\.ts$/,
]

const snakeCase = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const names = (path, setting) =>
  new RegExp(`\\b(${setting}|${snakeCase(setting)})\\b`).test(text.get(path) ?? '')

/** The figure of a setting. A listed file that does not name it any more is a miss too. */
function filesThatName(setting, listed) {
  const exempt = Object.values(listed).flat()
  const counted = [...text.keys()].filter(
    (path) =>
      isProduct(path) &&
      names(path, setting) &&
      !exempt.includes(path) &&
      !NAME_ANY_SETTING.some((pattern) => pattern.test(path)),
  )
  const needless = exempt.filter((path) => !names(path, setting))
  const value = `${counted.length}${exempt.length > 0 ? `, and ${exempt.length} with a reason` : ''}`
  return counted.length > 6 || needless.length > 0
    ? [[value, ...counted, ...needless.map((path) => `needlessly listed: ${path}`)].join('\n    '), false]
    : [value, true]
}

/**
 * Product files that combine the demand of the policy for a second factor with anything else, in TypeScript or in a statement:
 * each of them decides whether a person needs one. Reading or passing the demand on is no decision.
 */
const JOINS_DEMAND =
  /(?:&&|\|\||\bAND\b|\bOR\b|\bNOT\b|!)\s*\(?[\w.]*\bforce_?mfa\b|\bforce_?mfa\b['\s]*(?:={1,3} '?true'?\s*)?(?:&&|\|\||\? |\bAND\b|\bOR\b)/i
const factorDeciders = product.filter((path) =>
  text
    .get(path)
    .split('\n')
    .some((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && JOINS_DEMAND.test(line)),
)

const APPS = ['directory', 'login', 'token', 'migration', 'keys', 'introspection', 'federation', 'cli']
const entries = product
  .filter((path) => /\.(routes|grpc)\.ts$/.test(path))
  .map((path) => ({ path, size: closureOf(path, (file) => file.startsWith('apps/')).size }))
  .sort((one, other) => other.size - one.size)
const long = product
  .flatMap((path) => longFunctions(path, 80))
  .sort((one, other) => other.length - one.length)
const interfaces = product.filter((path) => {
  const [, name] = /export interface (\w+(?:Store|Repository))\b/.exec(text.get(path)) ?? []
  return name !== undefined && new RegExp(`class \\w+ implements ${name}\\b`).test(text.get(path))
})
const texts = product.filter((path) => /\/texts\/(account-)?(en|de|fr|ar|ja)\.ts$/.test(path))
const words = riddles()
const runs = readRuns('.')
const seconds = Math.round(runs.reduce((sum, run) => sum + run.seconds, 0))

/** Title, goal, value, and whether the goal holds. */
const figures = [
  ...APPS.map((app) => {
    const { length } = foldersInCircles(app)
    return [`folders of ${app} in circles`, '0', length, length === 0]
  }),
  ...['members/members.routes.ts', 'sign-in/password.routes.ts'].map((name) => {
    const { size = 0 } = entries.find(({ path }) => path.endsWith(`/${name}`)) ?? {}
    return [`files that one reads for ${name}, types included, within the app`, '≤ 40', size, size <= 40]
  }),
  [
    'the same for the largest of the routes and gRPC files',
    '≤ 60',
    `${entries[0].size}: ${entries[0].path}; ${entries.filter(({ size }) => size > 60).length} of ${entries.length} over 60`,
    entries[0].size <= 60,
  ],
  ...Object.entries(SETTINGS).map(([setting, listed]) => [
    `product files that name ${setting}`,
    '≤ 6',
    ...filesThatName(setting, listed),
  ]),
  [
    'places that decide a second factor',
    '1',
    factorDeciders.length === 1 ? 1 : `${factorDeciders.length}: ${factorDeciders.join(', ')}`,
    factorDeciders.length === 1,
  ],
  ['functions over 80 lines', '≤ 10', long.length, long.length <= 10],
  [
    'longest function',
    '≤ 120',
    `${long[0]?.length ?? 0}: ${long[0]?.path ?? ''}:${long[0]?.line ?? ''}`,
    (long[0]?.length ?? 0) <= 120,
  ],
  ['interfaces of stores with their only class', '0', interfaces.length, interfaces.length === 0],
  ['lines of texts of five languages in source', '0', lines(texts), texts.length === 0],
  ['comments, titles, paragraphs with listed words', '0', words.length, words.length === 0],
  ['last `npm test`, seconds', '≤ 720', seconds === 0 ? 'unknown: run `npm test`' : seconds, seconds <= 720],
  [
    'files; lines of source, of tests',
    '–',
    `${tracked.length}; ${thousands(lines(product))}, ${thousands(lines([...text.keys()].filter((path) => isTest(path) && /\.(ts|mjs)$/.test(path))))}`,
    true,
  ],
]
const width = Math.max(...figures.map(([title]) => title.length))
for (const [title, goal, value, holds] of figures)
  process.stdout.write(`${holds ? ' ' : '!'} ${title.padEnd(width)}  ${goal.padEnd(6)} ${value}\n`)
if (figures.some(([, , , holds]) => !holds)) process.exitCode = 1
