/** Calls under way at the same time. */
const AT_ONCE = 32

/** What `ask` answers for each, some at a time. */
export async function askForEach<Key, Answer>(
  keys: Iterable<Key>,
  ask: (key: Key) => Promise<Answer>,
): Promise<Map<Key, Answer>> {
  const answers = new Map<Key, Answer>()
  const left = new Set(keys).values()
  const work = async () => {
    for (const key of left) answers.set(key, await ask(key))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return answers
}
