import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"52. The directory verifies passkeys, login issues their challenges","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0052-passkeys.md","filePath":"docs/decisions/0052-passkeys.md"}');
const _sfc_main = { name: "decisions/0052-passkeys.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="52-the-directory-verifies-passkeys-login-issues-their-challenges" tabindex="-1">52. The directory verifies passkeys, login issues their challenges <a class="header-anchor" href="#52-the-directory-verifies-passkeys-login-issues-their-challenges" aria-label="Permalink to &quot;52. The directory verifies passkeys, login issues their challenges&quot;">​</a></h1><p><strong>Context.</strong> A sign-in with WebAuthn needs a challenge bound to a browser, a public key, and a counter that two replicas must not both accept.</p><p><strong>Decision.</strong> <code>login</code> issues challenges and checks that a response answers an unused one of the same browser, page and pending request. A challenge is a time, 128 random bits and a MAC under <code>SIGNET_LOGIN_MASTER_KEY</code>, so that opening a page stores nothing; Redis holds the used ones for their five minutes. <code>directory</code> owns the public keys, verifies signature, origin, RP ID and user verification with <code>@simplewebauthn/server</code>, and stores the counter in one conditional statement. <code>login</code> never decides that a response is valid.</p><ul><li>The signature is verified before the counter is compared, so that a forged response marks no passkey as cloned.</li><li>User verification is required also after a password: one rule, and a passkey counts the same wherever it was added.</li><li>Attestation is not asked for. The AAGUID is the claim of an authenticator and gives a passkey its first name only.</li><li>The user handle is 256 random bits for each person, since authenticators show it.</li><li>Failed passwords of an account do not delay its passkeys, which have counters of their own: a passkey is the way in for a person whose account strangers lock (<a href="/decisions/0033-visible-sign-in-limits.html">decision 33</a>).</li><li>The instance counts no passkeys when it looks for the last IAM_OWNER who can sign in (<a href="/decisions/0025-last-owner-stays.html">decision 25</a>): a passkey can be lost with its device.</li><li>Exports carry passkeys only on demand (<a href="/decisions/0057-passkeys-in-exports.html">decision 57</a>).</li></ul><p><strong>Consequences.</strong> A lost record of a used challenge in Redis lets the same browser send the same response once more within five minutes; an authenticator with a counter is refused even then.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0052-passkeys.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0052Passkeys = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0052Passkeys as default
};
