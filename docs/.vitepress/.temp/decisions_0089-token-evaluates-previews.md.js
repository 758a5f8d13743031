import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"89. The token service evaluates previews","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0089-token-evaluates-previews.md","filePath":"docs/decisions/0089-token-evaluates-previews.md"}');
const _sfc_main = { name: "decisions/0089-token-evaluates-previews.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="89-the-token-service-evaluates-previews" tabindex="-1">89. The token service evaluates previews <a class="header-anchor" href="#89-the-token-service-evaluates-previews" aria-label="Permalink to &quot;89. The token service evaluates previews&quot;">​</a></h1><p><strong>Context.</strong> No command showed what a token of a person would contain, which scopes a sign-in drops, and which rule of a project refuses it; the only way was to sign in as the person. The management API is the directory&#39;s; the functions that make claims are in <code>token</code> (ID tokens, access tokens), <code>introspection</code> (its response, userinfo) and <code>packages/directory-reader</code>.</p><p><strong>Decision.</strong> <code>signet.token.v1.PreviewService/PreviewTokens</code> evaluates a sign-in without a key, a row or an audit event of a token, and <code>GET /management/v1/token-preview</code> of the directory calls it. Claims are made in functions that the issuing code calls too: <code>idTokenClaims</code> and <code>signedClaims</code> of <code>token</code>, <code>introspectionClaims</code> and <code>userinfoClaims</code> of <code>packages/directory-reader</code>. A test compares each preview with the tokens of a sign-in.</p><p><strong>Not chosen.</strong> An evaluation in the directory over its own tables: a second home for each rule. A token that is issued and revoked: it leaves a grant, notices and an audit event, and needs a session.</p><p><strong>Consequences.</strong> An opaque access token is shown as introspection shows it to its application; an API of another project sees its own roles instead. Claims of a single sign-in are absent.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0089-token-evaluates-previews.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0089TokenEvaluatesPreviews = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0089TokenEvaluatesPreviews as default
};
