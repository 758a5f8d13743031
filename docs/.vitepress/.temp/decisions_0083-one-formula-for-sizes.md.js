import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"83. One formula computes sizes","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0083-one-formula-for-sizes.md","filePath":"docs/decisions/0083-one-formula-for-sizes.md"}');
const _sfc_main = { name: "decisions/0083-one-formula-for-sizes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="83-one-formula-computes-sizes" tabindex="-1">83. One formula computes sizes <a class="header-anchor" href="#83-one-formula-computes-sizes" aria-label="Permalink to &quot;83. One formula computes sizes&quot;">​</a></h1><p><strong>Context.</strong> No page said how many pods and how much storage an installation of a number of people needs. The chart had the same request, 100m, for every component, so that an autoscaler with a target in percent of it acted at a twentieth of a core.</p><p><strong>Decision.</strong> <code>apps/cli/src/size/capacity.ts</code> computes replicas, CPU requests, storage and connections from people and rates. Its costs are figures of docs/benchmarks.md and of <code>e2e/test/stored-bytes.soak.ts</code>; lifetimes are the defaults of the specification. <code>signet size</code> prints the result. The table of docs/scaling.md and <code>deploy/helm/signet/sizes/*-values.yaml</code> are compared with it by a test.</p><p><strong>Not chosen.</strong> Other defaults in values.yaml: an upgrade would give autoscalers to installations that have none, and request more CPU than small clusters have. A size is chosen by naming its file. The number of queued jobs scales <code>migrationWorker</code> by KEDA already (<code>keda.enabled</code>); the formula leaves it alone, because imports do not follow from people or rates.</p><p><strong>Consequences.</strong> A new measurement changes a constant, the table and three files together. Results have two digits.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0083-one-formula-for-sizes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0083OneFormulaForSizes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0083OneFormulaForSizes as default
};
