import { readFileSync } from 'node:fs'
import { problemText } from '@signet/file-formats/bootstrap/file-problem'
import { parseFileText } from '@signet/file-formats/bootstrap/file-text'
import { prepareDocument } from '@signet/file-formats/bootstrap/prepared-document'
import { secretExpansion } from '@signet/file-formats/bootstrap/secret-references'
import type { CommandContext } from '../command.ts'
import { readText } from '../read-text.ts'
import { InvalidFile } from './invalid-file.ts'

/**
 * The document of a bootstrap file with the secrets of this machine in it. Throws InvalidFile with every reference that
 * leads nowhere; whether the document makes sense is the suite's to say.
 */
export async function fileToSend(
  file: string,
  context: Pick<CommandContext, 'env' | 'standardInput'>,
): Promise<object> {
  const parsed = parseFileText(await readText(file, context))
  if ('problems' in parsed) throw new InvalidFile(parsed.problems.map((problem) => `${file}: ${problem}`))
  const expand = secretExpansion(context.env, (url) => readFileSync(url, 'utf8'))
  const { document, problems } = prepareDocument(parsed.document, expand)
  if (problems.length > 0) throw new InvalidFile(problems.map(problemText))
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document
  throw new InvalidFile([`${file}: must hold an object`])
}
