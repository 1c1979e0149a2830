/** The files of what was dropped, those in folders and their folders included. Hidden ones are left out. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // The list is only there until the event is over: what it holds is taken out of it at once.
  const dropped = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
  const files = await Promise.all(
    dropped.map(async (each) => (each instanceof File ? [each] : each === null ? [] : filesIn(each))),
  )
  return files.flat()
}

const isHidden = ({ name }: { name: string }): boolean => name.startsWith('.')

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [
      await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
    ]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const inside: FileSystemEntry[] = []
  // It hands out a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) break
    inside.push(...some.filter((each) => !isHidden(each)))
  }
  return (await Promise.all(inside.map(filesIn))).flat()
}

/** What a folder that was chosen holds, without what is hidden in it. */
export const shownFiles = (files: FileList): File[] =>
  [...files].filter(
    ({ webkitRelativePath: path, name }) => !(path || name).split('/').some((part) => part.startsWith('.')),
  )
