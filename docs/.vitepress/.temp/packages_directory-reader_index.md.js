import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"directory-reader","description":"","frontmatter":{},"headers":[],"relativePath":"packages/directory-reader/index.md","filePath":"packages/directory-reader/README.md"}');
const _sfc_main = { name: "packages/directory-reader/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="directory-reader" tabindex="-1">directory-reader <a class="header-anchor" href="#directory-reader" aria-label="Permalink to &quot;directory-reader&quot;">​</a></h1><p>Cached reads of the views that <code>directory</code> publishes in <code>directory_read</code>, and the claims made of them.</p><ul><li><code>src/directory-reader.ts</code>: <code>createDirectoryReader</code> returns accounts, clients, organizations, projects, grants and settings. A change is visible after at most one poll of the change feed. While the feed fails, a row is at most 60 seconds old, and rows in use are available for 30 seconds without PostgreSQL.</li><li><code>src/row-cache.ts</code> caches rows by id and reads all misses of one event-loop turn in one query; <code>src/change-feed.ts</code> polls <code>change_v1</code> and invalidates them.</li><li><code>src/account-cache.ts</code> caches values derived from an account, such as introspection responses, until its row changes.</li><li><code>src/claims.ts</code>: the claims of an account for scopes and for names (OIDC Core sections 5.4 and 5.5), roles included.</li><li><code>src/endpoint-claims.ts</code>: the claims of responses of introspection and userinfo.</li><li><code>src/project-access.ts</code>: <code>mayNameAudiences</code> and <code>projectRefusal</code> decide which audiences a client may name and which users a project lets in.</li></ul><p>Used by <code>login</code>, <code>token</code>, <code>introspection</code> and <code>packages/client-auth</code>; tests of <code>directory</code>, which owns the views, and of <code>keys</code> check against it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/directory-reader/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
