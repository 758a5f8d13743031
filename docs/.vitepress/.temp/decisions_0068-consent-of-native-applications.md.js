import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"68. A native application of another organization is asked about at each sign-in","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0068-consent-of-native-applications.md","filePath":"docs/decisions/0068-consent-of-native-applications.md"}');
const _sfc_main = { name: "decisions/0068-consent-of-native-applications.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="68-a-native-application-of-another-organization-is-asked-about-at-each-sign-in" tabindex="-1">68. A native application of another organization is asked about at each sign-in <a class="header-anchor" href="#68-a-native-application-of-another-organization-is-asked-about-at-each-sign-in" aria-label="Permalink to &quot;68. A native application of another organization is asked about at each sign-in&quot;">​</a></h1><p><strong>Context.</strong> A native application has redirect URIs that any process of a device can listen on: a port of the loopback interface, a scheme. RFC 8252 section 8.6 says that an authorization server does not answer such requests without a page, since nothing proves that the application began them. After one consent, <code>scope=openid</code> with <code>prompt=none</code> and another port got a code without a page.</p><p><strong>Decision.</strong> An earlier consent does not count for a native application: each sign-in shows the page, and <code>prompt=none</code> gets <code>consent_required</code>. Two cases stay without a page, as before: an application that an IAM_OWNER marked <code>firstParty</code>, and one whose project the person&#39;s organization owns or was granted, unless it names Signet&#39;s own APIs.</p><p><strong>Why the own organization stays.</strong> What leaks there is who is signed in, to a process that runs as the same user of the same device and can read the browser&#39;s files. A page at each start of a company&#39;s own tools teaches people to press its button unread.</p><p><strong>Consequences.</strong> Command lines of other organizations that sign in silently need <code>firstParty</code>, or keep a refresh token. Refreshing needs no page.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0068-consent-of-native-applications.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0068ConsentOfNativeApplications = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0068ConsentOfNativeApplications as default
};
