import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"66. A proof of an address binds a session or voids what was set before","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0066-proofs-of-addresses.md","filePath":"docs/decisions/0066-proofs-of-addresses.md"}');
const _sfc_main = { name: "decisions/0066-proofs-of-addresses.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="66-a-proof-of-an-address-binds-a-session-or-voids-what-was-set-before" tabindex="-1">66. A proof of an address binds a session or voids what was set before <a class="header-anchor" href="#66-a-proof-of-an-address-binds-a-session-or-voids-what-was-set-before" aria-label="Permalink to &quot;66. A proof of an address binds a session or voids what was set before&quot;">​</a></h1><p><strong>Context.</strong> A stranger can register with the address of another person and a password of their own, and a user manager can create such an account. The owner of the address gets a message and presses &quot;Confirm&quot;. The address was then verified for an account that the stranger could sign in to, and every application that links accounts by a verified address handed over the account of the owner.</p><p><strong>Decision.</strong> A token or code of a message proves an address in one of two ways:</p><ul><li>In a session of the account that it is for: the person who confirms can sign in to the account. The link leads through the sign-in and back; in the browser in which the person registered, the page has one button.</li><li>With a new password, chosen by the holder of the token. Everything that could sign in before ends in the same transaction: password, TOTP secret, passkeys, recovery codes, trusted browsers, sessions, and tokens. An invitation always does this.</li></ul><p>A reset of the password goes to an address that was proven before. It leaves second factors, so that a mailbox alone does not sign in (<a href="/decisions/0053-recovery-codes-and-trusted-browsers.html">decision 53</a>). If the address is not proven any more when the token is used, the reset counts as a first proof.</p><p>Messages and pages of a link name the account, the organization, the application from which the person came and who asked: the person who registered, or an administrator. These lines are not among the texts that an organization can replace. The message to a new address of an account names nothing: a mistyped address belongs to a stranger, and the token counts only in a session.</p><p><strong>Consequences.</strong> A link that was opened on another device needs a sign-in there. An account that lost its password before its address was proven can be claimed by the owner of the address only, who ends everything that was set. Clients of the previous version cannot confirm an address during a rollout: <code>VerifyEmail</code> without a person is refused.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0066-proofs-of-addresses.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0066ProofsOfAddresses = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0066ProofsOfAddresses as default
};
