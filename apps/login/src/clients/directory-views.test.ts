import { PLAIN_SIGN_IN_PAGE } from '@signet/directory-reader/sign-in-page'
import { silentLogger } from '@signet/platform/logger/logger'
import { expect, it } from 'vitest'
import { createSignInPageFinder } from './directory-views.ts'

it('shows the plain sign-in page while the database is away, with a line in the log', async () => {
  const error = new Error('no database')
  const logged: unknown[] = []
  const logger = { ...silentLogger, warn: (...line: readonly unknown[]) => logged.push(line) }
  const findSignInPage = createSignInPageFinder(async () => Promise.reject(error), logger)
  expect(await findSignInPage('acme')).toEqual(PLAIN_SIGN_IN_PAGE)
  expect(logged).toEqual([['sign_in_page_unavailable', { error }]])
})
