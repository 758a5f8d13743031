import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"outbound-http","description":"","frontmatter":{},"headers":[],"relativePath":"packages/platform/src/outbound-http/index.md","filePath":"packages/platform/src/outbound-http/README.md"}');
const _sfc_main = { name: "packages/platform/src/outbound-http/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="outbound-http" tabindex="-1">outbound-http <a class="header-anchor" href="#outbound-http" aria-label="Permalink to &quot;outbound-http&quot;">​</a></h1><p>Calls that Signet makes to URLs of applications and of settings. A registered URL must not make Signet call an address that only Signet can reach, so every connection passes one rule:</p><table tabindex="0"><thead><tr><th>address</th><th>may be called</th></tr></thead><tbody><tr><td>link-local, metadata services, multicast, unspecified, reserved</td><td>never</td></tr><tr><td>loopback, private networks, other special purposes (RFC 6890)</td><td>when <code>SIGNET_OUTBOUND_ALLOW</code> names it; loopback by default for a loopback issuer</td></tr><tr><td>everything else</td><td>yes</td></tr></tbody></table><p>The address that was checked is the one that is connected to, so a name that resolves differently a moment later gains nothing. Redirects are answers like any other and are not followed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/platform/src/outbound-http/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
