import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"81. Each replica of token measures the promise of a revocation","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0081-revocations-are-measured.md","filePath":"docs/decisions/0081-revocations-are-measured.md"}');
const _sfc_main = { name: "decisions/0081-revocations-are-measured.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="81-each-replica-of-token-measures-the-promise-of-a-revocation" tabindex="-1">81. Each replica of token measures the promise of a revocation <a class="header-anchor" href="#81-each-replica-of-token-measures-the-promise-of-a-revocation" aria-label="Permalink to &quot;81. Each replica of token measures the promise of a revocation&quot;">​</a></h1><p><strong>Context.</strong> &quot;When the revocation has returned, no replica answers active&quot; is tested, and an operator sees nothing of it.</p><p><strong>Decision.</strong> Each minute (<code>SIGNET_REVOCATION_CANARY_SECONDS</code>, 0 is never) every replica of <code>token</code> seals an access token, has its reader of revocations accept it, revokes it by the transaction and the log entry of the revocation endpoint, and asks the reader until it answers that the token has ended. The histogram <code>signet_revocation_canary_seconds</code> has the time from the acknowledged log entry to the question that got that answer, so that a slow answer that is right counts nothing; the alert <code>SignetRevocationSlow</code> fires above 50 ms at p99.</p><p>The token belongs to <code>signet:canary</code>, which no identifier can be, has no audience, scope, user or application, and lives 30 seconds: nothing accepts it, and it leaves the process in no response. Its ending is one row in a partition that is dropped, and stays 90 seconds in the sets; it is the only ending without an audit event. <code>npm start</code> has no metrics and does not measure.</p><p><strong>Not chosen.</strong> Introspection as a client: it needs a client and its secret in every installation. Userinfo: it refuses a token without a user, and a check by PostgreSQL refuses a user that the directory does not have. A user for this would be in exports and lists.</p><p><strong>Consequences.</strong> The reader of <code>introspection</code> and <code>login</code> is the same code on the same log and is not asked itself: a service that has lost Redis is seen in <code>signet_revocation_checks_total</code>, not here.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0081-revocations-are-measured.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0081RevocationsAreMeasured = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0081RevocationsAreMeasured as default
};
