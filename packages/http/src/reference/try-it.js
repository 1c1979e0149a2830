// The script of the reference page: sends what a form says and shows the answer. It runs in the reader's browser, so it is
// JavaScript and imports nothing.

/**
 * The request that a form stands for: fields left empty are not sent.
 * @param {import('./try-it.d.ts').Filled} filled
 */
export function requestOf({ method, path, secret, fields }) {
  const given = fields.filter(({ value, files }) => (files ? files.length > 0 : value !== ''))
  const at = (place) => given.filter((field) => field.in === place)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(at('path').find((field) => field.name === name)?.value ?? ''),
  )
  const query = new URLSearchParams(at('query').map(({ name, value }) => [name, value])).toString()
  const headers = Object.fromEntries(at('header').map(({ name, value }) => [name, value]))
  if (secret && secret.value !== '') headers[secret.header] = secret.prefix + secret.value
  const init = { method: method.toUpperCase(), headers }
  const [json] = at('json')
  const parts = at('form')
  if (json) {
    headers['Content-Type'] = 'application/json'
    init.body = json.value
  } else if (parts.length > 0) {
    init.body = new FormData()
    // Files last: a server that streams them knows all else by then.
    for (const { name, value } of parts.filter(({ files }) => !files)) init.body.append(name, value)
    for (const { name, files } of parts.filter(({ files }) => files))
      for (const file of files) init.body.append(name, file, file.name)
  }
  return { url: filled + (query && `?${query}`), init }
}

/** JSON set out for eyes; anything else as it is. */
export function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function fieldsOf(form) {
  return [...form.querySelectorAll('[data-in]')].map((input) => ({
    in: input.dataset.in,
    name: input.name,
    value: input.value,
    files: input.type === 'file' ? [...input.files] : undefined,
  }))
}

function secretOf(form) {
  const input = document.getElementById(form.dataset.secret ?? '')
  return input && { header: form.dataset.header, prefix: form.dataset.prefix, value: input.value }
}

async function send(form) {
  const output = form.querySelector('output')
  const { method, path } = form.dataset
  if (method === 'delete' && !confirm('This deletes for good. Send it?')) return
  const { url, init } = requestOf({ method, path, secret: secretOf(form), fields: fieldsOf(form) })
  const stop = new AbortController()
  const button = form.querySelector('[name=send]')
  const cancel = form.querySelector('[name=cancel]')
  const begun = performance.now()
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`
  const say = (text) => (output.textContent = text)
  const clock = setInterval(() => say(`${init.method} ${url}\nwaiting for ${seconds()}`), 200)
  button.disabled = true
  cancel.hidden = false
  cancel.addEventListener('click', () => stop.abort(), { signal: stop.signal })
  try {
    const response = await fetch(url, { ...init, signal: stop.signal })
    clearInterval(clock)
    const head = [
      `${init.method} ${url}`,
      `${response.status} ${response.statusText} after ${seconds()}`,
      ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    ].join('\n')
    // Piece by piece: an answer that is streamed is read while it is made.
    let text = ''
    const decoder = new TextDecoder()
    for (const reader = response.body.getReader(); ;) {
      const { value, done } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
      say(`${head}\n\n${text}`)
    }
    say(`${head}\n\n${readable(text)}`)
  } catch (error) {
    say(stop.signal.aborted ? 'Cancelled.' : `No answer: ${error.message}. Is the server still running?`)
  } finally {
    clearInterval(clock)
    button.disabled = false
    cancel.hidden = true
  }
}

if (typeof document === 'object') {
  for (const place of document.querySelectorAll('.server')) place.textContent = location.origin
  document.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(event.target)
  })
}
