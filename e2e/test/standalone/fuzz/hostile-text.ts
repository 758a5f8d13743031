import fc from 'fast-check'

/** Texts that have broken parsers, databases and templates before. */
const NOTORIOUS = [
  '',
  ' ',
  '0',
  '-1',
  '1e308',
  '9'.repeat(400),
  'null',
  'undefined',
  'NaN',
  '[]',
  '{}',
  '{"a":'.repeat(500),
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '"><script>alert(1)</script>',
  '\u0000',
  '\r\nX-Injected: yes',
  '../../../etc/passwd',
  '%00',
  '%zz',
  '#{x}',
  '{{7*7}}',
  '\ud800',
  '\u202e',
  'a\u0301'.repeat(50),
  '😀'.repeat(100),
  'a'.repeat(5_000),
  '.',
  '..',
  'a.b.c',
  `${'A'.repeat(300)}.${'A'.repeat(300)}.${'A'.repeat(300)}`,
  'eyJhbGciOiJub25lIn0.e30.',
  'sgat_',
  'sgrt_a.b.1.c',
  '1970-01-01T00:00:00Z',
  '2030-02-31T25:61:00Z',
]

/** Any text, texts that are notorious, and known ones that were damaged somewhere. */
export function hostileText(known: readonly string[]): fc.Arbitrary<string> {
  const damaged = fc
    .tuple(fc.constantFrom(...known), fc.nat(), fc.string({ maxLength: 3, unit: 'binary' }), fc.nat(4))
    .map(([text, at, inserted, removed]) => {
      const index = at % (text.length + 1)
      return text.slice(0, index) + inserted + text.slice(index + removed)
    })
  return fc.oneof(
    fc.constantFrom(...NOTORIOUS),
    fc.constantFrom(...known),
    damaged,
    fc.string({ maxLength: 60, unit: 'binary' }),
  )
}

/** The characters that a header may carry: no client library sends others. */
export function headerText(known: readonly string[]): fc.Arbitrary<string> {
  return hostileText(known).map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?'))
}
