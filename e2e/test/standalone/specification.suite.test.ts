// The tables of the specification, row by row. All on one suite.
import './specification/authorize-parameters.ts'
import './specification/authorize-prompts.ts'
import './specification/authorize-responses.ts'
import './specification/client-methods.ts'
import './specification/token-grants.ts'
import './specification/token-readers.ts'
import './specification/end-session.ts'
// Breaks the suite for everything after it.
import './specification/unexpected-condition.ts'
