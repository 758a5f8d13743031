import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"36. Cross-Origin-Opener-Policy on one page only","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0036-opener-policy-on-one-page.md","filePath":"docs/decisions/0036-opener-policy-on-one-page.md"}');
const _sfc_main = { name: "decisions/0036-opener-policy-on-one-page.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="36-cross-origin-opener-policy-on-one-page-only" tabindex="-1">36. Cross-Origin-Opener-Policy on one page only <a class="header-anchor" href="#36-cross-origin-opener-policy-on-one-page-only" aria-label="Permalink to &quot;36. Cross-Origin-Opener-Policy on one page only&quot;">​</a></h1><p><strong>Context.</strong> <code>Cross-Origin-Opener-Policy: same-origin</code> keeps another window from holding a reference to a page. Single-page applications open the authorization request in a pop-up and read the answer through <code>window.opener</code> of their own callback page; the browser cuts that link as soon as a page in between has the header, even when the callback is same-origin with the opener again.</p><p><strong>Decision.</strong> Only <code>/ui/applications</code>, which no authorization request leads to, has the header. The pages of sign-in and sign-out rely on <code>frame-ancestors &#39;none&#39;</code>, on forms whose token belongs to one browser and one request, and on pages without scripts: a window that holds a reference can navigate them away, and can read or submit nothing.</p><p><strong>Consequences.</strong> A page that opens the sign-in page in a pop-up can tell that the pop-up was closed or navigated. The test of the single-page example holds that pop-ups work.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0036-opener-policy-on-one-page.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0036OpenerPolicyOnOnePage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0036OpenerPolicyOnOnePage as default
};
