import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"72. Large organizations are deleted in batches","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0072-large-organizations-are-deleted-in-batches.md","filePath":"docs/decisions/0072-large-organizations-are-deleted-in-batches.md"}');
const _sfc_main = { name: "decisions/0072-large-organizations-are-deleted-in-batches.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="72-large-organizations-are-deleted-in-batches" tabindex="-1">72. Large organizations are deleted in batches <a class="header-anchor" href="#72-large-organizations-are-deleted-in-batches" aria-label="Permalink to &quot;72. Large organizations are deleted in batches&quot;">​</a></h1><p><strong>Context.</strong> Deleting an organization was one statement with cascades, 0.6 ms for each person. PostgreSQL gives a statement of a request 4.5 seconds, so an organization with 10,000 people answered 503 at each call, said that PostgreSQL is unavailable, and stayed as it was.</p><p><strong>Decision.</strong> An organization with more than 500 accounts or grants gets the state <code>deleting</code> in the transaction of the call. All that <code>inactive</code> ends has ended then: epochs rise, its people and applications count for nothing. The rows still hold ids, user names and domains, so no one else can take them. Triggers refuse another state, new accounts and new projects. Each replica of the directory looks once a second for organizations in that state and deletes 500 accounts, then 500 grants, then ten projects in a transaction, under a lock on the organization that other replicas skip. The last transaction deletes the row of the organization and writes <code>organization.deleted</code>; the call itself wrote <code>organization.delete</code>. The triggers that keep tombstones and epochs are those of a deletion in one statement. Smaller organizations are deleted within the call, as before.</p><p>Deleting a project or a role stays one call: it deletes the grants in statements of 5,000 rows first.</p><p><strong>Not chosen.</strong> A longer time-out for this one call: the size at which it fails moves, and gateways give up earlier. A job of <code>migration</code>: the directory writes its own tables (<a href="/decisions/0001-one-writer-per-table.html">1</a>). 202 as the response: the promise of the call, that everything has ended, holds when it returns, for any size.</p><p><strong>Consequences.</strong> Clients of the management API see a third state of organizations. Ids and domains of a large organization are free, or have their tombstones, when <code>GET</code> answers 404. A process that ends in the middle loses one batch, which is done again. Exports leave organizations in that state out.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0072-large-organizations-are-deleted-in-batches.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0072LargeOrganizationsAreDeletedInBatches = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0072LargeOrganizationsAreDeletedInBatches as default
};
