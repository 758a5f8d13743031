import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"24. Bundle each service into one file","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0024-bundled-images.md","filePath":"docs/decisions/0024-bundled-images.md"}');
const _sfc_main = { name: "decisions/0024-bundled-images.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="24-bundle-each-service-into-one-file" tabindex="-1">24. Bundle each service into one file <a class="header-anchor" href="#24-bundle-each-service-into-one-file" aria-label="Permalink to &quot;24. Bundle each service into one file&quot;">​</a></h1><p><strong>Context.</strong> A service consists of about 930 modules, of which 660 are installed. Node.js asks the file system for each of them, for 389 manifests that say what names mean, and compiles and links it: 0.7 to 0.9 s of the 0.8 to 1.2 s that a service took to become ready on a slow machine, where the budget is one second. Autoscaling and rolling restarts wait for it.</p><p><strong>Decision.</strong> The last step of building an image bundles the app&#39;s compiled modules and what it runs on with rolldown into <code>app/bundle/main.js</code>, and the image starts that (<code>deploy/docker/bundle-app.ts</code>). Nothing is minified, and what is imported later, as the export of traces, stays a file of its own. A module still finds what lies beside it: a plugin writes where it lies in place of <code>import.meta.url</code>, <code>__dirname</code> and add-ons. So all packages stay in the image, where they are: migrations, stylesheets, threads and add-ons are loaded from there, scanners find what is installed, and its licences travel with it.</p><p><strong>Numbers.</strong> Loading alone, until a start without settings is refused: token 0.94 s as modules, 0.40 s as one file; with a compile cache filled before 0.84 s and 0.33 s. The cache is left out: it asks for a start while an image is built, for less than a tenth of a second. <code>npm run bench -- start-up</code> on one machine, before and after: token 1.22 and 0.69 s, directory 1.18 and 0.67, migration 1.13 and 0.74, login 1.07 and 0.62, introspection 0.95 and 0.63, keys 0.80 and 0.55. Requests cost the same: in turns of 0.2 s, 41 rounds, two pairs, a token takes 1.00 and 0.95 of the CPU, an introspection 0.98 and 1.14, where two equal processes differ as much.</p><p><strong>Consequences.</strong> An image is 1 to 8 MB larger. A line in a stack trace is one of <code>bundle/main.js</code>, which names the file that each part comes from. Sources, tests and <code>npm start</code> run modules as before; <code>npm run bench</code> and the tests of six processes run the bundles. A file that an app finds by a computed name, other than by its location, is not in the bundle and fails there: six-processes.test.ts and <code>npm run test:images</code> would tell.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0024-bundled-images.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0024BundledImages = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0024BundledImages as default
};
