import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"12. Seal staged batches as a whole","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0012-staged-batches-are-sealed.md","filePath":"docs/decisions/0012-staged-batches-are-sealed.md"}');
const _sfc_main = { name: "decisions/0012-staged-batches-are-sealed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="12-seal-staged-batches-as-a-whole" tabindex="-1">12. Seal staged batches as a whole <a class="header-anchor" href="#12-seal-staged-batches-as-a-whole" aria-label="Permalink to &quot;12. Seal staged batches as a whole&quot;">​</a></h1><p>The first design staged records one by one and sealed their secret fields. <code>migration.staged_batch</code> holds up to 2,000 records of one list as one compressed, sealed value instead.</p><ul><li>One row for 2,000 users costs one index entry and one round trip; staging row by row would double the work of PostgreSQL, which is the bottleneck of an import.</li><li>Nothing has to know which fields are secret: scripts of actions and identity providers of other products may hold some.</li><li>zstd at its default level makes a batch of users about a fifth as long, which PostgreSQL then does not have to log.</li></ul><p>The fields that are needed without opening a batch are stored beside it: the ids for the report, and the keys that no two records may share. Claims, outcomes and counts are by batch; a batch is what a stop waits for.</p><p>Workers are alive by a row of their own (<code>migration.worker</code>) rather than by a heartbeat in each job, so that any number of them can share one job and a silent one loses all that it had claimed at once.</p><p>Batches of 500, as they were at first, were measured again with others, two imports of 100,000 users each on one slow machine: 7,102 and 6,781 users/s with 500, 7,780 and 7,711 with 1,000, 8,958 and 8,667 with 2,000, 8,034 and 8,269 with 3,500. Each batch plans its statements again, waits for the disk and reports its outcome. People whose password comes in clear text are hashed one by one within the call that applies their batch, which may take two minutes: of them 500 fill a batch.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0012-staged-batches-are-sealed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0012StagedBatchesAreSealed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0012StagedBatchesAreSealed as default
};
