import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"37. Refuse policies that have no effect","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0037-unsupported-policies.md","filePath":"docs/decisions/0037-unsupported-policies.md"}');
const _sfc_main = { name: "decisions/0037-unsupported-policies.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="37-refuse-policies-that-have-no-effect" tabindex="-1">37. Refuse policies that have no effect <a class="header-anchor" href="#37-refuse-policies-that-have-no-effect" aria-label="Permalink to &quot;37. Refuse policies that have no effect&quot;">​</a></h1><p><strong>Context.</strong> Policies have members for things that Signet does not do, and values that the instance does not allow. They were stored and had no effect, so an administrator could rely on a rule that did not hold.</p><p><strong>Decision.</strong> <code>apps/directory/src/organizations/policy-rules.ts</code> lists every member of every policy: it acts, or it is refused by the management API and the bootstrap file unless it says what Signet does anyway. An import keeps the value, since another program may want it back, and the report names it; reading the policy shows it in <code>notObeyed</code>.</p><ul><li>The instance sets floors: <code>settings.passwordMinLength</code>, <code>maxPasswordAttempts</code>, <code>maxOtpAttempts</code>. A policy that is more lenient is refused with the floor named; of attempts 0 means any number, so it is the most lenient value. Of one file its own settings count. When a floor rises later the floor holds, and the stored value stands in <code>notObeyed</code>: refusing the change would let an organization veto the instance. A file is checked where it changes a value, so that an old file does not keep a server from starting.</li><li>A lifetime of <code>0s</code> acts: the password or the code is asked for at every sign-in. A member that is left out is no rule.</li><li><code>allowUsernamePassword: false</code> refuses the sign-in and names the rule only after the right password: before it, the answer would tell which organization an account belongs to. It is refused where it would take the last IAM_OWNER who can sign in away (<a href="/decisions/0025-last-owner-stays.html">decision 25</a>).</li><li>An imported login policy without <code>allowUsernamePassword</code> means <code>false</code>, since the format leaves out what is false. The report says that people of the organization cannot sign in with a password.</li></ul><p><strong>Consequences.</strong> A file or client that sent such values before is refused after the upgrade, with the member and what to do. Policies stored before stay, and are shown.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0037-unsupported-policies.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0037UnsupportedPolicies = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0037UnsupportedPolicies as default
};
