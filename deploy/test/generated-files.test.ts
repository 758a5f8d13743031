import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../src/generate.ts'

const root = new URL('../../', import.meta.url)

describe('generated files of deploy/', () => {
  it.each(Object.entries(generatedFiles()))(
    '%s equals the output of `pnpm --filter @signet/deploy generate:deploy`',
    (path, content) => {
      expect(readFileSync(new URL(path, root), 'utf8')).toBe(content)
    },
  )
})
