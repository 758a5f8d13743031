import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"57. Exports carry passkeys on demand","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0057-passkeys-in-exports.md","filePath":"docs/decisions/0057-passkeys-in-exports.md"}');
const _sfc_main = { name: "decisions/0057-passkeys-in-exports.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="57-exports-carry-passkeys-on-demand" tabindex="-1">57. Exports carry passkeys on demand <a class="header-anchor" href="#57-exports-carry-passkeys-on-demand" aria-label="Permalink to &quot;57. Exports carry passkeys on demand&quot;">​</a></h1><p><strong>Context.</strong> The specification leaves passkeys out of exports, and <a href="/decisions/0052-passkeys.html">decision 52</a> followed it. People who sign in with a passkey alone could not sign in after a move, and found that out on the day of it.</p><p><strong>Decision.</strong> <code>with_passkeys</code> of an export adds <code>user.passkeys</code>: the user handle, and of each passkey what <code>directory</code> needs to verify it. An import adds the passkeys of users whom it creates.</p><ul><li>Passkeys of another RP ID than that of the instance are left out, and a note counts them: no browser would offer them. A dry run says it too, so the RP ID can be set before the move.</li><li>A user who existed before gets none, and loses none. An update that adds a credential would outlive its undo, and an update of an administrator would be a way in.</li><li>A handle, passkey id or credential that another user has stays there; a note counts the passkeys that are left out for it.</li><li>The counter and the mark of a cloned passkey travel. Between the export and the cut-over the counter of the source goes on, and that of the target is lower, which accepts the next sign-in.</li><li>Public keys are no secret, so <code>with_passkeys</code> alone does not make the command line ask for recipients.</li><li>Only an IAM_OWNER imports, as with password hashes: who writes the document decides who signs in as its new users.</li></ul><p><strong>Consequences.</strong> Until the source is switched off, a copy of an authenticator may be used once on each side without a mark.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0057-passkeys-in-exports.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0057PasskeysInExports = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0057PasskeysInExports as default
};
