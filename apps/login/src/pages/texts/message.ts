// The types of the catalogues, and their ICU messages as functions.
import { type Html, html } from '@signet/http/html'
import { IntlMessageFormat } from 'intl-messageformat'
import type en from './en.json'
import type { MESSAGE_PARAMETERS, NumberParameter } from './message-parameters.ts'

type Strings<T> = { readonly [K in keyof T]: T[K] extends string ? string : Strings<T[K]> }

/** The texts of all pages in one language, as ICU messages; a language that lacks one does not compile. */
export type Catalogue = Strings<typeof en>

/** The values of the parameters of a message. */
type Values<Name extends string> = {
  readonly [K in Name]: K extends NumberParameter ? number : string | Html
}

/**
 * Returns markup in which each text parameter is isolated (`<bdi>`): a name in Arabic does not reorder an English sentence,
 * nor an address an Arabic one. A message with numbers only is plain text.
 */
type Message<P> = (values: P) => P extends Readonly<Record<string, number>> ? string : Html

/** The texts `T` with the messages that have parameters, which `P` lists, as functions. */
type Compiled<T, P = typeof MESSAGE_PARAMETERS> = {
  readonly [K in keyof T]: T[K] extends string
    ? K extends keyof P
      ? P[K] extends readonly (infer Name extends string)[]
        ? Message<Values<Name>>
        : string
      : string
    : Compiled<T[K], K extends keyof P ? P[K] : unknown>
}

/**
 * Texts of one place that an organization can replace apart from the same text in other places, and descriptions that only
 * an organization has; an empty one is not shown.
 */
function customTexts({ login, totp }: Compiled<typeof en>) {
  return {
    loginDescription: '',
    loginNext: totp.submit,
    passwordTitle: login.title,
    passwordDescription: '',
    passwordOther: totp.other,
    accountsDescription: '',
    registerDescription: '',
    enrolmentCode: totp.code,
    enrolmentSubmit: totp.submit,
  }
}

/** The texts of all pages in one language: strings, and functions of the parameters. */
export type Texts = Compiled<typeof en> & { readonly custom: ReturnType<typeof customTexts> }

/** Parses every message once. Throws for a message that is not valid ICU syntax, so a broken catalogue stops the start. */
export function compileTexts(catalogue: Catalogue): Texts {
  const texts = compiled(catalogue, catalogue.language) as Compiled<typeof en>
  return { ...texts, custom: customTexts(texts) }
}

interface Tree {
  readonly [key: string]: string | Tree
}

function compiled(node: string | Tree, language: string): unknown {
  if (typeof node === 'string') return node.includes('{') ? createMessage(node, language) : node
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, compiled(value, language)]))
}

function createMessage(text: string, language: string) {
  const format = new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
  return (values: Readonly<Record<string, string | number | Html>>): string | Html => {
    const isolated = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? html`<bdi>${value}</bdi>` : value,
    ])
    const formatted = format.format<Html>(Object.fromEntries(isolated))
    return typeof formatted === 'string' ? formatted : html`${formatted}`
  }
}
