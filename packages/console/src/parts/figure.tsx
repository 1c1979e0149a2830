import type { ReactNode } from 'react'

/** A number with its name: of a list with the class `figures`. */
export const Figure = ({
  name,
  className,
  children,
}: {
  name: string
  className?: string
  children: ReactNode
}) => (
  <div>
    <dt>{name}</dt>
    <dd className={className}>{children}</dd>
  </div>
)
