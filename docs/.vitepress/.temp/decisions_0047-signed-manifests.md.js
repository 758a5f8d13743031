import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"47. The keys service signs the manifest of an archive","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0047-signed-manifests.md","filePath":"docs/decisions/0047-signed-manifests.md"}');
const _sfc_main = { name: "decisions/0047-signed-manifests.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="47-the-keys-service-signs-the-manifest-of-an-archive" tabindex="-1">47. The keys service signs the manifest of an archive <a class="header-anchor" href="#47-the-keys-service-signs-the-manifest-of-an-archive" aria-label="Permalink to &quot;47. The keys service signs the manifest of an archive&quot;">​</a></h1><p><strong>Context.</strong> <code>meta.sha256</code> finds damage. Against a change on the way a signature is needed, and it should name the part that changed. A key of the signing ring in <code>migration</code> could issue tokens; a ring of its own in the key set could, too, for applications that look at the signature alone.</p><p><strong>Decision.</strong> <code>KeyService.SignArchiveManifest</code> takes counts and hashes, not claims, and <code>keys</code> writes the claims: none of a token (<code>iss</code>, <code>sub</code>, <code>aud</code>, <code>exp</code>), under a <code>typ</code> of its own. Only <code>migration</code> may call it, and it holds no key. The manifest is a member of <code>meta</code> at the end of the document, so that a document stays one file, readers that do not know it ignore it, and the writer needs no second pass. The writer hashes what it writes with the reader of <code>signet archive verify</code>.</p><p><strong>Consequences.</strong> An export that ends while <code>keys</code> is away waits for it. While <code>keys</code> is of the version before, the document is not signed and the notes of the job say so. A manifest holds one hash for each list, not for each organization: 10,000 organizations would make it a megabyte. An archive outlives the published key, so an operator who keeps archives stores the key set with them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0047-signed-manifests.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0047SignedManifests = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0047SignedManifests as default
};
