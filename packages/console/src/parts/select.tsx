interface Props<T extends string> {
  /** What is chosen, for those who do not see it. */
  label: string
  options: readonly { value: T; label: string }[]
  chosen: T
  choose: (value: T) => void
  className?: string
}

/** A choice of many: the browser's own list. */
export const Select = <T extends string>({ label, options, chosen, choose, className }: Props<T>) => (
  <select
    className={className === undefined ? 'select' : `select ${className}`}
    aria-label={label}
    value={chosen}
    onChange={({ target }) => choose(target.value as T)}
  >
    {options.map(({ value, label: name }) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </select>
)
