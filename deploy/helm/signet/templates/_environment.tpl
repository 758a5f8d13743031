{{/* The settings of a component. Of a dict with root, component, facts and values. */}}
{{- define "signet.environment" -}}
{{- $root := .root -}}
{{- $facts := .facts -}}
{{- $values := .values -}}
{{- $fullname := include "signet.fullname" .root -}}
- { name: SIGNET_ISSUER, value: {{ $root.Values.issuer | quote }} }
- { name: SIGNET_BIND_HOST, value: {{ $root.Values.bindHost | quote }} }
- { name: SIGNET_LOG_LEVEL, value: {{ $root.Values.logLevel | quote }} }
{{- with $root.Values.trustedProxies }}
- { name: SIGNET_TRUSTED_PROXIES, value: {{ join "," . | quote }} }
{{- end }}
{{- with $root.Values.clientCertificates }}
{{- if .host }}
- { name: SIGNET_MTLS_ORIGIN, value: {{ printf "https://%s" .host | quote }} }
- { name: SIGNET_MTLS_HEADER, value: {{ .header | quote }} }
{{- if and .listener.port $facts.http }}
- { name: SIGNET_MTLS_PORT, value: {{ .listener.port | int | quote }} }
- { name: SIGNET_MTLS_CERT, value: /run/signet/listener/tls.crt }
- { name: SIGNET_MTLS_KEY, value: /run/signet/listener/tls.key }
{{- end }}
{{- if and .caSecret (has $facts.app (list "token" "introspection" "login" "keys")) }}
- { name: SIGNET_MTLS_CLIENT_CA, value: /run/signet/client-authorities/ca.crt }
{{- end }}
{{- end }}
{{- end }}
- { name: SIGNET_DRAIN_DELAY_SECONDS, value: {{ $values.drain.delaySeconds | quote }} }
- { name: SIGNET_DRAIN_DEADLINE_SECONDS, value: {{ $values.drain.deadlineSeconds | quote }} }
- { name: SIGNET_RPC_CA, value: /run/signet/mtls/ca.crt }
- { name: SIGNET_RPC_CERT, value: /run/signet/mtls/tls.crt }
- { name: SIGNET_RPC_KEY, value: /run/signet/mtls/tls.key }
{{- if eq $root.Values.mtls.identity.by "uri" }}
- { name: SIGNET_RPC_TRUST_PREFIX, value: {{ include "signet.trustPrefix" $root | quote }} }
{{- end }}
{{- range $facts.calls }}
- name: SIGNET_RPC_{{ upper . }}_ADDRESS
  value: {{ $fullname }}-{{ . }}-rpc.{{ $root.Release.Namespace }}.svc.{{ $root.Values.clusterDomain }}:9090
{{- end }}
{{- if eq $facts.app "migration" }}
- name: SIGNET_RPC_TRANSFER_ADDRESS
  value: {{ $fullname }}-directory-rpc.{{ $root.Release.Namespace }}.svc.{{ $root.Values.clusterDomain }}:9092
{{- end }}
{{- $parameters := include "signet.postgresParameters" . }}
{{- with $root.Values.postgres }}
- name: SIGNET_POSTGRES_URL
  value: {{ printf "postgres://signet_%s@%s:%d/%s%s" $facts.app .host (int .port) .database (ternary (printf "?%s" $parameters) "" (ne $parameters "")) | quote }}
{{- if .existingSecret }}
- { name: SIGNET_POSTGRES_PASSWORD_FILE, value: /run/signet/passwords/postgres }
{{- end }}
- { name: SIGNET_POSTGRES_NAMED_STATEMENTS, value: {{ ternary "on" "off" .namedStatements | quote }} }
{{- end }}
- { name: SIGNET_POSTGRES_POOL_SIZE, value: {{ $values.postgresPoolSize | quote }} }
{{- range $use := $facts.redis }}
{{- $redis := include "signet.redis" (dict "root" $root "component" $.component "app" $facts.app "of" $use) | fromYaml }}
{{- $setting := ternary "SIGNET_QUEUE_REDIS" "SIGNET_REDIS" (eq $use "queue") }}
- { name: {{ $setting }}_URL, value: {{ include "signet.redisUrl" $redis | quote }} }
{{- if $redis.existingSecret }}
- { name: {{ $setting }}_PASSWORD_FILE, value: /run/signet/passwords/redis }
{{- end }}
{{- if $redis.sentinelPassword }}
- { name: {{ $setting }}_SENTINEL_PASSWORD_FILE, value: /run/signet/passwords/redis-sentinel }
{{- end }}
{{- end }}
{{- if has "redis" $facts.redis }}
- { name: SIGNET_REVOCATION_LOG, value: {{ ternary "on" "off" (and $root.Values.redis.revocationLog (ne (toString $root.Values.redis.revocationMirror) "false")) | quote }} }
- { name: SIGNET_REVOCATION_STALENESS_SECONDS, value: {{ $root.Values.redis.revocationStalenessSeconds | int64 | quote }} }
- { name: SIGNET_REVOCATION_ENDINGS_MAX, value: {{ $root.Values.redis.revocationEndingsMax | int64 | quote }} }
{{- end }}
{{- if has $facts.app (list "login" "directory") }}
{{- with $root.Values.passkeys.rpId }}
- { name: SIGNET_PASSKEY_RP_ID, value: {{ . | quote }} }
{{- end }}
{{- with $root.Values.passkeys.relatedOrigins }}
- { name: SIGNET_PASSKEY_RELATED_ORIGINS, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- range $facts.rateLimits }}
- { name: SIGNET_RATE_LIMIT_{{ snakecase . | upper }}, value: {{ get $root.Values.rateLimits . | int64 | quote }} }
{{- end }}
{{- if and $root.Values.tokenReview.issuer (has $facts.app (list "token" "introspection" "login")) }}
{{- $files := dict "tokenFile" "/run/signet/kubernetes/token" "caFile" "/run/signet/kubernetes/ca.crt" }}
- { name: SIGNET_TOKEN_REVIEWS, value: {{ list (merge $files (pick $root.Values.tokenReview "issuer" "url")) | toJson | quote }} }
{{- end }}
{{- if and $facts.outbound $root.Values.outboundAllow }}
- { name: SIGNET_OUTBOUND_ALLOW, value: {{ join "," $root.Values.outboundAllow | quote }} }
{{- end }}
{{- if and (eq $facts.app "directory") $root.Values.smtp.existingSecret }}
- { name: SIGNET_SMTP_URL_FILE, value: /run/signet/passwords/smtp-url }
- { name: SIGNET_SMTP_SENDER, value: {{ $root.Values.smtp.sender | quote }} }
- { name: SIGNET_SMTP_DAILY_LIMIT, value: {{ $root.Values.smtp.dailyLimit | int64 | quote }} }
{{- end }}
{{- if eq $facts.app "migration" }}
{{- /* The defaults are left out: a name that `settings` sets already must not stand here twice. */}}
{{- if $root.Values.exports.sealed }}
- { name: SIGNET_MIGRATION_SEALED_EXPORTS, value: "on" }
{{- end }}
{{- if ne (int64 $root.Values.exports.jobRetentionDays) 30 }}
- { name: SIGNET_MIGRATION_JOB_RETENTION_DAYS, value: {{ $root.Values.exports.jobRetentionDays | int64 | quote }} }
{{- end }}
{{- if $root.Values.storage.url }}
{{- include "signet.storage" $root.Values.storage | nindent 0 }}
{{- end }}
{{- end }}
{{- if $root.Values.monitoring.traces.endpoint }}
{{- include "signet.traces" $root | nindent 0 }}
{{- end }}
{{- if and (eq $facts.app "keys") $root.Values.securityContacts }}
- { name: SIGNET_SECURITY_CONTACT, value: {{ join "," $root.Values.securityContacts | quote }} }
{{- end }}
{{- if $facts.masterKey }}
- { name: SIGNET_{{ upper $facts.masterKey }}_MASTER_KEY_FILE, value: /run/signet/master-key/{{ $facts.masterKey }} }
{{- include "signet.unwrapping" $root | nindent 0 }}
{{- end }}
{{- range $name, $value := $facts.settings | default dict }}
{{- if not (hasKey $values.settings $name) }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- range $name, $value := $values.settings }}
{{- /* YAML reads on and off without quotes as truth values. */}}
{{- if kindIs "bool" $value }}
- { name: {{ $name }}, value: {{ ternary "on" "off" $value | quote }} }
{{- else if kindIs "string" $value }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- else }}
- { name: {{ $name }}, value: {{ int64 $value | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{/* Where wrapped master keys are unwrapped. Of the root. */}}
{{- define "signet.unwrapping" -}}
{{- with .Values.masterKeys.vault }}
{{- if .url }}
- { name: SIGNET_VAULT_URL, value: {{ .url | quote }} }
- { name: SIGNET_VAULT_TOKEN_FILE, value: {{ .tokenFile | quote }} }
{{- with .namespace }}
- { name: SIGNET_VAULT_NAMESPACE, value: {{ . | quote }} }
{{- end }}
{{- with .caFile }}
- { name: SIGNET_VAULT_CA, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.masterKeys.pkcs11 }}
{{- if .module }}
- { name: SIGNET_PKCS11_MODULE, value: {{ .module | quote }} }
- { name: SIGNET_PKCS11_PIN_FILE, value: /run/signet/pkcs11/pin }
{{- range $name, $value := .env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Mounts and volumes of what unwraps master keys. Of the root. */}}
{{- define "signet.unwrappingMounts" -}}
{{- if .Values.masterKeys.vault.existingSecret }}
- { name: vault, mountPath: /run/signet/vault, readOnly: true }
{{- end }}
{{- with .Values.masterKeys.pkcs11 }}
{{- if .module }}
- { name: pkcs11, mountPath: /run/signet/pkcs11, readOnly: true }
{{- if .volume }}
- { name: pkcs11-module, mountPath: /run/signet/pkcs11-module, readOnly: true }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "signet.unwrappingVolumes" -}}
{{- with .Values.masterKeys.vault.existingSecret }}
- name: vault
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- with .Values.masterKeys.pkcs11 }}
{{- if .module }}
- name: pkcs11
  secret: { secretName: {{ .existingSecret }}, defaultMode: 0440, items: [{ key: pin, path: pin }] }
{{- with .volume }}
- name: pkcs11-module
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "signet.unwrappingEgress" -}}
{{- with .Values.masterKeys.vault.url }}
{{- $port := regexFind ":[0-9]+$" (urlParse .).host | trimPrefix ":" | default (ternary "443" "80" (hasPrefix "https:" .)) }}
- ports: [{ port: {{ $port }}, protocol: TCP }]
  {{- with $.Values.networkPolicy.vaultTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- with .Values.masterKeys.pkcs11 }}
{{- if and .module .egress }}
{{ toYaml .egress }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where exports go that name a path alone. Of the values of storage. */}}
{{- define "signet.storage" -}}
- { name: SIGNET_STORAGE_URL, value: {{ .url | quote }} }
{{- $isGoogle := hasPrefix "gs:" .url }}
{{- with .endpoint }}
- { name: {{ ternary "SIGNET_STORAGE_GCS_ENDPOINT" "SIGNET_STORAGE_S3_ENDPOINT" $isGoogle }}, value: {{ . | quote }} }
{{- end }}
{{- with .region }}
- { name: SIGNET_STORAGE_S3_REGION, value: {{ . | quote }} }
{{- end }}
{{- with .encryption }}
- { name: SIGNET_STORAGE_S3_ENCRYPTION, value: {{ . | quote }} }
{{- end }}
{{- with .kmsKeyId }}
- { name: SIGNET_STORAGE_S3_KMS_KEY_ID, value: {{ . | quote }} }
{{- end }}
{{- if eq .credentials "platform" }}
- { name: SIGNET_STORAGE_CREDENTIALS, value: platform }
{{- else }}
{{- $secrets := dict "S3_ACCESS_KEY_ID" "access-key-id" "S3_SECRET_ACCESS_KEY" "secret-access-key" }}
{{- if $isGoogle }}
{{- $secrets = dict "GCS_SERVICE_ACCOUNT" "service-account" }}
{{- end }}
{{- range $name, $key := $secrets }}
- name: SIGNET_STORAGE_{{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $.existingSecret }}, key: {{ $key }} } }
{{- end }}
{{- end }}
{{- end }}

{{/* Where traces go and which. Of the root. */}}
{{- define "signet.traces" -}}
{{- $attributes := list (printf "service.namespace=%s" .Release.Namespace) "k8s.pod.name=$(POD_NAME)" }}
{{- with .Values.monitoring.traces }}
{{- range $name, $value := .attributes }}
{{- $attributes = append $attributes (printf "%s=%s" $name (urlquery $value | replace "+" "%20")) }}
{{- end }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_TRACES_SAMPLER, value: {{ .sampler }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ .share | quote }} }
{{- if .existingSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: headers } }
{{- end }}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- { name: OTEL_RESOURCE_ATTRIBUTES, value: {{ join "," $attributes | quote }} }
{{- end }}
{{- end }}
