import { describe, expect, it } from 'vitest'
import { renderText } from './helm.ts'
import { minimal, production } from './values-matrix.ts'

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
