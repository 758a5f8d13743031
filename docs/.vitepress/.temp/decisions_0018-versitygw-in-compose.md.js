import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"18. versitygw as object storage in docker-compose.yml","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0018-versitygw-in-compose.md","filePath":"docs/decisions/0018-versitygw-in-compose.md"}');
const _sfc_main = { name: "decisions/0018-versitygw-in-compose.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="18-versitygw-as-object-storage-in-docker-composeyml" tabindex="-1">18. versitygw as object storage in docker-compose.yml <a class="header-anchor" href="#18-versitygw-as-object-storage-in-docker-composeyml" aria-label="Permalink to &quot;18. versitygw as object storage in docker-compose.yml&quot;">​</a></h1><p><strong>Context.</strong> Exports and imports of more than 256 MiB go through an object storage, so the suite in containers needs one. It has to keep to the conditional writes on which an export relies (<code>If-None-Match: *</code>), start without an account made by hand, and run without root on a read-only file system. MinIO publishes no images of its free edition any more. Garage&#39;s image has no shell to read a key from a file, and its layout and keys are made by commands after the start. SeaweedFS is several servers for what is one bucket here. Servers from the npm registry (s3rver, fauxqs) take any key, and replace an object where S3 refuses.</p><p><strong>Decision.</strong> <code>versity/versitygw</code> over a folder: one process, Apache 2.0, a bucket is a directory, an object a file. Its key is made by the first start like every other secret. It is the storage of the migration service alone, by <code>SIGNET_STORAGE_URL</code>; its port is not published. <code>npm run test:images</code> builds the program from its Go module where no registry answers.</p><p><strong>Consequences.</strong> The volume needs extended attributes, which the usual file systems of container engines have. Calls that name a storage of their own still reach public addresses only.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0018-versitygw-in-compose.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0018VersitygwInCompose = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0018VersitygwInCompose as default
};
