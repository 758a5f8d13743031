import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"60. The figures of structure are those that a reader meets","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0060-figures-of-structure.md","filePath":"docs/decisions/0060-figures-of-structure.md"}');
const _sfc_main = { name: "decisions/0060-figures-of-structure.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="60-the-figures-of-structure-are-those-that-a-reader-meets" tabindex="-1">60. The figures of structure are those that a reader meets <a class="header-anchor" href="#60-the-figures-of-structure-are-those-that-a-reader-meets" aria-label="Permalink to &quot;60. The figures of structure are those that a reader meets&quot;">​</a></h1><p><strong>Context.</strong> <code>npm run house</code> held sizes divided by entry points: files, lines of source, of tests and of what tests share, for each operation of the management API and each method between services. They were met to the letter and said nothing: in the directory 25 of 29 folders imported each other in one circle, one operation needed the types of 149 files, and a boolean of a project stood in 22 files.</p><p><strong>Decision.</strong> The command measures what a reader has to open, and ends with code 1 where a goal is missed:</p><table tabindex="0"><thead><tr><th>figure</th><th>at <code>738cc7c4</code></th><th>goal</th></tr></thead><tbody><tr><td>folders of an app that import each other, directly or through others</td><td>directory 25, login 12, token 5, migration 5, keys 0</td><td>0</td></tr><tr><td>files of the app that one reads for <code>members.routes.ts</code>, for <code>password.routes.ts</code>, types included</td><td>149, 115</td><td>≤ 40</td></tr><tr><td>the same for every <code>*.routes.ts</code> and <code>*.grpc.ts</code></td><td>149</td><td>≤ 60</td></tr><tr><td>product files that name a setting, in TypeScript and SQL: <code>pkceOptional</code>, <code>hasProjectCheck</code>, <code>passwordChangeRequired</code>, <code>allowedAudiences</code>, <code>forceMfa</code></td><td>8, 22, 28, 19, 17</td><td>≤ 6 each</td></tr><tr><td>functions over 80 lines; the longest</td><td>about 35; 279</td><td>≤ 10; 120</td></tr><tr><td>interfaces of stores with their only class in the same file</td><td>45</td><td>0</td></tr><tr><td>lines of texts of five languages in source</td><td>3,000</td><td>0: data files</td></tr><tr><td><code>npm test</code> on two quiet cores</td><td>12.6 min</td><td>≤ 12 min</td></tr></tbody></table><p><code>npm run boundaries</code>, a part of every <code>npm test</code>, refuses circles of folders. The other figures are read before and after a change of structure.</p><p><strong>Consequences.</strong> Sizes are printed and not held: a feature may be large where it is one subject. A figure that is met without helping a reader is replaced here.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0060-figures-of-structure.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0060FiguresOfStructure = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0060FiguresOfStructure as default
};
