import { isSignedIn, NOBODY, storeSecrets, type Secrets } from './session.ts'

/** What tabs of the console tell each other. Only pages of the same origin hear it. */
type Message = { says: 'who?' } | { says: 'signed in' | 'signed out'; secrets: Secrets }

const NAME = 'medialog.session'
/** Another tab answers at once, if there is one that is awake. */
const WAIT_MS = 150

function tell(channel: BroadcastChannel, message: Message): void {
  // A channel is of one origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message)
}

/** What another tab is signed in with: a link that is opened in a new tab finds its item. */
export function askOtherTabs(): Promise<Secrets> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(NAME)
    function end(secrets: Secrets): void {
      clearTimeout(timer)
      channel.close()
      if (isSignedIn(secrets)) storeSecrets(secrets, 'tab')
      resolve(secrets)
    }
    const timer = setTimeout(() => end(NOBODY), WAIT_MS)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.says === 'signed in') end(data.secrets)
    })
    tell(channel, { says: 'who?' })
  })
}

/** Answers new tabs while one is signed in, and calls `signedOut` once another tab signs out. It ends with the signal. */
export function answerOtherTabs(secrets: Secrets, signedOut: () => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(NAME)
  signal.addEventListener('abort', () => channel.close())
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.says === 'who?') tell(channel, { says: 'signed in', secrets })
    if (data.says === 'signed out' && JSON.stringify(data.secrets) === JSON.stringify(secrets)) signedOut()
  })
}

export function tellSignedOut(secrets: Secrets): void {
  const channel = new BroadcastChannel(NAME)
  tell(channel, { says: 'signed out', secrets })
  channel.close()
}
