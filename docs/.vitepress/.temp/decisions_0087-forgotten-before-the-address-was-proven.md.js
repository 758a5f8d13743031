import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"87. A password that was forgotten before its address was proven is set by the proof of the address","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0087-forgotten-before-the-address-was-proven.md","filePath":"docs/decisions/0087-forgotten-before-the-address-was-proven.md"}');
const _sfc_main = { name: "decisions/0087-forgotten-before-the-address-was-proven.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="87-a-password-that-was-forgotten-before-its-address-was-proven-is-set-by-the-proof-of-the-address" tabindex="-1">87. A password that was forgotten before its address was proven is set by the proof of the address <a class="header-anchor" href="#87-a-password-that-was-forgotten-before-its-address-was-proven-is-set-by-the-proof-of-the-address" aria-label="Permalink to &quot;87. A password that was forgotten before its address was proven is set by the proof of the address&quot;">​</a></h1><p><strong>Context.</strong> A person who registered, did not confirm the address within an hour and forgot the password could not get in: a reset of the password goes to a proven address only (<a href="/decisions/0066-proofs-of-addresses.html">decision 66</a>). A reset message to another address would prove that address by a message through the SMTP server of the organization, whose owner can read it.</p><p><strong>Decision.</strong> The form for a forgotten password sends an account with an unproven address the message that proves the address, through the server that such messages always take. Its link offers the sign-in or a new password. Its code counts on the page of a reset too, and there, as on its own page, a new password ends everything that could sign in before. The response of the form says the same for every login name. A person finds such an account by its login name, not by the address.</p><p>People who are signed in have the message sent again from the page of their account, up to the limit of five messages an hour for a person and an address.</p><p><strong>Consequences.</strong> The login name of an account with a mistyped address is enough to have that account offered to the owner of the address, as a person who registers with it could before; the owner of the address gets none of the former credentials or sessions. <code>POST …/password-reset</code> of the management API still refuses an unproven address and names the other message.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0087-forgotten-before-the-address-was-proven.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0087ForgottenBeforeTheAddressWasProven = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0087ForgottenBeforeTheAddressWasProven as default
};
