import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse(`{"title":"A clock differs from PostgreSQL's","description":"","frontmatter":{},"headers":[],"relativePath":"runbooks/clock-differs.md","filePath":"docs/runbooks/clock-differs.md"}`);
const _sfc_main = { name: "runbooks/clock-differs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="a-clock-differs-from-postgresqls" tabindex="-1">A clock differs from PostgreSQL&#39;s <a class="header-anchor" href="#a-clock-differs-from-postgresqls" aria-label="Permalink to &quot;A clock differs from PostgreSQL&#39;s&quot;">​</a></h1><p><code>SignetClockDiffers</code>. The labels say which pod.</p><h2 id="meaning" tabindex="-1">Meaning <a class="header-anchor" href="#meaning" aria-label="Permalink to &quot;Meaning&quot;">​</a></h2><p>Each process compares its wall clock with that of PostgreSQL once a second. For a minute they were more than a second apart. Beyond two seconds the process is not ready, and <code>/readyz</code> names <code>clock</code>.</p><p>The wrong clock decides nothing in Signet: lifetimes, due times and claims follow the time of PostgreSQL, which the process reads. Times in its log, and other programs on that machine, follow the wrong one.</p><h2 id="diagnosis" tabindex="-1">Diagnosis <a class="header-anchor" href="#diagnosis" aria-label="Permalink to &quot;Diagnosis&quot;">​</a></h2><div class="language-promql vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">promql</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">signet_clock_offset_seconds</span></span></code></pre></div><p>Positive: the pod is ahead of PostgreSQL; negative: behind. The log of the process has <code>clock_differs</code>, and <code>clock_agrees</code> once it is right again.</p><ul><li>One pod, or the pods of one node: the clock of that node is wrong. <code>timedatectl</code> or <code>chronyc tracking</code> on the node.</li><li>All pods, by the same number: the clock of PostgreSQL is wrong.</li><li>A machine that was suspended: the clock is right again a moment after it resumed.</li></ul><h2 id="actions" tabindex="-1">Actions <a class="header-anchor" href="#actions" aria-label="Permalink to &quot;Actions&quot;">​</a></h2><ul><li>Let the node set its clock by NTP. The pod is ready again within a second, without a restart.</li><li>The clock of PostgreSQL is wrong: set it right. When it jumps forward, codes and tokens expire early; when it jumps back, they live longer by as much.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/runbooks/clock-differs.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const clockDiffers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  clockDiffers as default
};
