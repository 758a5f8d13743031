import { startFauxqs } from 'fauxqs'

/** A server with the protocol of S3 and one bucket; takes any credentials, ignores `If-None-Match` when it writes. */
export async function startS3Server() {
  const bucket = 'exports'
  const server = await startFauxqs({ port: 0, logger: false, init: { buckets: [bucket] } })
  return { url: `http://127.0.0.1:${server.port}`, bucket, stop: () => server.stop() }
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>
