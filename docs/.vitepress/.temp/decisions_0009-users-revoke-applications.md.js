import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"9. Users revoke the access of applications","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0009-users-revoke-applications.md","filePath":"docs/decisions/0009-users-revoke-applications.md"}');
const _sfc_main = { name: "decisions/0009-users-revoke-applications.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="9-users-revoke-the-access-of-applications" tabindex="-1">9. Users revoke the access of applications <a class="header-anchor" href="#9-users-revoke-the-access-of-applications" aria-label="Permalink to &quot;9. Users revoke the access of applications&quot;">​</a></h1><p>Status: accepted</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Requirement F-38 lets a signed-in person list and take back what applications may do for them. The consents belong to directory, the resulting grants to token; the page is login&#39;s, which owns neither. The table of who may call what gave login no way to either.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>login may call four more methods: <code>AccountService.ListConsents</code> and <code>WithdrawConsent</code>, <code>GrantService.ListGrants</code> and <code>EndGrants</code>. Reading is a call, too, and no published view: the page is opened rarely, and a view over grants would let login read every grant of the instance.</p><p>The consent goes first, the grants after it, so that nothing is granted silently in between. Each is recorded by its owner in the transaction of the change. <code>EndGrants</code> answers when no replica takes a token of those grants for active.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p><code>authorization_grant</code> has an index by user and application. A rotation of a refresh token touches none of its columns, so it stays a heap-only update. A code that was issued before and is redeemed afterwards, within its 60 seconds, begins a grant that the page shows the next time.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0009-users-revoke-applications.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0009UsersRevokeApplications = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0009UsersRevokeApplications as default
};
