// Who may import what, as rules of dependency-cruiser. Paths are relative to the repository.

const APP = '^apps/([^/]+)/'
const ADAPTER = '^apps/[^/]+/src/((http|rpc|jobs|pages)/|.+/[^/]+\\.(routes|grpc|job)\\.ts$)'
const STORE = '^apps/[^/]+/src/(stores/|.+/[^/]*repository\\.ts$)'
// Every other file in a folder of an app holds use cases and domain.
const USE_CASE =
  '^apps/[^/]+/src/(?!http/|rpc/|jobs/|pages/|stores/)[^/]+/(?!.*(\\.(routes|grpc|job)|repository)\\.ts$)'
const TEST = '\\.test\\.ts$'

/** @param {string} names alternatives, as in a regular expression */
const installed = (names) => `(^|/)node_modules/(@types/)?(${names})/`

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const DEPENDENCY_RULES = [
  {
    name: 'imports-resolve',
    comment: 'Add the file, or the entry of `exports`, that the import names.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'production-imports-are-dependencies',
    comment: 'Move it to `dependencies`: an image has none of `devDependencies`.',
    from: { path: '^(apps|packages)/[^/]+/src/', pathNot: TEST },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'no-cycles',
    comment: 'Move what both need into a file of its own.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'apps-do-not-import-apps',
    comment: 'Put what two apps need into a package, or call the other service.',
    from: { path: APP, pathNot: '^apps/(standalone|migrate)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'standalone-composes-services',
    comment: 'apps/standalone may import only `./service`, `./migrations` and `./bootstrap` of another app.',
    from: { path: '^apps/standalone/' },
    to: { path: '^apps/', pathNot: '^apps/(standalone/|[^/]+/src/(service|migrations|bootstrap)\\.ts$)' },
  },
  {
    name: 'migrate-prepares-databases',
    comment: 'apps/migrate may import only `./migrations` and `./bootstrap` of another app.',
    from: { path: '^apps/migrate/' },
    to: { path: '^apps/', pathNot: '^apps/(migrate/|[^/]+/src/(migrations|bootstrap)\\.ts$)' },
  },
  {
    name: 'packages-do-not-import-apps',
    comment: 'Take what the package needs as an argument.',
    from: { path: '^packages/' },
    to: { path: '^apps/' },
  },
  {
    name: 'packages-are-imported-by-name',
    comment: 'Import `@signet/<name>/<file>`; a relative path gets around `exports`.',
    from: { path: '^(apps|packages)/([^/]+)/' },
    to: { path: '^(apps|packages)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
  },
  {
    name: 'adapters-do-not-touch-stores',
    comment: 'An adapter calls a use case, which gets the store from service.ts.',
    from: { path: ADAPTER },
    to: { path: [STORE, installed('pg|ioredis')] },
  },
  {
    name: 'use-cases-are-transport-free',
    comment: 'Let an adapter (http, rpc, jobs) or a store do it and pass the result in.',
    from: { path: USE_CASE, pathNot: TEST },
    to: { path: installed('express|@grpc/grpc-js|pg|ioredis|bullmq') },
  },
  {
    name: 'use-cases-do-not-import-adapters',
    comment: 'Arrows point from adapters to use cases.',
    from: { path: [USE_CASE, STORE] },
    to: { path: ADAPTER },
  },
  {
    name: 'use-cases-know-stores-by-interface',
    comment: 'Import the type only; service.ts makes the store.',
    from: { path: USE_CASE, pathNot: TEST },
    to: { path: STORE, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'oauth-protocol-is-pure',
    comment: 'Words and shapes only: zod, and node:crypto for hashes.',
    from: { path: '^packages/oauth-protocol/src/', pathNot: TEST },
    to: { pathNot: ['^packages/oauth-protocol/', installed('zod'), '^(node:)?crypto$'] },
  },
  {
    name: 'token-format-is-pure',
    comment: 'Encodes and decodes; node:crypto and the words of the protocol are all it needs.',
    from: { path: '^packages/token-format/src/', pathNot: TEST },
    to: {
      pathNot: ['^packages/(token-format|oauth-protocol)/', installed('zod'), '^(node:)?(crypto|buffer)$'],
    },
  },
  {
    name: 'only-rpc-knows-grpc',
    comment: 'Use @signet/rpc.',
    from: { path: '^(apps|packages)/', pathNot: '^packages/rpc/' },
    to: { path: installed('@grpc/grpc-js|grpc-health-check') },
  },
  {
    name: 'production-does-not-import-test-code',
    comment: 'What production needs does not belong into testkit or toolchain.',
    from: { path: '^(apps|packages)/', pathNot: ['^packages/(testkit|toolchain|end-to-end-tests)/', TEST] },
    to: { path: ['^packages/(testkit|toolchain|end-to-end-tests)/', installed('vitest'), TEST] },
  },
]
