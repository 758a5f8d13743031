import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"71. An instance names its signing algorithms","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0071-named-signing-algorithms.md","filePath":"docs/decisions/0071-named-signing-algorithms.md"}');
const _sfc_main = { name: "decisions/0071-named-signing-algorithms.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="71-an-instance-names-its-signing-algorithms" tabindex="-1">71. An instance names its signing algorithms <a class="header-anchor" href="#71-an-instance-names-its-signing-algorithms" aria-label="Permalink to &quot;71. An instance names its signing algorithms&quot;">​</a></h1><p><strong>Context.</strong> The key set held keys of RS256, ES256 and EdDSA, whether an application used them or not. Libraries refuse a whole key set for one <code>OKP</code> key that they do not know (agentgateway 1796, caddy-security 228, json-jwt 124). With keys made when the first application chooses an algorithm, clients that cache the key set would refuse its first tokens.</p><p><strong>Decision.</strong> <code>settings.signingAlgorithms</code> of the bootstrap file and of <code>signet apply</code> names the algorithms, RS256 and ES256 at first. The keys service reads them each second from <code>directory_read.signing_algorithm_v1</code>, and plans keys for these alone; discovery lists them. The directory stores when each was named. Triggers on applications and service users refuse one that is not named, or was named less than a day ago, and say from when it may be chosen; an import leaves such a member out and says so. Leaving out an algorithm that is chosen is refused. The statement that leaves it out locks the row of the settings, and a choice reads that row with a lock, so one of the two waits for the other. When an algorithm is left out, its announced keys are deleted and its active key retires as at a rotation. RS256 always stays: OpenID Connect Discovery requires it, and manifests and heads of the audit log are signed with it.</p><p>An instance without an organization names at once: no client has its key set. So a first bootstrap file whose applications have EdDSA works as it is. An upgrade names EdDSA where an application or a service user has it.</p><p><strong>Not chosen.</strong> Deriving the list from the applications: it would change whenever one is created or deleted, and there would be no day between key and choice. A flag for each key set consumer: the key set has one address.</p><p><strong>Consequences.</strong> An application that wants EdDSA on a running instance waits a day. Documents of other products that ask for it lose that member at an import, unless it was named before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0071-named-signing-algorithms.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0071NamedSigningAlgorithms = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0071NamedSigningAlgorithms as default
};
