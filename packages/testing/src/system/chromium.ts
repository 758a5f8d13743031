import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import '../provided-context.ts'

/** Opens the system's Chromium, headless. `npm test` has installed one where there was none. */
export function openChromium(): Promise<Browser> {
  const executablePath = inject('chromiumPath')
  if (executablePath === '')
    throw new Error('no Chromium was found; install one or set SIGNET_TEST_CHROMIUM to its path')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-sync',
    ],
  })
}
