import { openSuite } from '../access/suite-access.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import { type ManagementClient, managementClient } from '../api/management-client.ts'
import type { Operation } from '../api/operation.ts'
import type { Command, Commands } from '../command.ts'
import { outputFormat } from '../output/output-format.ts'
import { commandWords } from './command-words.ts'
import { type OperationCall, readOperationCall } from './operation-arguments.ts'
import { operationDetails, operationSynopsis } from './operation-help.ts'

/** A command for each operation of the management API. */
export const OPERATION_COMMANDS: Commands = Object.fromEntries(
  Object.values(OPERATIONS).map((operation) => [commandWords(operation.id), operationCommand(operation)]),
)

function operationCommand(operation: Operation): Command {
  return {
    synopsis: operationSynopsis(operation),
    summary: operation.summary.replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
    details: operationDetails(operation),
    async run(args, context) {
      const wanted = await readOperationCall(operation, args, context)
      const format = outputFormat(wanted.output)
      const client = managementClient({ call: await openSuite(context), randomId: context.randomId })
      const { body, etag } = wanted.all
        ? { body: await allParts(client, operation, wanted), etag: undefined }
        : await client.request(operation, wanted.input)
      if (body !== undefined) context.say(format(body))
      const { nextCursor } = Object(body) as { nextCursor?: string }
      if (nextCursor !== undefined) context.note(`there are more: --all, or --cursor ${nextCursor}`)
      if (wanted.showEtag && etag !== undefined) context.note(`etag: ${etag}`)
    },
  }
}

/** A list that is answered in parts, as one. */
async function allParts(client: ManagementClient, operation: Operation, { input }: OperationCall) {
  const items: unknown[] = []
  let cursor = input.query?.cursor
  do {
    const { body } = await client.request(operation, { ...input, query: { ...input.query, cursor } })
    const part = body as { readonly items: readonly unknown[]; readonly nextCursor?: string }
    items.push(...part.items)
    cursor = part.nextCursor
  } while (cursor !== undefined)
  return { items }
}
