import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"migrate","description":"","frontmatter":{},"headers":[],"relativePath":"apps/migrate/index.md","filePath":"apps/migrate/README.md"}');
const _sfc_main = { name: "apps/migrate/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="migrate" tabindex="-1">migrate <a class="header-anchor" href="#migrate" aria-label="Permalink to &quot;migrate&quot;">​</a></h1><p>Brings a database up to date and applies the bootstrap file, then exits. Running it again, also twice at once, does only what is missing.</p><table tabindex="0"><thead><tr><th>setting</th><th></th></tr></thead><tbody><tr><td><code>SIGNET_POSTGRES_DIRECT_URL</code>, else <code>SIGNET_POSTGRES_URL</code></td><td>an administrator: may make roles, and schemas in the database; no transaction pooler in between</td></tr><tr><td><code>SIGNET_POSTGRES_{LOGIN,TOKEN,INTROSPECTION,KEYS,DIRECTORY,MIGRATION}_PASSWORD</code></td><td>what the roles <code>signet_login</code> … get</td></tr><tr><td><code>SIGNET_BOOTSTRAP_FILE</code>, <code>SIGNET_DIRECTORY_MASTER_KEY</code></td><td>the file to apply, and the key that seals its secrets</td></tr></tbody></table><p><code>restored</code> as an argument marks a database that was restored from a backup, before services start; <code>restored --dry-run</code> prints what that would do. It needs the first setting, and reads the log of endings where <code>SIGNET_REDIS_URL</code> is set. See <a href="/runbooks/back-up-and-restore.html">back up and restore</a>.</p><p>An upgrade that takes away what services of the version before use fails while they are connected, and names them.</p><p><code>pnpm --filter @signet/migrate start</code>. Why it is an app of its own: <a href="/decisions/0006-database-preparation-is-one-job.html">decision 6</a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("apps/migrate/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
