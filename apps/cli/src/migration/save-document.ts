import { open, rename, rm } from 'node:fs/promises'
import { SuiteUnreachable } from '../api/management-api-error.ts'
import type { SuiteCaller } from '../api/suite-caller.ts'
import type { CommandContext } from '../command.ts'
import { answerBody } from './answer-body.ts'

const PAUSES_MS = [1_000, 5_000, 15_000]

/**
 * Writes the document of an ended export to a file that only the user can read: it holds password hashes. Begins again
 * when the connection is lost; the file appears when it is whole.
 */
export async function saveDocument(
  call: SuiteCaller,
  { jobId, file }: { readonly jobId: string; readonly file: string },
  { note, pause }: Pick<CommandContext, 'note' | 'pause'>,
): Promise<void> {
  const draft = `${file}.part`
  for (const pauseMs of PAUSES_MS) {
    try {
      return await download()
    } catch (error) {
      if (!(error instanceof SuiteUnreachable)) throw error
      note('the connection was lost; fetching the document again')
      await pause(pauseMs)
    }
  }
  await download()

  async function download(): Promise<void> {
    const path = `/admin/v1/jobs/${encodeURIComponent(jobId)}/document`
    const response = await call({ method: 'GET', path, repeatable: true })
    await rm(draft, { force: true })
    const target = await open(draft, 'wx', 0o600)
    try {
      for await (const chunk of answerBody(response)) await target.write(chunk)
    } finally {
      await target.close()
    }
    await rename(draft, file)
  }
}
