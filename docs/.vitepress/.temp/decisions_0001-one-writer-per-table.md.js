import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"1. One writer per table, reads through published views","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0001-one-writer-per-table.md","filePath":"docs/decisions/0001-one-writer-per-table.md"}');
const _sfc_main = { name: "decisions/0001-one-writer-per-table.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="1-one-writer-per-table-reads-through-published-views" tabindex="-1">1. One writer per table, reads through published views <a class="header-anchor" href="#1-one-writer-per-table-reads-through-published-views" aria-label="Permalink to &quot;1. One writer per table, reads through published views&quot;">​</a></h1><p><strong>Context.</strong> The token and introspection endpoints need clients, accounts and settings on every request. Asking the directory over gRPC costs a hop of 0.6–0.8 ms and 200 µs of CPU on two cores, five times the query it would replace.</p><p><strong>Decision.</strong> Each service owns its schema, migrations and database role. Others read versioned views (<code>directory_read.client_v1</code>, …) with a role that can read nothing else, through a reader package that belongs to the owner and follows the owner&#39;s change feed. Every write across an owner is a gRPC call. Secrets are in no view.</p><p>The service role owns its schema, so it may run DDL there: the token service makes and drops its own partitions. Migrations run as that role (<code>SET LOCAL ROLE</code>), by a member of it.</p><p><strong>Consequences.</strong> A view is an interface: columns are added, never changed or taken away; a new shape is a <code>_v2</code>. The rule is enforced by the database and tested by connecting as each role.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0001-one-writer-per-table.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0001OneWriterPerTable = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0001OneWriterPerTable as default
};
