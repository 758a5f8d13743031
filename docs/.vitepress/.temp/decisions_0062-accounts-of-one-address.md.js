import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"62. Several accounts may have one verified address, in different organizations","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0062-accounts-of-one-address.md","filePath":"docs/decisions/0062-accounts-of-one-address.md"}');
const _sfc_main = { name: "decisions/0062-accounts-of-one-address.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="62-several-accounts-may-have-one-verified-address-in-different-organizations" tabindex="-1">62. Several accounts may have one verified address, in different organizations <a class="header-anchor" href="#62-several-accounts-may-have-one-verified-address-in-different-organizations" aria-label="Permalink to &quot;62. Several accounts may have one verified address, in different organizations&quot;">​</a></h1><p><strong>Context.</strong> Two accounts with one verified address, in any case, locked each other out of the sign-in by address, and a reset of the password for that address sent nothing to either. Nothing said so when the second one was created.</p><p><strong>Decision.</strong> The management API refuses a verified address that another account of the organization has (409). Across organizations it does not: the answer would tell one tenant about the people of another, and the application decides which account signs in (decision 35). Imports keep what they bring and count such people in a note. A reset that is asked for by an address sends one message to each account of the innermost ring that has it verified, ten at most; each message says the login name of its account.</p><p>There is no unique index: rows from imports and from before break it.</p><p><strong>Consequences.</strong> A proof by a link may still give an account an address that another account of its organization has: the person owns both, cannot sign in by the address, and gets a message for each when a reset is asked for.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0062-accounts-of-one-address.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0062AccountsOfOneAddress = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0062AccountsOfOneAddress as default
};
