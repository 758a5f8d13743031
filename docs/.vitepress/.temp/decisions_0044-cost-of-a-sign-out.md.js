import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"44. A sign-out may cost 4 ms of CPU","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0044-cost-of-a-sign-out.md","filePath":"docs/decisions/0044-cost-of-a-sign-out.md"}');
const _sfc_main = { name: "decisions/0044-cost-of-a-sign-out.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="44-a-sign-out-may-cost-4-ms-of-cpu" tabindex="-1">44. A sign-out may cost 4 ms of CPU <a class="header-anchor" href="#44-a-sign-out-may-cost-4-ms-of-cpu" aria-label="Permalink to &quot;44. A sign-out may cost 4 ms of CPU&quot;">​</a></h1><p><strong>Context.</strong> The first budget of the benchmark row <code>sign-out</code> was 2 ms of CPU, and half the rate of a handler that does one guarded <code>UPDATE</code>. Measured on two cores: 3.2 ms, of which PostgreSQL uses 1.9 ms, and a tenth of that rate.</p><p>One sign-out ends a session, its grants, the tokens that were exchanged for them and the sessions of the applications. It is ten statements in one transaction: the lock of the session, the ended session, its audit row, the ending, the weeks that hold rows of the session, and a statement for each of these. A CPU profile of <code>login</code> and <code>token</code> shows no function that dominates: 4 % parse the certificate of the peer at each gRPC call, the rest are the round trips themselves.</p><p><strong>Decision.</strong> The budget is 4 ms of CPU. There is none relative to one guarded <code>UPDATE</code>, because that does a tenth of the work. The locks stay bounded: at most 50 relations, tested with 200 sign-outs at once.</p><p><em>Not done.</em> Batching the sign-outs of several people in one transaction, as revocations of access tokens are, would lower the figure at saturation only: at 40 % of it sign-outs rarely meet. Joining the statements in one would also read the grants before the lock of the session was taken, and so miss a redemption that commits meanwhile.</p><p><strong>Consequences.</strong> One core signs 300 people out in a second. A person signs out once for some hundred requests, so the row is far from the first bottleneck.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0044-cost-of-a-sign-out.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0044CostOfASignOut = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0044CostOfASignOut as default
};
