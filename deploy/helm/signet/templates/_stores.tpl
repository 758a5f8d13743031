{{/*
Whether a component uses a protection of its stores: what the value says, or with `auto` what the live Deployment says that it
uses. One of a chart that did not know the protection has no such annotation and goes on without it; where there is no
Deployment, it is used. Of a dict with root, component, value and protection.
*/}}
{{- define "signet.protection" -}}
{{- if ne (toString .value) "auto" -}}
{{ .value }}
{{- else -}}
{{- $deployment := lookup "apps/v1" "Deployment" .root.Release.Namespace (include "signet.name" .) -}}
{{ or (not $deployment) (eq "true" (dig "metadata" "annotations" (printf "signet/%s" .protection) "false" $deployment)) }}
{{- end -}}
{{- end }}

{{/*
The connection of a component to Redis: `redis`, or `queue.redis` if there is one and it is for the queue; with `tls`, `user`
and `passwordKey` as they are used, and `ownUser`. Of a dict with root, component, app and of.
*/}}
{{- define "signet.redis" -}}
{{- $own := and (eq .of "queue") (not (empty .root.Values.queue.redis)) -}}
{{- $plain := dict "layout" "single" "primaryName" "" "database" 0 "tls" "auto" "userPerService" "auto" "username" "" "existingSecret" "" "sentinelPassword" false "caSecret" "" -}}
{{- $values := deepCopy .root.Values.redis -}}
{{- if $own -}}
{{- $values = deepCopy $plain -}}
{{- range $key, $value := .root.Values.queue.redis }}{{ $_ := set $values $key $value }}{{ end -}}
{{- end -}}
{{- $name := $own | ternary "queue.redis" "redis" -}}
{{- $of := dict "root" .root "component" .component -}}
{{- $tls := include "signet.protection" (merge (dict "value" $values.tls "protection" "redis-tls") $of) | eq "true" -}}
{{- $ownUser := false -}}
{{- if $values.username -}}
{{- if eq (toString $values.userPerService) "true" -}}
{{- fail (printf "%s.username and %s.userPerService: with a user for each service no other is used; leave %s.username empty" $name $name $name) -}}
{{- end -}}
{{- else -}}
{{- $ownUser = include "signet.protection" (merge (dict "value" $values.userPerService "protection" "redis-user") $of) | eq "true" -}}
{{- end -}}
{{- if and $ownUser (not $values.existingSecret) -}}
{{- fail (printf "%s.existingSecret: is required with %s.userPerService; name a Secret with the password of each user under login, token, introspection and migration, or set %s.userPerService to false" $name $name $name) -}}
{{- end -}}
{{- $presents := .root.Values.storeCertificates.redis -}}
{{- if and $presents (not $tls) -}}
{{- fail (printf "storeCertificates.redis: is for connections with TLS; set %s.tls to true" $name) -}}
{{- end -}}
{{- if and $values.caSecret (not $tls) -}}
{{- fail (printf "%s.caSecret: is for connections with TLS; set %s.tls to true" $name $name) -}}
{{- end -}}
{{- $user := $ownUser | ternary (printf "signet_%s" .app) $values.username -}}
{{- $passwordKey := $ownUser | ternary .app "password" -}}
{{- /* Not with merge, which takes false for a value that is not there. */ -}}
{{- range $key, $value := dict "tls" $tls "presents" $presents "ownUser" $ownUser "user" $user "passwordKey" $passwordKey "valuesName" $name }}{{ $_ := set $values $key $value }}{{ end -}}
{{ toYaml $values }}
{{- end }}

{{/*
redis://…, as packages/platform/src/config/redis-url.ts reads it; passwords come from files. Of what signet.redis makes.
*/}}
{{- define "signet.redisUrl" -}}
redis{{ if .tls }}s{{ end }}{{ if ne .layout "single" }}+{{ .layout }}{{ end }}://{{ if .user }}{{ .user }}:@{{ end }}{{ join "," .hosts }}
{{- if eq .layout "sentinel" }}/{{ .primaryName }}{{ end }}{{ if .database }}/{{ .database }}{{ end }}
{{- $files := list }}
{{- if .caSecret }}{{ $files = append $files "ca=/run/signet/redis/ca.crt" }}{{ end }}
{{- if .presents }}{{ $files = append $files "cert=/run/signet/stores/tls.crt&key=/run/signet/stores/tls.key" }}{{ end }}
{{- with $files }}?{{ join "&" . }}{{ end }}
{{- end }}

{{/* The Secret with the certificate by which a service proves itself to its stores. Of a dict with root and service. */}}
{{- define "signet.storeSecret" -}}
{{- $given := get .root.Values.storeCertificates.existingSecrets .service -}}
{{ default (printf "%s-%s-stores" (include "signet.fullname" .root) .service) $given }}
{{- end }}

{{/* Whether a component presents that certificate anywhere. Of a dict with root and facts. */}}
{{- define "signet.presentsCertificate" -}}
{{- with .root.Values.storeCertificates -}}
{{ or .postgres (and .redis (not (empty $.facts.redis))) }}
{{- end -}}
{{- end }}

{{/* The services, and the migration Job where it connects by its certificate. Of the root. */}}
{{- define "signet.storeCertificateOwners" -}}
{{- $owners := (include "signet.suite" . | fromJson).services -}}
{{ toYaml (empty .Values.migrations.url | ternary $owners (append $owners "migrate")) }}
{{- end }}

{{- define "signet.storeCertificateVolume" -}}
{{- if eq "true" (include "signet.presentsCertificate" .) }}
{{- include "signet.storeFiles" (dict "root" .root "service" .facts.app) }}
{{- end }}
{{- end }}

{{/* Of a dict with root and service. */}}
{{- define "signet.storeFiles" }}
- name: stores
  secret:
    secretName: {{ include "signet.storeSecret" . }}
    defaultMode: 0440
    items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
{{- end }}

{{- define "signet.storeCertificateMount" -}}
{{- if eq "true" (include "signet.presentsCertificate" .) }}
- { name: stores, mountPath: /run/signet/stores, readOnly: true }
{{- end }}
{{- end }}

{{/* Volumes of the authority of Redis. Of what signet.redis makes. */}}
{{- define "signet.redisCaVolume" -}}
{{- with .caSecret }}
- name: redis-ca
  secret: { secretName: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}

{{- define "signet.redisCaMount" -}}
{{- if .caSecret }}
- { name: redis-ca, mountPath: /run/signet/redis, readOnly: true }
{{- end }}
{{- end }}

{{/* Parameters of the URL of PostgreSQL, those of TLS included. Of a dict with root and component. */}}
{{- define "signet.postgresParameters" -}}
{{- $postgres := .root.Values.postgres -}}
{{- $parameters := list -}}
{{- with $postgres.parameters }}{{ $parameters = append $parameters . }}{{ end -}}
{{- $presents := .root.Values.storeCertificates.postgres -}}
{{- if $presents -}}
{{- $parameters = append $parameters "sslcert=/run/signet/stores/tls.crt&sslkey=/run/signet/stores/tls.key" -}}
{{- end -}}
{{- if not (contains "sslmode=" $postgres.parameters) -}}
{{- if eq "true" (include "signet.protection" (dict "root" .root "component" .component "value" $postgres.tls "protection" "postgres-tls")) -}}
{{- $parameters = append $parameters "sslmode=verify-full" -}}
{{- if and $postgres.caSecret (not (contains "sslrootcert=" $postgres.parameters)) -}}
{{- $parameters = append $parameters "sslrootcert=/run/signet/postgres/ca.crt" -}}
{{- end -}}
{{- else if $presents -}}
{{- fail "storeCertificates.postgres: is for connections with TLS; set postgres.tls to true" -}}
{{- end -}}
{{- end -}}
{{ join "&" $parameters }}
{{- end }}

{{/*
The protections of a component, by the annotation that says whether it uses them, each with the value that sets it. Of a dict
with root, component and facts.
*/}}
{{- define "signet.protections" -}}
{{- $parameters := include "signet.postgresParameters" . -}}
{{- $isPlain := or (not (contains "sslmode=" $parameters)) (contains "sslmode=disable" $parameters) -}}
{{- $protections := dict "postgres-tls" (dict "used" (not $isPlain) "value" "postgres.tls" "missing" "connections to PostgreSQL use no TLS") -}}
{{- range $use := .facts.redis -}}
{{- $redis := include "signet.redis" (dict "root" $.root "component" $.component "app" $.facts.app "of" $use) | fromYaml -}}
{{- $_ := set $protections "redis-tls" (dict "used" $redis.tls "value" (printf "%s.tls" $redis.valuesName) "missing" "connections to Redis use no TLS") -}}
{{- $_ := set $protections "redis-user" (dict "used" $redis.ownUser "value" (printf "%s.userPerService" $redis.valuesName) "missing" "services share a user of Redis, so that each can read and change what all others keep there") -}}
{{- end -}}
{{ toYaml $protections }}
{{- end }}

{{/* Whether missing protections are refused: from version 0.2.0 of the chart on, unless the value says otherwise. */}}
{{- define "signet.requiresProtections" -}}
{{- $value := .Values.requireProtectedStores -}}
{{ ternary (semverCompare ">=0.2.0-0" .Chart.Version) (eq (toString $value) "true") (eq (toString $value) "auto") }}
{{- end }}

{{/* A line for each protection that is missing: the value to set, and what is the case without it. Of the root. */}}
{{- define "signet.missingProtections" -}}
{{- $suite := include "signet.suite" . | fromJson -}}
{{- $lines := list -}}
{{- range $component, $facts := $suite.components -}}
{{- range include "signet.protections" (dict "root" $ "component" $component "facts" $facts) | fromYaml -}}
{{- if not .used -}}
{{- $lines = append $lines (printf "%s: %s" .value .missing) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ $lines | uniq | sortAlpha | join "\n" }}
{{- end }}
