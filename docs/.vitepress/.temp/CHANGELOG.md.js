import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Changelog","description":"","frontmatter":{},"headers":[],"relativePath":"CHANGELOG.md","filePath":"CHANGELOG.md"}');
const _sfc_main = { name: "CHANGELOG.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="changelog" tabindex="-1">Changelog <a class="header-anchor" href="#changelog" aria-label="Permalink to &quot;Changelog&quot;">​</a></h1><h2 id="010" tabindex="-1">0.1.0 <a class="header-anchor" href="#010" aria-label="Permalink to &quot;0.1.0&quot;">​</a></h2><h3 id="minor-changes" tabindex="-1">Minor changes <a class="header-anchor" href="#minor-changes" aria-label="Permalink to &quot;Minor changes&quot;">​</a></h3><ul><li>An OpenID Connect and OAuth 2.0 identity provider as six services, a migration job and a command line: organizations, projects, roles and grants; sign-in with passwords and second factors; the code flow with PKCE, refresh tokens with rotation, client credentials, JWT profile and token exchange; introspection, revocation and logout, each final when the call returns.</li><li>Export and import of organizations, with plans, undo and imports from other identity providers.</li><li>A Helm chart, a Compose file and images without a shell.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("CHANGELOG.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CHANGELOG = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CHANGELOG as default
};
