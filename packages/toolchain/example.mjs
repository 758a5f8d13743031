// `npm run example`, `npm run example:spa` …: one of the applications in the folder `examples`, on the pinned Node.js.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Problem, ROOT } from './project.mjs'
import { run } from './supervise.mjs'
import { prepareTools } from './tools.mjs'
import { installDependencies } from './workspace.mjs'

const EXAMPLES = join(ROOT, 'examples')

/** @param {string[]} args */
export async function example([name = '']) {
  const entries = readdirSync(EXAMPLES, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  if (!names.includes(name)) throw new Problem(`"${name}" is not one of ${names.join(', ')}`)
  const tools = await prepareTools()
  await installDependencies(tools)
  const { code } = await run(tools.node, [join(EXAMPLES, name, 'server.mjs')], {
    env: tools.env,
    output: 'inherit',
  })
  return code
}
