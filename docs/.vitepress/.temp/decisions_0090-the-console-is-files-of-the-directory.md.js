import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"90. The console is static files that the directory serves","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0090-the-console-is-files-of-the-directory.md","filePath":"docs/decisions/0090-the-console-is-files-of-the-directory.md"}');
const _sfc_main = { name: "decisions/0090-the-console-is-files-of-the-directory.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="90-the-console-is-static-files-that-the-directory-serves" tabindex="-1">90. The console is static files that the directory serves <a class="header-anchor" href="#90-the-console-is-static-files-that-the-directory-serves" aria-label="Permalink to &quot;90. The console is static files that the directory serves&quot;">​</a></h1><p><strong>Context.</strong> The console needs a place at the origin of the issuer: without another origin there is no CORS, and the policy of its page names this origin alone. A service of its own would be one more image, Deployment, certificate and alert for files that never change while it runs. Administrators are few: a session loads 200 kB once in each release.</p><p><strong>Decision.</strong> <code>apps/console</code> builds to static files with hashed names and both encodings beside them. The service <code>directory</code>, whose API the console calls, serves them at <code>/console</code> with <code>sirv</code>. <code>SIGNET_CONSOLE=false</code> switches it off. The page&#39;s policy allows its own scripts, styles and calls, no inline script, no frame, and no string as markup (Trusted Types). It signs people in as the public application <code>signet-console</code> with PKCE; tokens stay in the memory of the page. A new tab or a reload asks the authorization endpoint again, which has the session.</p><p>Forms are made of <code>/management/v1/openapi.json</code> while the page runs. Each operation of the API has one, and a field that the next release adds appears with its description.</p><p><strong>Consequences.</strong> The console knows no more than a token of the person: the server decides what is allowed, and a refusal names the role. While <code>directory</code> is away there is no console; without the API it could do nothing. An instance without the application <code>signet-console</code> shows the command that creates it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0090-the-console-is-files-of-the-directory.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0090TheConsoleIsFilesOfTheDirectory = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0090TheConsoleIsFilesOfTheDirectory as default
};
