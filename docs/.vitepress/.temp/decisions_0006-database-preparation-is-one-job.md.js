import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"6. One job prepares the database; services wait for it","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0006-database-preparation-is-one-job.md","filePath":"docs/decisions/0006-database-preparation-is-one-job.md"}');
const _sfc_main = { name: "decisions/0006-database-preparation-is-one-job.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="6-one-job-prepares-the-database-services-wait-for-it" tabindex="-1">6. One job prepares the database; services wait for it <a class="header-anchor" href="#6-one-job-prepares-the-database-services-wait-for-it" aria-label="Permalink to &quot;6. One job prepares the database; services wait for it&quot;">​</a></h1><p><strong>Context.</strong> Roles, schemas and the bootstrap file need an administrator of the database and happen once for all services. A service that migrated itself would need those rights for its whole life, and every replica would try. <code>apps/standalone</code> does it in its process, which nothing else can use, since apps do not import apps.</p><p><strong>Decision.</strong> Each app that owns a schema exports <code>./migrations</code>, the directory also <code>./bootstrap</code>. <code>apps/migrate</code> is the second app that may import other apps, and only these two entries: it makes the roles with the passwords of <code>SIGNET_POSTGRES_*_PASSWORD</code>, applies what is missing, applies <code>SIGNET_BOOTSTRAP_FILE</code>, and exits. Both composition roots share <code>packages/platform/src/postgres/migrate.ts</code>. The boundary check holds the entries.</p><p>A service starts when its own migrations have been applied, and until then is not ready and not dead; a database that is further on is fine, so old and new replicas run side by side.</p><p><strong>Consequences.</strong> No service can alter another&#39;s schema, even with its stolen credentials. Order does not matter: services may start before the database, before the migration, and before each other. A new schema is one line in two lists.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0006-database-preparation-is-one-job.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0006DatabasePreparationIsOneJob = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0006DatabasePreparationIsOneJob as default
};
