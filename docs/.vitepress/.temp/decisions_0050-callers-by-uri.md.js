import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"50. Services identify callers by a URI in the certificate","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0050-callers-by-uri.md","filePath":"docs/decisions/0050-callers-by-uri.md"}');
const _sfc_main = { name: "decisions/0050-callers-by-uri.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="50-services-identify-callers-by-a-uri-in-the-certificate" tabindex="-1">50. Services identify callers by a URI in the certificate <a class="header-anchor" href="#50-services-identify-callers-by-a-uri-in-the-certificate" aria-label="Permalink to &quot;50. Services identify callers by a URI in the certificate&quot;">​</a></h1><p><strong>Context.</strong> A gRPC server took the common name of the client certificate for the caller. With an authority that others use too, such as a ClusterIssuer of the company, everyone who may get a certificate with the common name <code>login</code> from it was <code>login</code>. Common names have no namespace and no release, and few issuers restrict them.</p><p><strong>Decision.</strong> A certificate names its service by one URI (RFC 5280 section 4.2.1.6) in the form of a SPIFFE ID: <code>&lt;prefix&gt;/service/&lt;service&gt;</code>. The setting <code>SIGNET_RPC_TRUST_PREFIX</code> has the prefix; with it the URI alone identifies the caller, and a certificate with another URI, several or none is refused with <code>UNAUTHENTICATED</code>. A process whose own certificate has no such URI does not start. The chart&#39;s prefix is <code>spiffe://&lt;trust domain&gt;/ns/&lt;namespace&gt;/release/&lt;release&gt;</code>, so two releases with one authority do not take each other&#39;s certificates. <code>mtls.identity.by</code> says whether the setting is made, and <code>mtls.identity.trustDomain</code> is to differ between clusters that share an authority.</p><p><code>signet certs init</code> writes the URI always, under <code>spiffe://signet.internal</code> unless <code>--trust-prefix</code> says otherwise. Without the setting the common name counts as before: <code>npm start</code> uses no certificates, and the authority of <code>signet certs init</code> signs nothing else.</p><p>The name check of clients stays: a server has the DNS name of the service that is called. A certificate of the shared authority with that DNS name would still have to stand at the address of the Service.</p><p><strong>Not chosen.</strong> Accepting the common name of certificates without a URI beside the setting: it would keep the hole. A SPIFFE Workload API (SPIRE) as source of certificates: its helpers write files, which are read already.</p><p><strong>Consequences.</strong> An issuer that removes URIs, or has a list of allowed ones, has to allow these. The change takes two releases (<a href="/upgrades.html#certificates-with-a-uri">upgrades</a>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0050-callers-by-uri.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0050CallersByUri = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0050CallersByUri as default
};
