/** Every Node reads this file. An older one cannot read the TypeScript that comes next, and would not say why. */
const LEAST = 24

if (Number(process.versions.node.split('.')[0]) < LEAST) {
  console.error(
    `medialog: this is Node ${process.versions.node}, and Node ${LEAST} or newer is needed. \`npm start\` and ` +
      '`npm run medialog` bring their own on Linux and Windows; elsewhere install it from https://nodejs.org.',
  )
  process.exit(1)
}
