import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Icon } from './icons.tsx'

/** The way to the view that this one belongs to. */
export const Back = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link href={to} className="back">
    <Icon name="back" />
    {children}
  </Link>
)
