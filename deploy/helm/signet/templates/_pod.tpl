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
- name: mtls
  secret:
    secretName: {{ include "signet.mtlsSecret" . }}
    defaultMode: 0440
    items:
      - { key: ca.crt, path: ca.crt }
      - { key: tls.crt, path: tls.crt }
      - { key: tls.key, path: tls.key }
{{- end }}

{{- define "signet.postgresCaVolume" -}}
{{- with .Values.postgres.caSecret }}
- name: postgres-ca
  secret: { secretName: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}

{{- define "signet.postgresCaMount" -}}
{{- if .Values.postgres.caSecret }}
- { name: postgres-ca, mountPath: /run/signet/postgres, readOnly: true }
{{- end }}
{{- end }}
