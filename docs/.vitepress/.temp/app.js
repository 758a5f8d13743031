import { r as runtimeDom_cjs_prod, s as ssrRenderAttrs_1, b as ssrRenderSlot_1, c as ssrInterpolate_1, _ as _export_sfc, a as ssrRenderAttr_1, d as ssrRenderList_1, e as ssrRenderComponent_1, f as ssrRenderVNode, g as ssrRenderClass_1, h as renderToString_1 } from "./plugin-vue_export-helper.BmMjnq_N.js";
import "node:stream";
const _sfc_main$14 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPBadge",
  __ssrInlineRender: true,
  props: {
    text: {},
    type: { default: "tip" }
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<span${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPBadge", __props.type]
      }, _attrs))}>`);
      ssrRenderSlot_1(_ctx.$slots, "default", {}, () => {
        _push(`${ssrInterpolate_1(__props.text)}`);
      }, _push, _parent);
      _push(`</span>`);
    };
  }
});
const _sfc_setup$14 = _sfc_main$14.setup;
_sfc_main$14.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPBadge.vue");
  return _sfc_setup$14 ? _sfc_setup$14(props, ctx) : void 0;
};
function deserializeFunctions(r) {
  return Array.isArray(r) ? r.map(deserializeFunctions) : typeof r == "object" && r !== null ? Object.keys(r).reduce((t, n) => (t[n] = deserializeFunctions(r[n]), t), {}) : typeof r == "string" && r.startsWith("_vp-fn_") ? new Function(`return ${r.slice(7)}`)() : r;
}
const siteData = deserializeFunctions(JSON.parse(`{"lang":"en-US","dir":"ltr","title":"Signet","description":"The sign-in of your applications: an OpenID provider that you run yourself","base":"/","head":[],"router":{"prefetchLinks":true},"appearance":true,"themeConfig":{"logo":"/logo.svg","search":{"provider":"local","options":{}},"outline":"deep","nav":[{"text":"Quick starts","link":"/quickstarts/"},{"text":"Guides","link":"/guides/"},{"text":"Install","link":"/install-on-kubernetes"},{"text":"Version 0.1.0","link":"/CHANGELOG"}],"sidebar":[{"text":"Get started","items":[{"text":"Signet","link":"/about.md"},{"text":"The first start","link":"/first-start.md"},{"text":"Concepts","link":"/concepts.md"},{"text":"Use cases","link":"/use-cases.md"},{"text":"What Signet does not do","link":"/what-signet-does-not-do.md"},{"text":"Comparison in figures","link":"/comparison.md"}]},{"text":"Sign people in","items":[{"text":"My sign-in fails","link":"/my-sign-in-fails.md"},{"text":"Quick starts","collapsed":false,"items":[{"text":"Quick starts","link":"/quickstarts/index.md"},{"text":"Angular","link":"/quickstarts/angular.md"},{"text":"ASP.NET Core","link":"/quickstarts/aspnet-core.md"},{"text":"curl","link":"/quickstarts/curl.md"},{"text":"Django","link":"/quickstarts/django.md"},{"text":"Express","link":"/quickstarts/express.md"},{"text":"Go","link":"/quickstarts/go.md"},{"text":"Kubernetes with kubelogin","link":"/quickstarts/kubernetes.md"},{"text":"Laravel","link":"/quickstarts/laravel.md"},{"text":"Mobile application","link":"/quickstarts/mobile.md"},{"text":"Next.js","link":"/quickstarts/nextjs.md"},{"text":"oauth2-proxy","link":"/quickstarts/oauth2-proxy.md"},{"text":"Python","link":"/quickstarts/python.md"},{"text":"React","link":"/quickstarts/react.md"},{"text":"Spring","link":"/quickstarts/spring.md"},{"text":"Vue","link":"/quickstarts/vue.md"}]},{"text":"Roles and groups","link":"/roles-and-groups.md"},{"text":"Why was this refused?","link":"/guides/why.md"},{"text":"Sign-out","link":"/guides/sign-out.md"},{"text":"Consent","link":"/guides/consent.md"},{"text":"Tokens","link":"/reference/tokens.md"},{"text":"Scopes and claims","link":"/reference/scopes-and-claims.md"},{"text":"Errors","link":"/reference/errors.md"},{"text":"Examples","link":"/examples/index.md"}]},{"text":"Manage","items":[{"text":"Guides","link":"/guides/index.md"},{"text":"The console","link":"/guides/console.md"},{"text":"Applications","link":"/guides/applications.md"},{"text":"People","link":"/guides/people.md"},{"text":"Roles and administrators","link":"/guides/roles.md"},{"text":"Service users and tokens","link":"/guides/service-users.md"},{"text":"Secrets","link":"/guides/secrets.md"},{"text":"The own account","link":"/guides/own-account.md"},{"text":"cli","link":"/apps/cli/index.md"},{"text":"Audit log","link":"/reference/audit-log.md"}]},{"text":"Customise","items":[{"text":"Branding","link":"/guides/branding.md"},{"text":"Texts of the pages","link":"/guides/page-texts.md"},{"text":"Languages","link":"/guides/languages.md"},{"text":"E-mail","link":"/guides/email.md"},{"text":"Passwords","link":"/guides/passwords.md"},{"text":"Passkeys","link":"/guides/passkeys.md"},{"text":"Second factors","link":"/guides/second-factors.md"}]},{"text":"Move in, move out","items":[{"text":"Coming from elsewhere","link":"/coming-from-elsewhere.md"},{"text":"Cut over to Signet","link":"/runbooks/cut-over.md"},{"text":"Run a migration","link":"/runbooks/run-a-migration.md"},{"text":"Move an organization","link":"/guides/move-an-organization.md"},{"text":"Leaving Signet","link":"/leaving.md"}]},{"text":"Operate","items":[{"text":"Install on Kubernetes","link":"/install-on-kubernetes.md"},{"text":"The chart of Signet","link":"/deploy/helm/signet/index.md"},{"text":"Upgrades","link":"/upgrades.md"},{"text":"Scaling","link":"/scaling.md"},{"text":"Back up and restore","link":"/runbooks/back-up-and-restore.md"},{"text":"Runbooks","collapsed":true,"items":[{"text":"A clock differs from PostgreSQL's","link":"/runbooks/clock-differs.md"},{"text":"A temporary administrator","link":"/runbooks/temporary-administrator.md"},{"text":"Audit sealing lags","link":"/runbooks/audit-sealing-lags.md"},{"text":"Back up and restore","link":"/runbooks/back-up-and-restore.md"},{"text":"Certificate expires soon","link":"/runbooks/certificate-expiry.md"},{"text":"Cut over to Signet","link":"/runbooks/cut-over.md"},{"text":"Database connection pool exhausted","link":"/runbooks/database-pool.md"},{"text":"Dependency missing","link":"/runbooks/dependency-missing.md"},{"text":"Error budget consumed too fast","link":"/runbooks/error-budget.md"},{"text":"Event loop saturated","link":"/runbooks/event-loop-lag.md"},{"text":"Export and import jobs are not picked up","link":"/runbooks/jobs-wait.md"},{"text":"Key lease without heartbeat","link":"/runbooks/key-lease-lag.md"},{"text":"Key rotation overdue","link":"/runbooks/key-rotation-overdue.md"},{"text":"Most sign-ins are refused","link":"/runbooks/sign-ins-refused.md"},{"text":"No ready replica","link":"/runbooks/no-ready-replica.md"},{"text":"Password queue is full","link":"/runbooks/password-queue.md"},{"text":"Pod unreachable","link":"/runbooks/pod-down.md"},{"text":"Probe from outside fails","link":"/runbooks/probe-fails.md"},{"text":"Revocation log bypassed","link":"/runbooks/revocation-log.md"},{"text":"Rotate keys","link":"/runbooks/rotate-signing-keys.md"},{"text":"Rotate secrets","link":"/runbooks/rotate-secrets.md"},{"text":"Run a migration","link":"/runbooks/run-a-migration.md"},{"text":"When something is away","link":"/runbooks/when-something-is-away.md"},{"text":"Wrap master keys","link":"/runbooks/wrap-master-keys.md"}]},{"text":"Benchmarks","link":"/benchmarks.md"},{"text":"Past one primary of PostgreSQL","link":"/beyond-one-primary.md"},{"text":"Threat model","link":"/threat-model.md"}]},{"text":"Reference","collapsed":true,"items":[{"text":"Archives","link":"/reference/archives.md"},{"text":"Audit log","link":"/reference/audit-log.md"},{"text":"Errors","link":"/reference/errors.md"},{"text":"How a policy member comes to be obeyed","link":"/reference/policy-members.md"},{"text":"Keys in Redis","link":"/reference/redis-keys.md"},{"text":"Members of the export format","link":"/reference/export-members.md"},{"text":"Metrics","link":"/reference/metrics.md"},{"text":"Password hashes of other programs","link":"/reference/password-hashes.md"},{"text":"Rate limits","link":"/reference/rate-limits.md"},{"text":"Scopes and claims","link":"/reference/scopes-and-claims.md"},{"text":"Steps of WebAuthn and their tests","link":"/reference/webauthn.md"},{"text":"The export format","link":"/reference/export-format.md"},{"text":"Tokens","link":"/reference/tokens.md"},{"text":"What ends with what","link":"/reference/endings.md"},{"text":"Work that waits in PostgreSQL","link":"/reference/work-that-waits.md"},{"text":"Glossary","link":"/glossary.md"},{"text":"How a sign-in is gated, and how a new gate comes to be obeyed","link":"/sign-in-gates.md"},{"text":"Specification","link":"/spec/index.md"}]},{"text":"Develop Signet","collapsed":true,"items":[{"text":"Architecture","link":"/ARCHITECTURE.md"},{"text":"Contributing","link":"/CONTRIBUTING.md"},{"text":"Releasing","link":"/releasing.md"},{"text":"Requirements of the specification and their tests","link":"/spec-coverage.md"},{"text":"Decisions","collapsed":true,"items":[{"text":"Decisions","link":"/decisions/index.md"},{"text":"1. One writer per table, reads through published views","link":"/decisions/0001-one-writer-per-table.md"},{"text":"10. Object storage uses our outbound connections","link":"/decisions/0010-object-storage-connections.md"},{"text":"11. Sign-in timing shows slow imported hashes","link":"/decisions/0011-timing-of-imported-hashes.md"},{"text":"12. Seal staged batches as a whole","link":"/decisions/0012-staged-batches-are-sealed.md"},{"text":"13. Administrators list browser sessions through login","link":"/decisions/0013-administrators-list-sessions.md"},{"text":"14. signet apply runs the bootstrap merge on the server","link":"/decisions/0014-signet-apply-runs-on-the-server.md"},{"text":"15. Bundle the command line into one file","link":"/decisions/0015-bundled-command-line.md"},{"text":"16. An export recognizes the object that it completed","link":"/decisions/0016-export-object-checksum.md"},{"text":"17. Default storage for relative paths","link":"/decisions/0017-default-storage-location.md"},{"text":"18. versitygw as object storage in docker-compose.yml","link":"/decisions/0018-versitygw-in-compose.md"},{"text":"19. Count frequent reads instead of one audit row each","link":"/decisions/0019-audit-of-frequent-reads.md"},{"text":"2. Opaque access tokens and authorization codes are sealed, not stored","link":"/decisions/0002-sealed-tokens.md"},{"text":"20. Route hot endpoints before Express","link":"/decisions/0020-hot-endpoints-before-express.md"},{"text":"21. Batch refresh-token rotations","link":"/decisions/0021-batch-refresh-rotations.md"},{"text":"23. Batch requests per event-loop turn","link":"/decisions/0023-batch-requests-per-turn.md"},{"text":"24. Bundle each service into one file","link":"/decisions/0024-bundled-images.md"},{"text":"25. Keep the last IAM_OWNER who can sign in","link":"/decisions/0025-last-owner-stays.md"},{"text":"26. Roles and project grants of other organizations need acceptance","link":"/decisions/0026-roles-across-organizations.md"},{"text":"27. People enrol their second factors themselves","link":"/decisions/0027-second-factors-by-people.md"},{"text":"28. Project checks apply to users, not to tokens that service users get for themselves","link":"/decisions/0028-project-checks-of-users.md"},{"text":"3. One row per refresh-token family, with a retry window","link":"/decisions/0003-refresh-families.md"},{"text":"31. Lifetime and scope of exchanged tokens","link":"/decisions/0031-limits-of-token-exchange.md"},{"text":"33. Sign-in limits count accounts and are visible","link":"/decisions/0033-visible-sign-in-limits.md"},{"text":"34. Verify slow password hashes in a separate pool","link":"/decisions/0034-slow-password-hashes.md"},{"text":"35. The application decides whose login name counts","link":"/decisions/0035-login-names-of-tenants.md"},{"text":"36. Cross-Origin-Opener-Policy on one page only","link":"/decisions/0036-opener-policy-on-one-page.md"},{"text":"37. Refuse policies that have no effect","link":"/decisions/0037-unsupported-policies.md"},{"text":"38. Revocation: PostgreSQL, one log, one set per process","link":"/decisions/0038-revocation-log.md"},{"text":"39. Failure modes of PostgreSQL","link":"/decisions/0039-postgresql-failure-modes.md"},{"text":"40. Bootstrap writes through the stores of the management API","link":"/decisions/0040-bootstrap-writes-through-the-stores-of-the-api.md"},{"text":"41. The list of roles is about one project, and about the user's organization","link":"/decisions/0041-roles-as-a-list.md"},{"text":"42. The command line signs people in through an application of the instance","link":"/decisions/0042-browser-sign-in-of-the-command-line.md"},{"text":"44. A sign-out may cost 4 ms of CPU","link":"/decisions/0044-cost-of-a-sign-out.md"},{"text":"45. Mechanisms that Signet implements itself","link":"/decisions/0045-own-mechanisms.md"},{"text":"46. The directory records what imports wrote, sealed by batch","link":"/decisions/0046-undo-records.md"},{"text":"47. The keys service signs the manifest of an archive","link":"/decisions/0047-signed-manifests.md"},{"text":"48. BullMQ wakes workers; PostgreSQL holds jobs","link":"/decisions/0048-queue-wakes-workers.md"},{"text":"49. Small batches are applied together","link":"/decisions/0049-small-batches-together.md"},{"text":"5. npm start calls the gRPC contracts in process","link":"/decisions/0005-in-process-contracts.md"},{"text":"50. Services identify callers by a URI in the certificate","link":"/decisions/0050-callers-by-uri.md"},{"text":"51. A chain of segments makes changes of the audit log visible","link":"/decisions/0051-audit-chain.md"},{"text":"52. The directory verifies passkeys, login issues their challenges","link":"/decisions/0052-passkeys.md"},{"text":"53. Recovery codes are hashed without salt, trust in a browser is a cookie","link":"/decisions/0053-recovery-codes-and-trusted-browsers.md"},{"text":"54. Estimate the strength of new passwords; a list of breaches is a setting","link":"/decisions/0054-password-rules.md"},{"text":"55. Colours of an organization come from a stylesheet whose path is its content","link":"/decisions/0055-label-colours.md"},{"text":"57. Exports carry passkeys on demand","link":"/decisions/0057-passkeys-in-exports.md"},{"text":"58. Files of organizations are checked, never rewritten, and served under their hash","link":"/decisions/0058-branding-files.md"},{"text":"59. Texts of pages are published beside their sealed record","link":"/decisions/0059-login-texts.md"},{"text":"6. One job prepares the database; services wait for it","link":"/decisions/0006-database-preparation-is-one-job.md"},{"text":"60. The figures of structure are those that a reader meets","link":"/decisions/0060-figures-of-structure.md"},{"text":"61. User names are compared by case folding and refuse what imitates","link":"/decisions/0061-rule-for-user-names.md"},{"text":"62. Several accounts may have one verified address, in different organizations","link":"/decisions/0062-accounts-of-one-address.md"},{"text":"63. A document writes as an owner of its organizations","link":"/decisions/0063-authority-of-a-document.md"},{"text":"64. The insert decides the outcome of a record","link":"/decisions/0064-outcomes-of-parallel-imports.md"},{"text":"65. An import that updates touches what its document says","link":"/decisions/0065-updates-touch-what-documents-say.md"},{"text":"66. A proof of an address binds a session or voids what was set before","link":"/decisions/0066-proofs-of-addresses.md"},{"text":"67. A factor that stops counting does not lower the protection","link":"/decisions/0067-factors-that-stop-counting.md"},{"text":"68. A native application of another organization is asked about at each sign-in","link":"/decisions/0068-consent-of-native-applications.md"},{"text":"70. The services use the clock of PostgreSQL","link":"/decisions/0070-the-clock-of-postgresql.md"},{"text":"71. An instance names its signing algorithms","link":"/decisions/0071-named-signing-algorithms.md"},{"text":"72. Large organizations are deleted in batches","link":"/decisions/0072-large-organizations-are-deleted-in-batches.md"},{"text":"73. A value has one rule, whichever way it comes in","link":"/decisions/0073-one-rule-for-each-value.md"},{"text":"74. Policies in force are worked out in one function of the database","link":"/decisions/0074-policies-in-force-in-one-place.md"},{"text":"75. One file for the tables of a schema, one for each view","link":"/decisions/0075-one-file-per-view.md"},{"text":"76. Changes of the own account carry the epochs of their session","link":"/decisions/0076-changes-of-the-own-account-carry-their-session.md"},{"text":"77. One table of fields for each entity","link":"/decisions/0077-one-field-table-for-each-entity.md"},{"text":"78. Statements of a transaction are sent together","link":"/decisions/0078-statements-of-a-transaction-are-sent-together.md"},{"text":"79. An account is found before its password is verified","link":"/decisions/0079-an-account-is-found-before-its-password-is-verified.md"},{"text":"8. Two announced keys beside the active one","link":"/decisions/0008-two-announced-keys.md"},{"text":"80. A bounded wait for a password hash","link":"/decisions/0080-bounded-wait-for-a-password-hash.md"},{"text":"81. Each replica of token measures the promise of a revocation","link":"/decisions/0081-revocations-are-measured.md"},{"text":"82. Load is generated by one open loop of our own","link":"/decisions/0082-open-loop-generator.md"},{"text":"83. One formula computes sizes","link":"/decisions/0083-one-formula-for-sizes.md"},{"text":"84. A key management service wraps the master keys, not each value","link":"/decisions/0084-wrapped-master-keys.md"},{"text":"85. Refusals are kept for a week, for each client the newest 100","link":"/decisions/0085-refusals-are-kept-for-a-week.md"},{"text":"86. Lists without a filter and names mean what the caller may see","link":"/decisions/0086-what-the-caller-may-see.md"},{"text":"87. A password that was forgotten before its address was proven is set by the proof of the address","link":"/decisions/0087-forgotten-before-the-address-was-proven.md"},{"text":"89. The token service evaluates previews","link":"/decisions/0089-token-evaluates-previews.md"},{"text":"9. Users revoke the access of applications","link":"/decisions/0009-users-revoke-applications.md"},{"text":"90. The console is static files that the directory serves","link":"/decisions/0090-the-console-is-files-of-the-directory.md"},{"text":"91. Only bound tokens have the token type DPoP","link":"/decisions/0091-token-type-of-bound-tokens.md"}]}]}]},"locales":{},"scrollOffset":134,"cleanUrls":false}`));
function tryOnScopeDispose(fn) {
  if (runtimeDom_cjs_prod.getCurrentScope()) {
    runtimeDom_cjs_prod.onScopeDispose(fn);
    return true;
  }
  return false;
}
const localProvidedStateMap = /* @__PURE__ */ new WeakMap();
const injectLocal = (...args) => {
  var _a;
  const key = args[0];
  const instance = (_a = runtimeDom_cjs_prod.getCurrentInstance()) == null ? void 0 : _a.proxy;
  if (instance == null && !runtimeDom_cjs_prod.hasInjectionContext())
    throw new Error("injectLocal must be called in setup");
  if (instance && localProvidedStateMap.has(instance) && key in localProvidedStateMap.get(instance))
    return localProvidedStateMap.get(instance)[key];
  return runtimeDom_cjs_prod.inject(...args);
};
const isClient = typeof window !== "undefined" && typeof document !== "undefined";
typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope;
const notNullish = (val) => val != null;
const toString = Object.prototype.toString;
const isObject = (val) => toString.call(val) === "[object Object]";
const noop = () => {
};
const isIOS = /* @__PURE__ */ getIsIOS();
function getIsIOS() {
  var _a, _b;
  return isClient && ((_a = window == null ? void 0 : window.navigator) == null ? void 0 : _a.userAgent) && (/iP(?:ad|hone|od)/.test(window.navigator.userAgent) || ((_b = window == null ? void 0 : window.navigator) == null ? void 0 : _b.maxTouchPoints) > 2 && /iPad|Macintosh/.test(window == null ? void 0 : window.navigator.userAgent));
}
function createFilterWrapper(filter, fn) {
  function wrapper(...args) {
    return new Promise((resolve, reject) => {
      Promise.resolve(filter(() => fn.apply(this, args), { fn, thisArg: this, args })).then(resolve).catch(reject);
    });
  }
  return wrapper;
}
const bypassFilter = (invoke) => {
  return invoke();
};
function debounceFilter(ms, options = {}) {
  let timer;
  let maxTimer;
  let lastRejector = noop;
  const _clearTimeout = (timer2) => {
    clearTimeout(timer2);
    lastRejector();
    lastRejector = noop;
  };
  let lastInvoker;
  const filter = (invoke) => {
    const duration = runtimeDom_cjs_prod.toValue(ms);
    const maxDuration = runtimeDom_cjs_prod.toValue(options.maxWait);
    if (timer)
      _clearTimeout(timer);
    if (duration <= 0 || maxDuration !== void 0 && maxDuration <= 0) {
      if (maxTimer) {
        _clearTimeout(maxTimer);
        maxTimer = null;
      }
      return Promise.resolve(invoke());
    }
    return new Promise((resolve, reject) => {
      lastRejector = options.rejectOnCancel ? reject : resolve;
      lastInvoker = invoke;
      if (maxDuration && !maxTimer) {
        maxTimer = setTimeout(() => {
          if (timer)
            _clearTimeout(timer);
          maxTimer = null;
          resolve(lastInvoker());
        }, maxDuration);
      }
      timer = setTimeout(() => {
        if (maxTimer)
          _clearTimeout(maxTimer);
        maxTimer = null;
        resolve(invoke());
      }, duration);
    });
  };
  return filter;
}
function throttleFilter(...args) {
  let lastExec = 0;
  let timer;
  let isLeading = true;
  let lastRejector = noop;
  let lastValue;
  let ms;
  let trailing;
  let leading;
  let rejectOnCancel;
  if (!runtimeDom_cjs_prod.isRef(args[0]) && typeof args[0] === "object")
    ({ delay: ms, trailing = true, leading = true, rejectOnCancel = false } = args[0]);
  else
    [ms, trailing = true, leading = true, rejectOnCancel = false] = args;
  const clear = () => {
    if (timer) {
      clearTimeout(timer);
      timer = void 0;
      lastRejector();
      lastRejector = noop;
    }
  };
  const filter = (_invoke) => {
    const duration = runtimeDom_cjs_prod.toValue(ms);
    const elapsed = Date.now() - lastExec;
    const invoke = () => {
      return lastValue = _invoke();
    };
    clear();
    if (duration <= 0) {
      lastExec = Date.now();
      return invoke();
    }
    if (elapsed > duration && (leading || !isLeading)) {
      lastExec = Date.now();
      invoke();
    } else if (trailing) {
      lastValue = new Promise((resolve, reject) => {
        lastRejector = rejectOnCancel ? reject : resolve;
        timer = setTimeout(() => {
          lastExec = Date.now();
          isLeading = true;
          resolve(invoke());
          clear();
        }, Math.max(0, duration - elapsed));
      });
    }
    if (!leading && !timer)
      timer = setTimeout(() => isLeading = true, duration);
    isLeading = false;
    return lastValue;
  };
  return filter;
}
function pausableFilter(extendFilter = bypassFilter, options = {}) {
  const {
    initialState = "active"
  } = options;
  const isActive2 = toRef(initialState === "active");
  function pause() {
    isActive2.value = false;
  }
  function resume() {
    isActive2.value = true;
  }
  const eventFilter = (...args) => {
    if (isActive2.value)
      extendFilter(...args);
  };
  return { isActive: runtimeDom_cjs_prod.readonly(isActive2), pause, resume, eventFilter };
}
function pxValue(px) {
  return px.endsWith("rem") ? Number.parseFloat(px) * 16 : Number.parseFloat(px);
}
function getLifeCycleTarget(target) {
  return runtimeDom_cjs_prod.getCurrentInstance();
}
function toArray(value) {
  return Array.isArray(value) ? value : [value];
}
function toRef(...args) {
  if (args.length !== 1)
    return runtimeDom_cjs_prod.toRef(...args);
  const r = args[0];
  return typeof r === "function" ? runtimeDom_cjs_prod.readonly(runtimeDom_cjs_prod.customRef(() => ({ get: r, set: noop }))) : runtimeDom_cjs_prod.ref(r);
}
function useDebounceFn(fn, ms = 200, options = {}) {
  return createFilterWrapper(
    debounceFilter(ms, options),
    fn
  );
}
function useThrottleFn(fn, ms = 200, trailing = false, leading = true, rejectOnCancel = false) {
  return createFilterWrapper(
    throttleFilter(ms, trailing, leading, rejectOnCancel),
    fn
  );
}
function watchWithFilter(source, cb, options = {}) {
  const {
    eventFilter = bypassFilter,
    ...watchOptions
  } = options;
  return runtimeDom_cjs_prod.watch(
    source,
    createFilterWrapper(
      eventFilter,
      cb
    ),
    watchOptions
  );
}
function watchPausable(source, cb, options = {}) {
  const {
    eventFilter: filter,
    initialState = "active",
    ...watchOptions
  } = options;
  const { eventFilter, pause, resume, isActive: isActive2 } = pausableFilter(filter, { initialState });
  const stop = watchWithFilter(
    source,
    cb,
    {
      ...watchOptions,
      eventFilter
    }
  );
  return { stop, pause, resume, isActive: isActive2 };
}
function tryOnMounted(fn, sync = true, target) {
  const instance = getLifeCycleTarget();
  if (instance)
    runtimeDom_cjs_prod.onMounted(fn, target);
  else if (sync)
    fn();
  else
    runtimeDom_cjs_prod.nextTick(fn);
}
function watchDebounced(source, cb, options = {}) {
  const {
    debounce = 0,
    maxWait = void 0,
    ...watchOptions
  } = options;
  return watchWithFilter(
    source,
    cb,
    {
      ...watchOptions,
      eventFilter: debounceFilter(debounce, { maxWait })
    }
  );
}
function watchImmediate(source, cb, options) {
  return runtimeDom_cjs_prod.watch(
    source,
    cb,
    {
      ...options,
      immediate: true
    }
  );
}
function computedAsync(evaluationCallback, initialState, optionsOrRef) {
  let options;
  if (runtimeDom_cjs_prod.isRef(optionsOrRef)) {
    options = {
      evaluating: optionsOrRef
    };
  } else {
    options = {};
  }
  const {
    lazy = false,
    evaluating = void 0,
    shallow = true,
    onError = noop
  } = options;
  const started = runtimeDom_cjs_prod.shallowRef(!lazy);
  const current = shallow ? runtimeDom_cjs_prod.shallowRef(initialState) : runtimeDom_cjs_prod.ref(initialState);
  let counter = 0;
  runtimeDom_cjs_prod.watchEffect(async (onInvalidate) => {
    if (!started.value)
      return;
    counter++;
    const counterAtBeginning = counter;
    let hasFinished = false;
    if (evaluating) {
      Promise.resolve().then(() => {
        evaluating.value = true;
      });
    }
    try {
      const result = await evaluationCallback((cancelCallback) => {
        onInvalidate(() => {
          if (evaluating)
            evaluating.value = false;
          if (!hasFinished)
            cancelCallback();
        });
      });
      if (counterAtBeginning === counter)
        current.value = result;
    } catch (e) {
      onError(e);
    } finally {
      if (evaluating && counterAtBeginning === counter)
        evaluating.value = false;
      hasFinished = true;
    }
  });
  if (lazy) {
    return runtimeDom_cjs_prod.computed(() => {
      started.value = true;
      return current.value;
    });
  } else {
    return current;
  }
}
const defaultWindow = isClient ? window : void 0;
function unrefElement(elRef) {
  var _a;
  const plain = runtimeDom_cjs_prod.toValue(elRef);
  return (_a = plain == null ? void 0 : plain.$el) != null ? _a : plain;
}
function useEventListener(...args) {
  const cleanups = [];
  const cleanup = () => {
    cleanups.forEach((fn) => fn());
    cleanups.length = 0;
  };
  const register = (el, event, listener, options) => {
    el.addEventListener(event, listener, options);
    return () => el.removeEventListener(event, listener, options);
  };
  const firstParamTargets = runtimeDom_cjs_prod.computed(() => {
    const test = toArray(runtimeDom_cjs_prod.toValue(args[0])).filter((e) => e != null);
    return test.every((e) => typeof e !== "string") ? test : void 0;
  });
  const stopWatch = watchImmediate(
    () => {
      var _a, _b;
      return [
        (_b = (_a = firstParamTargets.value) == null ? void 0 : _a.map((e) => unrefElement(e))) != null ? _b : [defaultWindow].filter((e) => e != null),
        toArray(runtimeDom_cjs_prod.toValue(firstParamTargets.value ? args[1] : args[0])),
        toArray(runtimeDom_cjs_prod.unref(firstParamTargets.value ? args[2] : args[1])),
        // @ts-expect-error - TypeScript gets the correct types, but somehow still complains
        runtimeDom_cjs_prod.toValue(firstParamTargets.value ? args[3] : args[2])
      ];
    },
    ([raw_targets, raw_events, raw_listeners, raw_options]) => {
      cleanup();
      if (!(raw_targets == null ? void 0 : raw_targets.length) || !(raw_events == null ? void 0 : raw_events.length) || !(raw_listeners == null ? void 0 : raw_listeners.length))
        return;
      const optionsClone = isObject(raw_options) ? { ...raw_options } : raw_options;
      cleanups.push(
        ...raw_targets.flatMap(
          (el) => raw_events.flatMap(
            (event) => raw_listeners.map((listener) => register(el, event, listener, optionsClone))
          )
        )
      );
    },
    { flush: "post" }
  );
  const stop = () => {
    stopWatch();
    cleanup();
  };
  tryOnScopeDispose(cleanup);
  return stop;
}
function useMounted() {
  const isMounted = runtimeDom_cjs_prod.shallowRef(false);
  const instance = runtimeDom_cjs_prod.getCurrentInstance();
  if (instance) {
    runtimeDom_cjs_prod.onMounted(() => {
      isMounted.value = true;
    }, instance);
  }
  return isMounted;
}
function useSupported(callback) {
  const isMounted = useMounted();
  return runtimeDom_cjs_prod.computed(() => {
    isMounted.value;
    return Boolean(callback());
  });
}
function createKeyPredicate(keyFilter) {
  if (typeof keyFilter === "function")
    return keyFilter;
  else if (typeof keyFilter === "string")
    return (event) => event.key === keyFilter;
  else if (Array.isArray(keyFilter))
    return (event) => keyFilter.includes(event.key);
  return () => true;
}
function onKeyStroke(...args) {
  let key;
  let handler;
  let options = {};
  if (args.length === 3) {
    key = args[0];
    handler = args[1];
    options = args[2];
  } else if (args.length === 2) {
    if (typeof args[1] === "object") {
      key = true;
      handler = args[0];
      options = args[1];
    } else {
      key = args[0];
      handler = args[1];
    }
  } else {
    key = true;
    handler = args[0];
  }
  const {
    target = defaultWindow,
    eventName = "keydown",
    passive = false,
    dedupe = false
  } = options;
  const predicate = createKeyPredicate(key);
  const listener = (e) => {
    if (e.repeat && runtimeDom_cjs_prod.toValue(dedupe))
      return;
    if (predicate(e))
      handler(e);
  };
  return useEventListener(target, eventName, listener, passive);
}
const ssrWidthSymbol = Symbol("vueuse-ssr-width");
function useSSRWidth() {
  const ssrWidth = runtimeDom_cjs_prod.hasInjectionContext() ? injectLocal(ssrWidthSymbol, null) : null;
  return typeof ssrWidth === "number" ? ssrWidth : void 0;
}
function useMediaQuery(query, options = {}) {
  const { window: window2 = defaultWindow, ssrWidth = useSSRWidth() } = options;
  const isSupported = useSupported(() => window2 && "matchMedia" in window2 && typeof window2.matchMedia === "function");
  const ssrSupport = runtimeDom_cjs_prod.shallowRef(typeof ssrWidth === "number");
  const mediaQuery = runtimeDom_cjs_prod.shallowRef();
  const matches = runtimeDom_cjs_prod.shallowRef(false);
  const handler = (event) => {
    matches.value = event.matches;
  };
  runtimeDom_cjs_prod.watchEffect(() => {
    if (ssrSupport.value) {
      ssrSupport.value = !isSupported.value;
      const queryStrings = runtimeDom_cjs_prod.toValue(query).split(",");
      matches.value = queryStrings.some((queryString) => {
        const not = queryString.includes("not all");
        const minWidth = queryString.match(/\(\s*min-width:\s*(-?\d+(?:\.\d*)?[a-z]+\s*)\)/);
        const maxWidth = queryString.match(/\(\s*max-width:\s*(-?\d+(?:\.\d*)?[a-z]+\s*)\)/);
        let res = Boolean(minWidth || maxWidth);
        if (minWidth && res) {
          res = ssrWidth >= pxValue(minWidth[1]);
        }
        if (maxWidth && res) {
          res = ssrWidth <= pxValue(maxWidth[1]);
        }
        return not ? !res : res;
      });
      return;
    }
    if (!isSupported.value)
      return;
    mediaQuery.value = window2.matchMedia(runtimeDom_cjs_prod.toValue(query));
    matches.value = mediaQuery.value.matches;
  });
  useEventListener(mediaQuery, "change", handler, { passive: true });
  return runtimeDom_cjs_prod.computed(() => matches.value);
}
const _global = typeof globalThis !== "undefined" ? globalThis : typeof window !== "undefined" ? window : typeof global !== "undefined" ? global : typeof self !== "undefined" ? self : {};
const globalKey = "__vueuse_ssr_handlers__";
const handlers = /* @__PURE__ */ getHandlers();
function getHandlers() {
  if (!(globalKey in _global))
    _global[globalKey] = _global[globalKey] || {};
  return _global[globalKey];
}
function getSSRHandler(key, fallback) {
  return handlers[key] || fallback;
}
function usePreferredDark(options) {
  return useMediaQuery("(prefers-color-scheme: dark)", options);
}
function guessSerializerType(rawInit) {
  return rawInit == null ? "any" : rawInit instanceof Set ? "set" : rawInit instanceof Map ? "map" : rawInit instanceof Date ? "date" : typeof rawInit === "boolean" ? "boolean" : typeof rawInit === "string" ? "string" : typeof rawInit === "object" ? "object" : !Number.isNaN(rawInit) ? "number" : "any";
}
const StorageSerializers = {
  boolean: {
    read: (v) => v === "true",
    write: (v) => String(v)
  },
  object: {
    read: (v) => JSON.parse(v),
    write: (v) => JSON.stringify(v)
  },
  number: {
    read: (v) => Number.parseFloat(v),
    write: (v) => String(v)
  },
  any: {
    read: (v) => v,
    write: (v) => String(v)
  },
  string: {
    read: (v) => v,
    write: (v) => String(v)
  },
  map: {
    read: (v) => new Map(JSON.parse(v)),
    write: (v) => JSON.stringify(Array.from(v.entries()))
  },
  set: {
    read: (v) => new Set(JSON.parse(v)),
    write: (v) => JSON.stringify(Array.from(v))
  },
  date: {
    read: (v) => new Date(v),
    write: (v) => v.toISOString()
  }
};
const customStorageEventName = "vueuse-storage";
function useStorage(key, defaults, storage, options = {}) {
  var _a;
  const {
    flush = "pre",
    deep = true,
    listenToStorageChanges = true,
    writeDefaults = true,
    mergeDefaults = false,
    shallow,
    window: window2 = defaultWindow,
    eventFilter,
    onError = (e) => {
      console.error(e);
    },
    initOnMounted
  } = options;
  const data = (shallow ? runtimeDom_cjs_prod.shallowRef : runtimeDom_cjs_prod.ref)(typeof defaults === "function" ? defaults() : defaults);
  const keyComputed = runtimeDom_cjs_prod.computed(() => runtimeDom_cjs_prod.toValue(key));
  if (!storage) {
    try {
      storage = getSSRHandler("getDefaultStorage", () => {
        var _a2;
        return (_a2 = defaultWindow) == null ? void 0 : _a2.localStorage;
      })();
    } catch (e) {
      onError(e);
    }
  }
  if (!storage)
    return data;
  const rawInit = runtimeDom_cjs_prod.toValue(defaults);
  const type = guessSerializerType(rawInit);
  const serializer = (_a = options.serializer) != null ? _a : StorageSerializers[type];
  const { pause: pauseWatch, resume: resumeWatch } = watchPausable(
    data,
    () => write(data.value),
    { flush, deep, eventFilter }
  );
  runtimeDom_cjs_prod.watch(keyComputed, () => update(), { flush });
  if (window2 && listenToStorageChanges) {
    tryOnMounted(() => {
      if (storage instanceof Storage)
        useEventListener(window2, "storage", update, { passive: true });
      else
        useEventListener(window2, customStorageEventName, updateFromCustomEvent);
      if (initOnMounted)
        update();
    });
  }
  if (!initOnMounted)
    update();
  function dispatchWriteEvent(oldValue, newValue) {
    if (window2) {
      const payload = {
        key: keyComputed.value,
        oldValue,
        newValue,
        storageArea: storage
      };
      window2.dispatchEvent(storage instanceof Storage ? new StorageEvent("storage", payload) : new CustomEvent(customStorageEventName, {
        detail: payload
      }));
    }
  }
  function write(v) {
    try {
      const oldValue = storage.getItem(keyComputed.value);
      if (v == null) {
        dispatchWriteEvent(oldValue, null);
        storage.removeItem(keyComputed.value);
      } else {
        const serialized = serializer.write(v);
        if (oldValue !== serialized) {
          storage.setItem(keyComputed.value, serialized);
          dispatchWriteEvent(oldValue, serialized);
        }
      }
    } catch (e) {
      onError(e);
    }
  }
  function read(event) {
    const rawValue = event ? event.newValue : storage.getItem(keyComputed.value);
    if (rawValue == null) {
      if (writeDefaults && rawInit != null)
        storage.setItem(keyComputed.value, serializer.write(rawInit));
      return rawInit;
    } else if (!event && mergeDefaults) {
      const value = serializer.read(rawValue);
      if (typeof mergeDefaults === "function")
        return mergeDefaults(value, rawInit);
      else if (type === "object" && !Array.isArray(value))
        return { ...rawInit, ...value };
      return value;
    } else if (typeof rawValue !== "string") {
      return rawValue;
    } else {
      return serializer.read(rawValue);
    }
  }
  function update(event) {
    if (event && event.storageArea !== storage)
      return;
    if (event && event.key == null) {
      data.value = rawInit;
      return;
    }
    if (event && event.key !== keyComputed.value)
      return;
    pauseWatch();
    try {
      if ((event == null ? void 0 : event.newValue) !== serializer.write(data.value))
        data.value = read(event);
    } catch (e) {
      onError(e);
    } finally {
      if (event)
        runtimeDom_cjs_prod.nextTick(resumeWatch);
      else
        resumeWatch();
    }
  }
  function updateFromCustomEvent(event) {
    update(event.detail);
  }
  return data;
}
const CSS_DISABLE_TRANS = "*,*::before,*::after{-webkit-transition:none!important;-moz-transition:none!important;-o-transition:none!important;-ms-transition:none!important;transition:none!important}";
function useColorMode(options = {}) {
  const {
    selector = "html",
    attribute = "class",
    initialValue = "auto",
    window: window2 = defaultWindow,
    storage,
    storageKey = "vueuse-color-scheme",
    listenToStorageChanges = true,
    storageRef,
    emitAuto,
    disableTransition = true
  } = options;
  const modes = {
    auto: "",
    light: "light",
    dark: "dark",
    ...options.modes || {}
  };
  const preferredDark = usePreferredDark({ window: window2 });
  const system = runtimeDom_cjs_prod.computed(() => preferredDark.value ? "dark" : "light");
  const store = storageRef || (storageKey == null ? toRef(initialValue) : useStorage(storageKey, initialValue, storage, { window: window2, listenToStorageChanges }));
  const state = runtimeDom_cjs_prod.computed(() => store.value === "auto" ? system.value : store.value);
  const updateHTMLAttrs = getSSRHandler(
    "updateHTMLAttrs",
    (selector2, attribute2, value) => {
      const el = typeof selector2 === "string" ? window2 == null ? void 0 : window2.document.querySelector(selector2) : unrefElement(selector2);
      if (!el)
        return;
      const classesToAdd = /* @__PURE__ */ new Set();
      const classesToRemove = /* @__PURE__ */ new Set();
      let attributeToChange = null;
      if (attribute2 === "class") {
        const current = value.split(/\s/g);
        Object.values(modes).flatMap((i) => (i || "").split(/\s/g)).filter(Boolean).forEach((v) => {
          if (current.includes(v))
            classesToAdd.add(v);
          else
            classesToRemove.add(v);
        });
      } else {
        attributeToChange = { key: attribute2, value };
      }
      if (classesToAdd.size === 0 && classesToRemove.size === 0 && attributeToChange === null)
        return;
      let style;
      if (disableTransition) {
        style = window2.document.createElement("style");
        style.appendChild(document.createTextNode(CSS_DISABLE_TRANS));
        window2.document.head.appendChild(style);
      }
      for (const c of classesToAdd) {
        el.classList.add(c);
      }
      for (const c of classesToRemove) {
        el.classList.remove(c);
      }
      if (attributeToChange) {
        el.setAttribute(attributeToChange.key, attributeToChange.value);
      }
      if (disableTransition) {
        window2.getComputedStyle(style).opacity;
        document.head.removeChild(style);
      }
    }
  );
  function defaultOnChanged(mode) {
    var _a;
    updateHTMLAttrs(selector, attribute, (_a = modes[mode]) != null ? _a : mode);
  }
  function onChanged(mode) {
    if (options.onChanged)
      options.onChanged(mode, defaultOnChanged);
    else
      defaultOnChanged(mode);
  }
  runtimeDom_cjs_prod.watch(state, onChanged, { flush: "post", immediate: true });
  tryOnMounted(() => onChanged(state.value));
  const auto = runtimeDom_cjs_prod.computed({
    get() {
      return emitAuto ? store.value : state.value;
    },
    set(v) {
      store.value = v;
    }
  });
  return Object.assign(auto, { store, system, state });
}
function useDark(options = {}) {
  const {
    valueDark = "dark",
    valueLight = ""
  } = options;
  const mode = useColorMode({
    ...options,
    onChanged: (mode2, defaultHandler) => {
      var _a;
      if (options.onChanged)
        (_a = options.onChanged) == null ? void 0 : _a.call(options, mode2 === "dark", defaultHandler, mode2);
      else
        defaultHandler(mode2);
    },
    modes: {
      dark: valueDark,
      light: valueLight
    }
  });
  const system = runtimeDom_cjs_prod.computed(() => mode.system.value);
  const isDark = runtimeDom_cjs_prod.computed({
    get() {
      return mode.value === "dark";
    },
    set(v) {
      const modeVal = v ? "dark" : "light";
      if (system.value === modeVal)
        mode.value = "auto";
      else
        mode.value = modeVal;
    }
  });
  return isDark;
}
function resolveElement(el) {
  if (typeof Window !== "undefined" && el instanceof Window)
    return el.document.documentElement;
  if (typeof Document !== "undefined" && el instanceof Document)
    return el.documentElement;
  return el;
}
const ARRIVED_STATE_THRESHOLD_PIXELS = 1;
function useScroll(element, options = {}) {
  const {
    throttle = 0,
    idle = 200,
    onStop = noop,
    onScroll = noop,
    offset = {
      left: 0,
      right: 0,
      top: 0,
      bottom: 0
    },
    eventListenerOptions = {
      capture: false,
      passive: true
    },
    behavior = "auto",
    window: window2 = defaultWindow,
    onError = (e) => {
      console.error(e);
    }
  } = options;
  const internalX = runtimeDom_cjs_prod.shallowRef(0);
  const internalY = runtimeDom_cjs_prod.shallowRef(0);
  const x = runtimeDom_cjs_prod.computed({
    get() {
      return internalX.value;
    },
    set(x2) {
      scrollTo2(x2, void 0);
    }
  });
  const y = runtimeDom_cjs_prod.computed({
    get() {
      return internalY.value;
    },
    set(y2) {
      scrollTo2(void 0, y2);
    }
  });
  function scrollTo2(_x, _y) {
    var _a, _b, _c, _d;
    if (!window2)
      return;
    const _element = runtimeDom_cjs_prod.toValue(element);
    if (!_element)
      return;
    (_c = _element instanceof Document ? window2.document.body : _element) == null ? void 0 : _c.scrollTo({
      top: (_a = runtimeDom_cjs_prod.toValue(_y)) != null ? _a : y.value,
      left: (_b = runtimeDom_cjs_prod.toValue(_x)) != null ? _b : x.value,
      behavior: runtimeDom_cjs_prod.toValue(behavior)
    });
    const scrollContainer = ((_d = _element == null ? void 0 : _element.document) == null ? void 0 : _d.documentElement) || (_element == null ? void 0 : _element.documentElement) || _element;
    if (x != null)
      internalX.value = scrollContainer.scrollLeft;
    if (y != null)
      internalY.value = scrollContainer.scrollTop;
  }
  const isScrolling = runtimeDom_cjs_prod.shallowRef(false);
  const arrivedState = runtimeDom_cjs_prod.reactive({
    left: true,
    right: false,
    top: true,
    bottom: false
  });
  const directions = runtimeDom_cjs_prod.reactive({
    left: false,
    right: false,
    top: false,
    bottom: false
  });
  const onScrollEnd = (e) => {
    if (!isScrolling.value)
      return;
    isScrolling.value = false;
    directions.left = false;
    directions.right = false;
    directions.top = false;
    directions.bottom = false;
    onStop(e);
  };
  const onScrollEndDebounced = useDebounceFn(onScrollEnd, throttle + idle);
  const setArrivedState = (target) => {
    var _a;
    if (!window2)
      return;
    const el = ((_a = target == null ? void 0 : target.document) == null ? void 0 : _a.documentElement) || (target == null ? void 0 : target.documentElement) || unrefElement(target);
    const { display, flexDirection, direction } = getComputedStyle(el);
    const directionMultipler = direction === "rtl" ? -1 : 1;
    const scrollLeft = el.scrollLeft;
    directions.left = scrollLeft < internalX.value;
    directions.right = scrollLeft > internalX.value;
    const left = Math.abs(scrollLeft * directionMultipler) <= (offset.left || 0);
    const right = Math.abs(scrollLeft * directionMultipler) + el.clientWidth >= el.scrollWidth - (offset.right || 0) - ARRIVED_STATE_THRESHOLD_PIXELS;
    if (display === "flex" && flexDirection === "row-reverse") {
      arrivedState.left = right;
      arrivedState.right = left;
    } else {
      arrivedState.left = left;
      arrivedState.right = right;
    }
    internalX.value = scrollLeft;
    let scrollTop = el.scrollTop;
    if (target === window2.document && !scrollTop)
      scrollTop = window2.document.body.scrollTop;
    directions.top = scrollTop < internalY.value;
    directions.bottom = scrollTop > internalY.value;
    const top = Math.abs(scrollTop) <= (offset.top || 0);
    const bottom = Math.abs(scrollTop) + el.clientHeight >= el.scrollHeight - (offset.bottom || 0) - ARRIVED_STATE_THRESHOLD_PIXELS;
    if (display === "flex" && flexDirection === "column-reverse") {
      arrivedState.top = bottom;
      arrivedState.bottom = top;
    } else {
      arrivedState.top = top;
      arrivedState.bottom = bottom;
    }
    internalY.value = scrollTop;
  };
  const onScrollHandler = (e) => {
    var _a;
    if (!window2)
      return;
    const eventTarget = (_a = e.target.documentElement) != null ? _a : e.target;
    setArrivedState(eventTarget);
    isScrolling.value = true;
    onScrollEndDebounced(e);
    onScroll(e);
  };
  useEventListener(
    element,
    "scroll",
    throttle ? useThrottleFn(onScrollHandler, throttle, true, false) : onScrollHandler,
    eventListenerOptions
  );
  tryOnMounted(() => {
    try {
      const _element = runtimeDom_cjs_prod.toValue(element);
      if (!_element)
        return;
      setArrivedState(_element);
    } catch (e) {
      onError(e);
    }
  });
  useEventListener(
    element,
    "scrollend",
    onScrollEnd,
    eventListenerOptions
  );
  return {
    x,
    y,
    isScrolling,
    arrivedState,
    directions,
    measure() {
      const _element = runtimeDom_cjs_prod.toValue(element);
      if (window2 && _element)
        setArrivedState(_element);
    }
  };
}
function useLocalStorage(key, initialValue, options = {}) {
  const { window: window2 = defaultWindow } = options;
  return useStorage(key, initialValue, window2 == null ? void 0 : window2.localStorage, options);
}
function checkOverflowScroll(ele) {
  const style = window.getComputedStyle(ele);
  if (style.overflowX === "scroll" || style.overflowY === "scroll" || style.overflowX === "auto" && ele.clientWidth < ele.scrollWidth || style.overflowY === "auto" && ele.clientHeight < ele.scrollHeight) {
    return true;
  } else {
    const parent = ele.parentNode;
    if (!parent || parent.tagName === "BODY")
      return false;
    return checkOverflowScroll(parent);
  }
}
function preventDefault(rawEvent) {
  const e = rawEvent || window.event;
  const _target = e.target;
  if (checkOverflowScroll(_target))
    return false;
  if (e.touches.length > 1)
    return true;
  if (e.preventDefault)
    e.preventDefault();
  return false;
}
const elInitialOverflow = /* @__PURE__ */ new WeakMap();
function useScrollLock(element, initialState = false) {
  const isLocked = runtimeDom_cjs_prod.shallowRef(initialState);
  let stopTouchMoveListener = null;
  let initialOverflow = "";
  runtimeDom_cjs_prod.watch(toRef(element), (el) => {
    const target = resolveElement(runtimeDom_cjs_prod.toValue(el));
    if (target) {
      const ele = target;
      if (!elInitialOverflow.get(ele))
        elInitialOverflow.set(ele, ele.style.overflow);
      if (ele.style.overflow !== "hidden")
        initialOverflow = ele.style.overflow;
      if (ele.style.overflow === "hidden")
        return isLocked.value = true;
      if (isLocked.value)
        return ele.style.overflow = "hidden";
    }
  }, {
    immediate: true
  });
  const lock = () => {
    const el = resolveElement(runtimeDom_cjs_prod.toValue(element));
    if (!el || isLocked.value)
      return;
    if (isIOS) {
      stopTouchMoveListener = useEventListener(
        el,
        "touchmove",
        (e) => {
          preventDefault(e);
        },
        { passive: false }
      );
    }
    el.style.overflow = "hidden";
    isLocked.value = true;
  };
  const unlock = () => {
    const el = resolveElement(runtimeDom_cjs_prod.toValue(element));
    if (!el || !isLocked.value)
      return;
    if (isIOS)
      stopTouchMoveListener == null ? void 0 : stopTouchMoveListener();
    el.style.overflow = initialOverflow;
    elInitialOverflow.delete(el);
    isLocked.value = false;
  };
  tryOnScopeDispose(unlock);
  return runtimeDom_cjs_prod.computed({
    get() {
      return isLocked.value;
    },
    set(v) {
      if (v)
        lock();
      else unlock();
    }
  });
}
function useSessionStorage(key, initialValue, options = {}) {
  const { window: window2 = defaultWindow } = options;
  return useStorage(key, initialValue, window2 == null ? void 0 : window2.sessionStorage, options);
}
function useWindowScroll(options = {}) {
  const { window: window2 = defaultWindow, ...rest } = options;
  return useScroll(window2, rest);
}
function useWindowSize(options = {}) {
  const {
    window: window2 = defaultWindow,
    initialWidth = Number.POSITIVE_INFINITY,
    initialHeight = Number.POSITIVE_INFINITY,
    listenOrientation = true,
    includeScrollbar = true,
    type = "inner"
  } = options;
  const width = runtimeDom_cjs_prod.shallowRef(initialWidth);
  const height = runtimeDom_cjs_prod.shallowRef(initialHeight);
  const update = () => {
    if (window2) {
      if (type === "outer") {
        width.value = window2.outerWidth;
        height.value = window2.outerHeight;
      } else if (type === "visual" && window2.visualViewport) {
        const { width: visualViewportWidth, height: visualViewportHeight, scale } = window2.visualViewport;
        width.value = Math.round(visualViewportWidth * scale);
        height.value = Math.round(visualViewportHeight * scale);
      } else if (includeScrollbar) {
        width.value = window2.innerWidth;
        height.value = window2.innerHeight;
      } else {
        width.value = window2.document.documentElement.clientWidth;
        height.value = window2.document.documentElement.clientHeight;
      }
    }
  };
  update();
  tryOnMounted(update);
  const listenerOptions = { passive: true };
  useEventListener("resize", update, listenerOptions);
  if (window2 && type === "visual" && window2.visualViewport) {
    useEventListener(window2.visualViewport, "resize", update, listenerOptions);
  }
  if (listenOrientation) {
    const matches = useMediaQuery("(orientation: portrait)");
    runtimeDom_cjs_prod.watch(matches, () => update());
  }
  return { width, height };
}
const __vite_import_meta_env__ = {};
const EXTERNAL_URL_RE = /^(?:[a-z]+:|\/\/)/i;
const APPEARANCE_KEY = "vitepress-theme-appearance";
const HASH_RE = /#.*$/;
const HASH_OR_QUERY_RE = /[?#].*$/;
const INDEX_OR_EXT_RE = /(?:(^|\/)index)?\.(?:md|html)$/;
const inBrowser = typeof document !== "undefined";
const notFoundPageData = {
  relativePath: "404.md",
  filePath: "",
  title: "404",
  description: "Not Found",
  headers: [],
  frontmatter: { sidebar: false, layout: "page" },
  lastUpdated: 0,
  isNotFound: true
};
function isActive(currentPath, matchPath, asRegex = false) {
  if (matchPath === void 0) {
    return false;
  }
  currentPath = normalize(`/${currentPath}`);
  if (asRegex) {
    return new RegExp(matchPath).test(currentPath);
  }
  if (normalize(matchPath) !== currentPath) {
    return false;
  }
  const hashMatch = matchPath.match(HASH_RE);
  if (hashMatch) {
    return (inBrowser ? location.hash : "") === hashMatch[0];
  }
  return true;
}
function normalize(path) {
  return decodeURI(path).replace(HASH_OR_QUERY_RE, "").replace(INDEX_OR_EXT_RE, "$1");
}
function isExternal(path) {
  return EXTERNAL_URL_RE.test(path);
}
function getLocaleForPath(siteData2, relativePath) {
  return Object.keys((siteData2 == null ? void 0 : siteData2.locales) || {}).find((key) => key !== "root" && !isExternal(key) && isActive(relativePath, `/${key}/`, true)) || "root";
}
function resolveSiteDataByRoute(siteData2, relativePath) {
  var _a, _b, _c, _d, _e, _f, _g;
  const localeIndex = getLocaleForPath(siteData2, relativePath);
  return Object.assign({}, siteData2, {
    localeIndex,
    lang: ((_a = siteData2.locales[localeIndex]) == null ? void 0 : _a.lang) ?? siteData2.lang,
    dir: ((_b = siteData2.locales[localeIndex]) == null ? void 0 : _b.dir) ?? siteData2.dir,
    title: ((_c = siteData2.locales[localeIndex]) == null ? void 0 : _c.title) ?? siteData2.title,
    titleTemplate: ((_d = siteData2.locales[localeIndex]) == null ? void 0 : _d.titleTemplate) ?? siteData2.titleTemplate,
    description: ((_e = siteData2.locales[localeIndex]) == null ? void 0 : _e.description) ?? siteData2.description,
    head: mergeHead(siteData2.head, ((_f = siteData2.locales[localeIndex]) == null ? void 0 : _f.head) ?? []),
    themeConfig: {
      ...siteData2.themeConfig,
      ...(_g = siteData2.locales[localeIndex]) == null ? void 0 : _g.themeConfig
    }
  });
}
function createTitle(siteData2, pageData) {
  const title = pageData.title || siteData2.title;
  const template = pageData.titleTemplate ?? siteData2.titleTemplate;
  if (typeof template === "string" && template.includes(":title")) {
    return template.replace(/:title/g, title);
  }
  const templateString = createTitleTemplate(siteData2.title, template);
  if (title === templateString.slice(3)) {
    return title;
  }
  return `${title}${templateString}`;
}
function createTitleTemplate(siteTitle, template) {
  if (template === false) {
    return "";
  }
  if (template === true || template === void 0) {
    return ` | ${siteTitle}`;
  }
  if (siteTitle === template) {
    return "";
  }
  return ` | ${template}`;
}
function hasTag(head, tag) {
  const [tagType, tagAttrs] = tag;
  if (tagType !== "meta")
    return false;
  const keyAttr = Object.entries(tagAttrs)[0];
  if (keyAttr == null)
    return false;
  return head.some(([type, attrs]) => type === tagType && attrs[keyAttr[0]] === keyAttr[1]);
}
function mergeHead(prev, curr) {
  return [...prev.filter((tagAttrs) => !hasTag(curr, tagAttrs)), ...curr];
}
const INVALID_CHAR_REGEX = /[\u0000-\u001F"#$&*+,:;<=>?[\]^`{|}\u007F]/g;
const DRIVE_LETTER_REGEX = /^[a-z]:/i;
function sanitizeFileName(name) {
  const match = DRIVE_LETTER_REGEX.exec(name);
  const driveLetter = match ? match[0] : "";
  return driveLetter + name.slice(driveLetter.length).replace(INVALID_CHAR_REGEX, "_").replace(/(^|\/)_+(?=[^/]*$)/, "$1");
}
const KNOWN_EXTENSIONS = /* @__PURE__ */ new Set();
function treatAsHtml(filename) {
  var _a;
  if (KNOWN_EXTENSIONS.size === 0) {
    const extraExts = typeof process === "object" && ((_a = process.env) == null ? void 0 : _a.VITE_EXTRA_EXTENSIONS) || (__vite_import_meta_env__ == null ? void 0 : __vite_import_meta_env__.VITE_EXTRA_EXTENSIONS) || "";
    ("3g2,3gp,aac,ai,apng,au,avif,bin,bmp,cer,class,conf,crl,css,csv,dll,doc,eps,epub,exe,gif,gz,ics,ief,jar,jpe,jpeg,jpg,js,json,jsonld,m4a,man,mid,midi,mjs,mov,mp2,mp3,mp4,mpe,mpeg,mpg,mpp,oga,ogg,ogv,ogx,opus,otf,p10,p7c,p7m,p7s,pdf,png,ps,qt,roff,rtf,rtx,ser,svg,t,tif,tiff,tr,ts,tsv,ttf,txt,vtt,wav,weba,webm,webp,woff,woff2,xhtml,xml,yaml,yml,zip" + (extraExts && typeof extraExts === "string" ? "," + extraExts : "")).split(",").forEach((ext2) => KNOWN_EXTENSIONS.add(ext2));
  }
  const ext = filename.split(".").pop();
  return ext == null || !KNOWN_EXTENSIONS.has(ext.toLowerCase());
}
function escapeRegExp(str) {
  return str.replace(/[|\\{}()[\]^$+*?.]/g, "\\$&").replace(/-/g, "\\x2d");
}
const dataSymbol = Symbol();
const siteDataRef = runtimeDom_cjs_prod.shallowRef(siteData);
function initData(route) {
  const site = runtimeDom_cjs_prod.computed(() => resolveSiteDataByRoute(siteDataRef.value, route.data.relativePath));
  const appearance = site.value.appearance;
  const isDark = appearance === "force-dark" ? runtimeDom_cjs_prod.ref(true) : appearance === "force-auto" ? usePreferredDark() : appearance ? useDark({
    storageKey: APPEARANCE_KEY,
    initialValue: () => appearance === "dark" ? "dark" : "auto",
    ...typeof appearance === "object" ? appearance : {}
  }) : runtimeDom_cjs_prod.ref(false);
  const hashRef = runtimeDom_cjs_prod.ref(inBrowser ? location.hash : "");
  if (inBrowser) {
    window.addEventListener("hashchange", () => {
      hashRef.value = location.hash;
    });
  }
  runtimeDom_cjs_prod.watch(() => route.data, () => {
    hashRef.value = inBrowser ? location.hash : "";
  });
  return {
    site,
    theme: runtimeDom_cjs_prod.computed(() => site.value.themeConfig),
    page: runtimeDom_cjs_prod.computed(() => route.data),
    frontmatter: runtimeDom_cjs_prod.computed(() => route.data.frontmatter),
    params: runtimeDom_cjs_prod.computed(() => route.data.params),
    lang: runtimeDom_cjs_prod.computed(() => site.value.lang),
    dir: runtimeDom_cjs_prod.computed(() => route.data.frontmatter.dir || site.value.dir),
    localeIndex: runtimeDom_cjs_prod.computed(() => site.value.localeIndex || "root"),
    title: runtimeDom_cjs_prod.computed(() => createTitle(site.value, route.data)),
    description: runtimeDom_cjs_prod.computed(() => route.data.description || site.value.description),
    isDark,
    hash: runtimeDom_cjs_prod.computed(() => hashRef.value)
  };
}
function useData$1() {
  const data = runtimeDom_cjs_prod.inject(dataSymbol);
  if (!data) {
    throw new Error("vitepress data not properly injected in app");
  }
  return data;
}
function joinPath(base, path) {
  return `${base}${path}`.replace(/\/+/g, "/");
}
function withBase(path) {
  return EXTERNAL_URL_RE.test(path) || !path.startsWith("/") ? path : joinPath(siteDataRef.value.base, path);
}
function pathToFile(path) {
  let pagePath = path.replace(/\.html$/, "");
  pagePath = decodeURIComponent(pagePath);
  pagePath = pagePath.replace(/\/$/, "/index");
  {
    if (inBrowser) {
      const base = "/";
      pagePath = sanitizeFileName(pagePath.slice(base.length).replace(/\//g, "_") || "index") + ".md";
      let pageHash = __VP_HASH_MAP__[pagePath.toLowerCase()];
      if (!pageHash) {
        pagePath = pagePath.endsWith("_index.md") ? pagePath.slice(0, -9) + ".md" : pagePath.slice(0, -3) + "_index.md";
        pageHash = __VP_HASH_MAP__[pagePath.toLowerCase()];
      }
      if (!pageHash)
        return null;
      pagePath = `${base}${"assets"}/${pagePath}.${pageHash}.js`;
    } else {
      pagePath = `./${sanitizeFileName(pagePath.slice(1).replace(/\//g, "_"))}.md.js`;
    }
  }
  return pagePath;
}
let contentUpdatedCallbacks = [];
function onContentUpdated(fn) {
  contentUpdatedCallbacks.push(fn);
  runtimeDom_cjs_prod.onUnmounted(() => {
    contentUpdatedCallbacks = contentUpdatedCallbacks.filter((f) => f !== fn);
  });
}
function getScrollOffset() {
  let scrollOffset = siteDataRef.value.scrollOffset;
  let offset = 0;
  let padding = 24;
  if (typeof scrollOffset === "object" && "padding" in scrollOffset) {
    padding = scrollOffset.padding;
    scrollOffset = scrollOffset.selector;
  }
  if (typeof scrollOffset === "number") {
    offset = scrollOffset;
  } else if (typeof scrollOffset === "string") {
    offset = tryOffsetSelector(scrollOffset, padding);
  } else if (Array.isArray(scrollOffset)) {
    for (const selector of scrollOffset) {
      const res = tryOffsetSelector(selector, padding);
      if (res) {
        offset = res;
        break;
      }
    }
  }
  return offset;
}
function tryOffsetSelector(selector, padding) {
  const el = document.querySelector(selector);
  if (!el)
    return 0;
  const bot = el.getBoundingClientRect().bottom;
  if (bot < 0)
    return 0;
  return bot + padding;
}
const RouterSymbol = Symbol();
const fakeHost = "http://a.com";
const getDefaultRoute = () => ({
  path: "/",
  component: null,
  data: notFoundPageData
});
function createRouter(loadPageModule, fallbackComponent) {
  const route = runtimeDom_cjs_prod.reactive(getDefaultRoute());
  const router = {
    route,
    go
  };
  async function go(href = inBrowser ? location.href : "/") {
    var _a, _b;
    href = normalizeHref(href);
    if (await ((_a = router.onBeforeRouteChange) == null ? void 0 : _a.call(router, href)) === false)
      return;
    if (inBrowser && href !== normalizeHref(location.href)) {
      history.replaceState({ scrollPosition: window.scrollY }, "");
      history.pushState({}, "", href);
    }
    await loadPage(href);
    await ((_b = router.onAfterRouteChange ?? router.onAfterRouteChanged) == null ? void 0 : _b(href));
  }
  let latestPendingPath = null;
  async function loadPage(href, scrollPosition = 0, isRetry = false) {
    var _a, _b;
    if (await ((_a = router.onBeforePageLoad) == null ? void 0 : _a.call(router, href)) === false)
      return;
    const targetLoc = new URL(href, fakeHost);
    const pendingPath = latestPendingPath = targetLoc.pathname;
    try {
      let page = await loadPageModule(pendingPath);
      if (!page) {
        throw new Error(`Page not found: ${pendingPath}`);
      }
      if (latestPendingPath === pendingPath) {
        latestPendingPath = null;
        const { default: comp, __pageData } = page;
        if (!comp) {
          throw new Error(`Invalid route component: ${comp}`);
        }
        await ((_b = router.onAfterPageLoad) == null ? void 0 : _b.call(router, href));
        route.path = inBrowser ? pendingPath : withBase(pendingPath);
        route.component = runtimeDom_cjs_prod.markRaw(comp);
        route.data = true ? runtimeDom_cjs_prod.markRaw(__pageData) : runtimeDom_cjs_prod.readonly(__pageData);
        if (inBrowser) {
          runtimeDom_cjs_prod.nextTick(() => {
            let actualPathname = siteDataRef.value.base + __pageData.relativePath.replace(/(?:(^|\/)index)?\.md$/, "$1");
            if (!siteDataRef.value.cleanUrls && !actualPathname.endsWith("/")) {
              actualPathname += ".html";
            }
            if (actualPathname !== targetLoc.pathname) {
              targetLoc.pathname = actualPathname;
              href = actualPathname + targetLoc.search + targetLoc.hash;
              history.replaceState({}, "", href);
            }
            if (targetLoc.hash && !scrollPosition) {
              let target = null;
              try {
                target = document.getElementById(decodeURIComponent(targetLoc.hash).slice(1));
              } catch (e) {
                console.warn(e);
              }
              if (target) {
                scrollTo(target, targetLoc.hash);
                return;
              }
            }
            window.scrollTo(0, scrollPosition);
          });
        }
      }
    } catch (err) {
      if (!/fetch|Page not found/.test(err.message) && !/^\/404(\.html|\/)?$/.test(href)) {
        console.error(err);
      }
      if (!isRetry) {
        try {
          const res = await fetch(siteDataRef.value.base + "hashmap.json");
          window.__VP_HASH_MAP__ = await res.json();
          await loadPage(href, scrollPosition, true);
          return;
        } catch (e) {
        }
      }
      if (latestPendingPath === pendingPath) {
        latestPendingPath = null;
        route.path = inBrowser ? pendingPath : withBase(pendingPath);
        route.component = fallbackComponent ? runtimeDom_cjs_prod.markRaw(fallbackComponent) : null;
        const relativePath = inBrowser ? pendingPath.replace(/(^|\/)$/, "$1index").replace(/(\.html)?$/, ".md").replace(/^\//, "") : "404.md";
        route.data = { ...notFoundPageData, relativePath };
      }
    }
  }
  if (inBrowser) {
    if (history.state === null) {
      history.replaceState({}, "");
    }
    window.addEventListener("click", (e) => {
      if (e.defaultPrevented || !(e.target instanceof Element) || e.target.closest("button") || // temporary fix for docsearch action buttons
      e.button !== 0 || e.ctrlKey || e.shiftKey || e.altKey || e.metaKey)
        return;
      const link2 = e.target.closest("a");
      if (!link2 || link2.closest(".vp-raw") || link2.hasAttribute("download") || link2.hasAttribute("target"))
        return;
      const linkHref = link2.getAttribute("href") ?? (link2 instanceof SVGAElement ? link2.getAttribute("xlink:href") : null);
      if (linkHref == null)
        return;
      const { href, origin, pathname, hash, search } = new URL(linkHref, link2.baseURI);
      const currentUrl = new URL(location.href);
      if (origin === currentUrl.origin && treatAsHtml(pathname)) {
        e.preventDefault();
        if (pathname === currentUrl.pathname && search === currentUrl.search) {
          if (hash !== currentUrl.hash) {
            history.pushState({}, "", href);
            window.dispatchEvent(new HashChangeEvent("hashchange", {
              oldURL: currentUrl.href,
              newURL: href
            }));
          }
          if (hash) {
            scrollTo(link2, hash, link2.classList.contains("header-anchor"));
          } else {
            window.scrollTo(0, 0);
          }
        } else {
          go(href);
        }
      }
    }, { capture: true });
    window.addEventListener("popstate", async (e) => {
      var _a;
      if (e.state === null)
        return;
      const href = normalizeHref(location.href);
      await loadPage(href, e.state && e.state.scrollPosition || 0);
      await ((_a = router.onAfterRouteChange ?? router.onAfterRouteChanged) == null ? void 0 : _a(href));
    });
    window.addEventListener("hashchange", (e) => {
      e.preventDefault();
    });
  }
  return router;
}
function useRouter() {
  const router = runtimeDom_cjs_prod.inject(RouterSymbol);
  if (!router) {
    throw new Error("useRouter() is called without provider.");
  }
  return router;
}
function useRoute() {
  return useRouter().route;
}
function scrollTo(el, hash, smooth = false) {
  let target = null;
  try {
    target = el.classList.contains("header-anchor") ? el : document.getElementById(decodeURIComponent(hash).slice(1));
  } catch (e) {
    console.warn(e);
  }
  if (target) {
    let scrollToTarget = function() {
      if (!smooth || Math.abs(targetTop - window.scrollY) > window.innerHeight)
        window.scrollTo(0, targetTop);
      else
        window.scrollTo({ left: 0, top: targetTop, behavior: "smooth" });
    };
    const targetPadding = parseInt(window.getComputedStyle(target).paddingTop, 10);
    const targetTop = window.scrollY + target.getBoundingClientRect().top - getScrollOffset() + targetPadding;
    requestAnimationFrame(scrollToTarget);
  }
}
function normalizeHref(href) {
  const url = new URL(href, fakeHost);
  url.pathname = url.pathname.replace(/(^|\/)index(\.html)?$/, "$1");
  if (siteDataRef.value.cleanUrls)
    url.pathname = url.pathname.replace(/\.html$/, "");
  else if (!url.pathname.endsWith("/") && !url.pathname.endsWith(".html"))
    url.pathname += ".html";
  return url.pathname + url.search + url.hash;
}
const runCbs = () => contentUpdatedCallbacks.forEach((fn) => fn());
const Content = runtimeDom_cjs_prod.defineComponent({
  name: "VitePressContent",
  props: {
    as: { type: [Object, String], default: "div" }
  },
  setup(props) {
    const route = useRoute();
    const { frontmatter, site } = useData$1();
    runtimeDom_cjs_prod.watch(frontmatter, runCbs, { deep: true, flush: "post" });
    return () => runtimeDom_cjs_prod.h(props.as, site.value.contentProps ?? { style: { position: "relative" } }, [
      route.component ? runtimeDom_cjs_prod.h(route.component, {
        onVnodeMounted: runCbs,
        onVnodeUpdated: runCbs,
        onVnodeUnmounted: runCbs
      }) : "404 Page Not Found"
    ]);
  }
});
const _sfc_main$13 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPBackdrop",
  __ssrInlineRender: true,
  props: {
    show: { type: Boolean }
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      if (__props.show) {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPBackdrop" }, _attrs))} data-v-d1381e56></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$13 = _sfc_main$13.setup;
_sfc_main$13.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPBackdrop.vue");
  return _sfc_setup$13 ? _sfc_setup$13(props, ctx) : void 0;
};
const VPBackdrop = /* @__PURE__ */ _export_sfc(_sfc_main$13, [["__scopeId", "data-v-d1381e56"]]);
const useData = useData$1;
function throttleAndDebounce(fn, delay) {
  let timeoutId;
  let called = false;
  return () => {
    if (timeoutId)
      clearTimeout(timeoutId);
    if (!called) {
      fn();
      (called = true) && setTimeout(() => called = false, delay);
    } else
      timeoutId = setTimeout(fn, delay);
  };
}
function ensureStartingSlash(path) {
  return path.startsWith("/") ? path : `/${path}`;
}
function normalizeLink$1(url) {
  const { pathname, search, hash, protocol } = new URL(url, "http://a.com");
  if (isExternal(url) || url.startsWith("#") || !protocol.startsWith("http") || !treatAsHtml(pathname))
    return url;
  const { site } = useData();
  const normalizedPath = pathname.endsWith("/") || pathname.endsWith(".html") ? url : url.replace(/(?:(^\.+)\/)?.*$/, `$1${pathname.replace(/(\.md)?$/, site.value.cleanUrls ? "" : ".html")}${search}${hash}`);
  return withBase(normalizedPath);
}
function useLangs({ correspondingLink = false } = {}) {
  const { site, localeIndex, page, theme: theme2, hash } = useData();
  const currentLang = runtimeDom_cjs_prod.computed(() => {
    var _a, _b;
    return {
      label: (_a = site.value.locales[localeIndex.value]) == null ? void 0 : _a.label,
      link: ((_b = site.value.locales[localeIndex.value]) == null ? void 0 : _b.link) || (localeIndex.value === "root" ? "/" : `/${localeIndex.value}/`)
    };
  });
  const localeLinks = runtimeDom_cjs_prod.computed(() => Object.entries(site.value.locales).flatMap(([key, value]) => currentLang.value.label === value.label ? [] : {
    text: value.label,
    link: normalizeLink(value.link || (key === "root" ? "/" : `/${key}/`), theme2.value.i18nRouting !== false && correspondingLink, page.value.relativePath.slice(currentLang.value.link.length - 1), !site.value.cleanUrls) + hash.value
  }));
  return { localeLinks, currentLang };
}
function normalizeLink(link2, addPath, path, addExt) {
  return addPath ? link2.replace(/\/$/, "") + ensureStartingSlash(path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, addExt ? ".html" : "")) : link2;
}
const _sfc_main$12 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "NotFound",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const { currentLang } = useLangs();
    return (_ctx, _push, _parent, _attrs) => {
      var _a, _b, _c, _d, _e;
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "NotFound" }, _attrs))} data-v-8efb422c><p class="code" data-v-8efb422c>${ssrInterpolate_1(((_a = runtimeDom_cjs_prod.unref(theme2).notFound) == null ? void 0 : _a.code) ?? "404")}</p><h1 class="title" data-v-8efb422c>${ssrInterpolate_1(((_b = runtimeDom_cjs_prod.unref(theme2).notFound) == null ? void 0 : _b.title) ?? "PAGE NOT FOUND")}</h1><div class="divider" data-v-8efb422c></div><blockquote class="quote" data-v-8efb422c>${ssrInterpolate_1(((_c = runtimeDom_cjs_prod.unref(theme2).notFound) == null ? void 0 : _c.quote) ?? "But if you don't change your direction, and if you keep looking, you may end up where you are heading.")}</blockquote><div class="action" data-v-8efb422c><a class="link"${ssrRenderAttr_1("href", runtimeDom_cjs_prod.unref(withBase)(runtimeDom_cjs_prod.unref(currentLang).link))}${ssrRenderAttr_1("aria-label", ((_d = runtimeDom_cjs_prod.unref(theme2).notFound) == null ? void 0 : _d.linkLabel) ?? "go to home")} data-v-8efb422c>${ssrInterpolate_1(((_e = runtimeDom_cjs_prod.unref(theme2).notFound) == null ? void 0 : _e.linkText) ?? "Take me home")}</a></div></div>`);
    };
  }
});
const _sfc_setup$12 = _sfc_main$12.setup;
_sfc_main$12.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/NotFound.vue");
  return _sfc_setup$12 ? _sfc_setup$12(props, ctx) : void 0;
};
const NotFound = /* @__PURE__ */ _export_sfc(_sfc_main$12, [["__scopeId", "data-v-8efb422c"]]);
function getSidebar(_sidebar, path) {
  if (Array.isArray(_sidebar))
    return addBase(_sidebar);
  if (_sidebar == null)
    return [];
  path = ensureStartingSlash(path);
  const dir = Object.keys(_sidebar).sort((a, b) => {
    return b.split("/").length - a.split("/").length;
  }).find((dir2) => {
    return path.startsWith(ensureStartingSlash(dir2));
  });
  const sidebar = dir ? _sidebar[dir] : [];
  return Array.isArray(sidebar) ? addBase(sidebar) : addBase(sidebar.items, sidebar.base);
}
function getSidebarGroups(sidebar) {
  const groups = [];
  let lastGroupIndex = 0;
  for (const index in sidebar) {
    const item = sidebar[index];
    if (item.items) {
      lastGroupIndex = groups.push(item);
      continue;
    }
    if (!groups[lastGroupIndex]) {
      groups.push({ items: [] });
    }
    groups[lastGroupIndex].items.push(item);
  }
  return groups;
}
function getFlatSideBarLinks(sidebar) {
  const links = [];
  function recursivelyExtractLinks(items) {
    for (const item of items) {
      if (item.text && item.link) {
        links.push({
          text: item.text,
          link: item.link,
          docFooterText: item.docFooterText
        });
      }
      if (item.items) {
        recursivelyExtractLinks(item.items);
      }
    }
  }
  recursivelyExtractLinks(sidebar);
  return links;
}
function hasActiveLink(path, items) {
  if (Array.isArray(items)) {
    return items.some((item) => hasActiveLink(path, item));
  }
  return isActive(path, items.link) ? true : items.items ? hasActiveLink(path, items.items) : false;
}
function addBase(items, _base) {
  return [...items].map((_item) => {
    const item = { ..._item };
    const base = item.base || _base;
    if (base && item.link)
      item.link = base + item.link;
    if (item.items)
      item.items = addBase(item.items, base);
    return item;
  });
}
function useSidebar() {
  const { frontmatter, page, theme: theme2 } = useData();
  const is960 = useMediaQuery("(min-width: 960px)");
  const isOpen = runtimeDom_cjs_prod.ref(false);
  const _sidebar = runtimeDom_cjs_prod.computed(() => {
    const sidebarConfig = theme2.value.sidebar;
    const relativePath = page.value.relativePath;
    return sidebarConfig ? getSidebar(sidebarConfig, relativePath) : [];
  });
  const sidebar = runtimeDom_cjs_prod.ref(_sidebar.value);
  runtimeDom_cjs_prod.watch(_sidebar, (next, prev) => {
    if (JSON.stringify(next) !== JSON.stringify(prev))
      sidebar.value = _sidebar.value;
  });
  const hasSidebar = runtimeDom_cjs_prod.computed(() => {
    return frontmatter.value.sidebar !== false && sidebar.value.length > 0 && frontmatter.value.layout !== "home";
  });
  const leftAside = runtimeDom_cjs_prod.computed(() => {
    if (hasAside)
      return frontmatter.value.aside == null ? theme2.value.aside === "left" : frontmatter.value.aside === "left";
    return false;
  });
  const hasAside = runtimeDom_cjs_prod.computed(() => {
    if (frontmatter.value.layout === "home")
      return false;
    if (frontmatter.value.aside != null)
      return !!frontmatter.value.aside;
    return theme2.value.aside !== false;
  });
  const isSidebarEnabled = runtimeDom_cjs_prod.computed(() => hasSidebar.value && is960.value);
  const sidebarGroups = runtimeDom_cjs_prod.computed(() => {
    return hasSidebar.value ? getSidebarGroups(sidebar.value) : [];
  });
  function open() {
    isOpen.value = true;
  }
  function close() {
    isOpen.value = false;
  }
  function toggle() {
    isOpen.value ? close() : open();
  }
  return {
    isOpen,
    sidebar,
    sidebarGroups,
    hasSidebar,
    hasAside,
    leftAside,
    isSidebarEnabled,
    open,
    close,
    toggle
  };
}
function useCloseSidebarOnEscape(isOpen, close) {
  let triggerElement;
  runtimeDom_cjs_prod.watchEffect(() => {
    triggerElement = isOpen.value ? document.activeElement : void 0;
  });
  runtimeDom_cjs_prod.onMounted(() => {
    window.addEventListener("keyup", onEscape);
  });
  runtimeDom_cjs_prod.onUnmounted(() => {
    window.removeEventListener("keyup", onEscape);
  });
  function onEscape(e) {
    if (e.key === "Escape" && isOpen.value) {
      close();
      triggerElement == null ? void 0 : triggerElement.focus();
    }
  }
}
function useSidebarControl(item) {
  const { page, hash } = useData();
  const collapsed = runtimeDom_cjs_prod.ref(false);
  const collapsible = runtimeDom_cjs_prod.computed(() => {
    return item.value.collapsed != null;
  });
  const isLink = runtimeDom_cjs_prod.computed(() => {
    return !!item.value.link;
  });
  const isActiveLink = runtimeDom_cjs_prod.ref(false);
  const updateIsActiveLink = () => {
    isActiveLink.value = isActive(page.value.relativePath, item.value.link);
  };
  runtimeDom_cjs_prod.watch([page, item, hash], updateIsActiveLink);
  runtimeDom_cjs_prod.onMounted(updateIsActiveLink);
  const hasActiveLink$1 = runtimeDom_cjs_prod.computed(() => {
    if (isActiveLink.value) {
      return true;
    }
    return item.value.items ? hasActiveLink(page.value.relativePath, item.value.items) : false;
  });
  const hasChildren = runtimeDom_cjs_prod.computed(() => {
    return !!(item.value.items && item.value.items.length);
  });
  runtimeDom_cjs_prod.watchEffect(() => {
    collapsed.value = !!(collapsible.value && item.value.collapsed);
  });
  runtimeDom_cjs_prod.watchPostEffect(() => {
    (isActiveLink.value || hasActiveLink$1.value) && (collapsed.value = false);
  });
  function toggle() {
    if (collapsible.value) {
      collapsed.value = !collapsed.value;
    }
  }
  return {
    collapsed,
    collapsible,
    isLink,
    isActiveLink,
    hasActiveLink: hasActiveLink$1,
    hasChildren,
    toggle
  };
}
function useAside() {
  const { hasSidebar } = useSidebar();
  const is960 = useMediaQuery("(min-width: 960px)");
  const is1280 = useMediaQuery("(min-width: 1280px)");
  const isAsideEnabled = runtimeDom_cjs_prod.computed(() => {
    if (!is1280.value && !is960.value) {
      return false;
    }
    return hasSidebar.value ? is1280.value : is960.value;
  });
  return {
    isAsideEnabled
  };
}
const ignoreRE = /\b(?:VPBadge|header-anchor|footnote-ref|ignore-header)\b/;
const resolvedHeaders = [];
function resolveTitle(theme2) {
  return typeof theme2.outline === "object" && !Array.isArray(theme2.outline) && theme2.outline.label || theme2.outlineTitle || "On this page";
}
function getHeaders(range) {
  const headers = [
    ...document.querySelectorAll(".VPDoc :where(h1,h2,h3,h4,h5,h6)")
  ].filter((el) => el.id && el.hasChildNodes()).map((el) => {
    const level = Number(el.tagName[1]);
    return {
      element: el,
      title: serializeHeader(el),
      link: "#" + el.id,
      level
    };
  });
  return resolveHeaders(headers, range);
}
function serializeHeader(h) {
  let ret = "";
  for (const node of h.childNodes) {
    if (node.nodeType === 1) {
      if (ignoreRE.test(node.className))
        continue;
      ret += node.textContent;
    } else if (node.nodeType === 3) {
      ret += node.textContent;
    }
  }
  return ret.trim();
}
function resolveHeaders(headers, range) {
  if (range === false) {
    return [];
  }
  const levelsRange = (typeof range === "object" && !Array.isArray(range) ? range.level : range) || 2;
  const [high, low] = typeof levelsRange === "number" ? [levelsRange, levelsRange] : levelsRange === "deep" ? [2, 6] : levelsRange;
  return buildTree(headers, high, low);
}
function useActiveAnchor(container, marker) {
  const { isAsideEnabled } = useAside();
  const onScroll = throttleAndDebounce(setActiveLink, 100);
  let prevActiveLink = null;
  runtimeDom_cjs_prod.onMounted(() => {
    requestAnimationFrame(setActiveLink);
    window.addEventListener("scroll", onScroll);
  });
  runtimeDom_cjs_prod.onUpdated(() => {
    activateLink(location.hash);
  });
  runtimeDom_cjs_prod.onUnmounted(() => {
    window.removeEventListener("scroll", onScroll);
  });
  function setActiveLink() {
    if (!isAsideEnabled.value) {
      return;
    }
    const scrollY = window.scrollY;
    const innerHeight = window.innerHeight;
    const offsetHeight = document.body.offsetHeight;
    const isBottom = Math.abs(scrollY + innerHeight - offsetHeight) < 1;
    const headers = resolvedHeaders.map(({ element, link: link2 }) => ({
      link: link2,
      top: getAbsoluteTop(element)
    })).filter(({ top }) => !Number.isNaN(top)).sort((a, b) => a.top - b.top);
    if (!headers.length) {
      activateLink(null);
      return;
    }
    if (scrollY < 1) {
      activateLink(null);
      return;
    }
    if (isBottom) {
      activateLink(headers[headers.length - 1].link);
      return;
    }
    let activeLink = null;
    for (const { link: link2, top } of headers) {
      if (top > scrollY + getScrollOffset() + 4) {
        break;
      }
      activeLink = link2;
    }
    activateLink(activeLink);
  }
  function activateLink(hash) {
    if (prevActiveLink) {
      prevActiveLink.classList.remove("active");
    }
    if (hash == null) {
      prevActiveLink = null;
    } else {
      prevActiveLink = container.value.querySelector(`a[href="${decodeURIComponent(hash)}"]`);
    }
    const activeLink = prevActiveLink;
    if (activeLink) {
      activeLink.classList.add("active");
      marker.value.style.top = activeLink.offsetTop + 39 + "px";
      marker.value.style.opacity = "1";
    } else {
      marker.value.style.top = "33px";
      marker.value.style.opacity = "0";
    }
  }
}
function getAbsoluteTop(element) {
  let offsetTop = 0;
  while (element !== document.body) {
    if (element === null) {
      return NaN;
    }
    offsetTop += element.offsetTop;
    element = element.offsetParent;
  }
  return offsetTop;
}
function buildTree(data, min, max) {
  resolvedHeaders.length = 0;
  const result = [];
  const stack = [];
  data.forEach((item) => {
    const node = { ...item, children: [] };
    let parent = stack[stack.length - 1];
    while (parent && parent.level >= node.level) {
      stack.pop();
      parent = stack[stack.length - 1];
    }
    if (node.element.classList.contains("ignore-header") || parent && "shouldIgnore" in parent) {
      stack.push({ level: node.level, shouldIgnore: true });
      return;
    }
    if (node.level > max || node.level < min)
      return;
    resolvedHeaders.push({ element: node.element, link: node.link });
    if (parent)
      parent.children.push(node);
    else
      result.push(node);
    stack.push(node);
  });
  return result;
}
const _sfc_main$11 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocOutlineItem",
  __ssrInlineRender: true,
  props: {
    headers: {},
    root: { type: Boolean }
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      const _component_VPDocOutlineItem = runtimeDom_cjs_prod.resolveComponent("VPDocOutlineItem", true);
      _push(`<ul${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPDocOutlineItem", __props.root ? "root" : "nested"]
      }, _attrs))} data-v-cbcd5890><!--[-->`);
      ssrRenderList_1(__props.headers, ({ children, link: link2, title }) => {
        _push(`<li data-v-cbcd5890><a class="outline-link"${ssrRenderAttr_1("href", link2)}${ssrRenderAttr_1("title", title)} data-v-cbcd5890>${ssrInterpolate_1(title)}</a>`);
        if (children == null ? void 0 : children.length) {
          _push(ssrRenderComponent_1(_component_VPDocOutlineItem, { headers: children }, null, _parent));
        } else {
          _push(`<!---->`);
        }
        _push(`</li>`);
      });
      _push(`<!--]--></ul>`);
    };
  }
});
const _sfc_setup$11 = _sfc_main$11.setup;
_sfc_main$11.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocOutlineItem.vue");
  return _sfc_setup$11 ? _sfc_setup$11(props, ctx) : void 0;
};
const VPDocOutlineItem = /* @__PURE__ */ _export_sfc(_sfc_main$11, [["__scopeId", "data-v-cbcd5890"]]);
const _sfc_main$10 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocAsideOutline",
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter, theme: theme2 } = useData();
    const headers = runtimeDom_cjs_prod.shallowRef([]);
    onContentUpdated(() => {
      headers.value = getHeaders(frontmatter.value.outline ?? theme2.value.outline);
    });
    const container = runtimeDom_cjs_prod.ref();
    const marker = runtimeDom_cjs_prod.ref();
    useActiveAnchor(container, marker);
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<nav${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        "aria-labelledby": "doc-outline-aria-label",
        class: ["VPDocAsideOutline", { "has-outline": headers.value.length > 0 }],
        ref_key: "container",
        ref: container
      }, _attrs))} data-v-d263b1c0><div class="content" data-v-d263b1c0><div class="outline-marker" data-v-d263b1c0></div><div aria-level="2" class="outline-title" id="doc-outline-aria-label" role="heading" data-v-d263b1c0>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(resolveTitle)(runtimeDom_cjs_prod.unref(theme2)))}</div>`);
      _push(ssrRenderComponent_1(VPDocOutlineItem, {
        headers: headers.value,
        root: true
      }, null, _parent));
      _push(`</div></nav>`);
    };
  }
});
const _sfc_setup$10 = _sfc_main$10.setup;
_sfc_main$10.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocAsideOutline.vue");
  return _sfc_setup$10 ? _sfc_setup$10(props, ctx) : void 0;
};
const VPDocAsideOutline = /* @__PURE__ */ _export_sfc(_sfc_main$10, [["__scopeId", "data-v-d263b1c0"]]);
const _sfc_main$$ = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocAsideCarbonAds",
  __ssrInlineRender: true,
  props: {
    carbonAds: {}
  },
  setup(__props) {
    const VPCarbonAds = () => null;
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPDocAsideCarbonAds" }, _attrs))}>`);
      _push(ssrRenderComponent_1(runtimeDom_cjs_prod.unref(VPCarbonAds), { "carbon-ads": __props.carbonAds }, null, _parent));
      _push(`</div>`);
    };
  }
});
const _sfc_setup$$ = _sfc_main$$.setup;
_sfc_main$$.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocAsideCarbonAds.vue");
  return _sfc_setup$$ ? _sfc_setup$$(props, ctx) : void 0;
};
const _sfc_main$_ = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocAside",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPDocAside" }, _attrs))} data-v-0159aa37>`);
      ssrRenderSlot_1(_ctx.$slots, "aside-top", {}, null, _push, _parent);
      ssrRenderSlot_1(_ctx.$slots, "aside-outline-before", {}, null, _push, _parent);
      _push(ssrRenderComponent_1(VPDocAsideOutline, null, null, _parent));
      ssrRenderSlot_1(_ctx.$slots, "aside-outline-after", {}, null, _push, _parent);
      _push(`<div class="spacer" data-v-0159aa37></div>`);
      ssrRenderSlot_1(_ctx.$slots, "aside-ads-before", {}, null, _push, _parent);
      if (runtimeDom_cjs_prod.unref(theme2).carbonAds) {
        _push(ssrRenderComponent_1(_sfc_main$$, {
          "carbon-ads": runtimeDom_cjs_prod.unref(theme2).carbonAds
        }, null, _parent));
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot_1(_ctx.$slots, "aside-ads-after", {}, null, _push, _parent);
      ssrRenderSlot_1(_ctx.$slots, "aside-bottom", {}, null, _push, _parent);
      _push(`</div>`);
    };
  }
});
const _sfc_setup$_ = _sfc_main$_.setup;
_sfc_main$_.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocAside.vue");
  return _sfc_setup$_ ? _sfc_setup$_(props, ctx) : void 0;
};
const VPDocAside = /* @__PURE__ */ _export_sfc(_sfc_main$_, [["__scopeId", "data-v-0159aa37"]]);
function useEditLink() {
  const { theme: theme2, page } = useData();
  return runtimeDom_cjs_prod.computed(() => {
    const { text = "Edit this page", pattern = "" } = theme2.value.editLink || {};
    let url;
    if (typeof pattern === "function") {
      url = pattern(page.value);
    } else {
      url = pattern.replace(/:path/g, page.value.filePath);
    }
    return { url, text };
  });
}
function usePrevNext() {
  const { page, theme: theme2, frontmatter } = useData();
  return runtimeDom_cjs_prod.computed(() => {
    var _a, _b, _c, _d, _e, _f, _g, _h;
    const sidebar = getSidebar(theme2.value.sidebar, page.value.relativePath);
    const links = getFlatSideBarLinks(sidebar);
    const candidates = uniqBy(links, (link2) => link2.link.replace(/[?#].*$/, ""));
    const index = candidates.findIndex((link2) => {
      return isActive(page.value.relativePath, link2.link);
    });
    const hidePrev = ((_a = theme2.value.docFooter) == null ? void 0 : _a.prev) === false && !frontmatter.value.prev || frontmatter.value.prev === false;
    const hideNext = ((_b = theme2.value.docFooter) == null ? void 0 : _b.next) === false && !frontmatter.value.next || frontmatter.value.next === false;
    return {
      prev: hidePrev ? void 0 : {
        text: (typeof frontmatter.value.prev === "string" ? frontmatter.value.prev : typeof frontmatter.value.prev === "object" ? frontmatter.value.prev.text : void 0) ?? ((_c = candidates[index - 1]) == null ? void 0 : _c.docFooterText) ?? ((_d = candidates[index - 1]) == null ? void 0 : _d.text),
        link: (typeof frontmatter.value.prev === "object" ? frontmatter.value.prev.link : void 0) ?? ((_e = candidates[index - 1]) == null ? void 0 : _e.link)
      },
      next: hideNext ? void 0 : {
        text: (typeof frontmatter.value.next === "string" ? frontmatter.value.next : typeof frontmatter.value.next === "object" ? frontmatter.value.next.text : void 0) ?? ((_f = candidates[index + 1]) == null ? void 0 : _f.docFooterText) ?? ((_g = candidates[index + 1]) == null ? void 0 : _g.text),
        link: (typeof frontmatter.value.next === "object" ? frontmatter.value.next.link : void 0) ?? ((_h = candidates[index + 1]) == null ? void 0 : _h.link)
      }
    };
  });
}
function uniqBy(array, keyFn) {
  const seen = /* @__PURE__ */ new Set();
  return array.filter((item) => {
    const k = keyFn(item);
    return seen.has(k) ? false : seen.add(k);
  });
}
const _sfc_main$Z = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPLink",
  __ssrInlineRender: true,
  props: {
    tag: {},
    href: {},
    noIcon: { type: Boolean },
    target: {},
    rel: {}
  },
  setup(__props) {
    const props = __props;
    const tag = runtimeDom_cjs_prod.computed(() => props.tag ?? (props.href ? "a" : "span"));
    const isExternal2 = runtimeDom_cjs_prod.computed(
      () => props.href && EXTERNAL_URL_RE.test(props.href) || props.target === "_blank"
    );
    return (_ctx, _push, _parent, _attrs) => {
      ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(tag.value), runtimeDom_cjs_prod.mergeProps({
        class: ["VPLink", {
          link: __props.href,
          "vp-external-link-icon": isExternal2.value,
          "no-icon": __props.noIcon
        }],
        href: __props.href ? runtimeDom_cjs_prod.unref(normalizeLink$1)(__props.href) : void 0,
        target: __props.target ?? (isExternal2.value ? "_blank" : void 0),
        rel: __props.rel ?? (isExternal2.value ? "noreferrer" : void 0)
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "default", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "default")
            ];
          }
        }),
        _: 3
      }), _parent);
    };
  }
});
const _sfc_setup$Z = _sfc_main$Z.setup;
_sfc_main$Z.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPLink.vue");
  return _sfc_setup$Z ? _sfc_setup$Z(props, ctx) : void 0;
};
const _sfc_main$Y = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocFooterLastUpdated",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2, page, lang } = useData();
    const date = runtimeDom_cjs_prod.computed(
      () => new Date(page.value.lastUpdated)
    );
    const isoDatetime = runtimeDom_cjs_prod.computed(() => date.value.toISOString());
    const datetime = runtimeDom_cjs_prod.ref("");
    runtimeDom_cjs_prod.onMounted(() => {
      runtimeDom_cjs_prod.watchEffect(() => {
        var _a, _b, _c;
        datetime.value = new Intl.DateTimeFormat(
          ((_b = (_a = theme2.value.lastUpdated) == null ? void 0 : _a.formatOptions) == null ? void 0 : _b.forceLocale) ? lang.value : void 0,
          ((_c = theme2.value.lastUpdated) == null ? void 0 : _c.formatOptions) ?? {
            dateStyle: "short",
            timeStyle: "short"
          }
        ).format(date.value);
      });
    });
    return (_ctx, _push, _parent, _attrs) => {
      var _a;
      _push(`<p${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPLastUpdated" }, _attrs))} data-v-485f5c81>${ssrInterpolate_1(((_a = runtimeDom_cjs_prod.unref(theme2).lastUpdated) == null ? void 0 : _a.text) || runtimeDom_cjs_prod.unref(theme2).lastUpdatedText || "Last updated")}: <time${ssrRenderAttr_1("datetime", isoDatetime.value)} data-v-485f5c81>${ssrInterpolate_1(datetime.value)}</time></p>`);
    };
  }
});
const _sfc_setup$Y = _sfc_main$Y.setup;
_sfc_main$Y.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocFooterLastUpdated.vue");
  return _sfc_setup$Y ? _sfc_setup$Y(props, ctx) : void 0;
};
const VPDocFooterLastUpdated = /* @__PURE__ */ _export_sfc(_sfc_main$Y, [["__scopeId", "data-v-485f5c81"]]);
const _sfc_main$X = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocFooter",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2, page, frontmatter } = useData();
    const editLink = useEditLink();
    const control = usePrevNext();
    const hasEditLink = runtimeDom_cjs_prod.computed(
      () => theme2.value.editLink && frontmatter.value.editLink !== false
    );
    const hasLastUpdated = runtimeDom_cjs_prod.computed(() => page.value.lastUpdated);
    const showFooter = runtimeDom_cjs_prod.computed(
      () => hasEditLink.value || hasLastUpdated.value || control.value.prev || control.value.next
    );
    return (_ctx, _push, _parent, _attrs) => {
      var _a, _b, _c, _d;
      if (showFooter.value) {
        _push(`<footer${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPDocFooter" }, _attrs))} data-v-1781be21>`);
        ssrRenderSlot_1(_ctx.$slots, "doc-footer-before", {}, null, _push, _parent);
        if (hasEditLink.value || hasLastUpdated.value) {
          _push(`<div class="edit-info" data-v-1781be21>`);
          if (hasEditLink.value) {
            _push(`<div class="edit-link" data-v-1781be21>`);
            _push(ssrRenderComponent_1(_sfc_main$Z, {
              class: "edit-link-button",
              href: runtimeDom_cjs_prod.unref(editLink).url,
              "no-icon": true
            }, {
              default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  _push2(`<span class="vpi-square-pen edit-link-icon" data-v-1781be21${_scopeId}></span> ${ssrInterpolate_1(runtimeDom_cjs_prod.unref(editLink).text)}`);
                } else {
                  return [
                    runtimeDom_cjs_prod.createVNode("span", { class: "vpi-square-pen edit-link-icon" }),
                    runtimeDom_cjs_prod.createTextVNode(" " + runtimeDom_cjs_prod.toDisplayString(runtimeDom_cjs_prod.unref(editLink).text), 1)
                  ];
                }
              }),
              _: 1
            }, _parent));
            _push(`</div>`);
          } else {
            _push(`<!---->`);
          }
          if (hasLastUpdated.value) {
            _push(`<div class="last-updated" data-v-1781be21>`);
            _push(ssrRenderComponent_1(VPDocFooterLastUpdated, null, null, _parent));
            _push(`</div>`);
          } else {
            _push(`<!---->`);
          }
          _push(`</div>`);
        } else {
          _push(`<!---->`);
        }
        if (((_a = runtimeDom_cjs_prod.unref(control).prev) == null ? void 0 : _a.link) || ((_b = runtimeDom_cjs_prod.unref(control).next) == null ? void 0 : _b.link)) {
          _push(`<nav class="prev-next" aria-labelledby="doc-footer-aria-label" data-v-1781be21><span class="visually-hidden" id="doc-footer-aria-label" data-v-1781be21>Pager</span><div class="pager" data-v-1781be21>`);
          if ((_c = runtimeDom_cjs_prod.unref(control).prev) == null ? void 0 : _c.link) {
            _push(ssrRenderComponent_1(_sfc_main$Z, {
              class: "pager-link prev",
              href: runtimeDom_cjs_prod.unref(control).prev.link
            }, {
              default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
                var _a2, _b2;
                if (_push2) {
                  _push2(`<span class="desc" data-v-1781be21${_scopeId}>${(((_a2 = runtimeDom_cjs_prod.unref(theme2).docFooter) == null ? void 0 : _a2.prev) || "Previous page") ?? ""}</span><span class="title" data-v-1781be21${_scopeId}>${runtimeDom_cjs_prod.unref(control).prev.text ?? ""}</span>`);
                } else {
                  return [
                    runtimeDom_cjs_prod.createVNode("span", {
                      class: "desc",
                      innerHTML: ((_b2 = runtimeDom_cjs_prod.unref(theme2).docFooter) == null ? void 0 : _b2.prev) || "Previous page"
                    }, null, 8, ["innerHTML"]),
                    runtimeDom_cjs_prod.createVNode("span", {
                      class: "title",
                      innerHTML: runtimeDom_cjs_prod.unref(control).prev.text
                    }, null, 8, ["innerHTML"])
                  ];
                }
              }),
              _: 1
            }, _parent));
          } else {
            _push(`<!---->`);
          }
          _push(`</div><div class="pager" data-v-1781be21>`);
          if ((_d = runtimeDom_cjs_prod.unref(control).next) == null ? void 0 : _d.link) {
            _push(ssrRenderComponent_1(_sfc_main$Z, {
              class: "pager-link next",
              href: runtimeDom_cjs_prod.unref(control).next.link
            }, {
              default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
                var _a2, _b2;
                if (_push2) {
                  _push2(`<span class="desc" data-v-1781be21${_scopeId}>${(((_a2 = runtimeDom_cjs_prod.unref(theme2).docFooter) == null ? void 0 : _a2.next) || "Next page") ?? ""}</span><span class="title" data-v-1781be21${_scopeId}>${runtimeDom_cjs_prod.unref(control).next.text ?? ""}</span>`);
                } else {
                  return [
                    runtimeDom_cjs_prod.createVNode("span", {
                      class: "desc",
                      innerHTML: ((_b2 = runtimeDom_cjs_prod.unref(theme2).docFooter) == null ? void 0 : _b2.next) || "Next page"
                    }, null, 8, ["innerHTML"]),
                    runtimeDom_cjs_prod.createVNode("span", {
                      class: "title",
                      innerHTML: runtimeDom_cjs_prod.unref(control).next.text
                    }, null, 8, ["innerHTML"])
                  ];
                }
              }),
              _: 1
            }, _parent));
          } else {
            _push(`<!---->`);
          }
          _push(`</div></nav>`);
        } else {
          _push(`<!---->`);
        }
        _push(`</footer>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$X = _sfc_main$X.setup;
_sfc_main$X.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocFooter.vue");
  return _sfc_setup$X ? _sfc_setup$X(props, ctx) : void 0;
};
const VPDocFooter = /* @__PURE__ */ _export_sfc(_sfc_main$X, [["__scopeId", "data-v-1781be21"]]);
const _sfc_main$W = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDoc",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const route = useRoute();
    const { hasSidebar, hasAside, leftAside } = useSidebar();
    const pageName = runtimeDom_cjs_prod.computed(
      () => route.path.replace(/[./]+/g, "_").replace(/_html$/, "")
    );
    return (_ctx, _push, _parent, _attrs) => {
      const _component_Content = runtimeDom_cjs_prod.resolveComponent("Content");
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPDoc", { "has-sidebar": runtimeDom_cjs_prod.unref(hasSidebar), "has-aside": runtimeDom_cjs_prod.unref(hasAside) }]
      }, _attrs))} data-v-d39cc3bd>`);
      ssrRenderSlot_1(_ctx.$slots, "doc-top", {}, null, _push, _parent);
      _push(`<div class="container" data-v-d39cc3bd>`);
      if (runtimeDom_cjs_prod.unref(hasAside)) {
        _push(`<div class="${ssrRenderClass_1([{ "left-aside": runtimeDom_cjs_prod.unref(leftAside) }, "aside"])}" data-v-d39cc3bd><div class="aside-curtain" data-v-d39cc3bd></div><div class="aside-container" data-v-d39cc3bd><div class="aside-content" data-v-d39cc3bd>`);
        _push(ssrRenderComponent_1(VPDocAside, null, {
          "aside-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-top", {}, void 0, true)
              ];
            }
          }),
          "aside-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-bottom", {}, void 0, true)
              ];
            }
          }),
          "aside-outline-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-outline-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-outline-before", {}, void 0, true)
              ];
            }
          }),
          "aside-outline-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-outline-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-outline-after", {}, void 0, true)
              ];
            }
          }),
          "aside-ads-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-ads-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-ads-before", {}, void 0, true)
              ];
            }
          }),
          "aside-ads-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-ads-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-ads-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
        _push(`</div></div></div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`<div class="content" data-v-d39cc3bd><div class="content-container" data-v-d39cc3bd>`);
      ssrRenderSlot_1(_ctx.$slots, "doc-before", {}, null, _push, _parent);
      _push(`<main class="main" data-v-d39cc3bd>`);
      _push(ssrRenderComponent_1(_component_Content, {
        class: ["vp-doc", [
          pageName.value,
          runtimeDom_cjs_prod.unref(theme2).externalLinkIcon && "external-link-icon-enabled"
        ]]
      }, null, _parent));
      _push(`</main>`);
      _push(ssrRenderComponent_1(VPDocFooter, null, {
        "doc-footer-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "doc-footer-before", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-footer-before", {}, void 0, true)
            ];
          }
        }),
        _: 3
      }, _parent));
      ssrRenderSlot_1(_ctx.$slots, "doc-after", {}, null, _push, _parent);
      _push(`</div></div></div>`);
      ssrRenderSlot_1(_ctx.$slots, "doc-bottom", {}, null, _push, _parent);
      _push(`</div>`);
    };
  }
});
const _sfc_setup$W = _sfc_main$W.setup;
_sfc_main$W.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDoc.vue");
  return _sfc_setup$W ? _sfc_setup$W(props, ctx) : void 0;
};
const VPDoc = /* @__PURE__ */ _export_sfc(_sfc_main$W, [["__scopeId", "data-v-d39cc3bd"]]);
const _sfc_main$V = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPButton",
  __ssrInlineRender: true,
  props: {
    tag: {},
    size: { default: "medium" },
    theme: { default: "brand" },
    text: {},
    href: {},
    target: {},
    rel: {}
  },
  setup(__props) {
    const props = __props;
    const isExternal2 = runtimeDom_cjs_prod.computed(
      () => props.href && EXTERNAL_URL_RE.test(props.href)
    );
    const component = runtimeDom_cjs_prod.computed(() => {
      return props.tag || (props.href ? "a" : "button");
    });
    return (_ctx, _push, _parent, _attrs) => {
      ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(component.value), runtimeDom_cjs_prod.mergeProps({
        class: ["VPButton", [__props.size, __props.theme]],
        href: __props.href ? runtimeDom_cjs_prod.unref(normalizeLink$1)(__props.href) : void 0,
        target: props.target ?? (isExternal2.value ? "_blank" : void 0),
        rel: props.rel ?? (isExternal2.value ? "noreferrer" : void 0)
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`${ssrInterpolate_1(__props.text)}`);
          } else {
            return [
              runtimeDom_cjs_prod.createTextVNode(runtimeDom_cjs_prod.toDisplayString(__props.text), 1)
            ];
          }
        }),
        _: 1
      }), _parent);
    };
  }
});
const _sfc_setup$V = _sfc_main$V.setup;
_sfc_main$V.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPButton.vue");
  return _sfc_setup$V ? _sfc_setup$V(props, ctx) : void 0;
};
const VPButton = /* @__PURE__ */ _export_sfc(_sfc_main$V, [["__scopeId", "data-v-c4f6e2c9"]]);
const _sfc_main$U = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  ...{ inheritAttrs: false },
  __name: "VPImage",
  __ssrInlineRender: true,
  props: {
    image: {},
    alt: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      const _component_VPImage = runtimeDom_cjs_prod.resolveComponent("VPImage", true);
      if (__props.image) {
        _push(`<!--[-->`);
        if (typeof __props.image === "string" || "src" in __props.image) {
          _push(`<img${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPImage" }, typeof __props.image === "string" ? _ctx.$attrs : { ...__props.image, ..._ctx.$attrs }, {
            src: runtimeDom_cjs_prod.unref(withBase)(typeof __props.image === "string" ? __props.image : __props.image.src),
            alt: __props.alt ?? (typeof __props.image === "string" ? "" : __props.image.alt || "")
          }))} data-v-622b33a1>`);
        } else {
          _push(`<!--[-->`);
          _push(ssrRenderComponent_1(_component_VPImage, runtimeDom_cjs_prod.mergeProps({
            class: "dark",
            image: __props.image.dark,
            alt: __props.image.alt
          }, _ctx.$attrs), null, _parent));
          _push(ssrRenderComponent_1(_component_VPImage, runtimeDom_cjs_prod.mergeProps({
            class: "light",
            image: __props.image.light,
            alt: __props.image.alt
          }, _ctx.$attrs), null, _parent));
          _push(`<!--]-->`);
        }
        _push(`<!--]-->`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$U = _sfc_main$U.setup;
_sfc_main$U.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPImage.vue");
  return _sfc_setup$U ? _sfc_setup$U(props, ctx) : void 0;
};
const VPImage = /* @__PURE__ */ _export_sfc(_sfc_main$U, [["__scopeId", "data-v-622b33a1"]]);
const _sfc_main$T = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPHero",
  __ssrInlineRender: true,
  props: {
    name: {},
    text: {},
    tagline: {},
    image: {},
    actions: {}
  },
  setup(__props) {
    const heroImageSlotExists = runtimeDom_cjs_prod.inject("hero-image-slot-exists");
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPHero", { "has-image": __props.image || runtimeDom_cjs_prod.unref(heroImageSlotExists) }]
      }, _attrs))} data-v-c7ec3e59><div class="container" data-v-c7ec3e59><div class="main" data-v-c7ec3e59>`);
      ssrRenderSlot_1(_ctx.$slots, "home-hero-info-before", {}, null, _push, _parent);
      ssrRenderSlot_1(_ctx.$slots, "home-hero-info", {}, () => {
        _push(`<h1 class="heading" data-v-c7ec3e59>`);
        if (__props.name) {
          _push(`<span class="name clip" data-v-c7ec3e59>${__props.name ?? ""}</span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.text) {
          _push(`<span class="text" data-v-c7ec3e59>${__props.text ?? ""}</span>`);
        } else {
          _push(`<!---->`);
        }
        _push(`</h1>`);
        if (__props.tagline) {
          _push(`<p class="tagline" data-v-c7ec3e59>${__props.tagline ?? ""}</p>`);
        } else {
          _push(`<!---->`);
        }
      }, _push, _parent);
      ssrRenderSlot_1(_ctx.$slots, "home-hero-info-after", {}, null, _push, _parent);
      if (__props.actions) {
        _push(`<div class="actions" data-v-c7ec3e59><!--[-->`);
        ssrRenderList_1(__props.actions, (action) => {
          _push(`<div class="action" data-v-c7ec3e59>`);
          _push(ssrRenderComponent_1(VPButton, {
            tag: "a",
            size: "medium",
            theme: action.theme,
            text: action.text,
            href: action.link,
            target: action.target,
            rel: action.rel
          }, null, _parent));
          _push(`</div>`);
        });
        _push(`<!--]--></div>`);
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot_1(_ctx.$slots, "home-hero-actions-after", {}, null, _push, _parent);
      _push(`</div>`);
      if (__props.image || runtimeDom_cjs_prod.unref(heroImageSlotExists)) {
        _push(`<div class="image" data-v-c7ec3e59><div class="image-container" data-v-c7ec3e59><div class="image-bg" data-v-c7ec3e59></div>`);
        ssrRenderSlot_1(_ctx.$slots, "home-hero-image", {}, () => {
          if (__props.image) {
            _push(ssrRenderComponent_1(VPImage, {
              class: "image-src",
              image: __props.image
            }, null, _parent));
          } else {
            _push(`<!---->`);
          }
        }, _push, _parent);
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div></div>`);
    };
  }
});
const _sfc_setup$T = _sfc_main$T.setup;
_sfc_main$T.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPHero.vue");
  return _sfc_setup$T ? _sfc_setup$T(props, ctx) : void 0;
};
const VPHero = /* @__PURE__ */ _export_sfc(_sfc_main$T, [["__scopeId", "data-v-c7ec3e59"]]);
const _sfc_main$S = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPHomeHero",
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter: fm } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(fm).hero) {
        _push(ssrRenderComponent_1(VPHero, runtimeDom_cjs_prod.mergeProps({
          class: "VPHomeHero",
          name: runtimeDom_cjs_prod.unref(fm).hero.name,
          text: runtimeDom_cjs_prod.unref(fm).hero.text,
          tagline: runtimeDom_cjs_prod.unref(fm).hero.tagline,
          image: runtimeDom_cjs_prod.unref(fm).hero.image,
          actions: runtimeDom_cjs_prod.unref(fm).hero.actions
        }, _attrs), {
          "home-hero-info-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-before")
              ];
            }
          }),
          "home-hero-info": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info")
              ];
            }
          }),
          "home-hero-info-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-after")
              ];
            }
          }),
          "home-hero-actions-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-actions-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-actions-after")
              ];
            }
          }),
          "home-hero-image": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-image", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-image")
              ];
            }
          }),
          _: 3
        }, _parent));
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$S = _sfc_main$S.setup;
_sfc_main$S.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPHomeHero.vue");
  return _sfc_setup$S ? _sfc_setup$S(props, ctx) : void 0;
};
const _sfc_main$R = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPFeature",
  __ssrInlineRender: true,
  props: {
    icon: {},
    title: {},
    details: {},
    link: {},
    linkText: {},
    rel: {},
    target: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(ssrRenderComponent_1(_sfc_main$Z, runtimeDom_cjs_prod.mergeProps({
        class: "VPFeature",
        href: __props.link,
        rel: __props.rel,
        target: __props.target,
        "no-icon": true,
        tag: __props.link ? "a" : "div"
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`<article class="box" data-v-50f06ee2${_scopeId}>`);
            if (typeof __props.icon === "object" && __props.icon.wrap) {
              _push2(`<div class="icon" data-v-50f06ee2${_scopeId}>`);
              _push2(ssrRenderComponent_1(VPImage, {
                image: __props.icon,
                alt: __props.icon.alt,
                height: __props.icon.height || 48,
                width: __props.icon.width || 48
              }, null, _parent2, _scopeId));
              _push2(`</div>`);
            } else if (typeof __props.icon === "object") {
              _push2(ssrRenderComponent_1(VPImage, {
                image: __props.icon,
                alt: __props.icon.alt,
                height: __props.icon.height || 48,
                width: __props.icon.width || 48
              }, null, _parent2, _scopeId));
            } else if (__props.icon) {
              _push2(`<div class="icon" data-v-50f06ee2${_scopeId}>${__props.icon ?? ""}</div>`);
            } else {
              _push2(`<!---->`);
            }
            _push2(`<h2 class="title" data-v-50f06ee2${_scopeId}>${__props.title ?? ""}</h2>`);
            if (__props.details) {
              _push2(`<p class="details" data-v-50f06ee2${_scopeId}>${__props.details ?? ""}</p>`);
            } else {
              _push2(`<!---->`);
            }
            if (__props.linkText) {
              _push2(`<div class="link-text" data-v-50f06ee2${_scopeId}><p class="link-text-value" data-v-50f06ee2${_scopeId}>${ssrInterpolate_1(__props.linkText)} <span class="vpi-arrow-right link-text-icon" data-v-50f06ee2${_scopeId}></span></p></div>`);
            } else {
              _push2(`<!---->`);
            }
            _push2(`</article>`);
          } else {
            return [
              runtimeDom_cjs_prod.createVNode("article", { class: "box" }, [
                typeof __props.icon === "object" && __props.icon.wrap ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 0,
                  class: "icon"
                }, [
                  runtimeDom_cjs_prod.createVNode(VPImage, {
                    image: __props.icon,
                    alt: __props.icon.alt,
                    height: __props.icon.height || 48,
                    width: __props.icon.width || 48
                  }, null, 8, ["image", "alt", "height", "width"])
                ])) : typeof __props.icon === "object" ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(VPImage, {
                  key: 1,
                  image: __props.icon,
                  alt: __props.icon.alt,
                  height: __props.icon.height || 48,
                  width: __props.icon.width || 48
                }, null, 8, ["image", "alt", "height", "width"])) : __props.icon ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 2,
                  class: "icon",
                  innerHTML: __props.icon
                }, null, 8, ["innerHTML"])) : runtimeDom_cjs_prod.createCommentVNode("", true),
                runtimeDom_cjs_prod.createVNode("h2", {
                  class: "title",
                  innerHTML: __props.title
                }, null, 8, ["innerHTML"]),
                __props.details ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("p", {
                  key: 3,
                  class: "details",
                  innerHTML: __props.details
                }, null, 8, ["innerHTML"])) : runtimeDom_cjs_prod.createCommentVNode("", true),
                __props.linkText ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 4,
                  class: "link-text"
                }, [
                  runtimeDom_cjs_prod.createVNode("p", { class: "link-text-value" }, [
                    runtimeDom_cjs_prod.createTextVNode(runtimeDom_cjs_prod.toDisplayString(__props.linkText) + " ", 1),
                    runtimeDom_cjs_prod.createVNode("span", { class: "vpi-arrow-right link-text-icon" })
                  ])
                ])) : runtimeDom_cjs_prod.createCommentVNode("", true)
              ])
            ];
          }
        }),
        _: 1
      }, _parent));
    };
  }
});
const _sfc_setup$R = _sfc_main$R.setup;
_sfc_main$R.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPFeature.vue");
  return _sfc_setup$R ? _sfc_setup$R(props, ctx) : void 0;
};
const VPFeature = /* @__PURE__ */ _export_sfc(_sfc_main$R, [["__scopeId", "data-v-50f06ee2"]]);
const _sfc_main$Q = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPFeatures",
  __ssrInlineRender: true,
  props: {
    features: {}
  },
  setup(__props) {
    const props = __props;
    const grid = runtimeDom_cjs_prod.computed(() => {
      const length = props.features.length;
      if (!length) {
        return;
      } else if (length === 2) {
        return "grid-2";
      } else if (length === 3) {
        return "grid-3";
      } else if (length % 3 === 0) {
        return "grid-6";
      } else if (length > 3) {
        return "grid-4";
      }
    });
    return (_ctx, _push, _parent, _attrs) => {
      if (__props.features) {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPFeatures" }, _attrs))} data-v-f696eb95><div class="container" data-v-f696eb95><div class="items" data-v-f696eb95><!--[-->`);
        ssrRenderList_1(__props.features, (feature) => {
          _push(`<div class="${ssrRenderClass_1([[grid.value], "item"])}" data-v-f696eb95>`);
          _push(ssrRenderComponent_1(VPFeature, {
            icon: feature.icon,
            title: feature.title,
            details: feature.details,
            link: feature.link,
            "link-text": feature.linkText,
            rel: feature.rel,
            target: feature.target
          }, null, _parent));
          _push(`</div>`);
        });
        _push(`<!--]--></div></div></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$Q = _sfc_main$Q.setup;
_sfc_main$Q.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPFeatures.vue");
  return _sfc_setup$Q ? _sfc_setup$Q(props, ctx) : void 0;
};
const VPFeatures = /* @__PURE__ */ _export_sfc(_sfc_main$Q, [["__scopeId", "data-v-f696eb95"]]);
const _sfc_main$P = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPHomeFeatures",
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter: fm } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(fm).features) {
        _push(ssrRenderComponent_1(VPFeatures, runtimeDom_cjs_prod.mergeProps({
          class: "VPHomeFeatures",
          features: runtimeDom_cjs_prod.unref(fm).features
        }, _attrs), null, _parent));
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$P = _sfc_main$P.setup;
_sfc_main$P.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPHomeFeatures.vue");
  return _sfc_setup$P ? _sfc_setup$P(props, ctx) : void 0;
};
const _sfc_main$O = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPHomeContent",
  __ssrInlineRender: true,
  setup(__props) {
    const { width: vw } = useWindowSize({
      initialWidth: 0,
      includeScrollbar: false
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: "vp-doc container",
        style: runtimeDom_cjs_prod.unref(vw) ? { "--vp-offset": `calc(50% - ${runtimeDom_cjs_prod.unref(vw) / 2}px)` } : {}
      }, _attrs))} data-v-9535e0b7>`);
      ssrRenderSlot_1(_ctx.$slots, "default", {}, null, _push, _parent);
      _push(`</div>`);
    };
  }
});
const _sfc_setup$O = _sfc_main$O.setup;
_sfc_main$O.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPHomeContent.vue");
  return _sfc_setup$O ? _sfc_setup$O(props, ctx) : void 0;
};
const VPHomeContent = /* @__PURE__ */ _export_sfc(_sfc_main$O, [["__scopeId", "data-v-9535e0b7"]]);
const _sfc_main$N = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPHome",
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter, theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      const _component_Content = runtimeDom_cjs_prod.resolveComponent("Content");
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPHome", {
          "external-link-icon-enabled": runtimeDom_cjs_prod.unref(theme2).externalLinkIcon
        }]
      }, _attrs))} data-v-61f57a95>`);
      ssrRenderSlot_1(_ctx.$slots, "home-hero-before", {}, null, _push, _parent);
      _push(ssrRenderComponent_1(_sfc_main$S, null, {
        "home-hero-info-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "home-hero-info-before", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-before", {}, void 0, true)
            ];
          }
        }),
        "home-hero-info": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "home-hero-info", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info", {}, void 0, true)
            ];
          }
        }),
        "home-hero-info-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "home-hero-info-after", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-after", {}, void 0, true)
            ];
          }
        }),
        "home-hero-actions-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "home-hero-actions-after", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-actions-after", {}, void 0, true)
            ];
          }
        }),
        "home-hero-image": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "home-hero-image", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-image", {}, void 0, true)
            ];
          }
        }),
        _: 3
      }, _parent));
      ssrRenderSlot_1(_ctx.$slots, "home-hero-after", {}, null, _push, _parent);
      ssrRenderSlot_1(_ctx.$slots, "home-features-before", {}, null, _push, _parent);
      _push(ssrRenderComponent_1(_sfc_main$P, null, null, _parent));
      ssrRenderSlot_1(_ctx.$slots, "home-features-after", {}, null, _push, _parent);
      if (runtimeDom_cjs_prod.unref(frontmatter).markdownStyles !== false) {
        _push(ssrRenderComponent_1(VPHomeContent, null, {
          default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              _push2(ssrRenderComponent_1(_component_Content, null, null, _parent2, _scopeId));
            } else {
              return [
                runtimeDom_cjs_prod.createVNode(_component_Content)
              ];
            }
          }),
          _: 1
        }, _parent));
      } else {
        _push(ssrRenderComponent_1(_component_Content, null, null, _parent));
      }
      _push(`</div>`);
    };
  }
});
const _sfc_setup$N = _sfc_main$N.setup;
_sfc_main$N.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPHome.vue");
  return _sfc_setup$N ? _sfc_setup$N(props, ctx) : void 0;
};
const VPHome = /* @__PURE__ */ _export_sfc(_sfc_main$N, [["__scopeId", "data-v-61f57a95"]]);
const _sfc_main$M = {};
function _sfc_ssrRender$1(_ctx, _push, _parent, _attrs) {
  const _component_Content = runtimeDom_cjs_prod.resolveComponent("Content");
  _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPPage" }, _attrs))}>`);
  ssrRenderSlot_1(_ctx.$slots, "page-top", {}, null, _push, _parent);
  _push(ssrRenderComponent_1(_component_Content, null, null, _parent));
  ssrRenderSlot_1(_ctx.$slots, "page-bottom", {}, null, _push, _parent);
  _push(`</div>`);
}
const _sfc_setup$M = _sfc_main$M.setup;
_sfc_main$M.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPPage.vue");
  return _sfc_setup$M ? _sfc_setup$M(props, ctx) : void 0;
};
const VPPage = /* @__PURE__ */ _export_sfc(_sfc_main$M, [["ssrRender", _sfc_ssrRender$1]]);
const _sfc_main$L = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPContent",
  __ssrInlineRender: true,
  setup(__props) {
    const { page, frontmatter } = useData();
    const { hasSidebar } = useSidebar();
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPContent", {
          "has-sidebar": runtimeDom_cjs_prod.unref(hasSidebar),
          "is-home": runtimeDom_cjs_prod.unref(frontmatter).layout === "home"
        }],
        id: "VPContent"
      }, _attrs))} data-v-438e6e3c>`);
      if (runtimeDom_cjs_prod.unref(page).isNotFound) {
        ssrRenderSlot_1(_ctx.$slots, "not-found", {}, () => {
          _push(ssrRenderComponent_1(NotFound, null, null, _parent));
        }, _push, _parent);
      } else if (runtimeDom_cjs_prod.unref(frontmatter).layout === "page") {
        _push(ssrRenderComponent_1(VPPage, null, {
          "page-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "page-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "page-top", {}, void 0, true)
              ];
            }
          }),
          "page-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "page-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "page-bottom", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
      } else if (runtimeDom_cjs_prod.unref(frontmatter).layout === "home") {
        _push(ssrRenderComponent_1(VPHome, null, {
          "home-hero-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-before", {}, void 0, true)
              ];
            }
          }),
          "home-hero-info-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-before", {}, void 0, true)
              ];
            }
          }),
          "home-hero-info": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info", {}, void 0, true)
              ];
            }
          }),
          "home-hero-info-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-after", {}, void 0, true)
              ];
            }
          }),
          "home-hero-actions-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-actions-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-actions-after", {}, void 0, true)
              ];
            }
          }),
          "home-hero-image": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-image", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-image", {}, void 0, true)
              ];
            }
          }),
          "home-hero-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-after", {}, void 0, true)
              ];
            }
          }),
          "home-features-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-features-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-features-before", {}, void 0, true)
              ];
            }
          }),
          "home-features-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-features-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-features-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
      } else if (runtimeDom_cjs_prod.unref(frontmatter).layout && runtimeDom_cjs_prod.unref(frontmatter).layout !== "doc") {
        ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(runtimeDom_cjs_prod.unref(frontmatter).layout), null, null), _parent);
      } else {
        _push(ssrRenderComponent_1(VPDoc, null, {
          "doc-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-top", {}, void 0, true)
              ];
            }
          }),
          "doc-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-bottom", {}, void 0, true)
              ];
            }
          }),
          "doc-footer-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-footer-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-footer-before", {}, void 0, true)
              ];
            }
          }),
          "doc-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-before", {}, void 0, true)
              ];
            }
          }),
          "doc-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-after", {}, void 0, true)
              ];
            }
          }),
          "aside-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-top", {}, void 0, true)
              ];
            }
          }),
          "aside-outline-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-outline-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-outline-before", {}, void 0, true)
              ];
            }
          }),
          "aside-outline-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-outline-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-outline-after", {}, void 0, true)
              ];
            }
          }),
          "aside-ads-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-ads-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-ads-before", {}, void 0, true)
              ];
            }
          }),
          "aside-ads-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-ads-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-ads-after", {}, void 0, true)
              ];
            }
          }),
          "aside-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-bottom", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
      }
      _push(`</div>`);
    };
  }
});
const _sfc_setup$L = _sfc_main$L.setup;
_sfc_main$L.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPContent.vue");
  return _sfc_setup$L ? _sfc_setup$L(props, ctx) : void 0;
};
const VPContent = /* @__PURE__ */ _export_sfc(_sfc_main$L, [["__scopeId", "data-v-438e6e3c"]]);
const _sfc_main$K = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPFooter",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2, frontmatter } = useData();
    const { hasSidebar } = useSidebar();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(theme2).footer && runtimeDom_cjs_prod.unref(frontmatter).footer !== false) {
        _push(`<footer${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
          class: ["VPFooter", { "has-sidebar": runtimeDom_cjs_prod.unref(hasSidebar) }]
        }, _attrs))} data-v-c5b88a85><div class="container" data-v-c5b88a85>`);
        if (runtimeDom_cjs_prod.unref(theme2).footer.message) {
          _push(`<p class="message" data-v-c5b88a85>${runtimeDom_cjs_prod.unref(theme2).footer.message ?? ""}</p>`);
        } else {
          _push(`<!---->`);
        }
        if (runtimeDom_cjs_prod.unref(theme2).footer.copyright) {
          _push(`<p class="copyright" data-v-c5b88a85>${runtimeDom_cjs_prod.unref(theme2).footer.copyright ?? ""}</p>`);
        } else {
          _push(`<!---->`);
        }
        _push(`</div></footer>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$K = _sfc_main$K.setup;
_sfc_main$K.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPFooter.vue");
  return _sfc_setup$K ? _sfc_setup$K(props, ctx) : void 0;
};
const VPFooter = /* @__PURE__ */ _export_sfc(_sfc_main$K, [["__scopeId", "data-v-c5b88a85"]]);
function useLocalNav() {
  const { theme: theme2, frontmatter } = useData();
  const headers = runtimeDom_cjs_prod.shallowRef([]);
  const hasLocalNav = runtimeDom_cjs_prod.computed(() => {
    return headers.value.length > 0;
  });
  onContentUpdated(() => {
    headers.value = getHeaders(frontmatter.value.outline ?? theme2.value.outline);
  });
  return {
    headers,
    hasLocalNav
  };
}
const _sfc_main$J = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPLocalNavOutlineDropdown",
  __ssrInlineRender: true,
  props: {
    headers: {},
    navHeight: {}
  },
  setup(__props) {
    const { theme: theme2 } = useData();
    const open = runtimeDom_cjs_prod.ref(false);
    const vh = runtimeDom_cjs_prod.ref(0);
    const main = runtimeDom_cjs_prod.ref();
    runtimeDom_cjs_prod.ref();
    function closeOnClickOutside(e) {
      var _a;
      if (!((_a = main.value) == null ? void 0 : _a.contains(e.target))) {
        open.value = false;
      }
    }
    runtimeDom_cjs_prod.watch(open, (value) => {
      if (value) {
        document.addEventListener("click", closeOnClickOutside);
        return;
      }
      document.removeEventListener("click", closeOnClickOutside);
    });
    onKeyStroke("Escape", () => {
      open.value = false;
    });
    onContentUpdated(() => {
      open.value = false;
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: "VPLocalNavOutlineDropdown",
        style: { "--vp-vh": vh.value + "px" },
        ref_key: "main",
        ref: main
      }, _attrs))} data-v-2c2190b5>`);
      if (__props.headers.length > 0) {
        _push(`<button class="${ssrRenderClass_1({ open: open.value })}" data-v-2c2190b5><span class="menu-text" data-v-2c2190b5>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(resolveTitle)(runtimeDom_cjs_prod.unref(theme2)))}</span><span class="vpi-chevron-right icon" data-v-2c2190b5></span></button>`);
      } else {
        _push(`<button data-v-2c2190b5>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(theme2).returnToTopLabel || "Return to top")}</button>`);
      }
      if (open.value) {
        _push(`<div class="items" data-v-2c2190b5><div class="header" data-v-2c2190b5><a class="top-link" href="#" data-v-2c2190b5>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(theme2).returnToTopLabel || "Return to top")}</a></div><div class="outline" data-v-2c2190b5>`);
        _push(ssrRenderComponent_1(VPDocOutlineItem, { headers: __props.headers }, null, _parent));
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div>`);
    };
  }
});
const _sfc_setup$J = _sfc_main$J.setup;
_sfc_main$J.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPLocalNavOutlineDropdown.vue");
  return _sfc_setup$J ? _sfc_setup$J(props, ctx) : void 0;
};
const VPLocalNavOutlineDropdown = /* @__PURE__ */ _export_sfc(_sfc_main$J, [["__scopeId", "data-v-2c2190b5"]]);
const _sfc_main$I = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPLocalNav",
  __ssrInlineRender: true,
  props: {
    open: { type: Boolean }
  },
  emits: ["open-menu"],
  setup(__props) {
    const { theme: theme2, frontmatter } = useData();
    const { hasSidebar } = useSidebar();
    const { headers } = useLocalNav();
    const { y } = useWindowScroll();
    const navHeight = runtimeDom_cjs_prod.ref(0);
    runtimeDom_cjs_prod.onMounted(() => {
      navHeight.value = parseInt(
        getComputedStyle(document.documentElement).getPropertyValue(
          "--vp-nav-height"
        )
      );
    });
    onContentUpdated(() => {
      headers.value = getHeaders(frontmatter.value.outline ?? theme2.value.outline);
    });
    const empty = runtimeDom_cjs_prod.computed(() => {
      return headers.value.length === 0;
    });
    const emptyAndNoSidebar = runtimeDom_cjs_prod.computed(() => {
      return empty.value && !hasSidebar.value;
    });
    const classes = runtimeDom_cjs_prod.computed(() => {
      return {
        VPLocalNav: true,
        "has-sidebar": hasSidebar.value,
        empty: empty.value,
        fixed: emptyAndNoSidebar.value
      };
    });
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(frontmatter).layout !== "home" && (!emptyAndNoSidebar.value || runtimeDom_cjs_prod.unref(y) >= navHeight.value)) {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: classes.value }, _attrs))} data-v-4d7666a6><div class="container" data-v-4d7666a6>`);
        if (runtimeDom_cjs_prod.unref(hasSidebar)) {
          _push(`<button class="menu"${ssrRenderAttr_1("aria-expanded", __props.open)} aria-controls="VPSidebarNav" data-v-4d7666a6><span class="vpi-align-left menu-icon" data-v-4d7666a6></span><span class="menu-text" data-v-4d7666a6>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(theme2).sidebarMenuLabel || "Menu")}</span></button>`);
        } else {
          _push(`<!---->`);
        }
        _push(ssrRenderComponent_1(VPLocalNavOutlineDropdown, {
          headers: runtimeDom_cjs_prod.unref(headers),
          navHeight: navHeight.value
        }, null, _parent));
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$I = _sfc_main$I.setup;
_sfc_main$I.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPLocalNav.vue");
  return _sfc_setup$I ? _sfc_setup$I(props, ctx) : void 0;
};
const VPLocalNav = /* @__PURE__ */ _export_sfc(_sfc_main$I, [["__scopeId", "data-v-4d7666a6"]]);
function useNav() {
  const isScreenOpen = runtimeDom_cjs_prod.ref(false);
  function openScreen() {
    isScreenOpen.value = true;
    window.addEventListener("resize", closeScreenOnTabletWindow);
  }
  function closeScreen() {
    isScreenOpen.value = false;
    window.removeEventListener("resize", closeScreenOnTabletWindow);
  }
  function toggleScreen() {
    isScreenOpen.value ? closeScreen() : openScreen();
  }
  function closeScreenOnTabletWindow() {
    window.outerWidth >= 768 && closeScreen();
  }
  const route = useRoute();
  runtimeDom_cjs_prod.watch(() => route.path, closeScreen);
  return {
    isScreenOpen,
    openScreen,
    closeScreen,
    toggleScreen
  };
}
const _sfc_main$H = {};
function _sfc_ssrRender(_ctx, _push, _parent, _attrs) {
  _push(`<button${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
    class: "VPSwitch",
    type: "button",
    role: "switch"
  }, _attrs))} data-v-592be7d2><span class="check" data-v-592be7d2>`);
  if (_ctx.$slots.default) {
    _push(`<span class="icon" data-v-592be7d2>`);
    ssrRenderSlot_1(_ctx.$slots, "default", {}, null, _push, _parent);
    _push(`</span>`);
  } else {
    _push(`<!---->`);
  }
  _push(`</span></button>`);
}
const _sfc_setup$H = _sfc_main$H.setup;
_sfc_main$H.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSwitch.vue");
  return _sfc_setup$H ? _sfc_setup$H(props, ctx) : void 0;
};
const VPSwitch = /* @__PURE__ */ _export_sfc(_sfc_main$H, [["ssrRender", _sfc_ssrRender], ["__scopeId", "data-v-592be7d2"]]);
const _sfc_main$G = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSwitchAppearance",
  __ssrInlineRender: true,
  setup(__props) {
    const { isDark, theme: theme2 } = useData();
    const toggleAppearance = runtimeDom_cjs_prod.inject("toggle-appearance", () => {
      isDark.value = !isDark.value;
    });
    const switchTitle = runtimeDom_cjs_prod.ref("");
    runtimeDom_cjs_prod.watchPostEffect(() => {
      switchTitle.value = isDark.value ? theme2.value.lightModeSwitchTitle || "Switch to light theme" : theme2.value.darkModeSwitchTitle || "Switch to dark theme";
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(ssrRenderComponent_1(VPSwitch, runtimeDom_cjs_prod.mergeProps({
        title: switchTitle.value,
        class: "VPSwitchAppearance",
        "aria-checked": runtimeDom_cjs_prod.unref(isDark),
        onClick: runtimeDom_cjs_prod.unref(toggleAppearance)
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`<span class="vpi-sun sun" data-v-90bd33aa${_scopeId}></span><span class="vpi-moon moon" data-v-90bd33aa${_scopeId}></span>`);
          } else {
            return [
              runtimeDom_cjs_prod.createVNode("span", { class: "vpi-sun sun" }),
              runtimeDom_cjs_prod.createVNode("span", { class: "vpi-moon moon" })
            ];
          }
        }),
        _: 1
      }, _parent));
    };
  }
});
const _sfc_setup$G = _sfc_main$G.setup;
_sfc_main$G.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSwitchAppearance.vue");
  return _sfc_setup$G ? _sfc_setup$G(props, ctx) : void 0;
};
const VPSwitchAppearance = /* @__PURE__ */ _export_sfc(_sfc_main$G, [["__scopeId", "data-v-90bd33aa"]]);
const _sfc_main$F = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarAppearance",
  __ssrInlineRender: true,
  setup(__props) {
    const { site } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(site).appearance && runtimeDom_cjs_prod.unref(site).appearance !== "force-dark" && runtimeDom_cjs_prod.unref(site).appearance !== "force-auto") {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPNavBarAppearance" }, _attrs))} data-v-916c6601>`);
        _push(ssrRenderComponent_1(VPSwitchAppearance, null, null, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$F = _sfc_main$F.setup;
_sfc_main$F.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarAppearance.vue");
  return _sfc_setup$F ? _sfc_setup$F(props, ctx) : void 0;
};
const VPNavBarAppearance = /* @__PURE__ */ _export_sfc(_sfc_main$F, [["__scopeId", "data-v-916c6601"]]);
const focusedElement = runtimeDom_cjs_prod.ref();
let active = false;
let listeners = 0;
function useFlyout(options) {
  const focus = runtimeDom_cjs_prod.ref(false);
  if (inBrowser) {
    !active && activateFocusTracking();
    listeners++;
    const unwatch = runtimeDom_cjs_prod.watch(focusedElement, (el) => {
      var _a, _b, _c;
      if (el === options.el.value || ((_a = options.el.value) == null ? void 0 : _a.contains(el))) {
        focus.value = true;
        (_b = options.onFocus) == null ? void 0 : _b.call(options);
      } else {
        focus.value = false;
        (_c = options.onBlur) == null ? void 0 : _c.call(options);
      }
    });
    runtimeDom_cjs_prod.onUnmounted(() => {
      unwatch();
      listeners--;
      if (!listeners) {
        deactivateFocusTracking();
      }
    });
  }
  return runtimeDom_cjs_prod.readonly(focus);
}
function activateFocusTracking() {
  document.addEventListener("focusin", handleFocusIn);
  active = true;
  focusedElement.value = document.activeElement;
}
function deactivateFocusTracking() {
  document.removeEventListener("focusin", handleFocusIn);
}
function handleFocusIn() {
  focusedElement.value = document.activeElement;
}
const _sfc_main$E = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPMenuLink",
  __ssrInlineRender: true,
  props: {
    item: {}
  },
  setup(__props) {
    const { page } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPMenuLink" }, _attrs))} data-v-153fccf0>`);
      _push(ssrRenderComponent_1(_sfc_main$Z, {
        class: {
          active: runtimeDom_cjs_prod.unref(isActive)(
            runtimeDom_cjs_prod.unref(page).relativePath,
            __props.item.activeMatch || __props.item.link,
            !!__props.item.activeMatch
          )
        },
        href: __props.item.link,
        target: __props.item.target,
        rel: __props.item.rel,
        "no-icon": __props.item.noIcon
      }, {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`<span data-v-153fccf0${_scopeId}>${__props.item.text ?? ""}</span>`);
          } else {
            return [
              runtimeDom_cjs_prod.createVNode("span", {
                innerHTML: __props.item.text
              }, null, 8, ["innerHTML"])
            ];
          }
        }),
        _: 1
      }, _parent));
      _push(`</div>`);
    };
  }
});
const _sfc_setup$E = _sfc_main$E.setup;
_sfc_main$E.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPMenuLink.vue");
  return _sfc_setup$E ? _sfc_setup$E(props, ctx) : void 0;
};
const VPMenuLink = /* @__PURE__ */ _export_sfc(_sfc_main$E, [["__scopeId", "data-v-153fccf0"]]);
const _sfc_main$D = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPMenuGroup",
  __ssrInlineRender: true,
  props: {
    text: {},
    items: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPMenuGroup" }, _attrs))} data-v-953b58a1>`);
      if (__props.text) {
        _push(`<p class="title" data-v-953b58a1>${ssrInterpolate_1(__props.text)}</p>`);
      } else {
        _push(`<!---->`);
      }
      _push(`<!--[-->`);
      ssrRenderList_1(__props.items, (item) => {
        _push(`<!--[-->`);
        if ("link" in item) {
          _push(ssrRenderComponent_1(VPMenuLink, { item }, null, _parent));
        } else {
          _push(`<!---->`);
        }
        _push(`<!--]-->`);
      });
      _push(`<!--]--></div>`);
    };
  }
});
const _sfc_setup$D = _sfc_main$D.setup;
_sfc_main$D.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPMenuGroup.vue");
  return _sfc_setup$D ? _sfc_setup$D(props, ctx) : void 0;
};
const VPMenuGroup = /* @__PURE__ */ _export_sfc(_sfc_main$D, [["__scopeId", "data-v-953b58a1"]]);
const _sfc_main$C = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPMenu",
  __ssrInlineRender: true,
  props: {
    items: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPMenu" }, _attrs))} data-v-3362250b>`);
      if (__props.items) {
        _push(`<div class="items" data-v-3362250b><!--[-->`);
        ssrRenderList_1(__props.items, (item) => {
          _push(`<!--[-->`);
          if ("link" in item) {
            _push(ssrRenderComponent_1(VPMenuLink, { item }, null, _parent));
          } else if ("component" in item) {
            ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(item.component), runtimeDom_cjs_prod.mergeProps({ ref_for: true }, item.props), null), _parent);
          } else {
            _push(ssrRenderComponent_1(VPMenuGroup, {
              text: item.text,
              items: item.items
            }, null, _parent));
          }
          _push(`<!--]-->`);
        });
        _push(`<!--]--></div>`);
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot_1(_ctx.$slots, "default", {}, null, _push, _parent);
      _push(`</div>`);
    };
  }
});
const _sfc_setup$C = _sfc_main$C.setup;
_sfc_main$C.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPMenu.vue");
  return _sfc_setup$C ? _sfc_setup$C(props, ctx) : void 0;
};
const VPMenu = /* @__PURE__ */ _export_sfc(_sfc_main$C, [["__scopeId", "data-v-3362250b"]]);
const _sfc_main$B = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPFlyout",
  __ssrInlineRender: true,
  props: {
    icon: {},
    button: {},
    label: {},
    items: {}
  },
  setup(__props) {
    const open = runtimeDom_cjs_prod.ref(false);
    const el = runtimeDom_cjs_prod.ref();
    useFlyout({ el, onBlur });
    function onBlur() {
      open.value = false;
    }
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: "VPFlyout",
        ref_key: "el",
        ref: el
      }, _attrs))} data-v-6a616f77><button type="button" class="button" aria-haspopup="true"${ssrRenderAttr_1("aria-expanded", open.value)}${ssrRenderAttr_1("aria-label", __props.label)} data-v-6a616f77>`);
      if (__props.button || __props.icon) {
        _push(`<span class="text" data-v-6a616f77>`);
        if (__props.icon) {
          _push(`<span class="${ssrRenderClass_1([__props.icon, "option-icon"])}" data-v-6a616f77></span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.button) {
          _push(`<span data-v-6a616f77>${__props.button ?? ""}</span>`);
        } else {
          _push(`<!---->`);
        }
        _push(`<span class="vpi-chevron-down text-icon" data-v-6a616f77></span></span>`);
      } else {
        _push(`<span class="vpi-more-horizontal icon" data-v-6a616f77></span>`);
      }
      _push(`</button><div class="menu" data-v-6a616f77>`);
      _push(ssrRenderComponent_1(VPMenu, { items: __props.items }, {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "default", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "default", {}, void 0, true)
            ];
          }
        }),
        _: 3
      }, _parent));
      _push(`</div></div>`);
    };
  }
});
const _sfc_setup$B = _sfc_main$B.setup;
_sfc_main$B.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPFlyout.vue");
  return _sfc_setup$B ? _sfc_setup$B(props, ctx) : void 0;
};
const VPFlyout = /* @__PURE__ */ _export_sfc(_sfc_main$B, [["__scopeId", "data-v-6a616f77"]]);
const _sfc_main$A = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSocialLink",
  __ssrInlineRender: true,
  props: {
    icon: {},
    link: {},
    ariaLabel: {}
  },
  setup(__props) {
    var _a;
    const props = __props;
    const el = runtimeDom_cjs_prod.ref();
    runtimeDom_cjs_prod.onMounted(async () => {
      var _a2;
      await runtimeDom_cjs_prod.nextTick();
      const span = (_a2 = el.value) == null ? void 0 : _a2.children[0];
      if (span instanceof HTMLElement && span.className.startsWith("vpi-social-") && (getComputedStyle(span).maskImage || getComputedStyle(span).webkitMaskImage) === "none") {
        span.style.setProperty(
          "--icon",
          `url('https://api.iconify.design/simple-icons/${props.icon}.svg')`
        );
      }
    });
    const svg = runtimeDom_cjs_prod.computed(() => {
      if (typeof props.icon === "object") return props.icon.svg;
      return `<span class="vpi-social-${props.icon}"></span>`;
    });
    {
      typeof props.icon === "string" && ((_a = runtimeDom_cjs_prod.useSSRContext()) == null ? void 0 : _a.vpSocialIcons.add(props.icon));
    }
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<a${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        ref_key: "el",
        ref: el,
        class: "VPSocialLink no-icon",
        href: __props.link,
        "aria-label": __props.ariaLabel ?? (typeof __props.icon === "string" ? __props.icon : ""),
        target: "_blank",
        rel: "noopener"
      }, _attrs))} data-v-a63b932e>${svg.value ?? ""}</a>`);
    };
  }
});
const _sfc_setup$A = _sfc_main$A.setup;
_sfc_main$A.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSocialLink.vue");
  return _sfc_setup$A ? _sfc_setup$A(props, ctx) : void 0;
};
const VPSocialLink = /* @__PURE__ */ _export_sfc(_sfc_main$A, [["__scopeId", "data-v-a63b932e"]]);
const _sfc_main$z = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSocialLinks",
  __ssrInlineRender: true,
  props: {
    links: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPSocialLinks" }, _attrs))} data-v-9fc96a6c><!--[-->`);
      ssrRenderList_1(__props.links, ({ link: link2, icon, ariaLabel }) => {
        _push(ssrRenderComponent_1(VPSocialLink, {
          key: link2,
          icon,
          link: link2,
          ariaLabel
        }, null, _parent));
      });
      _push(`<!--]--></div>`);
    };
  }
});
const _sfc_setup$z = _sfc_main$z.setup;
_sfc_main$z.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSocialLinks.vue");
  return _sfc_setup$z ? _sfc_setup$z(props, ctx) : void 0;
};
const VPSocialLinks = /* @__PURE__ */ _export_sfc(_sfc_main$z, [["__scopeId", "data-v-9fc96a6c"]]);
const _sfc_main$y = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarExtra",
  __ssrInlineRender: true,
  setup(__props) {
    const { site, theme: theme2 } = useData();
    const { localeLinks, currentLang } = useLangs({ correspondingLink: true });
    const hasExtraContent = runtimeDom_cjs_prod.computed(
      () => localeLinks.value.length && currentLang.value.label || site.value.appearance || theme2.value.socialLinks
    );
    return (_ctx, _push, _parent, _attrs) => {
      if (hasExtraContent.value) {
        _push(ssrRenderComponent_1(VPFlyout, runtimeDom_cjs_prod.mergeProps({
          class: "VPNavBarExtra",
          label: "extra navigation"
        }, _attrs), {
          default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              if (runtimeDom_cjs_prod.unref(localeLinks).length && runtimeDom_cjs_prod.unref(currentLang).label) {
                _push2(`<div class="group translations" data-v-0588dd54${_scopeId}><p class="trans-title" data-v-0588dd54${_scopeId}>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(currentLang).label)}</p><!--[-->`);
                ssrRenderList_1(runtimeDom_cjs_prod.unref(localeLinks), (locale) => {
                  _push2(ssrRenderComponent_1(VPMenuLink, { item: locale }, null, _parent2, _scopeId));
                });
                _push2(`<!--]--></div>`);
              } else {
                _push2(`<!---->`);
              }
              if (runtimeDom_cjs_prod.unref(site).appearance && runtimeDom_cjs_prod.unref(site).appearance !== "force-dark" && runtimeDom_cjs_prod.unref(site).appearance !== "force-auto") {
                _push2(`<div class="group" data-v-0588dd54${_scopeId}><div class="item appearance" data-v-0588dd54${_scopeId}><p class="label" data-v-0588dd54${_scopeId}>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(theme2).darkModeSwitchLabel || "Appearance")}</p><div class="appearance-action" data-v-0588dd54${_scopeId}>`);
                _push2(ssrRenderComponent_1(VPSwitchAppearance, null, null, _parent2, _scopeId));
                _push2(`</div></div></div>`);
              } else {
                _push2(`<!---->`);
              }
              if (runtimeDom_cjs_prod.unref(theme2).socialLinks) {
                _push2(`<div class="group" data-v-0588dd54${_scopeId}><div class="item social-links" data-v-0588dd54${_scopeId}>`);
                _push2(ssrRenderComponent_1(VPSocialLinks, {
                  class: "social-links-list",
                  links: runtimeDom_cjs_prod.unref(theme2).socialLinks
                }, null, _parent2, _scopeId));
                _push2(`</div></div>`);
              } else {
                _push2(`<!---->`);
              }
            } else {
              return [
                runtimeDom_cjs_prod.unref(localeLinks).length && runtimeDom_cjs_prod.unref(currentLang).label ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 0,
                  class: "group translations"
                }, [
                  runtimeDom_cjs_prod.createVNode("p", { class: "trans-title" }, runtimeDom_cjs_prod.toDisplayString(runtimeDom_cjs_prod.unref(currentLang).label), 1),
                  (runtimeDom_cjs_prod.openBlock(true), runtimeDom_cjs_prod.createBlock(runtimeDom_cjs_prod.Fragment, null, runtimeDom_cjs_prod.renderList(runtimeDom_cjs_prod.unref(localeLinks), (locale) => {
                    return runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(VPMenuLink, {
                      key: locale.link,
                      item: locale
                    }, null, 8, ["item"]);
                  }), 128))
                ])) : runtimeDom_cjs_prod.createCommentVNode("", true),
                runtimeDom_cjs_prod.unref(site).appearance && runtimeDom_cjs_prod.unref(site).appearance !== "force-dark" && runtimeDom_cjs_prod.unref(site).appearance !== "force-auto" ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 1,
                  class: "group"
                }, [
                  runtimeDom_cjs_prod.createVNode("div", { class: "item appearance" }, [
                    runtimeDom_cjs_prod.createVNode("p", { class: "label" }, runtimeDom_cjs_prod.toDisplayString(runtimeDom_cjs_prod.unref(theme2).darkModeSwitchLabel || "Appearance"), 1),
                    runtimeDom_cjs_prod.createVNode("div", { class: "appearance-action" }, [
                      runtimeDom_cjs_prod.createVNode(VPSwitchAppearance)
                    ])
                  ])
                ])) : runtimeDom_cjs_prod.createCommentVNode("", true),
                runtimeDom_cjs_prod.unref(theme2).socialLinks ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 2,
                  class: "group"
                }, [
                  runtimeDom_cjs_prod.createVNode("div", { class: "item social-links" }, [
                    runtimeDom_cjs_prod.createVNode(VPSocialLinks, {
                      class: "social-links-list",
                      links: runtimeDom_cjs_prod.unref(theme2).socialLinks
                    }, null, 8, ["links"])
                  ])
                ])) : runtimeDom_cjs_prod.createCommentVNode("", true)
              ];
            }
          }),
          _: 1
        }, _parent));
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$y = _sfc_main$y.setup;
_sfc_main$y.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarExtra.vue");
  return _sfc_setup$y ? _sfc_setup$y(props, ctx) : void 0;
};
const VPNavBarExtra = /* @__PURE__ */ _export_sfc(_sfc_main$y, [["__scopeId", "data-v-0588dd54"]]);
const _sfc_main$x = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarHamburger",
  __ssrInlineRender: true,
  props: {
    active: { type: Boolean }
  },
  emits: ["click"],
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<button${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        type: "button",
        class: ["VPNavBarHamburger", { active: __props.active }],
        "aria-label": "mobile navigation",
        "aria-expanded": __props.active,
        "aria-controls": "VPNavScreen"
      }, _attrs))} data-v-639260fe><span class="container" data-v-639260fe><span class="top" data-v-639260fe></span><span class="middle" data-v-639260fe></span><span class="bottom" data-v-639260fe></span></span></button>`);
    };
  }
});
const _sfc_setup$x = _sfc_main$x.setup;
_sfc_main$x.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarHamburger.vue");
  return _sfc_setup$x ? _sfc_setup$x(props, ctx) : void 0;
};
const VPNavBarHamburger = /* @__PURE__ */ _export_sfc(_sfc_main$x, [["__scopeId", "data-v-639260fe"]]);
const _sfc_main$w = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarMenuLink",
  __ssrInlineRender: true,
  props: {
    item: {}
  },
  setup(__props) {
    const { page } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      _push(ssrRenderComponent_1(_sfc_main$Z, runtimeDom_cjs_prod.mergeProps({
        class: {
          VPNavBarMenuLink: true,
          active: runtimeDom_cjs_prod.unref(isActive)(
            runtimeDom_cjs_prod.unref(page).relativePath,
            __props.item.activeMatch || __props.item.link,
            !!__props.item.activeMatch
          )
        },
        href: __props.item.link,
        target: __props.item.target,
        rel: __props.item.rel,
        "no-icon": __props.item.noIcon,
        tabindex: "0"
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`<span data-v-420ecbad${_scopeId}>${__props.item.text ?? ""}</span>`);
          } else {
            return [
              runtimeDom_cjs_prod.createVNode("span", {
                innerHTML: __props.item.text
              }, null, 8, ["innerHTML"])
            ];
          }
        }),
        _: 1
      }, _parent));
    };
  }
});
const _sfc_setup$w = _sfc_main$w.setup;
_sfc_main$w.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarMenuLink.vue");
  return _sfc_setup$w ? _sfc_setup$w(props, ctx) : void 0;
};
const VPNavBarMenuLink = /* @__PURE__ */ _export_sfc(_sfc_main$w, [["__scopeId", "data-v-420ecbad"]]);
const _sfc_main$v = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarMenuGroup",
  __ssrInlineRender: true,
  props: {
    item: {}
  },
  setup(__props) {
    const props = __props;
    const { page } = useData();
    const isChildActive = (navItem) => {
      if ("component" in navItem) return false;
      if ("link" in navItem) {
        return isActive(
          page.value.relativePath,
          navItem.link,
          !!props.item.activeMatch
        );
      }
      return navItem.items.some(isChildActive);
    };
    const childrenActive = runtimeDom_cjs_prod.computed(() => isChildActive(props.item));
    return (_ctx, _push, _parent, _attrs) => {
      _push(ssrRenderComponent_1(VPFlyout, runtimeDom_cjs_prod.mergeProps({
        class: {
          VPNavBarMenuGroup: true,
          active: runtimeDom_cjs_prod.unref(isActive)(runtimeDom_cjs_prod.unref(page).relativePath, __props.item.activeMatch, !!__props.item.activeMatch) || childrenActive.value
        },
        button: __props.item.text,
        items: __props.item.items
      }, _attrs), null, _parent));
    };
  }
});
const _sfc_setup$v = _sfc_main$v.setup;
_sfc_main$v.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarMenuGroup.vue");
  return _sfc_setup$v ? _sfc_setup$v(props, ctx) : void 0;
};
const _sfc_main$u = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarMenu",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(theme2).nav) {
        _push(`<nav${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
          "aria-labelledby": "main-nav-aria-label",
          class: "VPNavBarMenu"
        }, _attrs))} data-v-d695ad44><span id="main-nav-aria-label" class="visually-hidden" data-v-d695ad44> Main Navigation </span><!--[-->`);
        ssrRenderList_1(runtimeDom_cjs_prod.unref(theme2).nav, (item) => {
          _push(`<!--[-->`);
          if ("link" in item) {
            _push(ssrRenderComponent_1(VPNavBarMenuLink, { item }, null, _parent));
          } else if ("component" in item) {
            ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(item.component), runtimeDom_cjs_prod.mergeProps({ ref_for: true }, item.props), null), _parent);
          } else {
            _push(ssrRenderComponent_1(_sfc_main$v, { item }, null, _parent));
          }
          _push(`<!--]-->`);
        });
        _push(`<!--]--></nav>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$u = _sfc_main$u.setup;
_sfc_main$u.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarMenu.vue");
  return _sfc_setup$u ? _sfc_setup$u(props, ctx) : void 0;
};
const VPNavBarMenu = /* @__PURE__ */ _export_sfc(_sfc_main$u, [["__scopeId", "data-v-d695ad44"]]);
function createSearchTranslate(defaultTranslations) {
  const { localeIndex, theme: theme2 } = useData();
  function translate(key) {
    var _a, _b, _c;
    const keyPath = key.split(".");
    const themeObject = (_a = theme2.value.search) == null ? void 0 : _a.options;
    const isObject2 = themeObject && typeof themeObject === "object";
    const locales = isObject2 && ((_c = (_b = themeObject.locales) == null ? void 0 : _b[localeIndex.value]) == null ? void 0 : _c.translations) || null;
    const translations = isObject2 && themeObject.translations || null;
    let localeResult = locales;
    let translationResult = translations;
    let defaultResult = defaultTranslations;
    const lastKey = keyPath.pop();
    for (const k of keyPath) {
      let fallbackResult = null;
      const foundInFallback = defaultResult == null ? void 0 : defaultResult[k];
      if (foundInFallback) {
        fallbackResult = defaultResult = foundInFallback;
      }
      const foundInTranslation = translationResult == null ? void 0 : translationResult[k];
      if (foundInTranslation) {
        fallbackResult = translationResult = foundInTranslation;
      }
      const foundInLocale = localeResult == null ? void 0 : localeResult[k];
      if (foundInLocale) {
        fallbackResult = localeResult = foundInLocale;
      }
      if (!foundInFallback) {
        defaultResult = fallbackResult;
      }
      if (!foundInTranslation) {
        translationResult = fallbackResult;
      }
      if (!foundInLocale) {
        localeResult = fallbackResult;
      }
    }
    return (localeResult == null ? void 0 : localeResult[lastKey]) ?? (translationResult == null ? void 0 : translationResult[lastKey]) ?? (defaultResult == null ? void 0 : defaultResult[lastKey]) ?? "";
  }
  return translate;
}
const _sfc_main$t = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarSearchButton",
  __ssrInlineRender: true,
  setup(__props) {
    const defaultTranslations = {
      button: {
        buttonText: "Search",
        buttonAriaLabel: "Search"
      }
    };
    const translate = createSearchTranslate(defaultTranslations);
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<button${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        type: "button",
        class: "DocSearch DocSearch-Button",
        "aria-label": runtimeDom_cjs_prod.unref(translate)("button.buttonAriaLabel")
      }, _attrs))}><span class="DocSearch-Button-Container"><span class="vp-icon DocSearch-Search-Icon"></span><span class="DocSearch-Button-Placeholder">${ssrInterpolate_1(runtimeDom_cjs_prod.unref(translate)("button.buttonText"))}</span></span><span class="DocSearch-Button-Keys"><kbd class="DocSearch-Button-Key"></kbd><kbd class="DocSearch-Button-Key">K</kbd></span></button>`);
    };
  }
});
const _sfc_setup$t = _sfc_main$t.setup;
_sfc_main$t.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarSearchButton.vue");
  return _sfc_setup$t ? _sfc_setup$t(props, ctx) : void 0;
};
const _sfc_main$s = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarSearch",
  __ssrInlineRender: true,
  setup(__props) {
    const VPLocalSearchBox = runtimeDom_cjs_prod.defineAsyncComponent(() => import("./VPLocalSearchBox.Cjoe28aB.js"));
    const VPAlgoliaSearchBox = () => null;
    const { theme: theme2 } = useData();
    const loaded = runtimeDom_cjs_prod.ref(false);
    const actuallyLoaded = runtimeDom_cjs_prod.ref(false);
    runtimeDom_cjs_prod.onMounted(() => {
      {
        return;
      }
    });
    function load() {
      if (!loaded.value) {
        loaded.value = true;
        setTimeout(poll, 16);
      }
    }
    function poll() {
      const e = new Event("keydown");
      e.key = "k";
      e.metaKey = true;
      window.dispatchEvent(e);
      setTimeout(() => {
        if (!document.querySelector(".DocSearch-Modal")) {
          poll();
        }
      }, 16);
    }
    function isEditingContent(event) {
      const element = event.target;
      const tagName = element.tagName;
      return element.isContentEditable || tagName === "INPUT" || tagName === "SELECT" || tagName === "TEXTAREA";
    }
    const showSearch = runtimeDom_cjs_prod.ref(false);
    {
      onKeyStroke("k", (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          showSearch.value = true;
        }
      });
      onKeyStroke("/", (event) => {
        if (!isEditingContent(event)) {
          event.preventDefault();
          showSearch.value = true;
        }
      });
    }
    const provider = "local";
    return (_ctx, _push, _parent, _attrs) => {
      var _a;
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPNavBarSearch" }, _attrs))}>`);
      if (runtimeDom_cjs_prod.unref(provider) === "local") {
        _push(`<!--[-->`);
        if (showSearch.value) {
          _push(ssrRenderComponent_1(runtimeDom_cjs_prod.unref(VPLocalSearchBox), {
            onClose: ($event) => showSearch.value = false
          }, null, _parent));
        } else {
          _push(`<!---->`);
        }
        _push(`<div id="local-search">`);
        _push(ssrRenderComponent_1(_sfc_main$t, {
          onClick: ($event) => showSearch.value = true
        }, null, _parent));
        _push(`</div><!--]-->`);
      } else if (runtimeDom_cjs_prod.unref(provider) === "algolia") {
        _push(`<!--[-->`);
        if (loaded.value) {
          _push(ssrRenderComponent_1(runtimeDom_cjs_prod.unref(VPAlgoliaSearchBox), {
            algolia: ((_a = runtimeDom_cjs_prod.unref(theme2).search) == null ? void 0 : _a.options) ?? runtimeDom_cjs_prod.unref(theme2).algolia,
            onVnodeBeforeMount: ($event) => actuallyLoaded.value = true
          }, null, _parent));
        } else {
          _push(`<!---->`);
        }
        if (!actuallyLoaded.value) {
          _push(`<div id="docsearch">`);
          _push(ssrRenderComponent_1(_sfc_main$t, { onClick: load }, null, _parent));
          _push(`</div>`);
        } else {
          _push(`<!---->`);
        }
        _push(`<!--]-->`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div>`);
    };
  }
});
const _sfc_setup$s = _sfc_main$s.setup;
_sfc_main$s.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarSearch.vue");
  return _sfc_setup$s ? _sfc_setup$s(props, ctx) : void 0;
};
const _sfc_main$r = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarSocialLinks",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(theme2).socialLinks) {
        _push(ssrRenderComponent_1(VPSocialLinks, runtimeDom_cjs_prod.mergeProps({
          class: "VPNavBarSocialLinks",
          links: runtimeDom_cjs_prod.unref(theme2).socialLinks
        }, _attrs), null, _parent));
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$r = _sfc_main$r.setup;
_sfc_main$r.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarSocialLinks.vue");
  return _sfc_setup$r ? _sfc_setup$r(props, ctx) : void 0;
};
const VPNavBarSocialLinks = /* @__PURE__ */ _export_sfc(_sfc_main$r, [["__scopeId", "data-v-fc992a60"]]);
const _sfc_main$q = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarTitle",
  __ssrInlineRender: true,
  setup(__props) {
    const { site, theme: theme2 } = useData();
    const { hasSidebar } = useSidebar();
    const { currentLang } = useLangs();
    const link2 = runtimeDom_cjs_prod.computed(
      () => {
        var _a;
        return typeof theme2.value.logoLink === "string" ? theme2.value.logoLink : (_a = theme2.value.logoLink) == null ? void 0 : _a.link;
      }
    );
    const rel = runtimeDom_cjs_prod.computed(
      () => {
        var _a;
        return typeof theme2.value.logoLink === "string" ? void 0 : (_a = theme2.value.logoLink) == null ? void 0 : _a.rel;
      }
    );
    const target = runtimeDom_cjs_prod.computed(
      () => {
        var _a;
        return typeof theme2.value.logoLink === "string" ? void 0 : (_a = theme2.value.logoLink) == null ? void 0 : _a.target;
      }
    );
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPNavBarTitle", { "has-sidebar": runtimeDom_cjs_prod.unref(hasSidebar) }]
      }, _attrs))} data-v-0574692f><a class="title"${ssrRenderAttr_1("href", link2.value ?? runtimeDom_cjs_prod.unref(normalizeLink$1)(runtimeDom_cjs_prod.unref(currentLang).link))}${ssrRenderAttr_1("rel", rel.value)}${ssrRenderAttr_1("target", target.value)} data-v-0574692f>`);
      ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-before", {}, null, _push, _parent);
      if (runtimeDom_cjs_prod.unref(theme2).logo) {
        _push(ssrRenderComponent_1(VPImage, {
          class: "logo",
          image: runtimeDom_cjs_prod.unref(theme2).logo
        }, null, _parent));
      } else {
        _push(`<!---->`);
      }
      if (runtimeDom_cjs_prod.unref(theme2).siteTitle) {
        _push(`<span data-v-0574692f>${runtimeDom_cjs_prod.unref(theme2).siteTitle ?? ""}</span>`);
      } else if (runtimeDom_cjs_prod.unref(theme2).siteTitle === void 0) {
        _push(`<span data-v-0574692f>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(site).title)}</span>`);
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-after", {}, null, _push, _parent);
      _push(`</a></div>`);
    };
  }
});
const _sfc_setup$q = _sfc_main$q.setup;
_sfc_main$q.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarTitle.vue");
  return _sfc_setup$q ? _sfc_setup$q(props, ctx) : void 0;
};
const VPNavBarTitle = /* @__PURE__ */ _export_sfc(_sfc_main$q, [["__scopeId", "data-v-0574692f"]]);
const _sfc_main$p = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBarTranslations",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const { localeLinks, currentLang } = useLangs({ correspondingLink: true });
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(localeLinks).length && runtimeDom_cjs_prod.unref(currentLang).label) {
        _push(ssrRenderComponent_1(VPFlyout, runtimeDom_cjs_prod.mergeProps({
          class: "VPNavBarTranslations",
          icon: "vpi-languages",
          label: runtimeDom_cjs_prod.unref(theme2).langMenuLabel || "Change language"
        }, _attrs), {
          default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              _push2(`<div class="items" data-v-864c9ce3${_scopeId}><p class="title" data-v-864c9ce3${_scopeId}>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(currentLang).label)}</p><!--[-->`);
              ssrRenderList_1(runtimeDom_cjs_prod.unref(localeLinks), (locale) => {
                _push2(ssrRenderComponent_1(VPMenuLink, { item: locale }, null, _parent2, _scopeId));
              });
              _push2(`<!--]--></div>`);
            } else {
              return [
                runtimeDom_cjs_prod.createVNode("div", { class: "items" }, [
                  runtimeDom_cjs_prod.createVNode("p", { class: "title" }, runtimeDom_cjs_prod.toDisplayString(runtimeDom_cjs_prod.unref(currentLang).label), 1),
                  (runtimeDom_cjs_prod.openBlock(true), runtimeDom_cjs_prod.createBlock(runtimeDom_cjs_prod.Fragment, null, runtimeDom_cjs_prod.renderList(runtimeDom_cjs_prod.unref(localeLinks), (locale) => {
                    return runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(VPMenuLink, {
                      key: locale.link,
                      item: locale
                    }, null, 8, ["item"]);
                  }), 128))
                ])
              ];
            }
          }),
          _: 1
        }, _parent));
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$p = _sfc_main$p.setup;
_sfc_main$p.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBarTranslations.vue");
  return _sfc_setup$p ? _sfc_setup$p(props, ctx) : void 0;
};
const VPNavBarTranslations = /* @__PURE__ */ _export_sfc(_sfc_main$p, [["__scopeId", "data-v-864c9ce3"]]);
const _sfc_main$o = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavBar",
  __ssrInlineRender: true,
  props: {
    isScreenOpen: { type: Boolean }
  },
  emits: ["toggle-screen"],
  setup(__props) {
    const props = __props;
    const { y } = useWindowScroll();
    const { hasSidebar } = useSidebar();
    const { frontmatter } = useData();
    const classes = runtimeDom_cjs_prod.ref({});
    runtimeDom_cjs_prod.watchPostEffect(() => {
      classes.value = {
        "has-sidebar": hasSidebar.value,
        "home": frontmatter.value.layout === "home",
        "top": y.value === 0,
        "screen-open": props.isScreenOpen
      };
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPNavBar", classes.value]
      }, _attrs))} data-v-b539ac0e><div class="wrapper" data-v-b539ac0e><div class="container" data-v-b539ac0e><div class="title" data-v-b539ac0e>`);
      _push(ssrRenderComponent_1(VPNavBarTitle, null, {
        "nav-bar-title-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-before", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-title-before", {}, void 0, true)
            ];
          }
        }),
        "nav-bar-title-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-after", {}, null, _push2, _parent2, _scopeId);
          } else {
            return [
              runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-title-after", {}, void 0, true)
            ];
          }
        }),
        _: 3
      }, _parent));
      _push(`</div><div class="content" data-v-b539ac0e><div class="content-body" data-v-b539ac0e>`);
      ssrRenderSlot_1(_ctx.$slots, "nav-bar-content-before", {}, null, _push, _parent);
      _push(ssrRenderComponent_1(_sfc_main$s, { class: "search" }, null, _parent));
      _push(ssrRenderComponent_1(VPNavBarMenu, { class: "menu" }, null, _parent));
      _push(ssrRenderComponent_1(VPNavBarTranslations, { class: "translations" }, null, _parent));
      _push(ssrRenderComponent_1(VPNavBarAppearance, { class: "appearance" }, null, _parent));
      _push(ssrRenderComponent_1(VPNavBarSocialLinks, { class: "social-links" }, null, _parent));
      _push(ssrRenderComponent_1(VPNavBarExtra, { class: "extra" }, null, _parent));
      ssrRenderSlot_1(_ctx.$slots, "nav-bar-content-after", {}, null, _push, _parent);
      _push(ssrRenderComponent_1(VPNavBarHamburger, {
        class: "hamburger",
        active: __props.isScreenOpen,
        onClick: ($event) => _ctx.$emit("toggle-screen")
      }, null, _parent));
      _push(`</div></div></div></div><div class="divider" data-v-b539ac0e><div class="divider-line" data-v-b539ac0e></div></div></div>`);
    };
  }
});
const _sfc_setup$o = _sfc_main$o.setup;
_sfc_main$o.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavBar.vue");
  return _sfc_setup$o ? _sfc_setup$o(props, ctx) : void 0;
};
const VPNavBar = /* @__PURE__ */ _export_sfc(_sfc_main$o, [["__scopeId", "data-v-b539ac0e"]]);
const _sfc_main$n = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenAppearance",
  __ssrInlineRender: true,
  setup(__props) {
    const { site, theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(site).appearance && runtimeDom_cjs_prod.unref(site).appearance !== "force-dark" && runtimeDom_cjs_prod.unref(site).appearance !== "force-auto") {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPNavScreenAppearance" }, _attrs))} data-v-d987f2eb><p class="text" data-v-d987f2eb>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(theme2).darkModeSwitchLabel || "Appearance")}</p>`);
        _push(ssrRenderComponent_1(VPSwitchAppearance, null, null, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$n = _sfc_main$n.setup;
_sfc_main$n.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenAppearance.vue");
  return _sfc_setup$n ? _sfc_setup$n(props, ctx) : void 0;
};
const VPNavScreenAppearance = /* @__PURE__ */ _export_sfc(_sfc_main$n, [["__scopeId", "data-v-d987f2eb"]]);
const _sfc_main$m = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenMenuLink",
  __ssrInlineRender: true,
  props: {
    item: {}
  },
  setup(__props) {
    const closeScreen = runtimeDom_cjs_prod.inject("close-screen");
    return (_ctx, _push, _parent, _attrs) => {
      _push(ssrRenderComponent_1(_sfc_main$Z, runtimeDom_cjs_prod.mergeProps({
        class: "VPNavScreenMenuLink",
        href: __props.item.link,
        target: __props.item.target,
        rel: __props.item.rel,
        "no-icon": __props.item.noIcon,
        onClick: runtimeDom_cjs_prod.unref(closeScreen)
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`<span data-v-a35a3d6c${_scopeId}>${__props.item.text ?? ""}</span>`);
          } else {
            return [
              runtimeDom_cjs_prod.createVNode("span", {
                innerHTML: __props.item.text
              }, null, 8, ["innerHTML"])
            ];
          }
        }),
        _: 1
      }, _parent));
    };
  }
});
const _sfc_setup$m = _sfc_main$m.setup;
_sfc_main$m.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuLink.vue");
  return _sfc_setup$m ? _sfc_setup$m(props, ctx) : void 0;
};
const VPNavScreenMenuLink = /* @__PURE__ */ _export_sfc(_sfc_main$m, [["__scopeId", "data-v-a35a3d6c"]]);
const _sfc_main$l = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenMenuGroupLink",
  __ssrInlineRender: true,
  props: {
    item: {}
  },
  setup(__props) {
    const closeScreen = runtimeDom_cjs_prod.inject("close-screen");
    return (_ctx, _push, _parent, _attrs) => {
      _push(ssrRenderComponent_1(_sfc_main$Z, runtimeDom_cjs_prod.mergeProps({
        class: "VPNavScreenMenuGroupLink",
        href: __props.item.link,
        target: __props.item.target,
        rel: __props.item.rel,
        "no-icon": __props.item.noIcon,
        onClick: runtimeDom_cjs_prod.unref(closeScreen)
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            _push2(`<span data-v-12b7b9a6${_scopeId}>${__props.item.text ?? ""}</span>`);
          } else {
            return [
              runtimeDom_cjs_prod.createVNode("span", {
                innerHTML: __props.item.text
              }, null, 8, ["innerHTML"])
            ];
          }
        }),
        _: 1
      }, _parent));
    };
  }
});
const _sfc_setup$l = _sfc_main$l.setup;
_sfc_main$l.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuGroupLink.vue");
  return _sfc_setup$l ? _sfc_setup$l(props, ctx) : void 0;
};
const VPNavScreenMenuGroupLink = /* @__PURE__ */ _export_sfc(_sfc_main$l, [["__scopeId", "data-v-12b7b9a6"]]);
const _sfc_main$k = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenMenuGroupSection",
  __ssrInlineRender: true,
  props: {
    text: {},
    items: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPNavScreenMenuGroupSection" }, _attrs))} data-v-d902dc33>`);
      if (__props.text) {
        _push(`<p class="title" data-v-d902dc33>${ssrInterpolate_1(__props.text)}</p>`);
      } else {
        _push(`<!---->`);
      }
      _push(`<!--[-->`);
      ssrRenderList_1(__props.items, (item) => {
        _push(ssrRenderComponent_1(VPNavScreenMenuGroupLink, {
          key: item.text,
          item
        }, null, _parent));
      });
      _push(`<!--]--></div>`);
    };
  }
});
const _sfc_setup$k = _sfc_main$k.setup;
_sfc_main$k.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuGroupSection.vue");
  return _sfc_setup$k ? _sfc_setup$k(props, ctx) : void 0;
};
const VPNavScreenMenuGroupSection = /* @__PURE__ */ _export_sfc(_sfc_main$k, [["__scopeId", "data-v-d902dc33"]]);
const _sfc_main$j = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenMenuGroup",
  __ssrInlineRender: true,
  props: {
    text: {},
    items: {}
  },
  setup(__props) {
    const props = __props;
    const isOpen = runtimeDom_cjs_prod.ref(false);
    const groupId = runtimeDom_cjs_prod.computed(
      () => `NavScreenGroup-${props.text.replace(" ", "-").toLowerCase()}`
    );
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPNavScreenMenuGroup", { open: isOpen.value }]
      }, _attrs))} data-v-9dcb74d3><button class="button"${ssrRenderAttr_1("aria-controls", groupId.value)}${ssrRenderAttr_1("aria-expanded", isOpen.value)} data-v-9dcb74d3><span class="button-text" data-v-9dcb74d3>${__props.text ?? ""}</span><span class="vpi-plus button-icon" data-v-9dcb74d3></span></button><div${ssrRenderAttr_1("id", groupId.value)} class="items" data-v-9dcb74d3><!--[-->`);
      ssrRenderList_1(__props.items, (item) => {
        _push(`<!--[-->`);
        if ("link" in item) {
          _push(`<div class="item" data-v-9dcb74d3>`);
          _push(ssrRenderComponent_1(VPNavScreenMenuGroupLink, { item }, null, _parent));
          _push(`</div>`);
        } else if ("component" in item) {
          _push(`<div class="item" data-v-9dcb74d3>`);
          ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(item.component), runtimeDom_cjs_prod.mergeProps({ ref_for: true }, item.props, { "screen-menu": "" }), null), _parent);
          _push(`</div>`);
        } else {
          _push(`<div class="group" data-v-9dcb74d3>`);
          _push(ssrRenderComponent_1(VPNavScreenMenuGroupSection, {
            text: item.text,
            items: item.items
          }, null, _parent));
          _push(`</div>`);
        }
        _push(`<!--]-->`);
      });
      _push(`<!--]--></div></div>`);
    };
  }
});
const _sfc_setup$j = _sfc_main$j.setup;
_sfc_main$j.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuGroup.vue");
  return _sfc_setup$j ? _sfc_setup$j(props, ctx) : void 0;
};
const VPNavScreenMenuGroup = /* @__PURE__ */ _export_sfc(_sfc_main$j, [["__scopeId", "data-v-9dcb74d3"]]);
const _sfc_main$i = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenMenu",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(theme2).nav) {
        _push(`<nav${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPNavScreenMenu" }, _attrs))}><!--[-->`);
        ssrRenderList_1(runtimeDom_cjs_prod.unref(theme2).nav, (item) => {
          _push(`<!--[-->`);
          if ("link" in item) {
            _push(ssrRenderComponent_1(VPNavScreenMenuLink, { item }, null, _parent));
          } else if ("component" in item) {
            ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(item.component), runtimeDom_cjs_prod.mergeProps({ ref_for: true }, item.props, { "screen-menu": "" }), null), _parent);
          } else {
            _push(ssrRenderComponent_1(VPNavScreenMenuGroup, {
              text: item.text || "",
              items: item.items
            }, null, _parent));
          }
          _push(`<!--]-->`);
        });
        _push(`<!--]--></nav>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$i = _sfc_main$i.setup;
_sfc_main$i.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenu.vue");
  return _sfc_setup$i ? _sfc_setup$i(props, ctx) : void 0;
};
const _sfc_main$h = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenSocialLinks",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(theme2).socialLinks) {
        _push(ssrRenderComponent_1(VPSocialLinks, runtimeDom_cjs_prod.mergeProps({
          class: "VPNavScreenSocialLinks",
          links: runtimeDom_cjs_prod.unref(theme2).socialLinks
        }, _attrs), null, _parent));
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$h = _sfc_main$h.setup;
_sfc_main$h.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenSocialLinks.vue");
  return _sfc_setup$h ? _sfc_setup$h(props, ctx) : void 0;
};
const _sfc_main$g = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreenTranslations",
  __ssrInlineRender: true,
  setup(__props) {
    const { localeLinks, currentLang } = useLangs({ correspondingLink: true });
    const isOpen = runtimeDom_cjs_prod.ref(false);
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(localeLinks).length && runtimeDom_cjs_prod.unref(currentLang).label) {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
          class: ["VPNavScreenTranslations", { open: isOpen.value }]
        }, _attrs))} data-v-9b50206a><button class="title" data-v-9b50206a><span class="vpi-languages icon lang" data-v-9b50206a></span> ${ssrInterpolate_1(runtimeDom_cjs_prod.unref(currentLang).label)} <span class="vpi-chevron-down icon chevron" data-v-9b50206a></span></button><ul class="list" data-v-9b50206a><!--[-->`);
        ssrRenderList_1(runtimeDom_cjs_prod.unref(localeLinks), (locale) => {
          _push(`<li class="item" data-v-9b50206a>`);
          _push(ssrRenderComponent_1(_sfc_main$Z, {
            class: "link",
            href: locale.link
          }, {
            default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`${ssrInterpolate_1(locale.text)}`);
              } else {
                return [
                  runtimeDom_cjs_prod.createTextVNode(runtimeDom_cjs_prod.toDisplayString(locale.text), 1)
                ];
              }
            }),
            _: 2
          }, _parent));
          _push(`</li>`);
        });
        _push(`<!--]--></ul></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$g = _sfc_main$g.setup;
_sfc_main$g.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreenTranslations.vue");
  return _sfc_setup$g ? _sfc_setup$g(props, ctx) : void 0;
};
const VPNavScreenTranslations = /* @__PURE__ */ _export_sfc(_sfc_main$g, [["__scopeId", "data-v-9b50206a"]]);
const _sfc_main$f = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNavScreen",
  __ssrInlineRender: true,
  props: {
    open: { type: Boolean }
  },
  setup(__props) {
    const screen = runtimeDom_cjs_prod.ref(null);
    useScrollLock(inBrowser ? document.body : null);
    return (_ctx, _push, _parent, _attrs) => {
      if (__props.open) {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
          class: "VPNavScreen",
          ref_key: "screen",
          ref: screen,
          id: "VPNavScreen"
        }, _attrs))} data-v-c84fb463><div class="container" data-v-c84fb463>`);
        ssrRenderSlot_1(_ctx.$slots, "nav-screen-content-before", {}, null, _push, _parent);
        _push(ssrRenderComponent_1(_sfc_main$i, { class: "menu" }, null, _parent));
        _push(ssrRenderComponent_1(VPNavScreenTranslations, { class: "translations" }, null, _parent));
        _push(ssrRenderComponent_1(VPNavScreenAppearance, { class: "appearance" }, null, _parent));
        _push(ssrRenderComponent_1(_sfc_main$h, { class: "social-links" }, null, _parent));
        ssrRenderSlot_1(_ctx.$slots, "nav-screen-content-after", {}, null, _push, _parent);
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$f = _sfc_main$f.setup;
_sfc_main$f.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNavScreen.vue");
  return _sfc_setup$f ? _sfc_setup$f(props, ctx) : void 0;
};
const VPNavScreen = /* @__PURE__ */ _export_sfc(_sfc_main$f, [["__scopeId", "data-v-c84fb463"]]);
const _sfc_main$e = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPNav",
  __ssrInlineRender: true,
  setup(__props) {
    const { isScreenOpen, closeScreen, toggleScreen } = useNav();
    const { frontmatter } = useData();
    const hasNavbar = runtimeDom_cjs_prod.computed(() => {
      return frontmatter.value.navbar !== false;
    });
    runtimeDom_cjs_prod.provide("close-screen", closeScreen);
    runtimeDom_cjs_prod.watchEffect(() => {
      if (inBrowser) {
        document.documentElement.classList.toggle("hide-nav", !hasNavbar.value);
      }
    });
    return (_ctx, _push, _parent, _attrs) => {
      if (hasNavbar.value) {
        _push(`<header${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPNav" }, _attrs))} data-v-9c18a7ed>`);
        _push(ssrRenderComponent_1(VPNavBar, {
          "is-screen-open": runtimeDom_cjs_prod.unref(isScreenOpen),
          onToggleScreen: runtimeDom_cjs_prod.unref(toggleScreen)
        }, {
          "nav-bar-title-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-title-before", {}, void 0, true)
              ];
            }
          }),
          "nav-bar-title-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-title-after", {}, void 0, true)
              ];
            }
          }),
          "nav-bar-content-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-content-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-content-before", {}, void 0, true)
              ];
            }
          }),
          "nav-bar-content-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-content-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-content-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
        _push(ssrRenderComponent_1(VPNavScreen, { open: runtimeDom_cjs_prod.unref(isScreenOpen) }, {
          "nav-screen-content-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-screen-content-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-screen-content-before", {}, void 0, true)
              ];
            }
          }),
          "nav-screen-content-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-screen-content-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-screen-content-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
        _push(`</header>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$e = _sfc_main$e.setup;
_sfc_main$e.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPNav.vue");
  return _sfc_setup$e ? _sfc_setup$e(props, ctx) : void 0;
};
const VPNav = /* @__PURE__ */ _export_sfc(_sfc_main$e, [["__scopeId", "data-v-9c18a7ed"]]);
const _sfc_main$d = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSidebarItem",
  __ssrInlineRender: true,
  props: {
    item: {},
    depth: {}
  },
  setup(__props) {
    const props = __props;
    const {
      collapsed,
      collapsible,
      isLink,
      isActiveLink,
      hasActiveLink: hasActiveLink2,
      hasChildren,
      toggle
    } = useSidebarControl(runtimeDom_cjs_prod.computed(() => props.item));
    const sectionTag = runtimeDom_cjs_prod.computed(() => hasChildren.value ? "section" : `div`);
    const linkTag = runtimeDom_cjs_prod.computed(() => isLink.value ? "a" : "div");
    const textTag = runtimeDom_cjs_prod.computed(() => {
      return !hasChildren.value ? "p" : props.depth + 2 === 7 ? "p" : `h${props.depth + 2}`;
    });
    const itemRole = runtimeDom_cjs_prod.computed(() => isLink.value ? void 0 : "button");
    const classes = runtimeDom_cjs_prod.computed(() => [
      [`level-${props.depth}`],
      { collapsible: collapsible.value },
      { collapsed: collapsed.value },
      { "is-link": isLink.value },
      { "is-active": isActiveLink.value },
      { "has-active": hasActiveLink2.value }
    ]);
    function onItemInteraction(e) {
      if ("key" in e && e.key !== "Enter") {
        return;
      }
      !props.item.link && toggle();
    }
    function onCaretClick() {
      props.item.link && toggle();
    }
    return (_ctx, _push, _parent, _attrs) => {
      const _component_VPSidebarItem = runtimeDom_cjs_prod.resolveComponent("VPSidebarItem", true);
      ssrRenderVNode(_push, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(sectionTag.value), runtimeDom_cjs_prod.mergeProps({
        class: ["VPSidebarItem", classes.value]
      }, _attrs), {
        default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
          if (_push2) {
            if (__props.item.text) {
              _push2(`<div class="item"${ssrRenderAttr_1("role", itemRole.value)}${ssrRenderAttr_1("tabindex", __props.item.items && 0)} data-v-6cd8037f${_scopeId}><div class="indicator" data-v-6cd8037f${_scopeId}></div>`);
              if (__props.item.link) {
                _push2(ssrRenderComponent_1(_sfc_main$Z, {
                  tag: linkTag.value,
                  class: "link",
                  href: __props.item.link,
                  rel: __props.item.rel,
                  target: __props.item.target
                }, {
                  default: runtimeDom_cjs_prod.withCtx((_2, _push3, _parent3, _scopeId2) => {
                    if (_push3) {
                      ssrRenderVNode(_push3, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(textTag.value), { class: "text" }, null), _parent3, _scopeId2);
                    } else {
                      return [
                        (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(runtimeDom_cjs_prod.resolveDynamicComponent(textTag.value), {
                          class: "text",
                          innerHTML: __props.item.text
                        }, null, 8, ["innerHTML"]))
                      ];
                    }
                  }),
                  _: 1
                }, _parent2, _scopeId));
              } else {
                ssrRenderVNode(_push2, runtimeDom_cjs_prod.createVNode(runtimeDom_cjs_prod.resolveDynamicComponent(textTag.value), { class: "text" }, null), _parent2, _scopeId);
              }
              if (__props.item.collapsed != null && __props.item.items && __props.item.items.length) {
                _push2(`<div class="caret" role="button" aria-label="toggle section" tabindex="0" data-v-6cd8037f${_scopeId}><span class="vpi-chevron-right caret-icon" data-v-6cd8037f${_scopeId}></span></div>`);
              } else {
                _push2(`<!---->`);
              }
              _push2(`</div>`);
            } else {
              _push2(`<!---->`);
            }
            if (__props.item.items && __props.item.items.length) {
              _push2(`<div class="items" data-v-6cd8037f${_scopeId}>`);
              if (__props.depth < 5) {
                _push2(`<!--[-->`);
                ssrRenderList_1(__props.item.items, (i) => {
                  _push2(ssrRenderComponent_1(_component_VPSidebarItem, {
                    key: i.text,
                    item: i,
                    depth: __props.depth + 1
                  }, null, _parent2, _scopeId));
                });
                _push2(`<!--]-->`);
              } else {
                _push2(`<!---->`);
              }
              _push2(`</div>`);
            } else {
              _push2(`<!---->`);
            }
          } else {
            return [
              __props.item.text ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", runtimeDom_cjs_prod.mergeProps({
                key: 0,
                class: "item",
                role: itemRole.value
              }, runtimeDom_cjs_prod.toHandlers(
                __props.item.items ? { click: onItemInteraction, keydown: onItemInteraction } : {},
                true
              ), {
                tabindex: __props.item.items && 0
              }), [
                runtimeDom_cjs_prod.createVNode("div", { class: "indicator" }),
                __props.item.link ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(_sfc_main$Z, {
                  key: 0,
                  tag: linkTag.value,
                  class: "link",
                  href: __props.item.link,
                  rel: __props.item.rel,
                  target: __props.item.target
                }, {
                  default: runtimeDom_cjs_prod.withCtx(() => [
                    (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(runtimeDom_cjs_prod.resolveDynamicComponent(textTag.value), {
                      class: "text",
                      innerHTML: __props.item.text
                    }, null, 8, ["innerHTML"]))
                  ]),
                  _: 1
                }, 8, ["tag", "href", "rel", "target"])) : (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(runtimeDom_cjs_prod.resolveDynamicComponent(textTag.value), {
                  key: 1,
                  class: "text",
                  innerHTML: __props.item.text
                }, null, 8, ["innerHTML"])),
                __props.item.collapsed != null && __props.item.items && __props.item.items.length ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                  key: 2,
                  class: "caret",
                  role: "button",
                  "aria-label": "toggle section",
                  onClick: onCaretClick,
                  onKeydown: runtimeDom_cjs_prod.withKeys(onCaretClick, ["enter"]),
                  tabindex: "0"
                }, [
                  runtimeDom_cjs_prod.createVNode("span", { class: "vpi-chevron-right caret-icon" })
                ], 32)) : runtimeDom_cjs_prod.createCommentVNode("", true)
              ], 16, ["role", "tabindex"])) : runtimeDom_cjs_prod.createCommentVNode("", true),
              __props.item.items && __props.item.items.length ? (runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock("div", {
                key: 1,
                class: "items"
              }, [
                __props.depth < 5 ? (runtimeDom_cjs_prod.openBlock(true), runtimeDom_cjs_prod.createBlock(runtimeDom_cjs_prod.Fragment, { key: 0 }, runtimeDom_cjs_prod.renderList(__props.item.items, (i) => {
                  return runtimeDom_cjs_prod.openBlock(), runtimeDom_cjs_prod.createBlock(_component_VPSidebarItem, {
                    key: i.text,
                    item: i,
                    depth: __props.depth + 1
                  }, null, 8, ["item", "depth"]);
                }), 128)) : runtimeDom_cjs_prod.createCommentVNode("", true)
              ])) : runtimeDom_cjs_prod.createCommentVNode("", true)
            ];
          }
        }),
        _: 1
      }), _parent);
    };
  }
});
const _sfc_setup$d = _sfc_main$d.setup;
_sfc_main$d.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSidebarItem.vue");
  return _sfc_setup$d ? _sfc_setup$d(props, ctx) : void 0;
};
const VPSidebarItem = /* @__PURE__ */ _export_sfc(_sfc_main$d, [["__scopeId", "data-v-6cd8037f"]]);
const _sfc_main$c = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSidebarGroup",
  __ssrInlineRender: true,
  props: {
    items: {}
  },
  setup(__props) {
    const disableTransition = runtimeDom_cjs_prod.ref(true);
    let timer = null;
    runtimeDom_cjs_prod.onMounted(() => {
      timer = setTimeout(() => {
        timer = null;
        disableTransition.value = false;
      }, 300);
    });
    runtimeDom_cjs_prod.onBeforeUnmount(() => {
      if (timer != null) {
        clearTimeout(timer);
        timer = null;
      }
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<!--[-->`);
      ssrRenderList_1(__props.items, (item) => {
        _push(`<div class="${ssrRenderClass_1([{ "no-transition": disableTransition.value }, "group"])}" data-v-024b6959>`);
        _push(ssrRenderComponent_1(VPSidebarItem, {
          item,
          depth: 0
        }, null, _parent));
        _push(`</div>`);
      });
      _push(`<!--]-->`);
    };
  }
});
const _sfc_setup$c = _sfc_main$c.setup;
_sfc_main$c.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSidebarGroup.vue");
  return _sfc_setup$c ? _sfc_setup$c(props, ctx) : void 0;
};
const VPSidebarGroup = /* @__PURE__ */ _export_sfc(_sfc_main$c, [["__scopeId", "data-v-024b6959"]]);
const _sfc_main$b = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSidebar",
  __ssrInlineRender: true,
  props: {
    open: { type: Boolean }
  },
  setup(__props) {
    const { sidebarGroups, hasSidebar } = useSidebar();
    const props = __props;
    const navEl = runtimeDom_cjs_prod.ref(null);
    const isLocked = useScrollLock(inBrowser ? document.body : null);
    runtimeDom_cjs_prod.watch(
      [props, navEl],
      () => {
        var _a;
        if (props.open) {
          isLocked.value = true;
          (_a = navEl.value) == null ? void 0 : _a.focus();
        } else isLocked.value = false;
      },
      { immediate: true, flush: "post" }
    );
    const key = runtimeDom_cjs_prod.ref(0);
    runtimeDom_cjs_prod.watch(
      sidebarGroups,
      () => {
        key.value += 1;
      },
      { deep: true }
    );
    return (_ctx, _push, _parent, _attrs) => {
      if (runtimeDom_cjs_prod.unref(hasSidebar)) {
        _push(`<aside${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
          class: ["VPSidebar", { open: __props.open }],
          ref_key: "navEl",
          ref: navEl
        }, _attrs))} data-v-493d8d3d><div class="curtain" data-v-493d8d3d></div><nav class="nav" id="VPSidebarNav" aria-labelledby="sidebar-aria-label" tabindex="-1" data-v-493d8d3d><span class="visually-hidden" id="sidebar-aria-label" data-v-493d8d3d> Sidebar Navigation </span>`);
        ssrRenderSlot_1(_ctx.$slots, "sidebar-nav-before", {}, null, _push, _parent);
        _push(ssrRenderComponent_1(VPSidebarGroup, {
          items: runtimeDom_cjs_prod.unref(sidebarGroups),
          key: key.value
        }, null, _parent));
        ssrRenderSlot_1(_ctx.$slots, "sidebar-nav-after", {}, null, _push, _parent);
        _push(`</nav></aside>`);
      } else {
        _push(`<!---->`);
      }
    };
  }
});
const _sfc_setup$b = _sfc_main$b.setup;
_sfc_main$b.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSidebar.vue");
  return _sfc_setup$b ? _sfc_setup$b(props, ctx) : void 0;
};
const VPSidebar = /* @__PURE__ */ _export_sfc(_sfc_main$b, [["__scopeId", "data-v-493d8d3d"]]);
const _sfc_main$a = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSkipLink",
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const route = useRoute();
    const backToTop = runtimeDom_cjs_prod.ref();
    runtimeDom_cjs_prod.watch(() => route.path, () => backToTop.value.focus());
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<!--[--><span tabindex="-1" data-v-955d6c8f></span><a href="#VPContent" class="VPSkipLink visually-hidden" data-v-955d6c8f>${ssrInterpolate_1(runtimeDom_cjs_prod.unref(theme2).skipToContentLabel || "Skip to content")}</a><!--]-->`);
    };
  }
});
const _sfc_setup$a = _sfc_main$a.setup;
_sfc_main$a.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSkipLink.vue");
  return _sfc_setup$a ? _sfc_setup$a(props, ctx) : void 0;
};
const VPSkipLink = /* @__PURE__ */ _export_sfc(_sfc_main$a, [["__scopeId", "data-v-955d6c8f"]]);
const _sfc_main$9 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "Layout",
  __ssrInlineRender: true,
  setup(__props) {
    const {
      isOpen: isSidebarOpen,
      open: openSidebar,
      close: closeSidebar
    } = useSidebar();
    const route = useRoute();
    runtimeDom_cjs_prod.watch(() => route.path, closeSidebar);
    useCloseSidebarOnEscape(isSidebarOpen, closeSidebar);
    const { frontmatter } = useData();
    const slots = runtimeDom_cjs_prod.useSlots();
    const heroImageSlotExists = runtimeDom_cjs_prod.computed(() => !!slots["home-hero-image"]);
    runtimeDom_cjs_prod.provide("hero-image-slot-exists", heroImageSlotExists);
    return (_ctx, _push, _parent, _attrs) => {
      const _component_Content = runtimeDom_cjs_prod.resolveComponent("Content");
      if (runtimeDom_cjs_prod.unref(frontmatter).layout !== false) {
        _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
          class: ["Layout", runtimeDom_cjs_prod.unref(frontmatter).pageClass]
        }, _attrs))} data-v-c2e926c4>`);
        ssrRenderSlot_1(_ctx.$slots, "layout-top", {}, null, _push, _parent);
        _push(ssrRenderComponent_1(VPSkipLink, null, null, _parent));
        _push(ssrRenderComponent_1(VPBackdrop, {
          class: "backdrop",
          show: runtimeDom_cjs_prod.unref(isSidebarOpen),
          onClick: runtimeDom_cjs_prod.unref(closeSidebar)
        }, null, _parent));
        _push(ssrRenderComponent_1(VPNav, null, {
          "nav-bar-title-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-title-before", {}, void 0, true)
              ];
            }
          }),
          "nav-bar-title-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-title-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-title-after", {}, void 0, true)
              ];
            }
          }),
          "nav-bar-content-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-content-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-content-before", {}, void 0, true)
              ];
            }
          }),
          "nav-bar-content-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-bar-content-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-bar-content-after", {}, void 0, true)
              ];
            }
          }),
          "nav-screen-content-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-screen-content-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-screen-content-before", {}, void 0, true)
              ];
            }
          }),
          "nav-screen-content-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "nav-screen-content-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "nav-screen-content-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
        _push(ssrRenderComponent_1(VPLocalNav, {
          open: runtimeDom_cjs_prod.unref(isSidebarOpen),
          onOpenMenu: runtimeDom_cjs_prod.unref(openSidebar)
        }, null, _parent));
        _push(ssrRenderComponent_1(VPSidebar, { open: runtimeDom_cjs_prod.unref(isSidebarOpen) }, {
          "sidebar-nav-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "sidebar-nav-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "sidebar-nav-before", {}, void 0, true)
              ];
            }
          }),
          "sidebar-nav-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "sidebar-nav-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "sidebar-nav-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
        _push(ssrRenderComponent_1(VPContent, null, {
          "page-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "page-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "page-top", {}, void 0, true)
              ];
            }
          }),
          "page-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "page-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "page-bottom", {}, void 0, true)
              ];
            }
          }),
          "not-found": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "not-found", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "not-found", {}, void 0, true)
              ];
            }
          }),
          "home-hero-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-before", {}, void 0, true)
              ];
            }
          }),
          "home-hero-info-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-before", {}, void 0, true)
              ];
            }
          }),
          "home-hero-info": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info", {}, void 0, true)
              ];
            }
          }),
          "home-hero-info-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-info-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-info-after", {}, void 0, true)
              ];
            }
          }),
          "home-hero-actions-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-actions-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-actions-after", {}, void 0, true)
              ];
            }
          }),
          "home-hero-image": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-image", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-image", {}, void 0, true)
              ];
            }
          }),
          "home-hero-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-hero-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-hero-after", {}, void 0, true)
              ];
            }
          }),
          "home-features-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-features-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-features-before", {}, void 0, true)
              ];
            }
          }),
          "home-features-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "home-features-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "home-features-after", {}, void 0, true)
              ];
            }
          }),
          "doc-footer-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-footer-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-footer-before", {}, void 0, true)
              ];
            }
          }),
          "doc-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-before", {}, void 0, true)
              ];
            }
          }),
          "doc-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-after", {}, void 0, true)
              ];
            }
          }),
          "doc-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-top", {}, void 0, true)
              ];
            }
          }),
          "doc-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "doc-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "doc-bottom", {}, void 0, true)
              ];
            }
          }),
          "aside-top": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-top", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-top", {}, void 0, true)
              ];
            }
          }),
          "aside-bottom": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-bottom", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-bottom", {}, void 0, true)
              ];
            }
          }),
          "aside-outline-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-outline-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-outline-before", {}, void 0, true)
              ];
            }
          }),
          "aside-outline-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-outline-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-outline-after", {}, void 0, true)
              ];
            }
          }),
          "aside-ads-before": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-ads-before", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-ads-before", {}, void 0, true)
              ];
            }
          }),
          "aside-ads-after": runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              ssrRenderSlot_1(_ctx.$slots, "aside-ads-after", {}, null, _push2, _parent2, _scopeId);
            } else {
              return [
                runtimeDom_cjs_prod.renderSlot(_ctx.$slots, "aside-ads-after", {}, void 0, true)
              ];
            }
          }),
          _: 3
        }, _parent));
        _push(ssrRenderComponent_1(VPFooter, null, null, _parent));
        ssrRenderSlot_1(_ctx.$slots, "layout-bottom", {}, null, _push, _parent);
        _push(`</div>`);
      } else {
        _push(ssrRenderComponent_1(_component_Content, _attrs, null, _parent));
      }
    };
  }
});
const _sfc_setup$9 = _sfc_main$9.setup;
_sfc_main$9.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/Layout.vue");
  return _sfc_setup$9 ? _sfc_setup$9(props, ctx) : void 0;
};
const Layout = /* @__PURE__ */ _export_sfc(_sfc_main$9, [["__scopeId", "data-v-c2e926c4"]]);
const GridSettings = {
  xmini: [[0, 2]],
  mini: [],
  small: [
    [920, 6],
    [768, 5],
    [640, 4],
    [480, 3],
    [0, 2]
  ],
  medium: [
    [960, 5],
    [832, 4],
    [640, 3],
    [480, 2]
  ],
  big: [
    [832, 3],
    [640, 2]
  ]
};
function useSponsorsGrid({ el, size = "medium" }) {
  const onResize = throttleAndDebounce(manage, 100);
  runtimeDom_cjs_prod.onMounted(() => {
    manage();
    window.addEventListener("resize", onResize);
  });
  runtimeDom_cjs_prod.onUnmounted(() => {
    window.removeEventListener("resize", onResize);
  });
  function manage() {
    adjustSlots(el.value, size);
  }
}
function adjustSlots(el, size) {
  const tsize = el.children.length;
  const asize = el.querySelectorAll(".vp-sponsor-grid-item:not(.empty)").length;
  const grid = setGrid(el, size, asize);
  manageSlots(el, grid, tsize, asize);
}
function setGrid(el, size, items) {
  const settings = GridSettings[size];
  const screen = window.innerWidth;
  let grid = 1;
  settings.some(([breakpoint, value]) => {
    if (screen >= breakpoint) {
      grid = items < value ? items : value;
      return true;
    }
  });
  setGridData(el, grid);
  return grid;
}
function setGridData(el, value) {
  el.dataset.vpGrid = String(value);
}
function manageSlots(el, grid, tsize, asize) {
  const diff = tsize - asize;
  const rem = asize % grid;
  const drem = rem === 0 ? rem : grid - rem;
  neutralizeSlots(el, drem - diff);
}
function neutralizeSlots(el, count) {
  if (count === 0) {
    return;
  }
  count > 0 ? addSlots(el, count) : removeSlots(el, count * -1);
}
function addSlots(el, count) {
  for (let i = 0; i < count; i++) {
    const slot = document.createElement("div");
    slot.classList.add("vp-sponsor-grid-item", "empty");
    el.append(slot);
  }
}
function removeSlots(el, count) {
  for (let i = 0; i < count; i++) {
    el.removeChild(el.lastElementChild);
  }
}
const _sfc_main$8 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSponsorsGrid",
  __ssrInlineRender: true,
  props: {
    size: { default: "medium" },
    data: {}
  },
  setup(__props) {
    const props = __props;
    const el = runtimeDom_cjs_prod.ref(null);
    useSponsorsGrid({ el, size: props.size });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPSponsorsGrid vp-sponsor-grid", [__props.size]],
        ref_key: "el",
        ref: el
      }, _attrs))}><!--[-->`);
      ssrRenderList_1(__props.data, (sponsor) => {
        _push(`<div class="vp-sponsor-grid-item"><a class="vp-sponsor-grid-link"${ssrRenderAttr_1("href", sponsor.url)} target="_blank" rel="sponsored noopener"><article class="vp-sponsor-grid-box"><h4 class="visually-hidden">${ssrInterpolate_1(sponsor.name)}</h4><img class="vp-sponsor-grid-image"${ssrRenderAttr_1("src", sponsor.img)}${ssrRenderAttr_1("alt", sponsor.name)}></article></a></div>`);
      });
      _push(`<!--]--></div>`);
    };
  }
});
const _sfc_setup$8 = _sfc_main$8.setup;
_sfc_main$8.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSponsorsGrid.vue");
  return _sfc_setup$8 ? _sfc_setup$8(props, ctx) : void 0;
};
const _sfc_main$7 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPSponsors",
  __ssrInlineRender: true,
  props: {
    mode: { default: "normal" },
    tier: {},
    size: {},
    data: {}
  },
  setup(__props) {
    const props = __props;
    const sponsors = runtimeDom_cjs_prod.computed(() => {
      const isSponsors = props.data.some((s) => {
        return "items" in s;
      });
      if (isSponsors) {
        return props.data;
      }
      return [
        { tier: props.tier, size: props.size, items: props.data }
      ];
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPSponsors vp-sponsor", [__props.mode]]
      }, _attrs))}><!--[-->`);
      ssrRenderList_1(sponsors.value, (sponsor, index) => {
        _push(`<section class="vp-sponsor-section">`);
        if (sponsor.tier) {
          _push(`<h3 class="vp-sponsor-tier">${ssrInterpolate_1(sponsor.tier)}</h3>`);
        } else {
          _push(`<!---->`);
        }
        _push(ssrRenderComponent_1(_sfc_main$8, {
          size: sponsor.size,
          data: sponsor.items
        }, null, _parent));
        _push(`</section>`);
      });
      _push(`<!--]--></div>`);
    };
  }
});
const _sfc_setup$7 = _sfc_main$7.setup;
_sfc_main$7.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPSponsors.vue");
  return _sfc_setup$7 ? _sfc_setup$7(props, ctx) : void 0;
};
const _sfc_main$6 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPDocAsideSponsors",
  __ssrInlineRender: true,
  props: {
    tier: {},
    size: {},
    data: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPDocAsideSponsors" }, _attrs))}>`);
      _push(ssrRenderComponent_1(_sfc_main$7, {
        mode: "aside",
        tier: __props.tier,
        size: __props.size,
        data: __props.data
      }, null, _parent));
      _push(`</div>`);
    };
  }
});
const _sfc_setup$6 = _sfc_main$6.setup;
_sfc_main$6.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPDocAsideSponsors.vue");
  return _sfc_setup$6 ? _sfc_setup$6(props, ctx) : void 0;
};
const _sfc_main$5 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPHomeSponsors",
  __ssrInlineRender: true,
  props: {
    message: {},
    actionText: { default: "Become a sponsor" },
    actionLink: {},
    data: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<section${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({ class: "VPHomeSponsors" }, _attrs))} data-v-ab5f3c06><div class="container" data-v-ab5f3c06><div class="header" data-v-ab5f3c06><div class="love" data-v-ab5f3c06><span class="vpi-heart icon" data-v-ab5f3c06></span></div>`);
      if (__props.message) {
        _push(`<h2 class="message" data-v-ab5f3c06>${ssrInterpolate_1(__props.message)}</h2>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div><div class="sponsors" data-v-ab5f3c06>`);
      _push(ssrRenderComponent_1(_sfc_main$7, { data: __props.data }, null, _parent));
      _push(`</div>`);
      if (__props.actionLink) {
        _push(`<div class="action" data-v-ab5f3c06>`);
        _push(ssrRenderComponent_1(VPButton, {
          theme: "sponsor",
          text: __props.actionText,
          href: __props.actionLink
        }, null, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div></section>`);
    };
  }
});
const _sfc_setup$5 = _sfc_main$5.setup;
_sfc_main$5.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPHomeSponsors.vue");
  return _sfc_setup$5 ? _sfc_setup$5(props, ctx) : void 0;
};
const _sfc_main$4 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPTeamMembersItem",
  __ssrInlineRender: true,
  props: {
    size: { default: "medium" },
    member: {}
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<article${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPTeamMembersItem", [__props.size]]
      }, _attrs))} data-v-8e923f04><div class="profile" data-v-8e923f04><figure class="avatar" data-v-8e923f04><img class="avatar-img"${ssrRenderAttr_1("src", __props.member.avatar)}${ssrRenderAttr_1("alt", __props.member.name)} data-v-8e923f04></figure><div class="data" data-v-8e923f04><h1 class="name" data-v-8e923f04>${ssrInterpolate_1(__props.member.name)}</h1>`);
      if (__props.member.title || __props.member.org) {
        _push(`<p class="affiliation" data-v-8e923f04>`);
        if (__props.member.title) {
          _push(`<span class="title" data-v-8e923f04>${ssrInterpolate_1(__props.member.title)}</span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.member.title && __props.member.org) {
          _push(`<span class="at" data-v-8e923f04> @ </span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.member.org) {
          _push(ssrRenderComponent_1(_sfc_main$Z, {
            class: ["org", { link: __props.member.orgLink }],
            href: __props.member.orgLink,
            "no-icon": ""
          }, {
            default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`${ssrInterpolate_1(__props.member.org)}`);
              } else {
                return [
                  runtimeDom_cjs_prod.createTextVNode(runtimeDom_cjs_prod.toDisplayString(__props.member.org), 1)
                ];
              }
            }),
            _: 1
          }, _parent));
        } else {
          _push(`<!---->`);
        }
        _push(`</p>`);
      } else {
        _push(`<!---->`);
      }
      if (__props.member.desc) {
        _push(`<p class="desc" data-v-8e923f04>${__props.member.desc ?? ""}</p>`);
      } else {
        _push(`<!---->`);
      }
      if (__props.member.links) {
        _push(`<div class="links" data-v-8e923f04>`);
        _push(ssrRenderComponent_1(VPSocialLinks, {
          links: __props.member.links
        }, null, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div></div>`);
      if (__props.member.sponsor) {
        _push(`<div class="sp" data-v-8e923f04>`);
        _push(ssrRenderComponent_1(_sfc_main$Z, {
          class: "sp-link",
          href: __props.member.sponsor,
          "no-icon": ""
        }, {
          default: runtimeDom_cjs_prod.withCtx((_, _push2, _parent2, _scopeId) => {
            if (_push2) {
              _push2(`<span class="vpi-heart sp-icon" data-v-8e923f04${_scopeId}></span> ${ssrInterpolate_1(__props.member.actionText || "Sponsor")}`);
            } else {
              return [
                runtimeDom_cjs_prod.createVNode("span", { class: "vpi-heart sp-icon" }),
                runtimeDom_cjs_prod.createTextVNode(" " + runtimeDom_cjs_prod.toDisplayString(__props.member.actionText || "Sponsor"), 1)
              ];
            }
          }),
          _: 1
        }, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</article>`);
    };
  }
});
const _sfc_setup$4 = _sfc_main$4.setup;
_sfc_main$4.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPTeamMembersItem.vue");
  return _sfc_setup$4 ? _sfc_setup$4(props, ctx) : void 0;
};
const VPTeamMembersItem = /* @__PURE__ */ _export_sfc(_sfc_main$4, [["__scopeId", "data-v-8e923f04"]]);
const _sfc_main$3 = /* @__PURE__ */ runtimeDom_cjs_prod.defineComponent({
  __name: "VPTeamMembers",
  __ssrInlineRender: true,
  props: {
    size: { default: "medium" },
    members: {}
  },
  setup(__props) {
    const props = __props;
    const classes = runtimeDom_cjs_prod.computed(() => [props.size, `count-${props.members.length}`]);
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs_1(runtimeDom_cjs_prod.mergeProps({
        class: ["VPTeamMembers", classes.value]
      }, _attrs))} data-v-7626d1bd><div class="container" data-v-7626d1bd><!--[-->`);
      ssrRenderList_1(__props.members, (member) => {
        _push(`<div class="item" data-v-7626d1bd>`);
        _push(ssrRenderComponent_1(VPTeamMembersItem, {
          size: __props.size,
          member
        }, null, _parent));
        _push(`</div>`);
      });
      _push(`<!--]--></div></div>`);
    };
  }
});
const _sfc_setup$3 = _sfc_main$3.setup;
_sfc_main$3.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPTeamMembers.vue");
  return _sfc_setup$3 ? _sfc_setup$3(props, ctx) : void 0;
};
const _sfc_main$2 = {};
const _sfc_setup$2 = _sfc_main$2.setup;
_sfc_main$2.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPTeamPage.vue");
  return _sfc_setup$2 ? _sfc_setup$2(props, ctx) : void 0;
};
const _sfc_main$1 = {};
const _sfc_setup$1 = _sfc_main$1.setup;
_sfc_main$1.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPTeamPageSection.vue");
  return _sfc_setup$1 ? _sfc_setup$1(props, ctx) : void 0;
};
const _sfc_main = {};
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = runtimeDom_cjs_prod.useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("node_modules/.pnpm/vitepress@1.6.4_@algolia+client-search@5.64.0_@types+node@24.19.2_change-case@5.4.4_jwt_6b878ecfb21220fac645d63d1453566a/node_modules/vitepress/dist/client/theme-default/components/VPTeamPageTitle.vue");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const theme = {
  Layout,
  enhanceApp: ({ app }) => {
    app.component("Badge", _sfc_main$14);
  }
};
const ClientOnly = runtimeDom_cjs_prod.defineComponent({
  setup(_, { slots }) {
    const show = runtimeDom_cjs_prod.ref(false);
    runtimeDom_cjs_prod.onMounted(() => {
      show.value = true;
    });
    return () => show.value && slots.default ? slots.default() : null;
  }
});
function useCodeGroups() {
  if (inBrowser) {
    window.addEventListener("click", (e) => {
      var _a;
      const el = e.target;
      if (el.matches(".vp-code-group input")) {
        const group = (_a = el.parentElement) == null ? void 0 : _a.parentElement;
        if (!group)
          return;
        const i = Array.from(group.querySelectorAll("input")).indexOf(el);
        if (i < 0)
          return;
        const blocks = group.querySelector(".blocks");
        if (!blocks)
          return;
        const current = Array.from(blocks.children).find((child) => child.classList.contains("active"));
        if (!current)
          return;
        const next = blocks.children[i];
        if (!next || current === next)
          return;
        current.classList.remove("active");
        next.classList.add("active");
        const label = group == null ? void 0 : group.querySelector(`label[for="${el.id}"]`);
        label == null ? void 0 : label.scrollIntoView({ block: "nearest" });
      }
    });
  }
}
function useCopyCode() {
  if (inBrowser) {
    const timeoutIdMap = /* @__PURE__ */ new WeakMap();
    window.addEventListener("click", (e) => {
      var _a;
      const el = e.target;
      if (el.matches('div[class*="language-"] > button.copy')) {
        const parent = el.parentElement;
        const sibling = (_a = el.nextElementSibling) == null ? void 0 : _a.nextElementSibling;
        if (!parent || !sibling) {
          return;
        }
        const isShell = /language-(shellscript|shell|bash|sh|zsh)/.test(parent.className);
        const ignoredNodes = [".vp-copy-ignore", ".diff.remove"];
        const clone = sibling.cloneNode(true);
        clone.querySelectorAll(ignoredNodes.join(",")).forEach((node) => node.remove());
        let text = clone.textContent || "";
        if (isShell) {
          text = text.replace(/^ *(\$|>) /gm, "").trim();
        }
        copyToClipboard(text).then(() => {
          el.classList.add("copied");
          clearTimeout(timeoutIdMap.get(el));
          const timeoutId = setTimeout(() => {
            el.classList.remove("copied");
            el.blur();
            timeoutIdMap.delete(el);
          }, 2e3);
          timeoutIdMap.set(el, timeoutId);
        });
      }
    });
  }
}
async function copyToClipboard(text) {
  try {
    return navigator.clipboard.writeText(text);
  } catch {
    const element = document.createElement("textarea");
    const previouslyFocusedElement = document.activeElement;
    element.value = text;
    element.setAttribute("readonly", "");
    element.style.contain = "strict";
    element.style.position = "absolute";
    element.style.left = "-9999px";
    element.style.fontSize = "12pt";
    const selection = document.getSelection();
    const originalRange = selection ? selection.rangeCount > 0 && selection.getRangeAt(0) : null;
    document.body.appendChild(element);
    element.select();
    element.selectionStart = 0;
    element.selectionEnd = text.length;
    document.execCommand("copy");
    document.body.removeChild(element);
    if (originalRange) {
      selection.removeAllRanges();
      selection.addRange(originalRange);
    }
    if (previouslyFocusedElement) {
      previouslyFocusedElement.focus();
    }
  }
}
function useUpdateHead(route, siteDataByRouteRef) {
  let isFirstUpdate = true;
  let managedHeadElements = [];
  const updateHeadTags = (newTags) => {
    if (isFirstUpdate) {
      isFirstUpdate = false;
      newTags.forEach((tag) => {
        const headEl = createHeadElement(tag);
        for (const el of document.head.children) {
          if (el.isEqualNode(headEl)) {
            managedHeadElements.push(el);
            return;
          }
        }
      });
      return;
    }
    const newElements = newTags.map(createHeadElement);
    managedHeadElements.forEach((oldEl, oldIndex) => {
      const matchedIndex = newElements.findIndex((newEl) => newEl == null ? void 0 : newEl.isEqualNode(oldEl ?? null));
      if (matchedIndex !== -1) {
        delete newElements[matchedIndex];
      } else {
        oldEl == null ? void 0 : oldEl.remove();
        delete managedHeadElements[oldIndex];
      }
    });
    newElements.forEach((el) => el && document.head.appendChild(el));
    managedHeadElements = [...managedHeadElements, ...newElements].filter(Boolean);
  };
  runtimeDom_cjs_prod.watchEffect(() => {
    const pageData = route.data;
    const siteData2 = siteDataByRouteRef.value;
    const pageDescription = pageData && pageData.description;
    const frontmatterHead = pageData && pageData.frontmatter.head || [];
    const title = createTitle(siteData2, pageData);
    if (title !== document.title) {
      document.title = title;
    }
    const description = pageDescription || siteData2.description;
    let metaDescriptionElement = document.querySelector(`meta[name=description]`);
    if (metaDescriptionElement) {
      if (metaDescriptionElement.getAttribute("content") !== description) {
        metaDescriptionElement.setAttribute("content", description);
      }
    } else {
      createHeadElement(["meta", { name: "description", content: description }]);
    }
    updateHeadTags(mergeHead(siteData2.head, filterOutHeadDescription(frontmatterHead)));
  });
}
function createHeadElement([tag, attrs, innerHTML]) {
  const el = document.createElement(tag);
  for (const key in attrs) {
    el.setAttribute(key, attrs[key]);
  }
  if (innerHTML) {
    el.innerHTML = innerHTML;
  }
  if (tag === "script" && attrs.async == null) {
    el.async = false;
  }
  return el;
}
function isMetaDescription(headConfig) {
  return headConfig[0] === "meta" && headConfig[1] && headConfig[1].name === "description";
}
function filterOutHeadDescription(head) {
  return head.filter((h) => !isMetaDescription(h));
}
const hasFetched = /* @__PURE__ */ new Set();
const createLink = () => document.createElement("link");
const viaDOM = (url) => {
  const link2 = createLink();
  link2.rel = `prefetch`;
  link2.href = url;
  document.head.appendChild(link2);
};
const viaXHR = (url) => {
  const req = new XMLHttpRequest();
  req.open("GET", url, req.withCredentials = true);
  req.send();
};
let link;
const doFetch = inBrowser && (link = createLink()) && link.relList && link.relList.supports && link.relList.supports("prefetch") ? viaDOM : viaXHR;
function usePrefetch() {
  if (!inBrowser) {
    return;
  }
  if (!window.IntersectionObserver) {
    return;
  }
  let conn;
  if ((conn = navigator.connection) && (conn.saveData || /2g/.test(conn.effectiveType))) {
    return;
  }
  const rIC = window.requestIdleCallback || setTimeout;
  let observer = null;
  const observeLinks = () => {
    if (observer) {
      observer.disconnect();
    }
    observer = new IntersectionObserver((entries) => {
      entries.forEach((entry) => {
        if (entry.isIntersecting) {
          const link2 = entry.target;
          observer.unobserve(link2);
          const { pathname } = link2;
          if (!hasFetched.has(pathname)) {
            hasFetched.add(pathname);
            const pageChunkPath = pathToFile(pathname);
            if (pageChunkPath)
              doFetch(pageChunkPath);
          }
        }
      });
    });
    rIC(() => {
      document.querySelectorAll("#app a").forEach((link2) => {
        const { hostname, pathname } = new URL(link2.href instanceof SVGAnimatedString ? link2.href.animVal : link2.href, link2.baseURI);
        const extMatch = pathname.match(/\.\w+$/);
        if (extMatch && extMatch[0] !== ".html") {
          return;
        }
        if (
          // only prefetch same tab navigation, since a new tab will load
          // the lean js chunk instead.
          link2.target !== "_blank" && // only prefetch inbound links
          hostname === location.hostname
        ) {
          if (pathname !== location.pathname) {
            observer.observe(link2);
          } else {
            hasFetched.add(pathname);
          }
        }
      });
    });
  };
  runtimeDom_cjs_prod.onMounted(observeLinks);
  const route = useRoute();
  runtimeDom_cjs_prod.watch(() => route.path, observeLinks);
  runtimeDom_cjs_prod.onUnmounted(() => {
    observer && observer.disconnect();
  });
}
function resolveThemeExtends(theme2) {
  if (theme2.extends) {
    const base = resolveThemeExtends(theme2.extends);
    return {
      ...base,
      ...theme2,
      async enhanceApp(ctx) {
        if (base.enhanceApp)
          await base.enhanceApp(ctx);
        if (theme2.enhanceApp)
          await theme2.enhanceApp(ctx);
      }
    };
  }
  return theme2;
}
const Theme = resolveThemeExtends(theme);
const VitePressApp = runtimeDom_cjs_prod.defineComponent({
  name: "VitePressApp",
  setup() {
    const { site, lang, dir } = useData$1();
    runtimeDom_cjs_prod.onMounted(() => {
      runtimeDom_cjs_prod.watchEffect(() => {
        document.documentElement.lang = lang.value;
        document.documentElement.dir = dir.value;
      });
    });
    if (site.value.router.prefetchLinks) {
      usePrefetch();
    }
    useCopyCode();
    useCodeGroups();
    if (Theme.setup)
      Theme.setup();
    return () => runtimeDom_cjs_prod.h(Theme.Layout);
  }
});
async function createApp() {
  globalThis.__VITEPRESS__ = true;
  const router = newRouter();
  const app = newApp();
  app.provide(RouterSymbol, router);
  const data = initData(router.route);
  app.provide(dataSymbol, data);
  app.component("Content", Content);
  app.component("ClientOnly", ClientOnly);
  Object.defineProperties(app.config.globalProperties, {
    $frontmatter: {
      get() {
        return data.frontmatter.value;
      }
    },
    $params: {
      get() {
        return data.page.value.params;
      }
    }
  });
  if (Theme.enhanceApp) {
    await Theme.enhanceApp({
      app,
      router,
      siteData: siteDataRef
    });
  }
  return { app, router, data };
}
function newApp() {
  return runtimeDom_cjs_prod.createSSRApp(VitePressApp);
}
function newRouter() {
  let isInitialPageLoad = inBrowser;
  return createRouter((path) => {
    let pageFilePath = pathToFile(path);
    let pageModule = null;
    if (pageFilePath) {
      if (isInitialPageLoad) {
        pageFilePath = pageFilePath.replace(/\.js$/, ".lean.js");
      }
      if (false) ;
      else {
        pageModule = import(
          /*@vite-ignore*/
          pageFilePath
        );
      }
    }
    if (inBrowser) {
      isInitialPageLoad = false;
    }
    return pageModule;
  }, Theme.NotFound);
}
if (inBrowser) {
  createApp().then(({ app, router, data }) => {
    router.go().then(() => {
      useUpdateHead(router.route, data.site);
      app.mount("#app");
    });
  });
}
async function render(path) {
  const { app, router } = await createApp();
  await router.go(path);
  const ctx = { content: "", vpSocialIcons: /* @__PURE__ */ new Set() };
  ctx.content = await renderToString_1(app, ctx);
  return ctx;
}
export {
  tryOnScopeDispose as a,
  useData as b,
  computedAsync as c,
  useSessionStorage as d,
  useLocalStorage as e,
  useRouter as f,
  createSearchTranslate as g,
  useEventListener as h,
  useScrollLock as i,
  dataSymbol as j,
  inBrowser as k,
  escapeRegExp as l,
  notNullish as n,
  onKeyStroke as o,
  pathToFile as p,
  render,
  toArray as t,
  unrefElement as u,
  watchDebounced as w
};
