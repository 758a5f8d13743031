// The certification plans of the OpenID Foundation, module by module. All on one suite.
import './conformance/discovery.ts'
import './conformance/authentication.ts'
import './conformance/request.ts'
import './conformance/claims.ts'
import './conformance/tokens.ts'
import './conformance/logout.ts'
