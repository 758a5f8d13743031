import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"","description":"","frontmatter":{"layout":"home","hero":{"name":"Signet","text":"The sign-in of your applications","tagline":"An identity provider for OpenID Connect and OAuth 2.0 that you run yourself, on PostgreSQL and Redis.","image":{"src":"/logo.svg","alt":"The mark of Signet"},"actions":[{"theme":"brand","text":"Start it","link":"/first-start"},{"theme":"alt","text":"Sign people in","link":"/quickstarts/"},{"theme":"alt","text":"Install it","link":"/install-on-kubernetes"}]},"features":[{"title":"Sign people in","details":"Quick starts for Express, Next.js, React, Vue, Python, Go, Spring and more","link":"/quickstarts/"},{"title":"Manage","details":"People, roles, applications and organizations, with the command line","link":"/guides/"},{"title":"Customise","details":"Colours, logo, texts, messages, rules for passwords and second factors","link":"/guides/branding"},{"title":"Move in","details":"From Keycloak, Auth0, ZITADEL and others, with password hashes and a dry run","link":"/coming-from-elsewhere"},{"title":"Operate","details":"Kubernetes, upgrades without downtime, back-up, alerts with runbooks","link":"/install-on-kubernetes"},{"title":"My sign-in fails","details":"By what you see: CORS, no refresh token, no roles, a redirect loop","link":"/my-sign-in-fails"}]},"headers":[],"relativePath":"index.md","filePath":"docs/home.md"}');
const _sfc_main = { name: "index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/home.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const home = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  home as default
};
