/** The pending request that a page needs is gone, was used, or belongs to another browser. */
export class PageExpiredError extends Error {
  override readonly name = 'PageExpiredError'
}

/** A form came without the cookie or the token of its page: cookies are off, or the form is forged. */
export class FormRefusedError extends Error {
  override readonly name = 'FormRefusedError'
}
