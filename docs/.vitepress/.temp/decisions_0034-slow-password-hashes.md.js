import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"34. Verify slow password hashes in a separate pool","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0034-slow-password-hashes.md","filePath":"docs/decisions/0034-slow-password-hashes.md"}');
const _sfc_main = { name: "decisions/0034-slow-password-hashes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="34-verify-slow-password-hashes-in-a-separate-pool" tabindex="-1">34. Verify slow password hashes in a separate pool <a class="header-anchor" href="#34-verify-slow-password-hashes-in-a-separate-pool" aria-label="Permalink to &quot;34. Verify slow password hashes in a separate pool&quot;">​</a></h1><p><strong>Context.</strong> An import may bring hashes of other programs. Those that were accepted took up to nine seconds and as many places as there were, so a few tries at one account kept all users from signing in.</p><p><strong>Decision.</strong> Each format estimates what a verification takes from its parameters. A hash that takes more than 250 ms, or more than 64 MiB, runs one at a time beside the others and has a queue of its own. Bootstrap file and import refuse a hash that takes much more than a second (bcrypt above cost 14, argon2 above 512 MiB × 3 passes, PBKDF2 above 1,380,000 rounds), with the rule named. Of a PBKDF2 hash only the first block is derived and compared: a block is 160 bits or more, and a password that matches it matches the others. Keycloak&#39;s hashes with SHA-1 have four blocks of 1,300,000 rounds and would be above the bound otherwise. One that was stored before is still verified, within the older bounds, and replaced at the next sign-in.</p><p><strong>Consequences.</strong> Sign-ins with slow hashes may be refused for a moment (503) while many of them come in for the first time; other sign-ins are not. The estimates are those of one machine: on a slower one a hash of 250 ms takes longer, so the bound is far below the time that users notice.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0034-slow-password-hashes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0034SlowPasswordHashes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0034SlowPasswordHashes as default
};
