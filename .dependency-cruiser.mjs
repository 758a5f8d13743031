// Who may import what. `npm run boundaries` checks it; paths are relative to the repository.

const APP = '^apps/([^/]+)/'
const ADAPTER =
  '^apps/[^/]+/src/((http|pages)/|.*\\.(routes|page|grpc|job)\\.ts$|.*/(routes|job-queue)\\.ts$)'
const STORE = '^apps/[^/]+/src/.+/[^/]*\\.repository\\.ts$'
// Services, and every other file in a folder of an app. Storage, queues and the management client are adapters of their own.
const USE_CASE = [
  '^apps/[^/]+/src/[^/]+\\.service\\.ts$',
  '^apps/[^/]+/src/(?!http/|pages/|storage/|api/)[^/]+/(?!.*(\\.(routes|page|grpc|job|repository)|routes|job-queue)\\.ts$)',
]
const TEST = '\\.test\\.ts$|^(apps|packages)/[^/]+/test/|^(deploy/test|e2e)/'

// packages/testing starts all services in the process of a test, on a prepared database. Its manifest cannot name these apps, which depend on it.
const STARTED =
  '^apps/(standalone/src/(public-router|suite|suite-migrations)|directory/src/bootstrap|keys/src/(sealing|rotation/(key-rings|key\\.repository|policy))|token/src/partitions/(partition-plan|partition\\.repository))\\.ts$'

/** The packages that each package may import. */
const PACKAGES = {
  protocol: [],
  platform: ['protocol'],
  'password-hash': [],
  tokens: ['grpc', 'platform', 'protocol'],
  grpc: ['platform', 'protocol'],
  http: ['platform', 'protocol'],
  // It reads epochs of the form that tokens have.
  'directory-reader': ['platform', 'protocol', 'tokens'],
  'revocation-reader': ['platform', 'protocol', 'tokens'],
  // It checks signed assertions as the tokens package verifies JWTs.
  'client-auth': ['directory-reader', 'http', 'password-hash', 'platform', 'protocol', 'tokens'],
  'admin-api': ['grpc', 'http', 'platform', 'protocol'],
  'file-formats': ['password-hash', 'protocol', 'tokens'],
  service: ['grpc', 'http', 'platform'],
  'dev-stack': ['platform', 'protocol'],
  testing: ['dev-stack', 'grpc', 'platform'],
}

/** @param {string} names alternatives, as in a regular expression */
const installed = (names) => `(^|/)node_modules/(@types/)?(${names})/`

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const rules = [
  {
    name: 'imports-resolve',
    comment: 'Add the file that the import names.',
    from: {},
    // vite.api-reference.config.ts says where it is.
    to: { couldNotResolve: true, pathNot: '^scalar-bundle$' },
  },
  {
    name: 'production-imports-are-dependencies',
    comment: 'Move it to `dependencies`: an image has none of `devDependencies`.',
    // An image has the console as the files that are built of it.
    from: { path: '^(apps|packages)/[^/]+/src/', pathNot: [TEST, '^apps/console/'] },
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
    from: { path: APP, pathNot: ['^apps/(standalone|migrate)/', TEST] },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'standalone-composes-services',
    comment:
      'apps/standalone imports only the service, migrations, bootstrap and storage settings of another app, and the layout of pages.',
    from: { path: '^apps/standalone/' },
    to: {
      path: '^apps/',
      pathNot:
        '^apps/(standalone/|[^/]+/src/(service|migrations|bootstrap)\\.ts$|migration/src/storage/|login/src/(config|pages/english-page)\\.ts$)',
    },
  },
  {
    name: 'migrate-prepares-databases',
    comment: 'apps/migrate imports only the migrations and bootstrap of another app.',
    from: { path: '^apps/migrate/' },
    to: { path: '^apps/', pathNot: '^apps/(migrate/|[^/]+/src/(migrations|bootstrap)\\.ts$)' },
  },
  ...Object.entries(PACKAGES).map(([name, allowed]) => ({
    name: `${name}-imports`,
    comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}.`,
    from: { path: `^packages/${name}/src/`, pathNot: TEST },
    to: {
      path: '^(apps|packages|e2e|benchmarks|deploy)/',
      pathNot: [`^packages/(${[name, ...allowed].join('|')})/`, ...(name === 'testing' ? [STARTED] : [])],
    },
  })),
  {
    name: 'packages-are-imported-by-name',
    comment: 'Import `@signet/<name>/<file>`.',
    from: { path: '^(apps|packages)/([^/]+)/', pathNot: TEST },
    to: { path: '^(apps|packages)/', pathNot: ['^$1/$2/', STARTED], dependencyTypes: ['local'] },
  },
  {
    name: 'platform-folders-stand-alone',
    comment: 'The database, Redis and metrics folders of packages/platform do not import each other.',
    from: { path: '^packages/platform/src/(metrics|tracing|postgres|redis|outbound-http)/', pathNot: TEST },
    to: {
      path: '^packages/platform/src/(metrics|postgres|redis|outbound-http)/',
      pathNot: '^packages/platform/src/$1/',
    },
  },
  {
    name: 'adapters-do-not-touch-stores',
    comment: 'An adapter calls a use case, which gets the store from service.ts.',
    from: { path: ADAPTER, pathNot: TEST },
    to: { path: [STORE, installed('pg|ioredis')] },
  },
  {
    name: 'use-cases-are-transport-free',
    comment: 'Let an adapter (routes, gRPC, job) or a repository do it and pass the result in.',
    from: { path: USE_CASE, pathNot: TEST },
    to: { path: installed('express|@grpc/grpc-js|pg|ioredis|bullmq') },
  },
  {
    name: 'use-cases-do-not-import-adapters',
    comment: 'Adapters import use cases.',
    from: { path: [...USE_CASE, STORE], pathNot: TEST },
    to: { path: ADAPTER },
  },
  {
    name: 'use-cases-know-stores-by-interface',
    comment: 'Import the type only; service.ts makes the store.',
    from: { path: USE_CASE, pathNot: TEST },
    to: { path: STORE, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'protocol-is-pure',
    comment: 'Constants and shapes only: zod, and node:crypto for hashes.',
    from: { path: '^packages/protocol/src/', pathNot: TEST },
    to: { pathNot: ['^packages/protocol/', installed('zod'), '^(node:)?crypto$'] },
  },
  {
    name: 'token-formats-are-pure',
    comment: 'They encode and decode; node:crypto and the protocol are all they need.',
    from: { path: '^packages/tokens/src/[^/]+\\.ts$', pathNot: [TEST, '/access-token-reader\\.ts$'] },
    to: {
      pathNot: [
        '^packages/tokens/src/[^/]+$',
        '^packages/protocol/',
        installed('zod'),
        '^(node:)?(crypto|buffer)$',
      ],
    },
  },
  {
    name: 'only-grpc-knows-grpc-js',
    comment: 'Use @signet/grpc.',
    from: { path: '^(apps|packages)/', pathNot: ['^packages/grpc/', TEST] },
    to: { path: installed('@grpc/grpc-js|grpc-health-check') },
  },
  {
    name: 'production-does-not-import-test-code',
    comment: 'Only tests, e2e and benchmarks import testing, e2e or vitest.',
    from: { path: '^(apps|packages)/', pathNot: ['^packages/testing/', TEST] },
    to: { path: ['^packages/testing/', '^e2e/', installed('vitest'), TEST] },
  },
]

export default {
  forbidden: rules.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    exclude: { path: '(^|/)(bundle|\\.turbo)/|^apps/console/dist/' },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
