// The strict part of XML, whose refusals are those of a sign-in.
import { type Element, parseStrictXml as parseXml, XmlError } from '@signet/platform/xml/strict-xml'
import { Refused, type Rule } from '../conversation/refusal.ts'

const RULES = {
  too_large: 'response_too_large',
  refused: 'xml_refused',
  malformed: 'xml_malformed',
} as const satisfies Readonly<Record<XmlError['rule'], Rule>>

/** Returns the document element of a message. Throws Refused. */
export function parseStrictXml(source: string): Element {
  try {
    return parseXml(source)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    const { rule, received, expected, cause } = error
    throw new Refused(RULES[rule], { received, expected, cause })
  }
}
