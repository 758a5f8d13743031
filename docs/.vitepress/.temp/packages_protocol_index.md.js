import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"protocol","description":"","frontmatter":{},"headers":[],"relativePath":"packages/protocol/index.md","filePath":"packages/protocol/README.md"}');
const _sfc_main = { name: "packages/protocol/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="protocol" tabindex="-1">protocol <a class="header-anchor" href="#protocol" aria-label="Permalink to &quot;protocol&quot;">​</a></h1><p>Constants, rules and errors of OAuth 2.0 and OpenID Connect. Pure functions without I/O; it imports no other workspace.</p><ul><li><code>src/errors.ts</code>: one class for each error of the protocol. Its text may reach a client, its <code>reason</code> is for logs.</li><li><code>src/routes.ts</code>: the route table. The services, the development edge, the compose file and the Helm chart all use it.</li><li><code>src/scopes.ts</code>, <code>src/claims-parameter.ts</code>, <code>src/authorization-parameters.ts</code>, <code>src/grant-types.ts</code>, <code>src/pkce.ts</code>: parsers of parameters; each names its section of the standard. Who must send a code challenge: <code>readCodeChallenge</code> in <code>apps/login/src/authorize/authorization-request.ts</code>.</li><li><code>src/redirect-uri.ts</code>: which URIs an application may register and which ones match a registered one.</li><li><code>src/application-settings.ts</code>: the table of the settings of an application; <code>directory</code>, <code>file-formats</code> and <code>directory-reader</code> derive columns, schemas and defaults from it.</li><li><code>src/fields/</code>: one table of fields for each entity (organization, project, role, person, service user), with the same use; <code>field.ts</code> says what a row holds. <code>instance.ts</code> has the settings of the instance.</li><li><code>src/member-values.ts</code>: the rules of values, by member and by kind of field.</li><li><code>src/role-reach.ts</code>: the order of the roles, for permissions and impersonation.</li><li><code>src/public-key.ts</code>, <code>src/signing-algorithms.ts</code>: accepted keys and JWS algorithms.</li></ul><p>Used by all services.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("packages/protocol/README.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  README as default
};
