import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"5. npm start calls the gRPC contracts in process","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0005-in-process-contracts.md","filePath":"docs/decisions/0005-in-process-contracts.md"}');
const _sfc_main = { name: "decisions/0005-in-process-contracts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="5-npm-start-calls-the-grpc-contracts-in-process" tabindex="-1">5. <code>npm start</code> calls the gRPC contracts in process <a class="header-anchor" href="#5-npm-start-calls-the-grpc-contracts-in-process" aria-label="Permalink to &quot;5. \`npm start\` calls the gRPC contracts in process&quot;">​</a></h1><p><strong>Context.</strong> <code>npm start</code> runs six services in one process. Serving gRPC on loopback there would open unauthenticated ports or need certificates for a trial; calling use cases directly would make it another system than the one in production.</p><p><strong>Decision.</strong> <code>packages/grpc</code> has two transports under one interface: gRPC and in-process. Both carry encoded protobuf messages, apply the caller table, deadlines and cancellation, and map errors the same way; one test suite runs over both.</p><p><strong>Consequences.</strong> Nothing listens but the public port. Only the wire differs from production.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0005-in-process-contracts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0005InProcessContracts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0005InProcessContracts as default
};
