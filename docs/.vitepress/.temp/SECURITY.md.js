import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"Security","description":"","frontmatter":{},"headers":[],"relativePath":"SECURITY.md","filePath":"SECURITY.md"}');
const _sfc_main = { name: "SECURITY.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="security" tabindex="-1">Security <a class="header-anchor" href="#security" aria-label="Permalink to &quot;Security&quot;">​</a></h1><h2 id="report-a-vulnerability" tabindex="-1">Report a vulnerability <a class="header-anchor" href="#report-a-vulnerability" aria-label="Permalink to &quot;Report a vulnerability&quot;">​</a></h2><p>Please do not open a public issue. Use the private vulnerability reporting of the host of this repository: open the tab <em>Security</em> of the repository and choose <em>Report a vulnerability</em>. Only the maintainers see the report.</p><p>Say what you found, which version or commit you used, and the steps that show it; a failing test is best. Leave out real tokens, passwords and data of people.</p><p>The maintainers answer in the report itself: whether they can reproduce it, how serious they think it is, and when a fix will be released. The fix comes with a test that was red without it, an entry in the upgrade notes where behaviour changes, and an advisory that names you unless you do not want that.</p><h2 id="supported-versions" tabindex="-1">Supported versions <a class="header-anchor" href="#supported-versions" aria-label="Permalink to &quot;Supported versions&quot;">​</a></h2><table tabindex="0"><thead><tr><th>version</th><th>gets security fixes</th></tr></thead><tbody><tr><td>the newest release, and <code>main</code></td><td>yes</td></tr><tr><td>the release before it</td><td>until the newest one is 90 days old, since an upgrade goes one release at a time</td></tr><tr><td>older ones</td><td>no</td></tr></tbody></table><p>As long as there is no release, <code>main</code> is the only supported version.</p><h2 id="scope" tabindex="-1">Scope <a class="header-anchor" href="#scope" aria-label="Permalink to &quot;Scope&quot;">​</a></h2><p><a href="/threat-model.html">docs/threat-model.md</a> says what Signet protects, against whom, and what it does not defend. A way around a protection of that document is a vulnerability, from any role or foothold. Its list of undefended threats is known; a better defence is a welcome change.</p><p>Automatic scanners: a report needs a request or a test that shows the effect, not the name of a header.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("SECURITY.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SECURITY = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SECURITY as default
};
