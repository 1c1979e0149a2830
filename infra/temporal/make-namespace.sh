# Runs in Temporal's admin-tools: the namespace that the service's workflows are in.
set -eu
until temporal operator cluster health >/dev/null 2>&1; do sleep 1; done
temporal operator namespace describe --namespace default >/dev/null 2>&1 \
  || temporal operator namespace create --namespace default --retention 168h
