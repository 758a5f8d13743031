import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"tokens","description":"","frontmatter":{},"headers":[],"relativePath":"packages/tokens/index.md","filePath":"packages/tokens/README.md"}');
const _sfc_main = { name: "packages/tokens/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="tokens" tabindex="-1">tokens <a class="header-anchor" href="#tokens" aria-label="Permalink to &quot;tokens&quot;">​</a></h1><p>Formats of all tokens, and the keys that make and verify them.</p><ul><li><code>src/access-token.ts</code> is the content of an access token; <code>src/access-token-reader.ts</code> reads both forms, opaque and JWT. <code>src/sealed-token.ts</code> encrypts and authenticates opaque tokens and codes with a subkey for each process (<a href="/decisions/0002-sealed-tokens.html">0002</a>).</li><li><code>src/authorization-code.ts</code>, <code>src/refresh-token.ts</code>, <code>src/id-token.ts</code>: the other formats. A function that reads returns undefined for any text that Signet did not make.</li><li><code>src/identifiers.ts</code> makes and checks ids; <code>src/master-key-mac.ts</code> makes MACs with a subkey for each purpose.</li><li><code>src/keys/key-lease.ts</code>: <code>startKeyLease</code> keeps the stream of <code>keys</code> open. The local clock decides which key is active, so a key is switched on time while <code>keys</code> is unavailable; a lease without renewal ends after 24 hours. A revoked key is replaced at once. <code>ready()</code> is false until the first message.</li><li><code>src/keys/sign-jws.ts</code> signs in the thread pool; <code>src/keys/verify-jws.ts</code> verifies with <code>jose</code> and finds public keys by id, with one call in five seconds for unknown ids.</li></ul><p><code>token</code> makes tokens; <code>introspection</code>, <code>login</code> and <code>keys</code> read parts of them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/tokens/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
