import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Authorities that the image build trusts besides the public ones","description":"","frontmatter":{},"headers":[],"relativePath":"deploy/docker/certificate-authorities/index.md","filePath":"deploy/docker/certificate-authorities/README.md"}');
const _sfc_main = { name: "deploy/docker/certificate-authorities/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="authorities-that-the-image-build-trusts-besides-the-public-ones" tabindex="-1">Authorities that the image build trusts besides the public ones <a class="header-anchor" href="#authorities-that-the-image-build-trusts-besides-the-public-ones" aria-label="Permalink to &quot;Authorities that the image build trusts besides the public ones&quot;">​</a></h1><p>Put the PEM file of a private authority here, named <code>*.pem</code>, when the package registry is reached through one. The files are ignored by git, are used while an image is built and are not part of it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("deploy/docker/certificate-authorities/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
