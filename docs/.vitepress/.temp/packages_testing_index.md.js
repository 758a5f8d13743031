import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"testing","description":"","frontmatter":{},"headers":[],"relativePath":"packages/testing/index.md","filePath":"packages/testing/README.md"}');
const _sfc_main = { name: "packages/testing/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="testing" tabindex="-1">testing <a class="header-anchor" href="#testing" aria-label="Permalink to &quot;testing&quot;">​</a></h1><p>Fixtures that the tests of several workspaces share. Only tests and benchmarks import it.</p><ul><li><code>src/global-setup.ts</code> starts PostgreSQL and Redis for a run of vitest, or uses those of <code>SIGNET_TEST_POSTGRES_URL</code> and <code>SIGNET_TEST_REDIS_URL</code>, or those of <code>npm run dev:servers</code> (<code>src/dev-servers.ts</code>). <code>src/run-on-servers.ts</code> starts them once for <code>npm test</code>, where several processes of vitest share them: databases have the id of the run in their names, numbered databases of Redis are reserved in its database 0.</li><li><code>src/postgres-fixture.ts</code>: <code>createTestDatabase</code> copies a migrated template, with the partitions of the token service when asked. <code>src/redis-fixture.ts</code>: <code>createTestRedis</code> reserves an empty database, <code>startPrivateRedis</code> a server for tests that stop it.</li><li><code>src/fake-clock.ts</code>, <code>src/seeded.ts</code>, <code>src/sizes.ts</code>: time, repeatable random numbers, and the sizes of <code>npm run test:soak</code>.</li><li><code>src/tcp-relay.ts</code>, <code>src/fault-proxy.ts</code>: addresses in front of a server that fail in a chosen way; <code>src/s3-server.ts</code>, <code>src/gcs-server.ts</code>, <code>src/logout-receiver.ts</code>: remote services, on <code>src/http-server.ts</code>.</li><li><code>src/system/start-system.ts</code>: <code>startSystem({ mode })</code> starts all services in the process of the test, as one process or as one process for each replica, on the test directory (<code>src/system/test-directory.ts</code>) unless it gets another document. The system has a client for each endpoint (<code>src/system/test-system.ts</code>); <code>src/system/chromium.ts</code> opens the browser.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/testing/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
