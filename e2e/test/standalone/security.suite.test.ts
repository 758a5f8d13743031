// Attacks of the security baseline on everything at once. All on one suite.
import './security/redirects.ts'
import './security/requests.ts'
