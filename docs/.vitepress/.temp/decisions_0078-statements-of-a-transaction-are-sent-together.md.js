import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"78. Statements of a transaction are sent together","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0078-statements-of-a-transaction-are-sent-together.md","filePath":"docs/decisions/0078-statements-of-a-transaction-are-sent-together.md"}');
const _sfc_main = { name: "decisions/0078-statements-of-a-transaction-are-sent-together.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="78-statements-of-a-transaction-are-sent-together" tabindex="-1">78. Statements of a transaction are sent together <a class="header-anchor" href="#78-statements-of-a-transaction-are-sent-together" aria-label="Permalink to &quot;78. Statements of a transaction are sent together&quot;">​</a></h1><p><strong>Context.</strong> A transaction of four statements waited six times for PostgreSQL: for <code>BEGIN</code>, each statement and <code>COMMIT</code>. With the database half a millisecond away a redemption waited 3 ms and a sign-out 8 ms for the network alone.</p><p><strong>Decision.</strong> Connections use the pipeline mode of node-postgres (8.23): a query is sent at once, and not when the one before has its answer. <code>BEGIN</code> is sent with the first statement of a transaction. <code>tx.commit(...statements)</code> sends its statements and <code>COMMIT</code> together. Each statement still has its own snapshot, so a statement behind an advisory lock reads what was committed while the lock was waited for, as before. A statement that fails aborts the transaction, and the <code>COMMIT</code> behind it rolls back.</p><p>A redemption is one round trip, the end of a grant, a token or a session is two: the first finds in which weekly partitions rows lie, and the statements that name these partitions go with the <code>COMMIT</code>. <code>apps/token/test/sign-out-cost.test.ts</code> counts them.</p><p><strong>Not chosen.</strong> One statement with data-modifying expressions: it has one snapshot, taken before it waits for a lock. A function in PL/pgSQL: it must plan the statements of a partition at each call, since their text names it.</p><p><strong>Consequences.</strong> When PostgreSQL refuses <code>BEGIN</code> itself and keeps the connection, the statements behind it run outside a transaction. Only <code>pg_cancel_backend</code> in that instant does this. The call fails; it wrote an ending, or redeemed a code. Pipelining passes PgBouncer in transaction mode, which keeps a server for a client until its transaction has ended.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0078-statements-of-a-transaction-are-sent-together.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0078StatementsOfATransactionAreSentTogether = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0078StatementsOfATransactionAreSentTogether as default
};
