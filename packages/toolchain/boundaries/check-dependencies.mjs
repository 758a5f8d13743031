// Runs dependency-cruiser over all sources and makes sure that it really saw them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import { DEPENDENCY_RULES } from './dependency-rules.mjs'
import { isProductionTree, SOURCE_FOLDERS, sourceFiles } from './source-files.mjs'

// Names what an import names: `import … from '…'`, `export … from '…'`, at the beginning of a line.
const HAS_IMPORT = /^(import|export)\s[^;]*?\sfrom\s'|^import\s'/m

/**
 * @param {string} root
 * @returns {Promise<string[]>} one line per violation
 */
export async function checkDependencies(root) {
  const { output } = await cruise(
    SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder))),
    {
      baseDir: root,
      exclude: { path: '^((apps|packages)/[^/]+|benchmarks)/(dist|test|\\.turbo)/' },
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: 'specify',
      validate: true,
      ruleSet: { forbidden: DEPENDENCY_RULES.map((rule) => ({ ...rule, severity: 'error' })) },
    },
    {
      conditionNames: ['source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  )
  if (typeof output === 'string') throw new Error('dependency-cruiser answered with text')
  const violations = output.summary.violations.map(({ rule, from, to }) => {
    const comment = DEPENDENCY_RULES.find(({ name }) => name === rule.name)?.comment
    return `${rule.name}: ${from} imports ${to}\n    ${comment}`
  })
  return [...violations, ...unseen(root, output.modules)]
}

/**
 * A resolver that lost its way finds nothing wrong because it finds nothing.
 * @param {string} root
 * @param {{ source: string, dependencies: unknown[] }[]} modules
 */
function unseen(root, modules) {
  const seen = new Map(modules.map(({ source, dependencies }) => [source, dependencies.length]))
  const expected = sourceFiles(root).filter(isProductionTree)
  if (expected.length === 0) return ['no source file was found; run this from the repository']
  return expected.flatMap((path) => {
    const imports = seen.get(path)
    if (imports === undefined) return [`not seen by dependency-cruiser: ${path}`]
    if (imports > 0 || !HAS_IMPORT.test(readFileSync(join(root, path), 'utf8'))) return []
    return [`dependency-cruiser saw no import in ${path}; is typescript 6 installed beside it?`]
  })
}
