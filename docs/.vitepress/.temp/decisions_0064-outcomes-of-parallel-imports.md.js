import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"64. The insert decides the outcome of a record","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0064-outcomes-of-parallel-imports.md","filePath":"docs/decisions/0064-outcomes-of-parallel-imports.md"}');
const _sfc_main = { name: "decisions/0064-outcomes-of-parallel-imports.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="64-the-insert-decides-the-outcome-of-a-record" tabindex="-1">64. The insert decides the outcome of a record <a class="header-anchor" href="#64-the-insert-decides-the-outcome-of-a-record" aria-label="Permalink to &quot;64. The insert decides the outcome of a record&quot;">​</a></h1><p><strong>Context.</strong> Two imports of one organization at once both reported the same roles, metadata and keys as created, because the insert became an update when the other one had committed. The undo of one import then deleted what the other had created.</p><p><strong>Decision.</strong> A record that no conflict check found is written by an <code>INSERT</code> without <code>ON CONFLICT</code>, in every list. When the other import was first, the unique index refuses it; the transaction of the batch is repeated, its conflict check finds the object, and <code>on_conflict</code> decides. After three tries each record is written alone. A membership is several rows without a common key, so a batch of members locks their accounts before it looks.</p><p><strong>Consequences.</strong> Of two imports exactly one creates an object, and only its undo deletes it (<code>apps/directory/test/import-pairs.test.ts</code>). A batch that loses is written twice.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0064-outcomes-of-parallel-imports.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0064OutcomesOfParallelImports = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0064OutcomesOfParallelImports as default
};
