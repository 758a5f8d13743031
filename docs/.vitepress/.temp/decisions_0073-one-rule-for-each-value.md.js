import { _ as _export_sfc, s as ssrRenderAttrs_1, r as runtimeDom_cjs_prod } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const __pageData = JSON.parse('{"title":"73. A value has one rule, whichever way it comes in","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0073-one-rule-for-each-value.md","filePath":"docs/decisions/0073-one-rule-for-each-value.md"}');
const _sfc_main = { name: "decisions/0073-one-rule-for-each-value.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs_1(_attrs)}><h1 id="73-a-value-has-one-rule-whichever-way-it-comes-in" tabindex="-1">73. A value has one rule, whichever way it comes in <a class="header-anchor" href="#73-a-value-has-one-rule-whichever-way-it-comes-in" aria-label="Permalink to &quot;73. A value has one rule, whichever way it comes in&quot;">​</a></h1><p><strong>Context.</strong> The management API and the bootstrap file refused a <code>javascript:</code> link, 30 February and a time zone on Mars; an import stored them, and userinfo issued them. The format had rules of its own for a few members, and refused the whole document for those: one bad phone number cost an import. Placeholders of a deployment were known to some converters only.</p><p><strong>Decision.</strong></p><ol><li>The rule of a member stands in <code>@signet/protocol/member-values</code>. The zod types of the management API and the bootstrap file call it, and so does the table <code>value-rules.ts</code> of the format, which converters and the import use.</li><li>The format itself demands no more of such a value than that it is a text. An import leaves out what breaks the rule, names it with member and rule, and keeps the record.</li><li>A record is refused when it cannot do without the value, or when others know it by the value: another client id or user name would make another object of it.</li><li>Members of policies follow the same rule. Members that Signet does not support, and colours or links that only break a rule together with other members, are kept and named as before: they are no values that could harm.</li><li>A placeholder of a deployment breaks the rule of every member, and a file that holds one is not applied. <a href="/reference/export-format.html#placeholders">The export format</a> lists the texts with such characters that are allowed.</li><li>Claims of links are looked at once more when they are issued, since values of before the rule are stored.</li></ol><p><strong>Consequences.</strong> A test compares every text of the format with the management API over a list of hostile values. A new text member without a rule fails it. An empty name in a document costs the name; until now it refused the document. Generated secrets with <code>\${</code> or <code>$(</code> are refused in bootstrap files, about one in 250 of 20 random printable characters; those of letters and digits never.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/decisions/0073-one-rule-for-each-value.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0073OneRuleForEachValue = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0073OneRuleForEachValue as default
};
