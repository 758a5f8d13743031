// `pnpm --filter @signet/cli package [FOLDER]`: writes the command into FOLDER, as one file `signet.cjs` and as npm
// package with that file, and prints the names of both.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const APP = fileURLToPath(new URL('..', import.meta.url))
const FILE = 'signet.cjs'
const OLDEST_NODE = 18

// Runs before the modules. The whole file is in the syntax of Node.js 14, so that this sentence is reached there.
const INTRO = `if (Number(process.versions.node.split('.')[0]) < ${OLDEST_NODE}) {
  process.stderr.write('signet: needs Node.js ${OLDEST_NODE} or later; this is ' + process.versions.node + '\\n')
  process.exit(1)
}
// Node.js 18 has it in a module only, and libraries look for it when they are loaded.
if (globalThis.crypto === undefined) globalThis.crypto = require('node:crypto').webcrypto
// Since Node.js 18.17.
if (URL.canParse === undefined) {
  URL.canParse = function (url, base) {
    try {
      return Boolean(new URL(url, base))
    } catch (error) {
      return false
    }
  }
}`

const target = resolve(process.argv[2] ?? '.')
const staged = mkdtempSync(join(tmpdir(), 'signet-package-'))

const bundle = await rolldown({
  input: join(APP, 'src', 'main.ts'),
  platform: 'node',
  // Native modules, which only the verification of a password loads.
  external: [/^@node-rs\//],
  transform: { target: 'node14' },
})
const { output } = await bundle.write({
  file: join(staged, 'dist', FILE),
  // An ES module would load everything that it imports before the first statement.
  format: 'cjs',
  codeSplitting: false,
  comments: { legal: true },
  intro: INTRO,
})
await bundle.close()

const { name, version, description, license } = JSON.parse(readFileSync(join(APP, 'package.json'), 'utf8'))
const manifest = {
  ...{ name, version, description, license },
  bin: { signet: `dist/${FILE}` },
  engines: { node: `>=${OLDEST_NODE}` },
}
const licenses = licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds))
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
cpSync(join(APP, 'README.md'), join(staged, 'README.md'))
cpSync(join(APP, '..', '..', 'LICENSE'), join(staged, 'LICENSE'))
writeFileSync(join(staged, 'THIRD-PARTY-LICENSES.txt'), licenses)
const packed = execFileSync('npm', ['pack', '--pack-destination', target], {
  cwd: staged,
  stdio: ['ignore', 'pipe', 'ignore'],
})
// Alone, the file has to carry the licenses itself.
const text = readFileSync(join(staged, 'dist', FILE), 'utf8')
mkdirSync(target, { recursive: true })
writeFileSync(join(target, FILE), `${text}\n/*\n${licenses.replaceAll('*/', '* /')}*/\n`)
chmodSync(join(target, FILE), 0o755)
process.stdout.write(`${packed}${FILE}\n`)
rmSync(staged, { recursive: true })

/** The licenses that have to accompany the packages bundled into the file. */
function licensesOf(modules) {
  const folders = new Set(
    modules.flatMap((module) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? []),
  )
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    })
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`)
}
