import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"file-formats","description":"","frontmatter":{},"headers":[],"relativePath":"packages/file-formats/index.md","filePath":"packages/file-formats/README.md"}');
const _sfc_main = { name: "packages/file-formats/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="file-formats" tabindex="-1">file-formats <a class="header-anchor" href="#file-formats" aria-label="Permalink to &quot;file-formats&quot;">​</a></h1><p>Reads the files that operators write or move: the export document, the bootstrap file and exports of other products. It does no I/O of its own.</p><ul><li><code>src/export/document-reader.ts</code>: <code>DocumentReader</code> reads a document of either layout from chunks of bytes, checks each record and holds one at a time, so that documents of any size need constant memory.</li><li><code>src/json-stream</code> knows no format: <code>JsonScanner</code> walks through a JSON text in chunks and finds values by their brackets, which the parser of Node.js then reads: 36 to 45 thousand records a second, with <code>@streamparser/json</code> 13 to 16 thousand.</li><li><code>src/export/lists.ts</code> declares the lists of an organization, their record schemas (<code>src/export/record-schemas</code>) and the order in which an import applies them.</li><li><code>src/sources</code> converts exports of Keycloak, Auth0 and ZITADEL and CSV files, a generator for each: it yields the parts of a document, and counts each member that has no counterpart in <code>LeftOut</code>.</li><li><code>src/bootstrap/bootstrap-file.ts</code>: <code>prepareDocument</code> brings the names to lowerCamelCase and expands the secrets that refer to the environment or to files; all problems are reported with their path.</li></ul><p>A problem names a path and a rule, never a value of the document. Used by <code>directory</code>, <code>migration</code> and <code>cli</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/file-formats/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
