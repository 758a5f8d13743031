// `npm run dev`: the services as separate processes behind a small edge, straight from their sources.
import { join } from 'node:path'
import { ROOT, TOOLS } from './project.mjs'
import { prepareRedis } from './redis.mjs'
import { run } from './supervise.mjs'
import { prepareTools } from './tools.mjs'
import { generateCode, installDependencies } from './workspace.mjs'

/** @param {string[]} args */
export async function dev(args) {
  const tools = await prepareTools()
  await installDependencies(tools)
  await generateCode(tools.env)
  if (!process.env.SIGNET_REDIS_URL) await prepareRedis()
  const main = join(ROOT, 'apps', 'standalone', 'src', 'dev.ts')
  const { code } = await run(tools.node, [main, ...args], {
    env: { ...tools.env, NODE_COMPILE_CACHE: join(TOOLS, 'compile-cache') },
    leash: true,
    output: 'inherit',
  })
  return code
}
