import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"27. People enrol their second factors themselves","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0027-second-factors-by-people.md","filePath":"docs/decisions/0027-second-factors-by-people.md"}');
const _sfc_main = { name: "decisions/0027-second-factors-by-people.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="27-people-enrol-their-second-factors-themselves" tabindex="-1">27. People enrol their second factors themselves <a class="header-anchor" href="#27-people-enrol-their-second-factors-themselves" aria-label="Permalink to &quot;27. People enrol their second factors themselves&quot;">​</a></h1><p><strong>Context.</strong> A second factor proves that the person is there. A TOTP seed that an administrator has seen proves it against strangers and not against that administrator. Earlier builds had <code>POST /management/v1/users/{userId}/totp</code>, which returned the seed to its caller; people could not enrol without it where no policy forced a factor. Now they can, on <code>/ui/account/factors</code> and, where the login policy or the request asks for a factor, while they sign in.</p><p><strong>Decision.</strong> No operation gives a person a second factor, and none returns a seed. Administrators read whether there is one (<code>totp.read</code>) and take it away (<code>totp.delete</code>), with a notice to the person and an event in the audit log. Seeds that exist elsewhere come with an import or a bootstrap file (<code>otpCode</code>, <code>totpDevices</code>), and leave only in an export with <code>with_otp</code>: both are for people who move an instance, need <code>IAM_OWNER</code> or a file on the server, and are in the audit log.</p><p><strong>Consequences.</strong> Automation cannot hand out seeds: it sets <code>forceMfa</code>, and people enrol at their next sign-in. A person who lost the factor and the recovery codes asks an administrator to delete it, and enrols again. An administrator who sets a password and deletes the factor can still sign in as the person; both changes are in the audit log and in notices to the person.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0027-second-factors-by-people.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0027SecondFactorsByPeople = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0027SecondFactorsByPeople as default
};
