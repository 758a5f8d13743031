import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"11. Sign-in timing shows slow imported hashes","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0011-timing-of-imported-hashes.md","filePath":"docs/decisions/0011-timing-of-imported-hashes.md"}');
const _sfc_main = { name: "decisions/0011-timing-of-imported-hashes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="11-sign-in-timing-shows-slow-imported-hashes" tabindex="-1">11. Sign-in timing shows slow imported hashes <a class="header-anchor" href="#11-sign-in-timing-shows-slow-imported-hashes" aria-label="Permalink to &quot;11. Sign-in timing shows slow imported hashes&quot;">​</a></h1><p><strong>Context.</strong> F-32: a refused sign-in must not tell by its time whether the account exists. Ours is one argon2id run, some 25 ms on a free core. An imported hash takes what it takes: MD5 nothing, bcrypt with cost 12 about a fifth of a second, with cost 14 (what ZITADEL makes) a second, sha512-crypt with 656,000 rounds more than one.</p><p><strong>Decision.</strong> Every refusal of an account with an imported hash is followed by one argon2id run, so a quicker hash does not show (<code>verify-password.timed.test.ts</code> has such an account). A slower one does. To hide it, names without an account would have to take a second too, in the share in which the instance has such hashes: any client could then keep every core busy with invented names, most of all on the day after a migration, when people sign in for the first time.</p><p><strong>Consequences.</strong> After a migration with slow hashes, a client that tries a name can learn that it belongs to an account that has not signed in yet; the throttle by address and by name slows that down, and the first sign-in ends it, because it stores argon2id. Who cannot accept that resets the passwords of those who have not come. Work that is not begun within five seconds is refused, the new hash of a person who just proved a password goes before everything that waits: overload with slow hashes ends by itself instead of feeding itself.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0011-timing-of-imported-hashes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0011TimingOfImportedHashes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0011TimingOfImportedHashes as default
};
