import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"password-hash","description":"","frontmatter":{},"headers":[],"relativePath":"packages/password-hash/index.md","filePath":"packages/password-hash/README.md"}');
const _sfc_main = { name: "packages/password-hash/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="password-hash" tabindex="-1">password-hash <a class="header-anchor" href="#password-hash" aria-label="Permalink to &quot;password-hash&quot;">​</a></h1><p>Makes and verifies password hashes outside the event loop.</p><ul><li><code>src/password-hasher.ts</code>: <code>createPasswordHasher</code> makes argon2id hashes and verifies all supported formats, with a limit on parallel and waiting work (<code>BusyError</code>): a password that would begin later than in two seconds, by the mean of the hashes before, is refused at once (<a href="/decisions/0080-bounded-wait-for-a-password-hash.html">0080</a>). Hashes that take more than 250 ms or 64 MiB have a queue of their own (<a href="/decisions/0034-slow-password-hashes.html">0034</a>). <code>DUMMY_HASH</code> is verified for unknown users, so that the response time does not show whether an account exists.</li><li><code>src/stored-hash.ts</code>: <code>readStoredHash</code> parses a hash and refuses one whose verification would cost too much; <code>findHashProblem</code> names the rule for an import.</li><li><code>src/formats/formats.ts</code>, <code>bcrypt.ts</code> and <code>crypt-formats.ts</code> have the general formats, <code>vendor-formats.ts</code> one row for each spelling of another program (<a href="/reference/password-hashes.html">table</a>), <code>src/rounds</code> the digests that no library computes, in worker threads.</li></ul><p>Used by <code>directory</code> for passwords, and by <code>token</code> and <code>introspection</code> for client secrets that a person chose.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/password-hash/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
