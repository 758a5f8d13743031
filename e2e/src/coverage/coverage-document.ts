import { type Requirements, testsOf, withoutSpecIds } from './requirements.ts'
import type { TestTitle } from './test-titles.ts'

const HEADER = `# What the specification asks, and the tests that show it

Written by \`e2e/test/coverage.test.ts\` from \`requirements/spec.json\` beside it and the titles of the
tests: a title ends in the ids of what it proves, in brackets. After a change
\`npx vitest run e2e/test/coverage.test.ts --update\` writes it anew.
`

/** One table for each heading, one row for each requirement. */
export function coverageDocument(requirements: Requirements, titles: readonly TestTitle[]): string {
  const sections = Object.entries(requirements).map(([heading, rows]) => {
    const lines = Object.entries(rows).map(([id, text]) => {
      const tests = testsOf(id, titles).map(link)
      return `| ${cell(text)}<br>\`${id}\` | ${[...new Set(tests)].join('<br>')} |`
    })
    return `\n## ${heading}\n\n| requirement | test |\n|---|---|\n${lines.join('\n')}\n`
  })
  return HEADER + sections.join('')
}

function link({ file, title }: TestTitle): string {
  const name = file.split('/').at(-1)?.replace('.test.ts', '')
  return `[${name}](../${file}): ${cell(withoutSpecIds(title))}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
