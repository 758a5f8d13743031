import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"28. Project checks apply to users, not to tokens that service users get for themselves","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0028-project-checks-of-users.md","filePath":"docs/decisions/0028-project-checks-of-users.md"}');
const _sfc_main = { name: "decisions/0028-project-checks-of-users.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="28-project-checks-apply-to-users-not-to-tokens-that-service-users-get-for-themselves" tabindex="-1">28. Project checks apply to users, not to tokens that service users get for themselves <a class="header-anchor" href="#28-project-checks-apply-to-users-not-to-tokens-that-service-users-get-for-themselves" aria-label="Permalink to &quot;28. Project checks apply to users, not to tokens that service users get for themselves&quot;">​</a></h1><p><strong>Context.</strong> <code>hasProjectCheck</code> asks whether a user&#39;s organization has the project, <code>projectRoleCheck</code> whether the user has a role in it. Both are checked at authorize, at the redemption of the code, at refresh and at token exchange, for every project that enters <code>aud</code>. A service user that gets a token for itself, by client credentials (RFC 6749 section 4.4) or by a JWT assertion (RFC 7523), passes neither check.</p><p><strong>Decision.</strong> It stays so. A service user authenticates as a client. Whether it may name a project is the decision of that project&#39;s owner: the project belongs to its organization, was granted to it, or lists its client id in <code>allowedAudiences</code>. The roles in its token, which are the roles that it was given, decide its permissions there.</p><p><strong>Consequences.</strong> The owner of a project that keeps people out with a check keeps service users of other organizations out by not listing them, and gets tokens without roles from service users of organizations that have the project. A resource server that wants a role asks for the role. <code>e2e/test/standalone/reserved-scopes.test.ts</code> holds which client may name which project.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0028-project-checks-of-users.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0028ProjectChecksOfUsers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0028ProjectChecksOfUsers as default
};
