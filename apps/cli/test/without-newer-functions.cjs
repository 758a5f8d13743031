// Preloaded, it takes away what Node.js 18 does not have, so that a newer one runs the command as that would.
// Node.js itself uses them while it loads its modules. Left out: functions that its `fetch` calls for each request.
const builtins = process.getBuiltinModule
for (const name of ['http', 'https', 'child_process', 'readline/promises', 'stream/web', 'zlib'])
  builtins(name)
new Request('http://localhost')

const NEWER = [
  [Array.prototype, 'toSorted', 'toReversed', 'toSpliced', 'with'],
  [Object.getPrototypeOf(Int8Array.prototype), 'toSorted', 'toReversed', 'with'],
  [Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf'],
  [Array, 'fromAsync'],
  [Object, 'groupBy'],
  [Map, 'groupBy'],
  [Promise, 'withResolvers', 'try'],
  [RegExp, 'escape'],
  [Error, 'isError'],
  [Uint8Array, 'fromBase64', 'fromHex'],
  [Uint8Array.prototype, 'toBase64', 'toHex'],
  [
    Iterator.prototype,
    'map',
    'filter',
    'take',
    'drop',
    'flatMap',
    'reduce',
    'toArray',
    'forEach',
    'some',
    'every',
  ],
  [AbortSignal, 'any'],
  [URL, 'canParse', 'parse'],
  [process, 'getBuiltinModule', 'loadEnvFile'],
  [builtins('node:fs'), 'openAsBlob', 'globSync', 'glob'],
  [builtins('node:fs/promises'), 'glob'],
  [builtins('node:util'), 'styleText', 'parseEnv', 'getCallSites'],
  [
    globalThis,
    'Iterator',
    'crypto',
    'CustomEvent',
    'File',
    'navigator',
    'WebSocket',
    'EventSource',
    'Storage',
  ],
  [globalThis, 'DisposableStack', 'AsyncDisposableStack', 'SuppressedError', 'Float16Array', 'URLPattern'],
]
for (const [owner, ...names] of NEWER) for (const name of names) delete owner[name]
