import { expect, it } from 'vitest'
import { securityTxt } from './security-txt.routes.ts'

const issuer = 'https://id.example.com'
const now = new Date('2026-11-25T14:30:00Z')

it('RFC 9116: names each contact in its order, the end of its validity and its own URL', () => {
  expect(securityTxt(issuer, ['mailto:security@example.com', 'https://example.com/report'], now)).toBe(
    'Contact: mailto:security@example.com\r\n' +
      'Contact: https://example.com/report\r\n' +
      'Expires: 2027-02-23T00:00:00Z\r\n' +
      'Canonical: https://id.example.com/.well-known/security.txt\r\n',
  )
})
