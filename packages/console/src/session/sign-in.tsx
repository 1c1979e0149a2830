import { Refused } from '@medialog/client'
import { useId, useState, type FormEvent } from 'react'
import { t } from '../texts/texts.ts'
import { clientOf, storeSecrets, type Secrets } from './session.ts'

interface Props {
  /** Why the last session ended; empty where one signed out. */
  reason: string
  signedIn: (secrets: Secrets) => void
}

/** Takes a key or a token, and asks the service whether it is one before it is stored. */
export function SignIn({ reason, signedIn }: Props) {
  const [isOperator, setOperator] = useState(false)
  const [secret, setSecret] = useState('')
  const [isKept, setKept] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const [error, setError] = useState(reason)
  const hint = useId()
  const problem = useId()

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (isChecking) return
    const given = secret.trim()
    if (given === '') return setError(t.signIn.missing)
    if (!isOperator && given.startsWith('mlo_')) return setError(t.signIn.isToken)
    if (isOperator && given.startsWith('mlk_')) return setError(t.signIn.isKey)
    const secrets = isOperator
      ? { apiKey: null, operatorToken: given }
      : { apiKey: given, operatorToken: null }
    setChecking(true)
    const client = clientOf(secrets)
    try {
      await (isOperator ? client.listAccounts({ page_size: 1 }, ONCE) : client.readStatus({}, ONCE))
    } catch (failure) {
      setChecking(false)
      const isUnknown = failure instanceof Refused && failure.status === 401
      return setError(
        isUnknown ? (isOperator ? t.signIn.wrongToken : t.signIn.wrong) : (failure as Error).message,
      )
    }
    storeSecrets(secrets, isKept ? 'device' : 'tab')
    signedIn(secrets)
  }

  return (
    <main className="sign-in">
      <p className="brand">{t.name}</p>
      <h1>{t.signIn.title}</h1>
      <p className="soft">{t.signIn.lead}</p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <label className="field">
          <span>{isOperator ? t.signIn.token : t.signIn.key}</span>
          <input
            type="password"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            aria-describedby={`${hint} ${problem}`}
            aria-invalid={error !== ''}
          />
        </label>
        <p id={hint} className="soft small">
          {isOperator ? t.signIn.tokenHint : t.signIn.keyHint}
        </p>
        <p id={problem} className="problem" role="alert">
          {error}
        </p>
        <label className="choice">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
          <span>
            {t.signIn.remember}
            <span className="soft small"> {t.signIn.rememberHint}</span>
          </span>
        </label>
        <div className="actions">
          <button type="submit" className="primary button" aria-disabled={isChecking}>
            {isChecking ? t.signIn.checking : t.signIn.submit}
          </button>
          <button
            type="button"
            className="quiet button"
            onClick={() => {
              setOperator(!isOperator)
              setSecret('')
              setError('')
            }}
          >
            {isOperator ? t.signIn.asAccount : t.signIn.asOperator}
          </button>
        </div>
      </form>
    </main>
  )
}

/** A person waits for the answer. */
const ONCE = { attempts: 1, timeoutMs: 15_000 }
