import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"2. Data","description":"","frontmatter":{},"headers":[],"relativePath":"spec/data.md","filePath":"docs/spec/data.md"}');
const _sfc_main = { name: "spec/data.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="2-data" tabindex="-1">2. Data <a class="header-anchor" href="#2-data" aria-label="Permalink to &quot;2. Data&quot;">​</a></h1><p><strong>2.1 One writer per table.</strong> Each service owns a schema and connects as the database role that owns it. Another service reads only the views that are published to its role, and writes through gRPC. No view contains a password hash, TOTP seed or private key.</p><p><strong>2.2 Reader caches.</strong> A cached row is at most 60 s old. Readers poll the change feed every 500 ms, so that a change is effective in every process within 1 s without Redis. Revocation never depends on these caches.</p><p><strong>2.3 Redis.</strong> A command uses one key, or keys with one hash tag. Losing Redis costs sign-ins and never safety. Records that identify a user carry a MAC under a key that Redis does not hold.</p><p><strong>2.4 Audit log.</strong> The row of a change is written in the transaction of the change. Refused calls have rows too. Partitions are monthly and dropped after 400 days. A service may only add rows. Committed rows are sealed into a chain of SHA-256 hashes whose heads <code>keys</code> signs (<a href="/reference/audit-log.html">audit log</a>).</p><p><strong>2.5 Batches of an import.</strong> The outcome of a batch is stored in the transaction that applies it and returned when the batch is repeated, alone or with others. It is deleted when no job can repeat the batch any more. Batches that share a transaction have the outcomes that they would have one after the other.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/spec/data.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const data = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  data as default
};
