// Runs a child as `npm start` does once everything is prepared.
import { fileURLToPath } from 'node:url'
import { run, stopChildrenWithThisProcess } from '../processes.mjs'

const child = fileURLToPath(new URL('child.mjs', import.meta.url))
stopChildrenWithThisProcess()
const { code } = await run(process.execPath, [child, ...process.argv.slice(2)], {
  ipc: true,
  output: 'inherit',
})
process.exitCode = code
