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
