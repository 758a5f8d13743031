import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"service","description":"","frontmatter":{},"headers":[],"relativePath":"packages/service/index.md","filePath":"packages/service/README.md"}');
const _sfc_main = { name: "packages/service/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="service" tabindex="-1">service <a class="header-anchor" href="#service" aria-label="Permalink to &quot;service&quot;">​</a></h1><p>Runs one service as a process: <code>runServiceProcess</code> in <code>src/service-process.ts</code>, with the definition in <code>apps/*/src/main.ts</code>.</p><ol><li>Settings of the process, the service and every resource are read; all problems are reported at once, with exit code 1. The SDK of OpenTelemetry is loaded only with an endpoint for traces (<code>packages/platform/src/tracing</code>).</li><li>The operations port opens: <code>/healthz</code> responds 200, <code>/readyz</code> names the resources that the start waits for.</li><li>Resources are opened. <code>postgresWithSchema</code> waits for the migrations of the owner, <code>postgres</code> for a response, <code>createRevocationRedisResource</code> for a server without eviction; <code>createRedisResource</code> and <code>callee</code> do not wait. No service waits for a service that it calls, so services start in any order.</li><li>The service starts, then gRPC and public HTTP. <code>grpc.health.v1</code> and <code>/readyz</code> follow its <code>notReady()</code>.</li><li>SIGTERM: not ready → <code>SIGNET_DRAIN_DELAY_SECONDS</code> → no new connections, streams are asked to end, running requests get <code>SIGNET_DRAIN_DEADLINE_SECONDS</code> → the service stops → resources close in reverse.</li></ol><p>gRPC beyond loopback needs <code>SIGNET_RPC_CA</code>, <code>SIGNET_RPC_CERT</code> and <code>SIGNET_RPC_KEY</code> (<code>signet certs init --out DIR</code>). The URI of the certificate identifies the caller when <code>SIGNET_RPC_TRUST_PREFIX</code> is set, otherwise its common name.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/service/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
