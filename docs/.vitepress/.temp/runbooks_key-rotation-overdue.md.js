import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Key rotation overdue","description":"","frontmatter":{},"headers":[],"relativePath":"runbooks/key-rotation-overdue.md","filePath":"docs/runbooks/key-rotation-overdue.md"}');
const _sfc_main = { name: "runbooks/key-rotation-overdue.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="key-rotation-overdue" tabindex="-1">Key rotation overdue <a class="header-anchor" href="#key-rotation-overdue" aria-label="Permalink to &quot;Key rotation overdue&quot;">​</a></h1><p><code>SignetKeyRotationOverdue</code>.</p><h2 id="meaning" tabindex="-1">Meaning <a class="header-anchor" href="#meaning" aria-label="Permalink to &quot;Meaning&quot;">​</a></h2><p>The next key of the line that <code>ring</code> and <code>algorithm</code> name should have become active more than five minutes ago and no replica of <code>keys</code> has let it. The old key goes on signing and sealing: without an effect for users yet. Holders of leases stop at the planned end of the last key that they know, 24 hours later at most; then tokens are no longer issued.</p><h2 id="diagnosis" tabindex="-1">Diagnosis <a class="header-anchor" href="#diagnosis" aria-label="Permalink to &quot;Diagnosis&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">signet</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> keys</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> plan</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">kubectl</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> logs</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --selector</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> app.kubernetes.io/component=keys</span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;"> |</span><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;"> grep</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &#39;&quot;level&quot;:&quot;error&quot;&#39;</span></span></code></pre></div><p><code>signet_key_next_switch_seconds</code> of every replica, and whether its database is writable: rotation is a transaction.</p><h2 id="actions" tabindex="-1">Actions <a class="header-anchor" href="#actions" aria-label="Permalink to &quot;Actions&quot;">​</a></h2><ul><li>PostgreSQL is away or read-only: mend it; the rotation is made up for within seconds.</li><li><code>is sealed under the master key … which is not in the list</code>: put that master key back, see <a href="/runbooks/rotate-secrets.html#master-keys">rotate-secrets.md</a>.</li><li>Else rotate by hand: <code>signet keys rotate --ring the-ring</code>, and restart <code>keys</code> if that works and the alert stays.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/runbooks/key-rotation-overdue.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const keyRotationOverdue = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  keyRotationOverdue as default
};
