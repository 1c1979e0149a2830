{{- define "medialog.name" -}}
{{- ternary .Release.Name (printf "%s-medialog" .Release.Name) (contains "medialog" .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "medialog.selector" -}}
app.kubernetes.io/name: medialog
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "medialog.labels" -}}
{{ include "medialog.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "medialog.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "medialog.secret" -}}
{{- if .Values.existingSecret }}{{ .Values.existingSecret }}
{{- else if .Values.secrets }}{{ include "medialog.name" . }}
{{- end }}
{{- end }}

{{/* A pod of the service. Takes the root, the role (or `all`), its values, and the arguments of the process. */}}
{{- define "medialog.pod" -}}
metadata:
  labels:
    {{- include "medialog.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  annotations:
    # Pods are replaced when their settings change.
    checksum/settings: {{ toJson (list .root.Values.settings .root.Values.secrets) | sha256sum }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "medialog.placement" .root | nindent 2 }}
  terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
  containers:
    - name: medialog
      image: {{ include "medialog.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ toJson .args }}
      {{- include "medialog.containerSecurity" . | nindent 6 }}
      env:
        - name: HOST
          value: 0.0.0.0
        - name: PORT
          value: '8080'
        {{- if has .role (list "all" "api") }}
        - name: ADMIN_PORT
          value: '8081'
        {{- end }}
        - name: METRICS_PORT
          value: '9464'
        - name: MEDIALOG_DATA_DIR
          value: /data
        {{- range $name, $value := .root.Values.settings }}
        - name: {{ $name }}
          value: {{ $value | toString | quote }}
        {{- end }}
      {{- with include "medialog.secret" .root }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      ports:
        {{- if has .role (list "all" "api") }}
        - name: http
          containerPort: 8080
        - name: admin
          containerPort: 8081
        {{- end }}
        - name: metrics
          containerPort: 9464
      {{- $serves := has .role (list "all" "api") }}
      {{- $port := ternary "http" "metrics" $serves }}
      # A start may have to prove a long log, or make read models anew.
      startupProbe:
        httpGet: { path: /healthz, port: {{ $port }} }
        periodSeconds: 5
        failureThreshold: 360
      livenessProbe:
        httpGet: { path: /healthz, port: {{ $port }} }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # Requests go to every process that is there: an engine that is away makes all of them unready at once, and what
      # does not need it goes on. A role without requests is ready when it does its work.
      readinessProbe:
        httpGet: { path: {{ ternary "/healthz" "/readyz" $serves }}, port: {{ $port }} }
        periodSeconds: 5
        timeoutSeconds: 5
      lifecycle:
        preStop:
          # Endpoints are told of a pod's end while it ends: it goes on answering until they were.
          sleep: { seconds: 5 }
      resources: {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 1Gi }
    {{- if ne .role "all" }}
    - name: data
      emptyDir: { sizeLimit: {{ .root.Values.scratch }} }
    {{- end }}
{{- end }}

{{/* What holds for every pod of the chart. */}}
{{- define "medialog.placement" -}}
automountServiceAccountToken: false
serviceAccountName: {{ include "medialog.name" . }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "medialog.containerSecurity" -}}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
{{- end }}
