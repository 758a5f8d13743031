import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleApp } from '@signet/deploy/docker/bundle-app'
import type { Program } from '@signet/dev-stack/processes/child'
import { SERVICE_NAMES } from '@signet/platform/process/service'
import { temporaryFolder } from '@signet/testing/temporary-folder'

const APPS = fileURLToPath(new URL('../../apps/', import.meta.url))

/** The apps as the images start them, each in one file, made from the sources. */
export interface BundledApps {
  readonly program: Program
  remove(): Promise<void>
}

export async function bundleApps(): Promise<BundledApps> {
  const folder = await temporaryFolder('bundles')
  for (const app of [...SERVICE_NAMES, 'migrate', 'cli']) {
    await bundleApp({ entry: join(APPS, app, 'src', 'main.ts'), folder: join(folder, app) })
  }
  return {
    program: (app) => [join(folder, app, 'main.js')],
    remove: () => rm(folder, { recursive: true }),
  }
}
