import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"dev-stack","description":"","frontmatter":{},"headers":[],"relativePath":"packages/dev-stack/index.md","filePath":"packages/dev-stack/README.md"}');
const _sfc_main = { name: "packages/dev-stack/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="dev-stack" tabindex="-1">dev-stack <a class="header-anchor" href="#dev-stack" aria-label="Permalink to &quot;dev-stack&quot;">​</a></h1><p>Runs Signet on one machine without Docker: databases, secrets, sample data and service processes.</p><ul><li><code>src/databases/postgres.ts</code> and <code>src/databases/redis.ts</code> start private servers on loopback ports, stop servers that a killed process left, and allow one owner for each data directory. As root, PostgreSQL runs as a system user.</li><li><code>src/installation/databases.ts</code> uses the servers of the settings, or private ones; <code>src/installation/installation.ts</code> creates the master keys and passwords of an installation; <code>src/installation/sample.ts</code> and <code>sample-bootstrap.yaml</code> are the sample.</li><li><code>src/processes/process-suite.ts</code>: <code>startProcessSuite</code> creates certificates, prepares the database and starts every replica of every service as a process.</li><li><code>src/edge/edge.ts</code>: <code>startEdge</code> forwards each request to a ready replica of the service that owns its path, as an ingress does.</li><li><code>src/dev/start-dev.ts</code> is <code>npm run dev</code>.</li></ul><p>Used by <code>standalone</code>, the tests and the benchmarks; no service imports it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/dev-stack/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
