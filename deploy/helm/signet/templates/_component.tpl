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

{{/*
Replicas of a Deployment; empty where the autoscaler alone decides. Helm resets a Deployment that loses the field to one
replica, so with an autoscaler it has its present replicas, and `minReplicas` when there is no Deployment yet. Of a dict with
root, component and values.
*/}}
{{- define "signet.replicas" -}}
{{- if not .values.autoscaling.enabled -}}
{{ .values.replicas }}
{{- else if .values.autoscaling.keepReplicas -}}
{{- $deployment := lookup "apps/v1" "Deployment" .root.Release.Namespace (include "signet.name" .) -}}
{{ dig "spec" "replicas" .values.autoscaling.minReplicas $deployment }}
{{- end -}}
{{- end }}

{{/* After this the kubelet kills the pod: everything that draining may take, and the end of the process. */}}
{{- define "signet.graceSeconds" -}}
{{ add .drain.preStopSeconds .drain.delaySeconds .drain.deadlineSeconds 10 }}
{{- end }}
