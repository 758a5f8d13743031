import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"console","description":"","frontmatter":{},"headers":[],"relativePath":"apps/console/index.md","filePath":"apps/console/README.md"}');
const _sfc_main = { name: "apps/console/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="console" tabindex="-1">console <a class="header-anchor" href="#console" aria-label="Permalink to &quot;console&quot;">​</a></h1><p>The web page for administrators: React in the browser of the person, and nothing else. It calls the management API as every other client does, so it can do nothing that the API refuses.</p><p><code>vite build</code> writes <code>dist</code>, which the service <code>directory</code> serves at <code>/console</code> (<a href="/decisions/0090-the-console-is-files-of-the-directory.html">decision 90</a>).</p><table tabindex="0"><thead><tr><th>where</th><th>what</th></tr></thead><tbody><tr><td><code>src/session</code></td><td>the sign-in through Signet itself: the application <code>signet-console</code>, code with PKCE, tokens in memory alone</td></tr><tr><td><code>src/api</code></td><td>the client with types of <code>openapi.json</code>, the description of the API of this instance, commands and declarations</td></tr><tr><td><code>src/forms</code></td><td>a form for any operation of the API, made of its description</td></tr><tr><td><code>src/ui</code></td><td>lists, dialogs, fields; the colours are those of the sign-in pages</td></tr><tr><td><code>src/pages</code></td><td>a page is a file, fetched when it is opened</td></tr><tr><td><code>src/texts</code></td><td><code>en.json</code> and <code>de.json</code>; a language is one more file</td></tr></tbody></table><p><code>npm run dev</code> in this folder, with <code>SIGNET_ISSUER</code> and a running instance, shows changes at once. A new page is a file of <code>src/pages</code>, a row of <code>src/router.tsx</code>, and, where the navigation has it, a row of <code>src/shell/places.ts</code>.</p><p><code>e2e/test/console.test.ts</code> uses it in Chromium: the tasks of each role, hostile names, the content security policy, axe, 390 pixels, the weight of its files.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("apps/console/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
