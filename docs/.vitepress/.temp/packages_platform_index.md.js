import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"platform","description":"","frontmatter":{},"headers":[],"relativePath":"packages/platform/index.md","filePath":"packages/platform/README.md"}');
const _sfc_main = { name: "packages/platform/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="platform" tabindex="-1">platform <a class="header-anchor" href="#platform" aria-label="Permalink to &quot;platform&quot;">​</a></h1><p>The parts of a process that all services share.</p><ul><li><code>src/config/known-settings.ts</code>: all settings with descriptions. <code>readSettings</code> (<code>src/config/settings.ts</code>) reports all problems at once and refuses unknown <code>SIGNET_</code> names, so a new setting is added together with the code that reads it.</li><li><code>src/logger/logger.ts</code>: JSON lines with a closed list of fields. A field is added when its values are never secret; events are snake_case constants.</li><li><code>src/process</code>: <code>runService</code> starts and stops a process, <code>listenHttp</code> drains connections. A problem that an operator can fix is a <code>StartFailure</code>: one line with the remedy, no stack, exit code 1.</li><li><code>src/postgres</code>: the pool, migrations, roles, partitions, <code>createDatabaseClock</code> and <code>watchAvailability</code>. <code>src/redis</code>: one connection in any layout (<a href="/packages/platform/src/redis/">README</a>).</li><li><code>src/outbound-http</code>: requests to registered URLs (<a href="/packages/platform/src/outbound-http/">README</a>). <code>src/metrics</code>, <code>src/tracing</code>: Prometheus and OpenTelemetry (<a href="/packages/platform/src/metrics/">metrics</a>, <a href="/packages/platform/src/tracing/">tracing</a>).</li><li><code>src/outbox</code>: deliveries that are tried again until they succeed, such as messages and logout tokens: the delays of the attempts, places for each host, take-over from a replica that was killed.</li><li><code>src/sealing</code>: columns encrypted under the master keys of a setting, and their renewal under a new key; master keys that a key management service unwraps (<a href="/decisions/0084-wrapped-master-keys.html">decision 84</a>).</li><li><code>src/runtime</code>: clock, repetition, batching and the heap.</li><li><code>src/load</code>: an open loop that begins operations at a rate, and a browser as far as HTTP goes, for <code>signet bench</code> and the tests.</li></ul><p>Used by all services and tools.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/platform/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
