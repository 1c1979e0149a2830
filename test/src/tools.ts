import { spawnSync } from 'node:child_process'
import { describe } from 'vitest'

/** Programs that tests ask, where a variable names them or the machine has them; `.ci` gets them. */
export const TOOLS = {
  helm: { name: 'Helm', variable: 'HELM', command: 'helm' },
  kubernetesValidate: {
    name: "Kubernetes' schemas",
    variable: 'KUBERNETES_VALIDATE',
    command: 'kubernetes-validate',
  },
  python: { name: 'Python', variable: 'PYTHON3', command: 'python3' },
  pythonClient: {
    name: 'Python with what builds its client',
    variable: 'MEDIALOG_PYTHON',
    command: 'medialog-python',
  },
  oapiCodegen: { name: 'oapi-codegen, with Go', variable: 'OAPI_CODEGEN', command: 'oapi-codegen' },
  maven: { name: 'Maven, with openapi-generator', variable: 'MAVEN', command: 'medialog-maven' },
  openapiPython: {
    name: 'openapi-python-client',
    variable: 'OPENAPI_PYTHON_CLIENT',
    command: 'openapi-python-client',
  },
  openapiTypescript: {
    name: 'openapi-typescript and @hey-api/openapi-ts',
    variable: 'OPENAPI_TYPESCRIPT',
    command: 'openapi-typescript',
  },
  bun: { name: 'Bun', variable: 'BUN', command: 'bun' },
  deno: { name: 'Deno', variable: 'DENO', command: 'deno' },
  nginx: { name: 'nginx', variable: 'NGINX_PROGRAM', command: 'nginx' },
  caddy: { name: 'Caddy', variable: 'CADDY', command: 'caddy' },
  haproxy: { name: 'HAProxy', variable: 'HAPROXY', command: 'haproxy' },
  promtool: { name: 'promtool', variable: 'PROMTOOL', command: 'promtool' },
  prometheus: { name: 'Prometheus', variable: 'PROMETHEUS', command: 'prometheus' },
  recordings: {
    name: 'recordings of people and of music, from Debian',
    variable: 'RECORDINGS',
    command: 'medialog-recordings',
  },
  systemd: { name: 'systemd-analyze', variable: 'SYSTEMD_ANALYZE', command: 'systemd-analyze' },
  chromium: { name: 'Chromium', variable: 'CHROMIUM', command: 'chromium' },
} as const
export type ToolId = keyof typeof TOOLS

/** Its path, or null where there is none. */
export function toolPath(id: ToolId): string | null {
  const { variable, command } = TOOLS[id]
  const named = process.env[variable]
  if (named) return named
  const found = spawnSync('which', [command], { encoding: 'utf8' })
  return found.status === 0 ? found.stdout.trim() : null
}

/** A suite that asks a program: left out, and named at the run's end, where there is none. */
export function describeWithTool(id: ToolId, title: string, suite: (path: string) => void): void {
  const path = toolPath(id)
  // oxlint-disable-next-line vitest/valid-title -- the caller's title
  describe.skipIf(path === null)(title, () => {
    // A suite that is left out is collected all the same.
    if (path !== null) suite(path)
  })
}

/** Programs that no suite asks, as the end of a run says it. */
export const notAsked = (): string[] =>
  (Object.keys(TOOLS) as ToolId[])
    .filter((id) => toolPath(id) === null)
    .map((id) => `${TOOLS[id].name} (${TOOLS[id].variable})`)
