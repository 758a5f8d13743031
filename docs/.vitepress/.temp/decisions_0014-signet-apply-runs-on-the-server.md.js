import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"14. signet apply runs the bootstrap merge on the server","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0014-signet-apply-runs-on-the-server.md","filePath":"docs/decisions/0014-signet-apply-runs-on-the-server.md"}');
const _sfc_main = { name: "decisions/0014-signet-apply-runs-on-the-server.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="14-signet-apply-runs-the-bootstrap-merge-on-the-server" tabindex="-1">14. <code>signet apply</code> runs the bootstrap merge on the server <a class="header-anchor" href="#14-signet-apply-runs-the-bootstrap-merge-on-the-server" aria-label="Permalink to &quot;14. \`signet apply\` runs the bootstrap merge on the server&quot;">​</a></h1><p><strong>Context.</strong> <code>signet apply -f</code> takes the bootstrap file. Done by the command over the operations of the management API it would need the schema, the order, the defaults and the comparison of the bootstrap merge a second time, some forty calls for a small file, and would leave half a file behind when one of them is refused. Only the server knows the last values of a file, which decide the fields that a restart may change.</p><p><strong>Decision.</strong> <code>POST /management/v1/apply</code> runs the merge of the start (<code>apps/directory/src/bootstrap/merge-bootstrap.ts</code>) in one transaction with its rows of the audit log, and answers the differences. A dry run does all of it and goes back to a savepoint, so it fails and counts as the call would. The command only reads the file and puts in its secrets: <code>\${NAME}</code> and <code>file:///path</code> refer to the machine of the caller, so the server refuses them, and refuses to write <code>outputFile</code>. Both ways in share the fingerprints: applied here, a file is no news at the next start, and the other way around.</p><p><strong>Consequences.</strong> What was changed or deleted since the file was applied stays, by the command too: it tells of what stays deleted, not of fields that were changed. Secrets are compared with what the file said last, never with what is stored. A file may have 1 MiB, like every request. Only IAM_OWNER may apply one, even if it speaks of a single organization.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0014-signet-apply-runs-on-the-server.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0014SignetApplyRunsOnTheServer = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0014SignetApplyRunsOnTheServer as default
};
