import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"40. Bootstrap writes through the stores of the management API","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0040-bootstrap-writes-through-the-stores-of-the-api.md","filePath":"docs/decisions/0040-bootstrap-writes-through-the-stores-of-the-api.md"}');
const _sfc_main = { name: "decisions/0040-bootstrap-writes-through-the-stores-of-the-api.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="40-bootstrap-writes-through-the-stores-of-the-management-api" tabindex="-1">40. Bootstrap writes through the stores of the management API <a class="header-anchor" href="#40-bootstrap-writes-through-the-stores-of-the-management-api" aria-label="Permalink to &quot;40. Bootstrap writes through the stores of the management API&quot;">​</a></h1><p><strong>Context.</strong> The bootstrap file had its own table mappings and SQL beside those of the management API: two write paths for every entity, so a new column or rule had to be written twice.</p><p><strong>Decision.</strong> <code>apps/directory/src/bootstrap</code> computes the difference for each object and writes it through the stores that the management API uses, in the same transaction. It shares the rules that do not depend on a caller: policy floors, password complexity, the secret that ends the ones before it and their tokens, the defaults of an application. It does not call the use cases of the API. Those check the roles of a caller, choose secrets themselves and refuse references to objects that the same file creates later; a file is applied by the operator of the instance, and a call on its behalf would carry roles that no account holds. The last IAM_OWNER and reserved ids stay rules of the database.</p><p><strong>Consequences.</strong> Audit rows, fingerprints, refusals and published epochs are the same as before; a comparison of all tables after 24 files found no difference. Four details changed. A replaced client secret raises the epoch only when the one before it was still valid, as in the API. A write of a policy waits for a call that changes the same policy. The answer of <code>/management/v1/apply</code> shows a missing e-mail address or phone number as <code>null</code>, not as an object of <code>null</code>. Times of key registrations are those of the service&#39;s clock. The 1,000 users of the measurement take 4.2–5.4 s before and 5.1 s after; a repetition without changes 1.2–1.3 s and 0.7–1.2 s.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0040-bootstrap-writes-through-the-stores-of-the-api.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0040BootstrapWritesThroughTheStoresOfTheApi = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0040BootstrapWritesThroughTheStoresOfTheApi as default
};
