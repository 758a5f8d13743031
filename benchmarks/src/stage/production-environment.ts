import { readFileSync } from 'node:fs'
import { childEnvironment } from '@signet/testkit/child-environment'

const DOCKERFILE = new URL('../../../deploy/docker/service.Dockerfile', import.meta.url)

type Environment<Name extends string> = Readonly<Record<'PATH' | 'NODE_ENV' | Name, string>>

/** What measured services are given: what deploy/docker/service.Dockerfile gives them. Throws when it gives no NODE_OPTIONS. */
export function productionEnvironment(): Environment<'NODE_OPTIONS'> {
  const options = /^ENV .*\bNODE_OPTIONS=(\S+)/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1]
  if (options === undefined) throw new Error(`${DOCKERFILE.pathname} sets no NODE_OPTIONS`)
  return { ...standaloneEnvironment(), NODE_OPTIONS: options }
}

/** There is no image of all services in one process: it is started by a command, with what Node.js does by itself. */
export function standaloneEnvironment(): Environment<never> {
  return { PATH: childEnvironment().PATH, NODE_ENV: 'production' }
}
