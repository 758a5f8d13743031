import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"65. An import that updates touches what its document says","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0065-updates-touch-what-documents-say.md","filePath":"docs/decisions/0065-updates-touch-what-documents-say.md"}');
const _sfc_main = { name: "decisions/0065-updates-touch-what-documents-say.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="65-an-import-that-updates-touches-what-its-document-says" tabindex="-1">65. An import that updates touches what its document says <a class="header-anchor" href="#65-an-import-that-updates-touches-what-its-document-says" aria-label="Permalink to &quot;65. An import that updates touches what its document says&quot;">​</a></h1><p><strong>Context.</strong> The format is protojson, which leaves out what is false, zero or empty. An import with <code>on_conflict: update</code> took every absent member for such a value. A list of people from another system, which says nothing about the organization, renamed it and took its primary domain away, and with it every login name. No converter can name what it does not know.</p><p><strong>Decision.</strong></p><ol><li>An update changes the members that a record has, at every depth. An absent member stays as it is. An empty text, <code>false</code> and an empty list are values.</li><li>A list of texts, and the elements of <code>totpDevices</code> and secrets, are one value. Domains are known by their names: those that the document does not name stay, and the primary domain changes only if a domain says <code>isPrimary</code>.</li><li>Absent members have the defaults of the format only where the import creates the object. <code>initial</code> of an organization or project holds what a source suggests for that case, such as the name of a realm.</li><li>Members that stand for one thing are replaced together: <code>otpCode</code> and <code>totpDevices</code>, <code>gender</code> and <code>genderText</code>. An address or phone number that changes is unverified unless the document says otherwise. The marks <code>mayCallApi</code> and <code>firstParty</code> stay unless the update changes who gets the tokens of the application, as in the management API.</li><li>The rules of the management API judge an application as the update leaves it.</li></ol><p><strong>Consequences.</strong> An update by an export does not reset what was set at the target and is false or empty in the export. An undo, or the management API, does that. A test takes every optional member of every list out of a document in turn, and compares the stored objects. A display name that was made of the first and last name stays when an update changes one of those and gives no display name, as in the management API.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0065-updates-touch-what-documents-say.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0065UpdatesTouchWhatDocumentsSay = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0065UpdatesTouchWhatDocumentsSay as default
};
