import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"16. An export recognizes the object that it completed","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0016-export-object-checksum.md","filePath":"docs/decisions/0016-export-object-checksum.md"}');
const _sfc_main = { name: "decisions/0016-export-object-checksum.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="16-an-export-recognizes-the-object-that-it-completed" tabindex="-1">16. An export recognizes the object that it completed <a class="header-anchor" href="#16-an-export-recognizes-the-object-that-it-completed" aria-label="Permalink to &quot;16. An export recognizes the object that it completed&quot;">​</a></h1><p><strong>Context.</strong> Objects are only created, never replaced. A worker that is killed between the completing request and its note that the job is done leaves a whole object; the next attempt wrote the document again and failed with <code>object_exists</code>, while the document was there. Credentials need not allow more than to create, so the worker may not be able to look.</p><p><strong>Decision.</strong> Before the last byte leaves, the length of the object is stored with the job. The next attempt asks for the length of the object first: the same length is its own, and the job is done. Where it may not look, it writes the document again, and takes an object that exists then for its own; the job&#39;s notes say so.</p><p><strong>Consequences.</strong> With create-only credentials, a foreign object that existed before is taken for ours if the worker dies between storing the length and receiving the refusal. Who wants to exclude that allows reading too. An answer that is lost without the worker&#39;s death leaves the job failed and resumable, not <code>object_exists</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0016-export-object-checksum.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0016ExportObjectChecksum = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0016ExportObjectChecksum as default
};
