/** Every Node reads this file. An older one cannot read the TypeScript that comes next: the Node that is installed with it can. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const LEAST = 24

if (Number(process.versions.node.split('.')[0]) < LEAST) {
  const own = ownNode()
  if (own === null) {
    console.error(
      `medialog: this is Node ${process.versions.node}, and Node ${LEAST} or newer is needed. \`npm ci\` brings one ` +
        'on Linux and Windows; elsewhere install it from https://nodejs.org.',
    )
    process.exit(1)
  }
  const child = spawn(own, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
  // What imports this file must not go on in this process.
  await new Promise(() => {})
}

/** The path of the Node that npm installed for this machine, or null. */
function ownNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  try {
    const found = createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/package.json`)
    const file = join(dirname(found), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(file) ? file : null
  } catch {
    return null
  }
}
