import { useId, type ReactNode } from 'react'

interface Props<T> {
  legend: string
  options: readonly { value: T; label: ReactNode; title?: string }[]
  chosen: T
  choose: (value: T) => void
}

/** A choice of a few, side by side: radio buttons. */
export function Segments<T extends string | number>({ legend, options, chosen, choose }: Props<T>) {
  const name = useId()
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{legend}</legend>
      {options.map(({ value, label, title }) => (
        <label key={value} title={title}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
