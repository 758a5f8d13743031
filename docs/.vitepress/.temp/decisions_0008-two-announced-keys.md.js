import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"8. Two announced keys beside the active one","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0008-two-announced-keys.md","filePath":"docs/decisions/0008-two-announced-keys.md"}');
const _sfc_main = { name: "decisions/0008-two-announced-keys.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="8-two-announced-keys-beside-the-active-one" tabindex="-1">8. Two announced keys beside the active one <a class="header-anchor" href="#8-two-announced-keys-beside-the-active-one" aria-label="Permalink to &quot;8. Two announced keys beside the active one&quot;">​</a></h1><p>Status: accepted</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A key is announced when its predecessor starts to sign, so an emergency can promote a key that every cache of the key set already holds. With one announced key that is not true right after a switch: the announced key is as young as the switch. Near a planned switch the key set&#39;s <code>max-age</code> shrinks to five seconds, so only seconds are left. A rotation on demand comes without notice: caches may keep the key set for 300 seconds.</p><p><code>apps/keys/test/rotation-timeline.test.ts</code> revokes the active key in each of the 400 seconds after a switch and asks caches that fetched in each second before:</p><table tabindex="0"><thead><tr><th>switch</th><th>seconds in which some cache did not hold the heir, one announced key</th><th>two</th></tr></thead><tbody><tr><td>planned</td><td>0</td><td>0</td></tr><tr><td>on demand</td><td>299</td><td>0</td></tr></tbody></table><p>The alternatives are to let an emergency wait five minutes without a key, or to let <code>signet keys rotate</code> take effect five minutes later. Both take away what these two are for.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Every ring and algorithm has two announced keys: the next one and one behind it. A switch announces a new second one. An emergency promotes the next key at once, in every case. A rotation on demand whose next key is too young (the third within six minutes) is scheduled for the moment at which that key was visible long enough, and the answer says so.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The key set has nine keys instead of six, some 1.2 kB more. A second emergency in one line within six minutes promotes a key that some caches do not hold; nothing can be prepared for any number of emergencies.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0008-two-announced-keys.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0008TwoAnnouncedKeys = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0008TwoAnnouncedKeys as default
};
