import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"59. Texts of pages are published beside their sealed record","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0059-login-texts.md","filePath":"docs/decisions/0059-login-texts.md"}');
const _sfc_main = { name: "decisions/0059-login-texts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="59-texts-of-pages-are-published-beside-their-sealed-record" tabindex="-1">59. Texts of pages are published beside their sealed record <a class="header-anchor" href="#59-texts-of-pages-are-published-beside-their-sealed-record" aria-label="Permalink to &quot;59. Texts of pages are published beside their sealed record&quot;">​</a></h1><p><strong>Context.</strong> <code>loginTexts</code> of an organization were stored sealed and exported again. Login reads published views only, and cannot open what is sealed. Text of a tenant on a page where people enter passwords is a way to deceive them.</p><p><strong>Decision.</strong></p><ol><li>The record of the export format stays in <code>directory.carried_record</code>, as the texts of messages do. The texts that act are also in <code>directory.login_text</code>, written in the same transaction and published in <code>login_text_v1</code>. Exports, undos, and replicas of the version before handle all texts as they did. Texts that an older import stored are exported and act once they are set or imported again.</li><li>One table (<code>packages/protocol/src/login-texts.ts</code>) says which text of the format replaces which text of the pages. Login gives it a type in which a key of a text with parameters, or of a page that must not change, does not compile. So the names of the application and of the account stay without a rule for placeholders. Descriptions that had no place are paragraphs below these names.</li><li>The management API refuses what does not act, with the reason; an import keeps it and its report names it (<a href="/decisions/0037-unsupported-policies.html">decision 37</a>). The reader applies the rules again, so that a stricter version needs no migration.</li><li>A text is put between FSI and PDI (UAX #9). Markup such as <code>&lt;bdi&gt;</code> would isolate it in elements, but not in the title of the page, in attributes, or in a sentence that is joined of several texts. So these characters are refused within a text.</li><li>The branding of an organization has its texts. One choice of the organization decides on colours, logo and texts of a page.</li></ol><p><strong>Not done.</strong> Texts of pages that belong to no organization, of messages about problems, and of languages that the pages do not have.</p><p><strong>Consequences.</strong> A text is stored twice. Caches keep at most 8 million characters of texts in each process of login.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0059-login-texts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0059LoginTexts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0059LoginTexts as default
};
