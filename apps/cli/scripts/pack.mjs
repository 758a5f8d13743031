// `pnpm --filter @signet/cli package [FOLDER]`: writes the npm package of the command into FOLDER and says its name.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const APP = fileURLToPath(new URL('..', import.meta.url))
const target = resolve(process.argv[2] ?? '.')
const staged = mkdtempSync(join(tmpdir(), 'signet-package-'))

const bundle = await rolldown({
  input: join(APP, 'src', 'main.ts'),
  platform: 'node',
  // The workspace as it is written, so that nothing has to be compiled before.
  resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
})
const { output } = await bundle.write({
  file: join(staged, 'dist', 'signet.js'),
  codeSplitting: false,
  comments: { legal: true },
})
await bundle.close()

const { name, version, description, license, type } = JSON.parse(
  readFileSync(join(APP, 'package.json'), 'utf8'),
)
const manifest = {
  ...{ name, version, description, license, type },
  bin: { signet: 'dist/signet.js' },
  engines: { node: '>=24' },
}
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
cpSync(join(APP, 'README.md'), join(staged, 'README.md'))
cpSync(join(APP, '..', '..', 'LICENSE'), join(staged, 'LICENSE'))
writeFileSync(
  join(staged, 'THIRD-PARTY-LICENSES.txt'),
  licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)),
)
process.stdout.write(
  execFileSync('npm', ['pack', '--pack-destination', target], {
    cwd: staged,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
)
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
