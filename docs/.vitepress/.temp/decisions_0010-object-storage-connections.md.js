import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"10. Object storage uses our outbound connections","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0010-object-storage-connections.md","filePath":"docs/decisions/0010-object-storage-connections.md"}');
const _sfc_main = { name: "decisions/0010-object-storage-connections.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="10-object-storage-uses-our-outbound-connections" tabindex="-1">10. Object storage uses our outbound connections <a class="header-anchor" href="#10-object-storage-uses-our-outbound-connections" aria-label="Permalink to &quot;10. Object storage uses our outbound connections&quot;">​</a></h1><p><strong>Context.</strong> Every outgoing connection has to be checked and pinned to an address, without redirects. The S3 SDK takes agents. <code>@google-cloud/storage</code> 8 does not for reading: <code>File.createReadStream</code> uses a pool of the whole process, a proxy named in the environment, and follows redirects. For a custom API address its uploads drop the credentials and our agents. A service account file can name addresses, files and programs (<code>token_uri</code>, <code>external_account</code>). Time-outs of sockets do not hold either: the HTTP client below Google&#39;s SDK sets them to zero with the first byte of an answer, so a connection that fell silent hung for ever (the test &quot;goes on after a connection that fell silent&quot;).</p><p><strong>Decision.</strong> <code>packages/platform/src/outbound-http/guarded-agents.ts</code> makes the agents of both SDKs: the address rules for names and for literal addresses, and a watch that cuts a connection over which nothing moves. Objects in Google Cloud Storage are written by the SDK&#39;s resumable upload and read by its authenticated client; another API address is put in by an interceptor below both. Of a service account file only <code>client_email</code> and <code>private_key</code> are used, and its type must be <code>service_account</code>; <code>token_uri</code> counts in the operator&#39;s own file, with <code>SIGNET_STORAGE_GCS_ENDPOINT</code>. Where the platform gives the credentials, the SDKs fetch them over their own connections: the operator chose that, and no caller names an address. Checksums that the S3 SDK adds by default are off, because compatible servers refuse their form; parts carry an MD5 instead.</p><p><strong>Consequences.</strong> Both SDKs are loaded when the first object of their kind is opened (half a second). A read continues by range, on the same ETag or generation; a service that ignores <code>If-None-Match</code> replaces an object where S3 would refuse.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0010-object-storage-connections.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0010ObjectStorageConnections = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0010ObjectStorageConnections as default
};
