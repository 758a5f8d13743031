import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Key lease without heartbeat","description":"","frontmatter":{},"headers":[],"relativePath":"runbooks/key-lease-lag.md","filePath":"docs/runbooks/key-lease-lag.md"}');
const _sfc_main = { name: "runbooks/key-lease-lag.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="key-lease-without-heartbeat" tabindex="-1">Key lease without heartbeat <a class="header-anchor" href="#key-lease-without-heartbeat" aria-label="Permalink to &quot;Key lease without heartbeat&quot;">​</a></h1><p><code>SignetKeyLeaseLags</code>.</p><h2 id="meaning" tabindex="-1">Meaning <a class="header-anchor" href="#meaning" aria-label="Permalink to &quot;Meaning&quot;">​</a></h2><p>A replica of <code>token</code> or <code>introspection</code> hears from <code>keys</code> every ten seconds; this one has not for a minute or more. It goes on with the keys it has until their planned end, 24 hours at most. Meanwhile it misses a key that was revoked in an emergency.</p><h2 id="diagnosis" tabindex="-1">Diagnosis <a class="header-anchor" href="#diagnosis" aria-label="Permalink to &quot;Diagnosis&quot;">​</a></h2><ul><li>One replica: its log has <code>key_lease_interrupted</code> with the error of the connection. All of them: is a pod of <code>keys</code> ready?</li><li>Certificates: <code>kubectl get certificates</code>; an expired one refuses every call.</li></ul><h2 id="actions" tabindex="-1">Actions <a class="header-anchor" href="#actions" aria-label="Permalink to &quot;Actions&quot;">​</a></h2><ul><li>No pod of <code>keys</code> is ready: <a href="/runbooks/pod-down.html">pod-down.md</a>.</li><li>One replica only: delete the pod; its successor is not ready before it has keys, so nothing is lost.</li><li>In an emergency (a revoked key), do not wait: <code>kubectl rollout restart deployment/signet-token deployment/signet-introspection</code>.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/runbooks/key-lease-lag.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const keyLeaseLag = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  keyLeaseLag as default
};
