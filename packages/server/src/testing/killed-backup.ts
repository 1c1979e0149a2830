import { makeBackup } from '../backup/make-backup.ts'
import { readConfig } from '../config.ts'

/** Backs a data folder up, encrypted, and is killed as soon as the log is copied. */
const [dataFolder, folder, recipient] = process.argv.slice(2)
await makeBackup(
  readConfig({ MEDIALOG_DATA_DIR: dataFolder }),
  folder!,
  { encryptTo: { recipients: [recipient!] }, keep: 1 },
  ({ message }) => {
    if (message.startsWith('artifacts')) process.kill(process.pid, 'SIGKILL')
  },
)
