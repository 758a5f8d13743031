import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"25. Keep the last IAM_OWNER who can sign in","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0025-last-owner-stays.md","filePath":"docs/decisions/0025-last-owner-stays.md"}');
const _sfc_main = { name: "decisions/0025-last-owner-stays.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="25-keep-the-last-iam_owner-who-can-sign-in" tabindex="-1">25. Keep the last IAM_OWNER who can sign in <a class="header-anchor" href="#25-keep-the-last-iam_owner-who-can-sign-in" aria-label="Permalink to &quot;25. Keep the last IAM_OWNER who can sign in&quot;">​</a></h1><p><strong>Context.</strong> The database refused every change that removed the last active IAM_OWNER, but an owner without a password, token, key or secret counted as one: an instance could end with an owner that no one can act as, and only a change of the database would have helped.</p><p><strong>Decision.</strong> An owner counts when its account and its organization are active and it has a credential that works now: a password, an unexpired personal access token, an unexpired key, or an unexpired secret beside a client id. A password counts only where the login policy of its organization lets people sign in with one. The constraint triggers of migrations 0021, 0034 and 0037 check that after every change that removes the role, the account, the organization, a credential or sign-in with a password, for every writer: management API, bootstrap file, import, its undo, and an operator with <code>psql</code>. They may be deferred, and the merge of a bootstrap file defers them to its end, so that it may hand the role on. A new secret is stored before the old ones end, so that rotating the only secret is possible.</p><p>Not counted: the second factor, since an administrator can take it away and an account without one can enrol; delays after failed sign-ins, since they end; and the time itself. A token or key may expire although it is the last credential, since nothing runs at that moment that could be refused, so the remaining owner should have a credential without an end. An import leaves a login policy out that breaks the rule, and names it.</p><p><strong>Consequences.</strong> Taking the last credential of the last owner away is refused with <code>last_iam_owner</code>, as taking the role away is. Where no owner has a credential today, removing one of them is refused until one has; giving a credential is never refused. Each deleted credential costs one more look-up by the user id.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0025-last-owner-stays.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0025LastOwnerStays = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0025LastOwnerStays as default
};
