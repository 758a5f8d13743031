import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"admin-api","description":"","frontmatter":{},"headers":[],"relativePath":"packages/admin-api/index.md","filePath":"packages/admin-api/README.md"}');
const _sfc_main = { name: "packages/admin-api/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="admin-api" tabindex="-1">admin-api <a class="header-anchor" href="#admin-api" aria-label="Permalink to &quot;admin-api&quot;">​</a></h1><p>The common parts of the JSON APIs under <code>/management</code>, <code>/admin</code> and <code>/v2</code>.</p><ul><li><code>src/authenticate-bearer.ts</code>: <code>createAuthenticateBearer</code> calls <code>token</code> for each request, since a token may have been revoked since the last one; 401 without a valid bearer, 503 while <code>token</code> is unavailable.</li><li><code>src/require-role.ts</code>: <code>requireRole</code> refuses a caller without a sufficient role with 403, or asks for a new sign-in (RFC 9470) when the present one is too old or too weak for roles of the instance.</li><li><code>src/json-body.ts</code>: <code>createJsonBodyParser</code> and <code>parseJsonObject</code> accept member names in both spellings and refuse duplicate names, U+0000 and deep nesting.</li><li><code>src/json-error-handler.ts</code>: <code>jsonErrorHandler</code> sends <code>{&quot;code&quot;,&quot;message&quot;,&quot;details&quot;}</code>. Only the text of an <code>ApiError</code> and the field names of a <code>ZodError</code> reach a client.</li><li><code>src/audit/audit-table.ts</code>: <code>createAuditTable</code> writes <code>audit_event</code> of one schema in the transaction of the change and keeps its monthly partitions; <code>src/audit/audit-recorder.ts</code> records refusals, failures and reads.</li></ul><p>Used by <code>directory</code>, <code>keys</code>, <code>migration</code> and <code>token</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/admin-api/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
