import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"67. A factor that stops counting does not lower the protection","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0067-factors-that-stop-counting.md","filePath":"docs/decisions/0067-factors-that-stop-counting.md"}');
const _sfc_main = { name: "decisions/0067-factors-that-stop-counting.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="67-a-factor-that-stops-counting-does-not-lower-the-protection" tabindex="-1">67. A factor that stops counting does not lower the protection <a class="header-anchor" href="#67-a-factor-that-stops-counting-does-not-lower-the-protection" aria-label="Permalink to &quot;67. A factor that stops counting does not lower the protection&quot;">​</a></h1><p><strong>Context.</strong> A passkey stops counting when its counter goes back, when the RP ID of the instance changes, and when a login policy no longer accepts passkeys. The account then had &quot;no second factor&quot;, and the page after the password let the holder of the password add one. Detecting an attack lowered the protection. A deleted factor left its thief signed in.</p><p><strong>Decision.</strong> A stored passkey means that the person had a factor, whether or not it counts. Where a policy forces a second factor, an account with a passkey that does not count is asked for another factor or a recovery code, and adds a new factor only after that. Without one an administrator deletes the passkey, and the person starts again as one who never had a factor. Pages on which people change their accounts ask for the same. Sign-in, rehearsal and <code>signet doctor</code> answer alike; the doctor lists people who have neither another factor nor a recovery code.</p><p>A person who deletes a factor has proven one just before, so the deletion is not a factor that stops counting.</p><p>Each of the three ways sends a notice. A mark as copied, a factor that an administrator deletes, and a policy that no longer accepts passkeys raise the epoch of the person: all sessions, refresh families and recent proofs end, not only those that rest on the factor. An epoch also ends a sign-in that has verified the factor and has no session yet. The endings of a policy reach the services through the change feed, within a second. A change of the RP ID is a decision of the operator about addresses and ends nothing.</p><p><strong>Consequences.</strong> An organization that stops accepting passkeys signs out its people with passkeys. After a change of the RP ID, people without recovery codes and without another factor need an administrator.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0067-factors-that-stop-counting.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0067FactorsThatStopCounting = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0067FactorsThatStopCounting as default
};
