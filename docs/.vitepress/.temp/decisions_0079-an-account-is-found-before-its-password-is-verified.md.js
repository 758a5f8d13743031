import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"79. An account is found before its password is verified","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0079-an-account-is-found-before-its-password-is-verified.md","filePath":"docs/decisions/0079-an-account-is-found-before-its-password-is-verified.md"}');
const _sfc_main = { name: "decisions/0079-an-account-is-found-before-its-password-is-verified.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="79-an-account-is-found-before-its-password-is-verified" tabindex="-1">79. An account is found before its password is verified <a class="header-anchor" href="#79-an-account-is-found-before-its-password-is-verified" aria-label="Permalink to &quot;79. An account is found before its password is verified&quot;">​</a></h1><p><strong>Context.</strong> A sign-in asks the directory twice: <code>FindAttemptKey</code> returns the counter of the account, <code>login</code> counts the attempt in Redis, and <code>VerifyPassword</code> compares the password. Both find the account by the same statement. One call would save a message in each direction, two statements that run at once, and two waits.</p><p><strong>Decision.</strong> Two calls stay. Limits count accounts and not names (<a href="/decisions/0033-visible-sign-in-limits.html">decision 33</a>), and an attempt counts before its password is compared, so the name has to be resolved before. All else that a right password needs is in <code>VerifyPassword</code>: it says whether roles are offered, and stores the notice of a new browser in the transaction of the audit event.</p><p><strong>Not chosen.</strong></p><ul><li>Counting under the typed name: an account with three names gets three times as many guesses.</li><li>Comparing first and withholding the answer of a limited account: a limited attempt then costs a run of argon2id, the audit log says that a sign-in succeeded which was refused, and the time of a response may tell a right guess from a wrong one.</li><li>Counting in the directory: it would need Redis, the device cookie of the browser, and the fallback for an outage of Redis.</li><li>A cache of counters by name in <code>login</code>: people sign in once a day, so it helps a benchmark and few people.</li><li>The candidate under a seal in the answer of <code>FindAttemptKey</code>: a hash of a password would leave the directory.</li><li>Resolving the name in <code>login</code> over a view: every account and its addresses would be readable for the service that faces browsers, and the rule would stand in two places.</li></ul><p><strong>Consequences.</strong> A sign-in with a password makes three gRPC calls: two to the directory and <code>IssueCode</code>. <code>e2e/test/request-costs.test.ts</code> holds the number.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0079-an-account-is-found-before-its-password-is-verified.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0079AnAccountIsFoundBeforeItsPasswordIsVerified = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0079AnAccountIsFoundBeforeItsPasswordIsVerified as default
};
