import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"80. A bounded wait for a password hash","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0080-bounded-wait-for-a-password-hash.md","filePath":"docs/decisions/0080-bounded-wait-for-a-password-hash.md"}');
const _sfc_main = { name: "decisions/0080-bounded-wait-for-a-password-hash.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="80-a-bounded-wait-for-a-password-hash" tabindex="-1">80. A bounded wait for a password hash <a class="header-anchor" href="#80-a-bounded-wait-for-a-password-hash" aria-label="Permalink to &quot;80. A bounded wait for a password hash&quot;">​</a></h1><p><strong>Context.</strong> The directory hashes on all cores but one. Up to 200 passwords waited for up to five seconds, so with one place for hashes of 17 ms a person waited 3.4 s, and those who were refused after five seconds had waited for nothing.</p><p><strong>Decision.</strong> Passwords are hashed in the order of arrival. The pool keeps the mean duration of its last hashes, about ten of them. A password that would begin later than in two seconds, by this mean and the number that waits, is refused at once with <code>RESOURCE_EXHAUSTED</code>: 503 with <code>Retry-After: 1</code>, on the sign-in page with a sentence that says so. One that was accepted and has not begun after two seconds is refused then. The limit of 200 stays and bounds memory.</p><p><code>directory</code> and <code>npm start</code> raise <code>UV_THREADPOOL_SIZE</code>, unless it is set, to the number of cores and two (at least four): hashes use threads of that pool, and with the default of four a machine of eight cores hashed on four and had none for the names of hosts.</p><p><strong>Not chosen.</strong> An argon2 that keeps its 19 MiB. <code>@node-rs/argon2</code> 2.2.1 maps the memory of each hash and unmaps it, already in pages of 2 MiB (<code>MADV_HUGEPAGE</code>); of 17.0 ms for a hash 13.9 are in the program and 3.1 in the kernel, which clears the pages. It calls <code>mmap</code> itself, so settings do not change it: 17.2 ms with <code>MALLOC_MMAP_THRESHOLD_</code> and <code>MALLOC_TRIM_THRESHOLD_</code>, 17.4 with <code>GLIBC_TUNABLES</code>, 16.0 to 17.7 with <code>MIMALLOC_PURGE_DELAY=-1</code>. <code>argon2</code> 0.45.1 (the reference code in C) keeps its memory with these settings, spends 0.5 ms in the kernel and 28.6 in the program: 36 ms. <code>crypto.argon2</code> of Node.js takes 31 ms. (AMD EPYC, two cores, 200 hashes in a row.)</p><p><strong>Consequences.</strong> A burst of more than two seconds of hashes is refused in part where it waited before. Imported hashes that take a second each refuse the third that waits.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0080-bounded-wait-for-a-password-hash.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0080BoundedWaitForAPasswordHash = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0080BoundedWaitForAPasswordHash as default
};
