/** A text that is not the JSON that was expected. The message says where or in which member. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}
