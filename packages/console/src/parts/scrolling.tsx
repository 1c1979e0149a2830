import type { ReactNode } from 'react'

/** Scrolls content sideways that may be wider than the window, by keys as well. */
export const Scrolling = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="table-scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
)
