import type { ReactNode } from 'react'

/** Why something was refused; read aloud when it appears. */
export const Problem = ({ children }: { children: ReactNode }) => (
  <p className="problem" role="alert">
    {children}
  </p>
)
