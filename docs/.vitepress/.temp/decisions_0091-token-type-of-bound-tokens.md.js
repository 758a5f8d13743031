import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"91. Only bound tokens have the token type DPoP","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0091-token-type-of-bound-tokens.md","filePath":"docs/decisions/0091-token-type-of-bound-tokens.md"}');
const _sfc_main = { name: "decisions/0091-token-type-of-bound-tokens.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="91-only-bound-tokens-have-the-token-type-dpop" tabindex="-1">91. Only bound tokens have the token type DPoP <a class="header-anchor" href="#91-only-bound-tokens-have-the-token-type-dpop" aria-label="Permalink to &quot;91. Only bound tokens have the token type DPoP&quot;">​</a></h1><p><strong>Context.</strong> The <a href="/spec/tokens.html">specification</a> of the interface says that <code>token_type</code> of a token response and of introspection is always <code>Bearer</code>. RFC 9449 sections 5 and 6.2 demand <code>DPoP</code> for an access token that is bound to the key of a proof: a client that reads <code>Bearer</code> would send it without a proof, and an API that reads <code>Bearer</code> would take it without one.</p><p><strong>Decision.</strong> <code>token_type</code> is <code>DPoP</code> for an access token with <code>cnf.jkt</code>, and <code>Bearer</code> for every other one. A client that sends no proof gets what it got before, byte for byte; introspection adds <code>cnf</code> only to the response for a bound token. A bound token that is presented as Bearer is refused, and so is another one that is presented as DPoP.</p><p>The nonce of a proof is a time and its HMAC under a key that is derived from the ring <code>access-seal</code>, which <code>token</code> and <code>introspection</code> hold: nothing is stored, and every replica knows the nonces of all. A used <code>jti</code> is recorded in Redis by the thumbprint of its key, for as long as its <code>iat</code> is accepted (<a href="/reference/redis-keys.html">Redis keys</a>).</p><p><strong>Not chosen.</strong> <code>Bearer</code> with <code>cnf</code>: it keeps the sentence of the specification and takes the protection away. A nonce in Redis: one more round trip for each proof, and no nonce while Redis is away. Proofs at introspection: it is asked by an API, whose request is another one than that of the proof.</p><p><strong>Consequences.</strong> Introspection stays at one round trip to Redis. Userinfo, the APIs and the token endpoint need one more for each proof; without Redis they answer 503 to it. <code>introspection</code> writes to Redis for the first time: its ACL user may set keys below <code>signet:replay:dpop-proof:</code> and delete none.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0091-token-type-of-bound-tokens.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0091TokenTypeOfBoundTokens = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0091TokenTypeOfBoundTokens as default
};
