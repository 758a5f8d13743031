{{/*
What is generated from the code about every component and route: files/suite.json.
*/}}
{{- define "signet.suite" -}}
{{ .Files.Get "files/suite.json" }}
{{- end }}

{{/* Values of a component over the defaults. Of a dict with root and component. */}}
{{- define "signet.values" -}}
{{- $values := mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (get .root.Values.components .component | default dict)) }}
{{- $keda := .root.Values.keda }}
{{- if and $keda.enabled (eq .component "migrationWorker") }}
{{- if $values.autoscaling.enabled }}
{{- fail "keda.enabled and autoscaling.enabled of migrationWorker: two scalers of one Deployment undo what the other does; turn one of them off" }}
{{- end }}
{{- $_ := set $values "autoscaling" (merge (dict "enabled" true "byQueue" true "minReplicas" $keda.minReplicas) $values.autoscaling) }}
{{- end }}
{{ toYaml $values }}
{{- end }}

{{/* Least number of replicas. Of merged values. */}}
{{- define "signet.leastReplicas" -}}
{{ ternary .autoscaling.minReplicas .replicas .autoscaling.enabled }}
{{- end }}

{{/* After this the kubelet kills the pod: everything that draining may take, and the end of the process. */}}
{{- define "signet.graceSeconds" -}}
{{ add .drain.preStopSeconds .drain.delaySeconds .drain.deadlineSeconds 10 }}
{{- end }}

{{/* Settings of Redis for a component: `redis`, unless it is for the queue, which has one of its own. */}}
{{- define "signet.redis" -}}
{{- if and (eq .of "queue") .root.Values.queue.redis -}}
{{- $plain := dict "layout" "single" "primaryName" "" "database" 0 "tls" false "username" "" "existingSecret" "" "sentinelPassword" false -}}
{{ merge (deepCopy .root.Values.queue.redis) $plain | toYaml }}
{{- else -}}
{{ toYaml .root.Values.redis }}
{{- end -}}
{{- end }}

{{/* redis://…, as packages/platform/src/config/redis-url.ts reads it; the kubelet puts the passwords in. */}}
{{- define "signet.redisUrl" -}}
{{- $credentials := ternary (printf "%s:$(REDIS_PASSWORD)@" .username) (ternary (printf "%s:@" .username) "" (ne .username "")) (ne .existingSecret "") -}}
redis{{ if .tls }}s{{ end }}{{ if ne .layout "single" }}+{{ .layout }}{{ end }}://{{ $credentials }}{{ join "," .hosts }}
{{- if eq .layout "sentinel" }}/{{ .primaryName }}{{ end }}{{ if .database }}/{{ .database }}{{ end }}
{{- if .sentinelPassword }}?sentinelPassword=$(REDIS_SENTINEL_PASSWORD){{ end }}
{{- end }}
