import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Event loop saturated","description":"","frontmatter":{},"headers":[],"relativePath":"runbooks/event-loop-lag.md","filePath":"docs/runbooks/event-loop-lag.md"}');
const _sfc_main = { name: "runbooks/event-loop-lag.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="event-loop-saturated" tabindex="-1">Event loop saturated <a class="header-anchor" href="#event-loop-saturated" aria-label="Permalink to &quot;Event loop saturated&quot;">​</a></h1><p><code>SignetEventLoopLags</code>.</p><h2 id="meaning" tabindex="-1">Meaning <a class="header-anchor" href="#meaning" aria-label="Permalink to &quot;Meaning&quot;">​</a></h2><p>One in a hundred turns of the event loop came 0.2 s late for ten minutes. Each process of Signet uses one core for requests; a pod whose CPU is throttled shows the same.</p><h2 id="diagnosis" tabindex="-1">Diagnosis <a class="header-anchor" href="#diagnosis" aria-label="Permalink to &quot;Diagnosis&quot;">​</a></h2><div class="language-promql vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">promql</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">rate(process_cpu_seconds_total[5m])</span></span>
<span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">rate(container_cpu_cfs_throttled_seconds_total[5m])</span></span></code></pre></div><p>One pod of several: a long request, <code>http_request</code> in its log with a high <code>durationMs</code>. All pods: load.</p><h2 id="actions" tabindex="-1">Actions <a class="header-anchor" href="#actions" aria-label="Permalink to &quot;Actions&quot;">​</a></h2><ul><li>CPU near 1: more replicas; raise <code>autoscaling.maxReplicas</code>, or lower <code>cpuUtilization</code> so that they come earlier.</li><li>Throttled: the chart sets no CPU limit; remove the one that you set.</li><li>Memory near its limit: garbage collection takes the time; raise the limit.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/runbooks/event-loop-lag.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const eventLoopLag = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  eventLoopLag as default
};
