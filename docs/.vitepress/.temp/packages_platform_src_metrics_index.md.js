import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"metrics","description":"","frontmatter":{},"headers":[],"relativePath":"packages/platform/src/metrics/index.md","filePath":"packages/platform/src/metrics/README.md"}');
const _sfc_main = { name: "packages/platform/src/metrics/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="metrics" tabindex="-1">metrics <a class="header-anchor" href="#metrics" aria-label="Permalink to &quot;metrics&quot;">​</a></h1><p>The numbers of a process in the text format of Prometheus, served as <code>/metrics</code> on the operations port.</p><p><code>createMetrics</code> makes the registry of one process. A service registers what it knows when it starts: <code>gauge</code> for values that are read at a scrape, <code>counter</code> for events, <code>total</code> for counts that exist outside, <code>histogram</code> for durations. <code>createProcessMetrics</code> has memory, CPU and the event loop of the Node process, as prom-client names them. Names begin with <code>signet_</code>, end in their unit, and no label is a person, a client or a token.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/platform/src/metrics/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
