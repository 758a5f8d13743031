import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Probe from outside fails","description":"","frontmatter":{},"headers":[],"relativePath":"runbooks/probe-fails.md","filePath":"docs/runbooks/probe-fails.md"}');
const _sfc_main = { name: "runbooks/probe-fails.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="probe-from-outside-fails" tabindex="-1">Probe from outside fails <a class="header-anchor" href="#probe-from-outside-fails" aria-label="Permalink to &quot;Probe from outside fails&quot;">​</a></h1><p><code>SignetProbeFails</code>. The label <code>instance</code> says which address.</p><h2 id="meaning" tabindex="-1">Meaning <a class="header-anchor" href="#meaning" aria-label="Permalink to &quot;Meaning&quot;">​</a></h2><p>For a minute the blackbox exporter got no response 2xx from the first page (<code>login</code>) or the discovery document (<code>keys</code>) at the issuer, or Prometheus could not read the exporter.</p><h2 id="diagnosis" tabindex="-1">Diagnosis <a class="header-anchor" href="#diagnosis" aria-label="Permalink to &quot;Diagnosis&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">curl</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -sv</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> https://id.example.com/.well-known/openid-configuration</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -o</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> /dev/null</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">kubectl</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> get</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> ingress,httproute,endpointslices</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --selector</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> app.kubernetes.io/instance=signet</span></span></code></pre></div><p><code>up{job=~&quot;.*-probe&quot;} == 0</code>: the exporter is away. <code>probe_ssl_earliest_cert_expiry - time()</code>: how long the certificate of the issuer lasts.</p><h2 id="actions" tabindex="-1">Actions <a class="header-anchor" href="#actions" aria-label="Permalink to &quot;Actions&quot;">​</a></h2><ul><li><code>SignetNoReadyReplica</code> fires too: <a href="/runbooks/no-ready-replica.html">no-ready-replica.md</a>.</li><li>The services are ready: DNS, the certificate, the ingress controller or a firewall in front of it.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/runbooks/probe-fails.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const probeFails = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  probeFails as default
};
