import { resolve } from 'node:path'
import { makeCertificates } from '@signet/grpc/certificates/make-certificates'
import { writeCertificates } from '@signet/grpc/certificates/write-certificates'
import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { UsageError } from '../usage-error.ts'

const DEFAULT_DAYS = '365'

/** Makes what SIGNET_RPC_CA, SIGNET_RPC_CERT and SIGNET_RPC_KEY of every service name. */
export const certsInit: Command = {
  synopsis: `--out DIR [--days ${DEFAULT_DAYS}]`,
  summary: 'makes an authority and one certificate with its key for each service, for gRPC between them',
  async run(args, { now, say }) {
    const { out, days } = readArguments(args)
    const folder = resolve(out)
    const files = await writeCertificates(folder, await makeCertificates({ now: now(), days }))
    say(`${files.length} files in ${folder}, valid for ${days} days`)
  },
}

function readArguments(args: readonly string[]): { readonly out: string; readonly days: number } {
  const { out, days } = parse(args)
  if (out === undefined || out === '') throw new UsageError('--out: name the folder for the certificates')
  if (!/^[1-9]\d{0,3}$/.test(days)) throw new UsageError('--days: must be a whole number from 1 to 9999')
  return { out, days: Number(days) }
}

function parse(args: readonly string[]) {
  const options = { out: { type: 'string' }, days: { type: 'string', default: DEFAULT_DAYS } } as const
  return commandArguments({ args: [...args], options }).values
}
