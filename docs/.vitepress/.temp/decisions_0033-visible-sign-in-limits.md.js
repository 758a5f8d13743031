import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"33. Sign-in limits count accounts and are visible","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0033-visible-sign-in-limits.md","filePath":"docs/decisions/0033-visible-sign-in-limits.md"}');
const _sfc_main = { name: "decisions/0033-visible-sign-in-limits.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="33-sign-in-limits-count-accounts-and-are-visible" tabindex="-1">33. Sign-in limits count accounts and are visible <a class="header-anchor" href="#33-sign-in-limits-count-accounts-and-are-visible" aria-label="Permalink to &quot;33. Sign-in limits count accounts and are visible&quot;">​</a></h1><p><strong>Context.</strong> Failures were counted by the name that was typed: an account with three names had three times as many free guesses. A client that knew a name could keep its owner out with one request for each delay. A try that a limit refused was answered like a wrong password, after an argon2id run, so people with the right password got the message for a wrong one.</p><p><strong>Decision.</strong></p><ul><li>The directory answers <code>FindAttemptKey</code> before anything is compared: an HMAC of the account, or of the normalised name where there is none, and the number of failures that its organization allows.</li><li>A limit answers 429 with <code>Retry-After</code> and says that it is one. No hash is run for such a try, with any account.</li><li>Tries under way do not count. They hold the places that are left, and others wait for them: ten right sign-ins at once succeed, and any number of wrong ones gets no more guesses than in a row.</li><li>A browser that signed the account in before has a counter of its own.</li></ul><p><strong>Consequences.</strong></p><ul><li>Two names that share a delay belong to one account: who fails five times under one and is then refused under the other knows that both exist. It costs as many requests as guessing, and shows a name only to those who know another one of it.</li><li>A name that means no account has the limit of the organization that was asked for, of its verified domain, else of the default organization. Where an organization is stricter than that, a name without a domain of its own shows after that many failures.</li><li>Keys change with the newest key of <code>SIGNET_DIRECTORY_MASTER_KEY</code>: after such a change counters begin again once and browsers are strangers once. With a new <code>SIGNET_LOGIN_MASTER_KEY</code> the old one, further back in the list, still counts.</li><li>The second factor has no counter for known browsers: only who knows the password can fail there.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0033-visible-sign-in-limits.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0033VisibleSignInLimits = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0033VisibleSignInLimits as default
};
