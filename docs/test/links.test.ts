import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Markdown files of the repository, which are pages of the site. */
const FILES = globSync(
  ['*.md', 'docs/**/*.md', '{apps,packages,examples}/*/*.md', '{deploy,benchmarks}/**/*.md'],
  {
    cwd: ROOT,
    exclude: (name) => ['node_modules', 'dist'].includes(name),
  },
)

it('every link of a Markdown file leads to a file of the repository', () => {
  expect(FILES.length).toBeGreaterThan(200)
  const dead = FILES.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^```.*?^```/gms, '')
    return [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => (target.startsWith('/') ? target : join(dirname(file), target)))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${file}: ${target}`)
  })
  expect(dead).toEqual([])
})
