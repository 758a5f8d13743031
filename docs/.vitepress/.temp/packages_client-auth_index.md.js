import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"client-auth","description":"","frontmatter":{},"headers":[],"relativePath":"packages/client-auth/index.md","filePath":"packages/client-auth/README.md"}');
const _sfc_main = { name: "packages/client-auth/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="client-auth" tabindex="-1">client-auth <a class="header-anchor" href="#client-auth" aria-label="Permalink to &quot;client-auth&quot;">​</a></h1><p>Authenticates OAuth clients at one endpoint (RFC 6749 section 2.3, RFC 7523 section 2.2).</p><ul><li><code>src/authenticate-client.ts</code>: <code>createClientAuthentication</code> returns <code>authenticateClient(request)</code>. It accepts exactly one set of credentials, by the methods that the endpoint allows for the client. It throws <code>InvalidClientError</code> (401), <code>InvalidRequestError</code>, or <code>RateLimitedError</code> (429) after too many failures.</li><li><code>src/client-secret.ts</code>: <code>createSecretVerifier</code> compares random secrets as SHA-256 in constant time. A secret that a person chose is verified once with its slow hash and then cached under a key of the process.</li><li><code>src/signed-assertion.ts</code>: <code>verifyAssertion</code> and <code>verifySignedAssertion</code> check signature, issuer, audience and lifetime.</li><li><code>src/assertion-replay.ts</code>: <code>createAssertionReplayGuard</code> accepts each assertion once at all services and replicas, with <code>packages/platform/src/redis/replay-guard.ts</code>. After a loss of Redis it refuses assertions that were issued before.</li></ul><p>Used by <code>token</code> and <code>introspection</code>, which allows an assertion to be repeated until it expires.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/client-auth/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
