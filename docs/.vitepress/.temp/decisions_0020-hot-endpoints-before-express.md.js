import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"20. Route hot endpoints before Express","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0020-hot-endpoints-before-express.md","filePath":"docs/decisions/0020-hot-endpoints-before-express.md"}');
const _sfc_main = { name: "decisions/0020-hot-endpoints-before-express.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="20-route-hot-endpoints-before-express" tabindex="-1">20. Route hot endpoints before Express <a class="header-anchor" href="#20-route-hot-endpoints-before-express" aria-label="Permalink to &quot;20. Route hot endpoints before Express&quot;">​</a></h1><p><strong>Context.</strong> Token, revocation, introspection, userinfo, the key set and discovery are asked thousands of times a second. An answer of the discovery document took 43 µs of CPU, that of a bare Express handler with the same bytes 25. Side by side in one process a bare Express handler takes 39 µs where one of <code>node:http</code> takes 27. With everything that a service adds to each request (request id, security headers, metrics, the end of the answer), none of these rows could come within a tenth of the bare handler, which is what the budget asks.</p><p><strong>Decision.</strong> Such an endpoint is a value (<code>packages/http/src/endpoint.ts</code>): a path, and for each method a function from the request to a whole answer. <code>createHttpApp</code> compares path and method word for word and answers by itself. The same value is a <code>Router</code> as well: HEAD, preflights, 405, a path in capitals or with a slash at its end are Express&#39;s, as before, and get the same answers. Everything else is a <code>Router</code>, as before.</p><p><strong>Numbers.</strong> Signet to the limit, each ratio taken within one run: <code>npm run bench</code> at 2df15aa, which is before, and <code>npm run bench -- --check</code> at b9f0c35, the first commit with it. Key set 0.62 and 1.17, discovery 0.60 and 0.89, introspection 0.475 and 0.54, client_credentials 0.16 and 0.25. Side by side in one server the discovery document with all that a service adds takes 31 µs where the bare Express handler takes 30.</p><p><strong>Consequences.</strong> An endpoint cannot use what Express adds to requests and answers. It answers as a whole, so that nothing is half written when something throws. Tests ask endpoints in both ways.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0020-hot-endpoints-before-express.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0020HotEndpointsBeforeExpress = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0020HotEndpointsBeforeExpress as default
};
