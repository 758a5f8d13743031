import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"31. Lifetime and scope of exchanged tokens","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0031-limits-of-token-exchange.md","filePath":"docs/decisions/0031-limits-of-token-exchange.md"}');
const _sfc_main = { name: "decisions/0031-limits-of-token-exchange.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="31-lifetime-and-scope-of-exchanged-tokens" tabindex="-1">31. Lifetime and scope of exchanged tokens <a class="header-anchor" href="#31-lifetime-and-scope-of-exchanged-tokens" aria-label="Permalink to &quot;31. Lifetime and scope of exchanged tokens&quot;">​</a></h1><p><strong>Context.</strong> RFC 8693 leaves to the server who may exchange a token, for which scopes, and what ends the result. Revoking one access token leaves the other tokens of its grant alive, and one could say the same of what was exchanged for it.</p><p><strong>Decision.</strong> The access tokens and personal access tokens that were presented are among the origins of the result: ending one of them ends what was exchanged for it, refresh families included. A client that gives back a leaked token has to be able to end what the leak bought. Scopes are at most those that the presented tokens carry together, and <code>offline_access</code> only where it is asked for and the subject carries it. An access token lives no longer than the tokens that it was exchanged for, a refresh family no longer than the family or the session behind them.</p><p><strong>Consequences.</strong> A client that exchanges an access token and then revokes it loses the result. A token exchanged for a personal access token ends when that is deleted through the API; when the deletion was stored but could not be published, it ends with its own life.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0031-limits-of-token-exchange.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0031LimitsOfTokenExchange = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0031LimitsOfTokenExchange as default
};
