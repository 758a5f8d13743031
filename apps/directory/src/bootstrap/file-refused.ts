import { type FileProblem, problemText } from '@signet/file-formats/bootstrap/file-problem'

/** A file that cannot be applied; `problems` has all that is known to be wrong with it. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused'
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[], cause?: unknown) {
    super(problems.map(problemText).join('\n'), { cause })
    this.problems = problems
  }
}
