// The image of the object storage in docker-compose.yml. Where no registry has it to give, the same program is built from
// its Go module, with what the compose file expects of the image: `versitygw`, a shell and wget.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem, ROOT, say } from './project.mjs'
import { runQuietly, succeeds } from './supervise.mjs'

const MODULE = 'github.com/versity/versitygw/cmd/versitygw'
const IMAGE = /\bimage: (versity\/versitygw:(v[\d.]+))$/m
const DOCKERFILE = `FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends wget >/dev/null && rm -rf /var/lib/apt/lists/*
COPY versitygw /usr/local/bin/versitygw
ENTRYPOINT ["versitygw"]
`

/**
 * Has the image under its public name. Throws Problem when it can be neither pulled nor built.
 * @param {NodeJS.ProcessEnv} env
 */
export async function prepareObjectStorageImage(env) {
  const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')
  const [, image = '', version = ''] = IMAGE.exec(compose) ?? []
  if (await succeeds('docker', ['image', 'inspect', image])) return
  if (await succeeds('docker', ['pull', image])) return
  if (!(await succeeds('go', ['version']))) {
    throw new Problem(`${image} cannot be pulled, and there is no Go to build it with`)
  }
  say(`building ${image}, which cannot be pulled`)
  const folder = await mkdtemp(join(tmpdir(), 'signet-object-storage-'))
  try {
    const forGo = { ...env, GOBIN: folder, CGO_ENABLED: '0' }
    await runQuietly('compiling', 'go', ['install', '-ldflags=-s -w', `${MODULE}@${version}`], { env: forGo })
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
    await runQuietly('building', 'docker', ['build', '--tag', image, folder], { env })
  } finally {
    await rm(folder, { recursive: true })
  }
}
