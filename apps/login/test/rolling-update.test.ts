import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAssets } from '../src/pages/assets.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env?.stop())

const { stylesheets } = loadAssets()

async function load(path: string) {
  const answer = await fetch(`http://localhost:${env.port}${path}`)
  return { status: answer.status, cache: answer.headers.get('cache-control'), text: await answer.text() }
}

describe('during a rolling update', () => {
  it.each(['auto', 'light', 'dark'] as const)(
    'the stylesheet of %s pages has a name that the release before answers',
    async (theme) => {
      const { path, content } = stylesheets[theme]
      expect(path).toMatch(/^\/ui\/assets\/signet-[0-9a-f]{16}\.css$/)
      expect(await load(path)).toEqual({
        ...{ status: 200, cache: 'public, max-age=31536000, immutable' },
        text: content.toString(),
      })
    },
  )

  it('a stylesheet of another release is the present one for both schemes, and not stored', async () => {
    expect(await load('/ui/assets/signet-0123456789abcdef.css')).toEqual({
      ...{ status: 200, cache: 'no-store' },
      text: stylesheets.auto.content.toString(),
    })
  })

  it('the colours of pages of the release before are served', async () => {
    const before = await load(`/ui/assets/colours1-0b6e4f${'-x'.repeat(7)}.css`)
    expect(before).toMatchObject({ status: 200, text: expect.stringContaining('--accent: #0b6e4f;') })
    expect(await load(`/ui/assets/branding1-auto-0b6e4f${'-x'.repeat(8)}.css`)).toEqual(before)
    expect(await load(`/ui/assets/colours1-0b6e4f${'-x'.repeat(6)}.css`)).toMatchObject({ status: 404 })
  })
})
