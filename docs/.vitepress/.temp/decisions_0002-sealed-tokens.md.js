import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"2. Opaque access tokens and authorization codes are sealed, not stored","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0002-sealed-tokens.md","filePath":"docs/decisions/0002-sealed-tokens.md"}');
const _sfc_main = { name: "decisions/0002-sealed-tokens.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="2-opaque-access-tokens-and-authorization-codes-are-sealed-not-stored" tabindex="-1">2. Opaque access tokens and authorization codes are sealed, not stored <a class="header-anchor" href="#2-opaque-access-tokens-and-authorization-codes-are-sealed-not-stored" aria-label="Permalink to &quot;2. Opaque access tokens and authorization codes are sealed, not stored&quot;">​</a></h1><p><strong>Context.</strong> Token tables grow with traffic and make clean-up a project of its own; a look-up per introspection makes the database the limit of the hot path.</p><p><strong>Decision.</strong> An opaque access token is its claims, encrypted: compact JWE (<code>dir</code>, <code>A256GCM</code>) behind <code>sgat_</code>, under a subkey that each process derives for itself from the ring key (HKDF with its own salt), so that no two processes share nonces. Behind the claims stand 16 bytes of HMAC under a key that only the token service holds: a thief of the sealing ring can make tokens that introspect, but none that can be exchanged. Codes are sealed likewise under their own ring; only redemption writes.</p><p><strong>Consequences.</strong> Issuing is CPU only. Tokens are about 500 characters. The ending of a token must be found by its own ids (token, grant, session, key, user, application, organization), which is what the revocation mirror is keyed by. Losing a sealing ring ends every token under it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0002-sealed-tokens.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0002SealedTokens = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0002SealedTokens as default
};
