// `npm run bench`: the services as their images run them, measured beside a peer and the limit of the machine.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, TOOLS } from './project.mjs'
import { prepareRedis } from './redis.mjs'
import { run, runQuietly } from './supervise.mjs'
import { prepareTools } from './tools.mjs'
import { generateCode, installDependencies } from './workspace.mjs'

/** @param {string[]} args */
export async function bench(args) {
  const tools = await prepareTools()
  await installDependencies(tools)
  await generateCode(tools.env)
  await prepareRedis()
  const apps = readdirSync(join(ROOT, 'apps')).map((name) => join('apps', name))
  const bundling = [join(ROOT, 'packages', 'app-bundle', 'src', 'main.ts'), ...apps]
  await runQuietly('bundling', tools.node, bundling, { cwd: ROOT, env: tools.env })
  const main = join(ROOT, 'benchmarks', 'src', 'main.ts')
  const { code } = await run(tools.node, [main, ...args], {
    cwd: ROOT,
    env: { ...tools.env, NODE_COMPILE_CACHE: join(TOOLS, 'compile-cache') },
    leash: true,
    output: 'inherit',
  })
  return code
}
