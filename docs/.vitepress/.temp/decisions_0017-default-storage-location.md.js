import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"17. Default storage for relative paths","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0017-default-storage-location.md","filePath":"docs/decisions/0017-default-storage-location.md"}');
const _sfc_main = { name: "decisions/0017-default-storage-location.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="17-default-storage-for-relative-paths" tabindex="-1">17. Default storage for relative paths <a class="header-anchor" href="#17-default-storage-for-relative-paths" aria-label="Permalink to &quot;17. Default storage for relative paths&quot;">​</a></h1><p><strong>Context.</strong> An operator who has one place for exports should not have to hand its credentials to every administrator, nor they to every call. A default location was required; how a call asks for it was open. A call that could name a server, a bucket or a host and have our credentials used there would hand them out.</p><p><strong>Decision.</strong> <code>SIGNET_STORAGE_URL</code> (<code>s3://bucket/prefix</code>, <code>gs://bucket/prefix</code>, <code>file:///folder</code>) with its credentials is that place. <code>storage_output</code>, <code>data_orgs_storage</code> and <code>data_orgsv1_storage</code> mean it when their value has the member <code>path</code> and no other; anything more makes it the caller&#39;s storage, which needs everything. The path keeps to the rules of every path, so that it stays below the prefix. A job stores the path; the credentials stay in the environment of the worker. The address rules for callers&#39; URLs do not apply: no caller chose the address. <code>npm start</code> uses the folder <code>transfer</code> of its data directory when nothing else is set.</p><p><strong>Consequences.</strong> A caller who may export (<code>IAM_OWNER</code>) can write any new object below the prefix, and import any that is there. Where api and worker run apart, both need the settings: the one to accept the call, the other to carry it out. <code>SIGNET_STORAGE_CREDENTIALS=platform</code> uses what the platform gives to the process (roles of AWS, Application Default Credentials of Google) for that place and no other: with the role of the server a caller would reach every bucket that the role may.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0017-default-storage-location.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0017DefaultStorageLocation = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0017DefaultStorageLocation as default
};
