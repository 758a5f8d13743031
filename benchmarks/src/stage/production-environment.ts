import { readFileSync } from 'node:fs'
import { childEnvironment } from '@signet/testing/child-environment'

const DOCKERFILE = new URL('../../../deploy/docker/service.Dockerfile', import.meta.url)

type Environment = Readonly<Record<'PATH' | 'NODE_ENV' | 'NODE_OPTIONS', string>>

/**
 * The environment of measured services, from deploy/docker/service.Dockerfile. Throws when that sets no
 * NODE_OPTIONS.
 */
export function productionEnvironment(): Environment {
  const options = /^ENV .*\bNODE_OPTIONS=(\S+)/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1]
  if (options === undefined) throw new Error(`${DOCKERFILE.pathname} sets no NODE_OPTIONS`)
  return environmentWith(options)
}

/** The options of `npm start` in scripts/run.mjs; there is no image of all services in one process. */
export function standaloneEnvironment(): Environment {
  return environmentWith('--max-semi-space-size=16')
}

function environmentWith(nodeOptions: string): Environment {
  return { PATH: childEnvironment().PATH, NODE_ENV: 'production', NODE_OPTIONS: nodeOptions }
}
