import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"3. One row per refresh-token family, with a retry window","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0003-refresh-families.md","filePath":"docs/decisions/0003-refresh-families.md"}');
const _sfc_main = { name: "decisions/0003-refresh-families.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="3-one-row-per-refresh-token-family-with-a-retry-window" tabindex="-1">3. One row per refresh-token family, with a retry window <a class="header-anchor" href="#3-one-row-per-refresh-token-family-with-a-retry-window" aria-label="Permalink to &quot;3. One row per refresh-token family, with a retry window&quot;">​</a></h1><p><strong>Context.</strong> Rotation without tolerance signs people out whenever an answer is lost; tolerance that mints a new pair each time lets a thief in quietly.</p><p><strong>Decision.</strong> <code>sgrt_&lt;key&gt;.&lt;grant&gt;.&lt;counter&gt;.&lt;mac&gt;</code>: the token is its position in the family, authenticated by a MAC, so the same position is always the same text. Rotation is one guarded <code>UPDATE … WHERE counter = n</code>. The predecessor presented again by the same client within the retry window gets the successor byte for byte with a fresh access token; anything older ends the family. Time is the database&#39;s.</p><p>The window is 30 seconds, and 10 minutes for native and public clients (<code>refreshUnusedRetryWindow</code>): a phone that loses an answer is often offline for minutes. Reuse is detected from the first use of the successor on, so the use of the successor by an owner or a thief, who both have the predecessor, ends the family at the next call of the other. Until then both hold the same successor, which a longer window does not change.</p><p><strong>Consequences.</strong> No token table, no row per rotation. A family keeps the MAC key that it began with, so a key must stay verifiable for as long as a family may live.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0003-refresh-families.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0003RefreshFamilies = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0003RefreshFamilies as default
};
