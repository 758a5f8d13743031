import { readFileSync } from 'node:fs'
import { childEnvironment } from '@signet/testkit/child-environment'

const DOCKERFILE = new URL('../../../deploy/docker/service.Dockerfile', import.meta.url)

/** What measured processes are given: what deploy/docker/service.Dockerfile gives them. Throws when it gives no NODE_OPTIONS. */
export function productionEnvironment(): Readonly<Record<'PATH' | 'NODE_ENV' | 'NODE_OPTIONS', string>> {
  const options = /^ENV .*\bNODE_OPTIONS=(\S+)/m.exec(readFileSync(DOCKERFILE, 'utf8'))?.[1]
  if (options === undefined) throw new Error(`${DOCKERFILE.pathname} sets no NODE_OPTIONS`)
  return { PATH: childEnvironment().PATH, NODE_ENV: 'production', NODE_OPTIONS: options }
}
