// node src/main.ts APP…: bundles apps from their sources, each as APP/bundle/main.js.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { bundleApp } from './bundle-app.ts'

for (const path of process.argv.slice(2)) {
  const app = realpathSync(path)
  await bundleApp({ entry: join(app, 'src', 'main.ts'), folder: join(app, 'bundle') })
}
