/**
 * A problem that an operator can fix: database unreachable, wrong master key, port taken. Its message is one line
 * that says what to do; the process prints it without a stack and exits with code 1.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}
