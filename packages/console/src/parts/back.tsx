import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Icon } from './icons.tsx'
import { hrefOf, placeIn } from './places.ts'

/** The way to the view that this one belongs to, as one left it. */
export const Back = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link href={hrefOf(to)} state={placeIn(to)} className="back">
    <Icon name="back" />
    {children}
  </Link>
)
