import { Link } from 'wouter'

interface Props {
  label: string
  /** Address to name. */
  tabs: readonly (readonly [href: string, name: string])[]
  here: string
}

/** The parts of a view, each with an address of its own. */
export const Tabs = ({ label, tabs, here }: Props) => (
  <nav className="tabs" aria-label={label}>
    {tabs.map(([href, name]) => (
      <Link key={href} href={href} aria-current={href === here ? 'page' : undefined}>
        {name}
      </Link>
    ))}
  </nav>
)
