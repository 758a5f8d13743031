import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../src/generated-files.ts'
import { renderText } from './helm.ts'
import { minimal, production } from './values-matrix.ts'

const root = new URL('../../../', import.meta.url)

describe('generated files of deploy/', () => {
  it.each(Object.entries(generatedFiles(root)))(
    '%s is what `pnpm --filter @signet/deployment generate:deploy` writes',
    (path, content) => {
      expect(readFileSync(new URL(path, root), 'utf8')).toBe(content)
    },
  )
})

describe('golden files', () => {
  it.each([
    ['minimal', minimal],
    ['production', production],
  ])(
    'the chart with %s values renders as it did; `vitest --update` accepts a change',
    async (name, values) => {
      await expect(await renderText(values)).toMatchFileSnapshot(`golden/${name}.yaml`)
    },
  )
})
