{{- define "signet.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $default := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $default .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* Of a dict with root and component. */}}
{{- define "signet.name" -}}
{{ include "signet.fullname" .root }}-{{ kebabcase .component }}
{{- end }}

{{- define "signet.selectorLabels" -}}
app.kubernetes.io/name: signet
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ kebabcase .component }}
{{- end }}

{{- define "signet.labels" -}}
{{ include "signet.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Of a dict with root and app. */}}
{{- define "signet.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := get $image.digests .app -}}
{{ $image.repository }}/{{ .app }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ default .root.Chart.AppVersion $image.tag }}{{ end }}
{{- end }}

{{- define "signet.host" -}}
{{ (urlParse .Values.issuer).hostname }}
{{- end }}

{{/* What the URIs of certificates begin with: docs/decisions/0050-callers-by-uri.md. */}}
{{- define "signet.trustPrefix" -}}
spiffe://{{ default .Values.clusterDomain .Values.mtls.identity.trustDomain }}/ns/{{ .Release.Namespace }}/release/{{ .Release.Name }}
{{- end }}

{{- define "signet.mtlsSecret" -}}
{{- $given := get .root.Values.mtls.existingSecrets .service -}}
{{ default (printf "%s-%s-mtls" (include "signet.fullname" .root) .service) $given }}
{{- end }}
