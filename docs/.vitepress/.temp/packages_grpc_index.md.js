import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"grpc","description":"","frontmatter":{},"headers":[],"relativePath":"packages/grpc/index.md","filePath":"packages/grpc/README.md"}');
const _sfc_main = { name: "packages/grpc/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="grpc" tabindex="-1">grpc <a class="header-anchor" href="#grpc" aria-label="Permalink to &quot;grpc&quot;">​</a></h1><p>gRPC between the services, with types generated from <code>proto/</code> by <code>pnpm --filter @signet/grpc generate</code>.</p><ul><li><code>src/client.ts</code>: <code>rpcClient(descriptor, transport)</code> is a typed client. A unary call has a deadline, and every failure is an <code>RpcError</code>.</li><li><code>src/service.ts</code>: <code>rpcService(descriptor, handlers)</code> binds handlers; a method without a handler does not compile. <code>createCallMeasure</code> and <code>tracedService</code> add metrics and traces.</li><li><code>src/request-check.ts</code> is the check of every request before its handler runs: sizes, U+0000, times.</li><li><code>src/caller-table.ts</code> lists which service may call which method. Both transports apply it.</li><li><code>src/grpc-transport.ts</code> and <code>src/grpc-server.ts</code> are the transport over HTTP/2 with mutual TLS, <code>src/in-process.ts</code> the one within a process, with the same bytes, deadlines and caller table.</li><li>A callee that does not respond to a ping for three seconds loses its connections (<code>SILENCE_MS</code>). A call whose connection breaks is made a second time, at another replica, if the proto file gives its method an <code>idempotency_level</code>. An error that a replica responds with is never asked for again.</li><li><code>src/certificate-provider.ts</code> uses renewed certificates for new connections; <code>src/certificates</code> makes an authority and the certificates of the services for <code>signet certs init</code>.</li></ul><p>Errors that are no <code>RpcError</code> reach the caller as <code>UNAVAILABLE</code> or <code>INTERNAL</code> without text. Used by all services.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/grpc/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
