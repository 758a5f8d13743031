/** RFC 7662 section 2.2. */
export type IntrospectionResponse =
  | { readonly active: false }
  | { readonly active: true; readonly [claim: string]: unknown }
