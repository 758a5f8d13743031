import type { en } from './en.ts'

type Catalogue<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...values: never[]) => string
      ? T[K]
      : Catalogue<T[K]>
}

/** The texts of all pages in one language; a language that lacks one does not compile. */
export type Texts = Catalogue<typeof en>
