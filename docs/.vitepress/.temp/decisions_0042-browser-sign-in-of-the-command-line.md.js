import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"42. The command line signs people in through an application of the instance","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0042-browser-sign-in-of-the-command-line.md","filePath":"docs/decisions/0042-browser-sign-in-of-the-command-line.md"}');
const _sfc_main = { name: "decisions/0042-browser-sign-in-of-the-command-line.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="42-the-command-line-signs-people-in-through-an-application-of-the-instance" tabindex="-1">42. The command line signs people in through an application of the instance <a class="header-anchor" href="#42-the-command-line-signs-people-in-through-an-application-of-the-instance" aria-label="Permalink to &quot;42. The command line signs people in through an application of the instance&quot;">​</a></h1><p><strong>Context.</strong> People administer only through applications that an IAM_OWNER marked (<code>mayCallApi</code>). <code>signet login</code> needs such an application: a public client whose redirect URI is a port of 127.0.0.1 (RFC 8252 section 7.3). A built-in one would be in every instance, wanted or not. Any process of the device, of another user too, can listen on a port and send a link with its own code challenge to the browser of an administrator; with a session there and without a page, it would get a token of the administrator.</p><p><strong>Decision.</strong> An IAM_OWNER creates the application with <code>signet application create cli</code>: native, client id <code>signet-cli</code>, <code>mayCallApi</code>, not first-party. The sample of <code>npm start</code> has it. <code>login</code> asks for consent at every authorization request of a native application that names the management API, in its own organization too, unless the application is first-party. <code>signet login</code> sends <code>prompt=login</code>, takes only a response with its own <code>state</code> and the issuer that it asked, and keeps the tokens in a file of mode 0600.</p><p><strong>Consequences.</strong> An instance without the application refuses with a sentence that names the command. A sign-in costs a password and a click. Tokens work without a browser as before: personal access tokens and service users.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0042-browser-sign-in-of-the-command-line.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0042BrowserSignInOfTheCommandLine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0042BrowserSignInOfTheCommandLine as default
};
