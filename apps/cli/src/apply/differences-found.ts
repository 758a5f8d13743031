/** A dry run that would not have been for nothing. */
export class DifferencesFound extends Error {
  override readonly name = 'DifferencesFound'
}
