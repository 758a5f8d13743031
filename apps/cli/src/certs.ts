import { resolve } from 'node:path'
import { DEFAULT_TRUST_PREFIX, makeCertificates } from '@signet/grpc/certificates/make-certificates'
import { writeCertificates } from '@signet/grpc/certificates/make-certificates'
import { trustPrefix } from '@signet/platform/config/settings-fields'
import type { AddCommand, CommandContext } from './context.ts'
import { UsageError } from './exit-codes.ts'

/** `certs init` makes the files that SIGNET_RPC_CA, SIGNET_RPC_CERT and SIGNET_RPC_KEY of every service name. */
export function addCertsCommand(add: AddCommand, { now, say }: CommandContext): void {
  add('certs init')
    .description(
      'makes an authority and one certificate with its key for each service, for gRPC between them',
    )
    .option('--out <dir>', 'the folder for the certificates (required)')
    .option('--days <number>', 'how long they are valid', '365')
    .option(
      '--trust-prefix <uri>',
      'begin of the URIs in them; the services need it as SIGNET_RPC_TRUST_PREFIX',
      DEFAULT_TRUST_PREFIX,
    )
    .action(async ({ out, days, trustPrefix: prefix }) => {
      if (out === undefined || out === '') throw new UsageError('--out: name the folder for the certificates')
      if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days: must be a whole number from 1 to 9999')
      const { data, error } = trustPrefix.safeParse(prefix)
      if (error) throw new UsageError(`--trust-prefix: ${error.issues[0]?.message}`)
      const folder = resolve(out)
      const certificates = await makeCertificates({ now: now(), days: Number(days), trustPrefix: data })
      const files = await writeCertificates(folder, certificates)
      say(`${files.length} files in ${folder}, valid for ${days} days`)
    })
}
