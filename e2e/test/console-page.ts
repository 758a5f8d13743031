import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** Leads to another page of the console without loading it again, as a link does, and waits until it has its data. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    if (location.pathname + location.search === `/console${to}`) return
    document.querySelector('main h1')?.setAttribute('data-left', '')
    history.pushState({}, '', `/console${to}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await page.waitForSelector('main h1:not([data-left])')
  await page.waitForFunction(() =>
    [...document.querySelectorAll('main [role="status"]')].every(
      ({ textContent }) => !/…$/.test(textContent),
    ),
  )
}

/** Builds the files of the console where there are none, as they are shipped: in tests React would be that of development. */
export function buildConsole(): void {
  const cwd = fileURLToPath(new URL('../../apps/console/', import.meta.url))
  const env = { ...process.env, NODE_ENV: 'production' }
  if (!existsSync(`${cwd}dist/api-reference`)) execFileSync('pnpm', ['run', 'build'], { cwd, env })
}
