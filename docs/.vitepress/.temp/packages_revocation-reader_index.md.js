import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"revocation-reader","description":"","frontmatter":{},"headers":[],"relativePath":"packages/revocation-reader/index.md","filePath":"packages/revocation-reader/README.md"}');
const _sfc_main = { name: "packages/revocation-reader/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="revocation-reader" tabindex="-1">revocation-reader <a class="header-anchor" href="#revocation-reader" aria-label="Permalink to &quot;revocation-reader&quot;">​</a></h1><p>Answers whether a token, session or key is revoked.</p><ul><li><code>src/revocation-reader.ts</code>: <code>createRevocationReader</code> returns <code>isEnded(facts)</code>. Once <code>token</code> has responded to a revocation, every later check finds it. A check costs one read of the Redis stream, shared by all checks that wait, and no query (<a href="/decisions/0038-revocation-log.html">0038</a>).</li><li><code>src/revocation-set.ts</code> holds all unexpired endings of the process. <code>src/revocation-log.ts</code> follows the stream; <code>src/revocation-database.ts</code> loads the set at the start, polls PostgreSQL each second and answers single checks while the stream or the polls fail. <code>src/circuit-breaker.ts</code> keeps checks from waiting for a silent Redis.</li><li>While PostgreSQL is unavailable the set answers for <code>stalenessSeconds</code> (10); then checks reject.</li><li><code>hasEnded</code> in <code>src/revocation-reader.ts</code> checks a token together with the tokens that it was exchanged for.</li><li><code>src/endings.ts</code> is the format of the stream, which <code>token</code> writes. <code>src/require-restored.ts</code> refuses a start on a database that was restored without <code>signet-migrate restored</code>.</li></ul><p>Used by <code>token</code>, <code>introspection</code>, <code>login</code> and <code>migrate</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/revocation-reader/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
