import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Specification","description":"","frontmatter":{},"headers":[],"relativePath":"spec/index.md","filePath":"docs/spec/README.md"}');
const _sfc_main = { name: "spec/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="specification" tabindex="-1">Specification <a class="header-anchor" href="#specification" aria-label="Permalink to &quot;Specification&quot;">​</a></h1><p>The rules that no RFC states. Code and tests cite them by number, <code>docs/spec 3.4</code>. Where an RFC or an OpenID specification states a rule, they cite that section instead.</p><ol><li><a href="/spec/services.html">Services</a></li><li><a href="/spec/data.html">Data</a></li><li><a href="/spec/tokens.html">Tokens, keys and revocation</a></li><li><a href="/spec/identity.html">Identity: ids, names, roles, scopes</a></li><li><a href="/spec/http.html">HTTP</a></li><li><a href="/spec/transfer.html">Import, export and the bootstrap file</a></li></ol></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/spec/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
