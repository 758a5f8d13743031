import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"15. Bundle the command line into one file","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0015-bundled-command-line.md","filePath":"docs/decisions/0015-bundled-command-line.md"}');
const _sfc_main = { name: "decisions/0015-bundled-command-line.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="15-bundle-the-command-line-into-one-file" tabindex="-1">15. Bundle the command line into one file <a class="header-anchor" href="#15-bundle-the-command-line-into-one-file" aria-label="Permalink to &quot;15. Bundle the command line into one file&quot;">​</a></h1><p><strong>Context.</strong> <code>@signet/cli</code> is to be installed outside of this repository. It depends on four packages of the workspace that only it needs, and through them on 32 of the registry. Published one by one the four would have versions and exports to keep stable, and an installation would depend on what the registry has that day.</p><p><strong>Decision.</strong> <code>apps/cli/scripts/pack.mjs</code> bundles the command with rolldown into one file of 1.6 MB (314 kB packed) and packs it with a manifest that has no dependencies. The licences of what went in stand in <code>THIRD-PARTY-LICENSES.txt</code>, and at the end of the file itself, which also works alone. It runs on Node.js 18 or later, as the scripts of the checkout do: a CommonJS module in the syntax of Node.js 14, so that an older one reaches the sentence that says so. Only this package consists of its bundle alone: images start one too, but beside installed dependencies (<a href="/decisions/0024-bundled-images.html">24</a>).</p><p><strong>Consequences.</strong> It installs offline, in two seconds, and <code>signet --help</code> takes 0.2 s of processor time. Dependencies are as new as the lock file at the time of packing: a fix in one of them needs a new package of ours.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0015-bundled-command-line.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015BundledCommandLine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0015BundledCommandLine as default
};
