import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse(`{"title":"41. The list of roles is about one project, and about the user's organization","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0041-roles-as-a-list.md","filePath":"docs/decisions/0041-roles-as-a-list.md"}`);
const _sfc_main = { name: "decisions/0041-roles-as-a-list.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="41-the-list-of-roles-is-about-one-project-and-about-the-users-organization" tabindex="-1">41. The list of roles is about one project, and about the user&#39;s organization <a class="header-anchor" href="#41-the-list-of-roles-is-about-one-project-and-about-the-users-organization" aria-label="Permalink to &quot;41. The list of roles is about one project, and about the user&#39;s organization&quot;">​</a></h1><p><strong>Context.</strong> Stock clients read roles from an array of strings. Such an array says neither which project it is about nor which organization the user belongs to, and clients compare its values as they are. Applications of several organizations share one issuer, and an application may request tokens for a project of another organization.</p><p><strong>Decision.</strong> The scope <code>groups</code> lists the roles in the project of the application that the token was issued to, at introspection in that of the caller. A JWT access token and userinfo have no list when the audience names another project. Mapped claims follow the same rule, since the application chooses their names.</p><p>A qualified value is <code>{organizationId}:{role}</code> with the organization of the user. The organization of the reserved claims is the owner of the project, so it is the same for every user. A primary domain is not unique. An id has no colon, so a value has one reading.</p><p><code>groups</code> stands in ID tokens with <code>idTokenUserinfoAssertion</code>, as the claims of other scopes do, and with <code>idTokenRoleAssertion</code>, as other roles do. <code>claimMapping</code> needs the scope of metadata: it renames what that scope shows and reveals nothing by itself. Claims that Signet or a protocol defines cannot be mapped.</p><p><strong>Consequences.</strong> An application that needs roles of a second project asks introspection, or reads the reserved claim that names the project. Kubernetes needs <code>idTokenRoleAssertion</code>, because the API server reads the ID token alone. Introspection caches no response with the list and none for a caller with a mapping: a change of either shows within a second. <code>e2e/test/standalone/groups.test.ts</code> holds these rules.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0041-roles-as-a-list.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0041RolesAsAList = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0041RolesAsAList as default
};
