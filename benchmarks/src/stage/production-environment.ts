import { childEnvironment } from '@signet/testkit/child-environment'

/** What measured processes are given: what deploy/docker/service.Dockerfile gives them. */
export function productionEnvironment(): Readonly<Record<string, string>> {
  return { PATH: childEnvironment().PATH, NODE_ENV: 'production', NODE_OPTIONS: '--max-semi-space-size=4' }
}
