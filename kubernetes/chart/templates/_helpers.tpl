{{- define "tutti.labels" -}}
app.kubernetes.io/name: tutti
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{/* The addresses of the nodes, which join each other. */}}
{{- define "tutti.join" -}}
{{- range $i := until (int .Values.replicas) }}{{ if $i }},{{ end }}{{ $.Release.Name }}-{{ $i }}.{{ $.Release.Name }}:{{ $.Values.port }}{{ end }}
{{- end }}
