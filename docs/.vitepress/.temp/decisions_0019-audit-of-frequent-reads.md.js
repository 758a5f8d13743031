import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"19. Count frequent reads instead of one audit row each","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0019-audit-of-frequent-reads.md","filePath":"docs/decisions/0019-audit-of-frequent-reads.md"}');
const _sfc_main = { name: "decisions/0019-audit-of-frequent-reads.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="19-count-frequent-reads-instead-of-one-audit-row-each" tabindex="-1">19. Count frequent reads instead of one audit row each <a class="header-anchor" href="#19-count-frequent-reads-instead-of-one-audit-row-each" aria-label="Permalink to &quot;19. Count frequent reads instead of one audit row each&quot;">​</a></h1><p><strong>Context.</strong> Introspection, userinfo, the key set and discovery are asked thousands of times a second, and change nothing. A line for each is 250 bytes, 2.5 MB a second at 10,000 introspections, which no person reads; and of the 68 µs of CPU that an answer of the discovery document took (a bare Express handler with the same headers: 38), 17 were its line.</p><p><strong>Decision.</strong> When they succeed, their line is written at <code>debug</code>. A refusal or a failure of theirs, and every other request, keeps its line at <code>info</code>: an operation that issues, revokes or changes something is always logged. Metrics count all of them by route, grant type and class of status, and traces show single ones.</p><p><strong>Consequences.</strong> Who looks for one introspection by its <code>X-Request-Id</code> has to run with <code>SIGNET_LOG_LEVEL=debug</code>, or to trace. That tokens were introspected at all is seen in the metrics only.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0019-audit-of-frequent-reads.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0019AuditOfFrequentReads = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0019AuditOfFrequentReads as default
};
