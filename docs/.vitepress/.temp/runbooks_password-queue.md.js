import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Password queue is full","description":"","frontmatter":{},"headers":[],"relativePath":"runbooks/password-queue.md","filePath":"docs/runbooks/password-queue.md"}');
const _sfc_main = { name: "runbooks/password-queue.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="password-queue-is-full" tabindex="-1">Password queue is full <a class="header-anchor" href="#password-queue-is-full" aria-label="Permalink to &quot;Password queue is full&quot;">​</a></h1><p><code>SignetPasswordQueueFull</code>.</p><h2 id="meaning" tabindex="-1">Meaning <a class="header-anchor" href="#meaning" aria-label="Permalink to &quot;Meaning&quot;">​</a></h2><p>For five minutes <code>directory</code> refused to check passwords, since 200 waited already, or those that waited would have taken more than two seconds. Those who sign in get a page (503, <code>Retry-After</code>) that says so, and try again. Each check takes a core for some 20 ms, imported hashes up to a second.</p><h2 id="diagnosis" tabindex="-1">Diagnosis <a class="header-anchor" href="#diagnosis" aria-label="Permalink to &quot;Diagnosis&quot;">​</a></h2><div class="language-promql vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">promql</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">sum </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">by</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> (pod, </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">state</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">) (signet_password_hashes)</span></span>
<span class="line"><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">sum </span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">by</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> (factor, outcome) (rate(signet_sign_in_attempts_total[5m]))</span></span></code></pre></div><p>Many attempts with <code>refused</code>: <a href="/runbooks/sign-ins-refused.html">sign-ins-refused.md</a>. Many with <code>accepted</code>: all users sign in at the same time. Few attempts, and the CPU of <code>directory</code> is at its limit: slow imported hashes (<a href="/reference/password-hashes.html">password-hashes.md</a>).</p><h2 id="actions" tabindex="-1">Actions <a class="header-anchor" href="#actions" aria-label="Permalink to &quot;Actions&quot;">​</a></h2><ul><li>More replicas of <code>directory</code> (<code>components.directory.replicas</code>) or more CPU: each pod hashes on all cores but one.</li><li>Slow imported hashes are replaced at the first sign-in of their users; the load ends by itself.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/runbooks/password-queue.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const passwordQueue = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  passwordQueue as default
};
