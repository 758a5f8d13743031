import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"48. BullMQ wakes workers; PostgreSQL holds jobs","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0048-queue-wakes-workers.md","filePath":"docs/decisions/0048-queue-wakes-workers.md"}');
const _sfc_main = { name: "decisions/0048-queue-wakes-workers.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="48-bullmq-wakes-workers-postgresql-holds-jobs" tabindex="-1">48. BullMQ wakes workers; PostgreSQL holds jobs <a class="header-anchor" href="#48-bullmq-wakes-workers-postgresql-holds-jobs" aria-label="Permalink to &quot;48. BullMQ wakes workers; PostgreSQL holds jobs&quot;">​</a></h1><p><strong>Context.</strong> An import may be killed at any time and must apply each batch exactly once. <code>directory.applied_batch</code> and the staged batches are rows, so whether a batch is done is known in PostgreSQL alone. BullMQ offers attempts with backoff, stalled-job recovery, progress, events and retention, each from its own copy of the state in Redis, which may lose its last second in a fail-over, or everything.</p><p><strong>Decision.</strong> An entry of the queue carries the id of a job and nothing else. BullMQ does what needs no truth: it gives entries to workers in any number of processes, bounds how many a process runs, and waits without polling, on a single server, Sentinel or a cluster. Claims, heartbeats, deadlines, cancellation, progress, retries and retention are columns of <code>migration.job</code> and <code>migration.staged_batch</code>. A lost entry is put back by the reconciler after five seconds; an entry that comes twice finds the job claimed or ended.</p><p><strong>Not chosen.</strong> Progress and <code>QueueEvents</code> of BullMQ for server-sent events: progress would be written twice, and after a fail-over of Redis a listener would see it go back; two reads of one row a second are cheaper than that. <code>attempts</code>: a worker that is killed has spent none of its own, and a dependency that is away is waited for until the deadline of the job. graphile-worker or pg-boss instead of BullMQ: <code>LISTEN</code> does not pass through PgBouncer in transaction mode, so both would poll.</p><p><strong>Consequences.</strong> The locking is our own SQL, held by the tests of claims and kills. Without Redis new jobs wait, and running ones go on. A batch that ends its worker each time is taken up again until the deadline of the job.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0048-queue-wakes-workers.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0048QueueWakesWorkers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0048QueueWakesWorkers as default
};
