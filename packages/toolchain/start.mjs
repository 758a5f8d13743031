// `npm start`: all services in one process, straight from their sources.
import { join } from 'node:path'
import { ROOT, TOOLS } from './project.mjs'
import { prepareRedis } from './redis.mjs'
import { STANDALONE_NODE_OPTIONS } from './standalone-options.mjs'
import { run } from './supervise.mjs'
import { prepareTools } from './tools.mjs'
import { generateCode, installDependencies } from './workspace.mjs'

/** @param {string[]} args */
export async function start(args) {
  const tools = await prepareTools()
  await installDependencies(tools)
  await generateCode(tools.env)
  if (!process.env.SIGNET_REDIS_URL) await prepareRedis()
  const main = join(ROOT, 'apps', 'standalone', 'src', 'main.ts')
  const { code } = await run(tools.node, [...STANDALONE_NODE_OPTIONS, main, ...args], {
    // What was compiled once is read the next time, which halves the time to start.
    env: { ...tools.env, NODE_COMPILE_CACHE: join(TOOLS, 'compile-cache') },
    leash: true,
    output: 'inherit',
  })
  return code
}
