{{/* What every pod has in common. Of a dict with root and values. */}}
{{- define "signet.podSettings" -}}
automountServiceAccountToken: false
# The addresses of Services as variables would meet the names of settings.
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- toYaml .values.podSecurityContext | nindent 2 }}
{{- range $field := list "affinity" "nodeSelector" "tolerations" "priorityClassName" "schedulerName" "runtimeClassName" "dnsConfig" "hostAliases" }}
{{- with get $.values $field }}
{{ $field }}: {{ if kindIs "string" . }}{{ . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of a dict with root and service. */}}
{{- define "signet.mtlsVolume" -}}
{{- $bundle := .root.Values.mtls.trustBundle }}
- name: mtls
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ include "signet.mtlsSecret" . }}
          items:
            - { key: tls.crt, path: tls.crt }
            - { key: tls.key, path: tls.key }
            {{- if not $bundle.existingConfigMap }}
            - { key: ca.crt, path: ca.crt }
            {{- end }}
      {{- if $bundle.existingConfigMap }}
      - configMap: { name: {{ $bundle.existingConfigMap }}, items: [{ key: {{ $bundle.key }}, path: ca.crt }] }
      {{- end }}
{{- end }}

{{/*
Passwords of PostgreSQL and Redis as files, which the services read for each new connection, and the URL of the SMTP server,
which directory reads at its start. Of a dict with root, component and facts.
*/}}
{{- define "signet.passwordsVolume" -}}
{{- with include "signet.passwordSources" . }}
- name: passwords
  projected:
    defaultMode: 0440
    sources:
      {{- . | nindent 6 }}
{{- end }}
{{- end }}

{{- define "signet.passwordsMount" -}}
{{- if include "signet.passwordSources" . }}
- { name: passwords, mountPath: /run/signet/passwords, readOnly: true }
{{- end }}
{{- end }}

{{- define "signet.passwordSources" -}}
{{- with .root.Values.postgres.existingSecret }}
- secret: { name: {{ . }}, items: [{ key: {{ $.facts.app }}, path: postgres }] }
{{- end }}
{{- if and (eq .facts.app "directory") .root.Values.smtp.existingSecret }}
- secret: { name: {{ .root.Values.smtp.existingSecret }}, items: [{ key: url, path: smtp-url }] }
{{- end }}
{{- range $use := .facts.redis }}
{{- $redis := include "signet.redis" (dict "root" $.root "component" $.component "app" $.facts.app "of" $use) | fromYaml }}
{{- if $redis.existingSecret }}
- secret:
    name: {{ $redis.existingSecret }}
    items:
      - { key: {{ $redis.passwordKey }}, path: redis }
      {{- if $redis.sentinelPassword }}
      - { key: sentinel-password, path: redis-sentinel }
      {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
ConfigMaps and Secrets of extraObjects that are in a list of names or in a text: what a pod reads at its start alone. Of a
dict with root, names and text.
*/}}
{{- define "signet.readAtStart" -}}
{{- range .root.Values.extraObjects }}
{{- $object := tpl (toYaml .) $.root | fromYaml }}
{{- $name := $object.metadata.name }}
{{- if and (has $object.kind (list "ConfigMap" "Secret")) (or (has $name $.names) (contains (quote $name) $.text)) }}
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}

{{- define "signet.postgresCaVolume" -}}
{{- with .Values.postgres.caSecret }}
- name: postgres-ca
  secret: { secretName: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}

{{/* The authorities of certificates of clients, for the services that verify those. Of a dict with root and facts. */}}
{{- define "signet.clientAuthoritiesVolume" -}}
{{- with .root.Values.clientCertificates }}
{{- if and .host .caSecret (has $.facts.app (list "token" "introspection" "login" "keys")) }}
- name: client-authorities
  secret: { secretName: {{ .caSecret }}, defaultMode: 0440, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end }}

{{- define "signet.clientAuthoritiesMount" -}}
{{- with .root.Values.clientCertificates }}
{{- if and .host .caSecret (has $.facts.app (list "token" "introspection" "login" "keys")) }}
- { name: client-authorities, mountPath: /run/signet/client-authorities, readOnly: true }
{{- end }}
{{- end }}
{{- end }}

{{/* The certificate of the port that asks clients for certificates. Of a dict with root and facts. */}}
{{- define "signet.listenerVolume" -}}
{{- with .root.Values.clientCertificates.listener }}
{{- if and .port $.facts.http }}
- name: listener
  secret:
    secretName: {{ .tlsSecret }}
    defaultMode: 0440
    items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
{{- end }}
{{- end }}
{{- end }}

{{- define "signet.listenerMount" -}}
{{- if and .root.Values.clientCertificates.listener.port .facts.http }}
- { name: listener, mountPath: /run/signet/listener, readOnly: true }
{{- end }}
{{- end }}

{{- define "signet.postgresCaMount" -}}
{{- if .Values.postgres.caSecret }}
- { name: postgres-ca, mountPath: /run/signet/postgres, readOnly: true }
{{- end }}
{{- end }}

{{/* The token of the pod for our own APIs: its audience is the issuer, and the kubelet replaces it before it ends. */}}
{{- define "signet.workloadVolume" -}}
- name: workload
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { path: token, audience: {{ .Values.issuer | quote }}, expirationSeconds: 600 }
{{- end }}

{{/*
The token of the pod for the API server, and its authority, for the services that have it review tokens. Of a dict with root and
facts.
*/}}
{{- define "signet.reviewVolume" -}}
{{- if and .root.Values.tokenReview.issuer (has .facts.app (list "token" "introspection" "login")) }}
- name: kubernetes
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { path: token, expirationSeconds: 3600 }
      - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}

{{- define "signet.reviewMount" -}}
{{- if and .root.Values.tokenReview.issuer (has .facts.app (list "token" "introspection" "login")) }}
- { name: kubernetes, mountPath: /run/signet/kubernetes, readOnly: true }
{{- end }}
{{- end }}
